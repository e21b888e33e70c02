/** `/dashboards/:id`: a dashboard with the data of a time range and namespace, both in the address. */
import { useMemo } from "preact/hooks";
import { May } from "../../core/access.ts";
import { newDashboardPath, pagePath } from "../../core/places.ts";
import { useResource } from "../../core/resource.ts";
import { navigate, query, segments } from "../../core/router.ts";
import { confirmed } from "../../kit/dialog.tsx";
import { attempt, EmptyState, Loaded } from "../../kit/feedback.tsx";
import { type FilterField, Filters } from "../../kit/filters.tsx";
import { Menu } from "../../kit/menu.tsx";
import { ViewHead } from "../../layout/shell.tsx";
import { t } from "../../texts/mod.ts";
import { DashboardSwitch } from "../dashboard/dashboard_switch.tsx";
import { csvUrl, deleteDashboard, readStored, storedCharts, type StoredDashboard } from "./dashboard_api.ts";
import { DashboardGrid } from "./dashboard_grid.tsx";
import { type Dashboard, readDashboard } from "./definition.ts";
import { scopeOf, ScopeRange } from "./scope.tsx";

const FILTERS: readonly FilterField[] = [{ name: "namespace", kind: "text", title: "common.namespace" }];

/** The view. */
export default function DashboardPage() {
  const id = segments.value[1] ?? "";
  const stored = useResource(`dashboard ${id}`, (signal) => readStored(id, signal));
  if (stored.error?.status === 404 && !stored.data) return <Unknown id={id} />;
  return <Loaded resource={stored} rows={10}>{(found) => <StoredView key={id} stored={found} />}</Loaded>;
}

function Unknown({ id }: { readonly id: string }) {
  return (
    <EmptyState title={t("dashboards.unknown", { id })}>
      <div class="actions">
        <a class="button" href={pagePath()}>{t("notFound.home")}</a>
        <May>
          <a class="button" href={newDashboardPath()}>{t("dashboards.new")}</a>
        </May>
      </div>
    </EmptyState>
  );
}

function StoredView({ stored }: { readonly stored: StoredDashboard }) {
  const { id } = stored;
  const dashboard = useMemo(() => readDashboard(stored), [stored]);
  const load = useMemo(() => storedCharts(id), [id]);
  const scope = scopeOf(dashboard, query.value);
  return (
    <>
      <ViewHead title={dashboard.title} above={<a href={pagePath()}>{t("nav.dashboard")}</a>}>
        <ScopeRange dashboard={dashboard} />
        <May>
          <Actions stored={stored} dashboard={dashboard} />
        </May>
        <DashboardSwitch />
      </ViewHead>
      {dashboard.description !== undefined && <p class="dim">{dashboard.description}</p>}
      {dashboard.charts.length === 0 ? <NoCharts id={id} /> : (
        <>
          <Filters fields={FILTERS} />
          <DashboardGrid
            dashboard={dashboard}
            scope={scope}
            load={load}
            csvOf={(chart) => csvUrl(id, chart, scope)}
          />
        </>
      )}
    </>
  );
}

function NoCharts({ id }: { readonly id: string }) {
  return (
    <EmptyState title={t("dashboards.noCharts")}>
      <p>{t("dashboards.noChartsHint")}</p>
      <May>
        <a class="button" href={pagePath("dashboards", id, "edit")}>{t("common.edit")}</a>
      </May>
    </EmptyState>
  );
}

function Actions({ stored: { id, created }, dashboard }: {
  readonly stored: StoredDashboard;
  readonly dashboard: Dashboard;
}) {
  // The one that is built in was never created.
  const isBuiltIn = Date.parse(created) === 0;
  const duplicate = () => navigate(newDashboardPath(id));
  const remove = async () => {
    const isConfirmed = await confirmed({
      title: t("dashboards.delete"),
      text: t("dashboards.confirmDelete", { title: dashboard.title }),
      action: t("common.delete"),
      isDangerous: true,
    });
    if (!isConfirmed) return;
    const done = t("dashboards.deleted", { title: dashboard.title });
    const isDeleted = await attempt(() => deleteDashboard(id).then(() => true), done);
    if (isDeleted) navigate(pagePath());
  };
  const refusal = isBuiltIn ? t("dashboards.builtIn") : undefined;
  return (
    <>
      {!isBuiltIn && <a class="button" href={pagePath("dashboards", id, "edit")}>{t("common.edit")}</a>}
      <Menu
        title={t("common.actions")}
        items={[
          { name: "duplicate", title: t("dashboards.duplicate"), run: duplicate },
          { name: "delete", title: t("common.delete"), refusal, isDangerous: true, run: () => void remove() },
        ]}
      />
    </>
  );
}
