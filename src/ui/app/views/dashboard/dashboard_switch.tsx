/** The choice between dashboards. */
import { get, type Page } from "../../api/client.ts";
import { may } from "../../core/access.ts";
import { newDashboardPath, pagePath } from "../../core/places.ts";
import { useResource } from "../../core/resource.ts";
import { navigate } from "../../core/router.ts";
import { Menu } from "../../kit/menu.tsx";
import { t } from "../../texts/mod.ts";

/** More are found by the palette. */
const SHOWN = 50;

interface DashboardName {
  readonly id: string;
  readonly title: string;
}

/** A menu of all dashboards, and the way to a new one. */
export function DashboardSwitch() {
  const { data } = useResource("dashboards", loadDashboards);
  const items = (data?.results ?? []).map(({ id, title }) => ({
    name: `dashboard ${id}`,
    title,
    run: () => navigate(pagePath("dashboards", id)),
  }));
  const own = { name: "overview", title: t("dashboards.overview"), run: () => navigate(pagePath()) };
  const add = {
    name: "new",
    title: `+ ${t("dashboards.new")}`,
    run: () => navigate(newDashboardPath()),
  };
  return <Menu title={t("dashboards.all")} items={[own, ...items, ...may("change") ? [add] : []]} />;
}

function loadDashboards(signal: AbortSignal): Promise<Page<DashboardName>> {
  return get<Page<DashboardName>>("/dashboards", { size: SHOWN, sort: "title:asc" }, signal);
}
