/** `/admin[/:tab]`: the server, its workers and members, users, API tokens, tenants, and how to look after the data. */
import type { Right } from "../../../../model/access/role.ts";
import { access, may } from "../../core/access.ts";
import { pagePath } from "../../core/places.ts";
import { segments } from "../../core/router.ts";
import { EmptyState, Skeleton } from "../../kit/feedback.tsx";
import { Tabs, ViewHead } from "../../layout/shell.tsx";
import { t, type TextName } from "../../texts/mod.ts";
import { AuditTab } from "./audit_tab.tsx";
import { MaintenanceTab } from "./maintenance_tab.tsx";
import { ProcessesTab } from "./processes_tab.tsx";
import { ServerTab } from "./server_tab.tsx";
import { TenantsTab } from "./tenants_tab.tsx";
import { TokensTab } from "./tokens_tab.tsx";
import { UsersTab } from "./users_tab.tsx";

const TABS: readonly (readonly [name: string, title: TextName, content: typeof ServerTab, right?: Right])[] =
  [
    ["server", "admin.server", ServerTab],
    ["processes", "admin.processes", ProcessesTab],
    ["users", "admin.users", UsersTab, "administer"],
    ["tokens", "admin.tokens", TokensTab],
    ["tenants", "admin.tenants", TenantsTab],
    ["audit", "admin.audit", AuditTab, "administer"],
    ["maintenance", "admin.maintenance", MaintenanceTab],
  ];

/** The view. */
export default function AdminView() {
  const present = segments.value[1] ?? "server";
  const [, , Content, right = "read"] = TABS.find(([name]) => name === present) ?? [];
  const tabs = TABS.filter(([, , , right = "read"]) => may(right)).map(([name, title]) => ({
    name,
    title: t(title),
    href: pagePath("admin", name === "server" ? undefined : name),
  }));
  return (
    <>
      <ViewHead title={t("nav.admin")} />
      {may("server") && <Tabs tabs={tabs} present={present} label={t("nav.admin")} />}
      {!Content
        ? <EmptyState title={t("notFound.title")} />
        : !access.value
        ? <Skeleton />
        : !may("server")
        ? <EmptyState title={t("me.allTenants")} />
        : may(right)
        ? <Content />
        : <EmptyState title={t("me.adminOnly")} />}
    </>
  );
}
