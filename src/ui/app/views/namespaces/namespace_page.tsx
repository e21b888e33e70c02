/** `/namespaces/:id/:tab`: a namespace with its tabs. */
import { type ComponentType, Fragment } from "preact";
import { get } from "../../api/client.ts";
import { apiPath, pagePath } from "../../core/places.ts";
import { useResource } from "../../core/resource.ts";
import { EmptyState, Loaded } from "../../kit/feedback.tsx";
import { Tabs, ViewHead } from "../../layout/shell.tsx";
import { t, type TextName } from "../../texts/mod.ts";
import { PluginDefaultsTab, VariablesTab } from "./declared_tabs.tsx";
import { DeleteNamespaceButton } from "./delete_namespace.tsx";
import { FilesTab } from "./files_tab.tsx";
import { KvTab } from "./kv_tab.tsx";
import { ExecutionsTab, FlowsTab } from "./list_tabs.tsx";
import type { TabProps } from "./namespace.ts";
import { parentsOf } from "./namespace_tree.ts";
import { OverviewTab } from "./overview_tab.tsx";
import { SecretsTab } from "./secrets_tab.tsx";

const TABS: readonly (readonly [name: string, title: TextName, content: ComponentType<TabProps>])[] = [
  ["overview", "namespaces.overview", OverviewTab],
  ["flows", "nav.flows", FlowsTab],
  ["executions", "nav.executions", ExecutionsTab],
  ["files", "namespaces.files", FilesTab],
  ["kv", "namespaces.kv", KvTab],
  ["secrets", "namespaces.secrets", SecretsTab],
  ["variables", "namespaces.variables", VariablesTab],
  ["plugin-defaults", "namespaces.pluginDefaults", PluginDefaultsTab],
];

/** The page. */
export function NamespacePage({ id, tab }: { readonly id: string; readonly tab: string }) {
  const namespace = useResource(id, (signal) => get(`/namespaces${apiPath(id)}`, {}, signal));
  const Content = TABS.find(([name]) => name === tab)?.[2];
  const tabs = TABS.map(([name, title]) => ({
    name,
    title: t(title),
    href: pagePath("namespaces", id, name === "overview" ? undefined : name),
  }));
  if (namespace.error?.status === 404) {
    return (
      <EmptyState title={t("namespaces.unknown", { namespace: id })}>
        <a class="button" href={pagePath("namespaces")}>{t("namespaces.all")}</a>
      </EmptyState>
    );
  }
  return (
    <>
      <ViewHead title={id} above={<Above id={id} />}>
        <DeleteNamespaceButton namespace={id} />
      </ViewHead>
      <Tabs tabs={tabs} present={tab} label={t("namespaces.parts", { namespace: id })} />
      <Loaded resource={namespace}>
        {() => Content ? <Content namespace={id} /> : <EmptyState title={t("notFound.title")} />}
      </Loaded>
    </>
  );
}

function Above({ id }: { readonly id: string }) {
  return (
    <>
      <a href={pagePath("namespaces")}>{t("namespaces.title")}</a>
      {parentsOf(id).map((parent) => (
        <Fragment key={parent}>
          {" › "}
          <a href={pagePath("namespaces", parent)}>{parent.split(".").at(-1)}</a>
        </Fragment>
      ))}
    </>
  );
}
