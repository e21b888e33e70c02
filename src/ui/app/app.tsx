/** Which view an address shows. Large views are loaded when they are needed. */
import type { ComponentType } from "preact";
import { loadExecutionEarly } from "./api/execution.ts";
import { pagePath } from "./core/places.ts";
import { query, segments } from "./core/router.ts";
import { EmptyState } from "./kit/feedback.tsx";
import { lazyPart } from "./kit/lazy_part.tsx";
import { Shell } from "./layout/shell.tsx";
import { t } from "./texts/mod.ts";
import { Dashboard } from "./views/dashboard/dashboard.tsx";
import { ExecutionById } from "./views/execution/execution_links.tsx";
import { ExecutionList } from "./views/executions/execution_list.tsx";
import { FlowList } from "./views/flows/flow_list.tsx";

const FlowPage = lazyPart(() => import("./views/flows/flow_page.tsx").then((module) => module.FlowPage));
const ExecutionPage = lazyPart(() =>
  import("./views/execution/execution_page.tsx").then((module) => module.ExecutionPage)
);

const editing = () => import("./views/editing.ts");
const DashboardEditor = lazyPart(() => editing().then((views) => views.DashboardEditor));
const NewFlow = lazyPart(() => editing().then((views) => views.NewFlow));

const management = () => import("./views/management.ts");
const AdminView = lazyPart(() => management().then((views) => views.AdminView));
const BlueprintList = lazyPart(() => management().then((views) => views.BlueprintList));
const DashboardPage = lazyPart(() => management().then((views) => views.DashboardPage));
const LogSearch = lazyPart(() => management().then((views) => views.LogSearch));
const NamespacesView = lazyPart(() => management().then((views) => views.NamespacesView));
const PluginList = lazyPart(() => management().then((views) => views.PluginList));
const SettingsView = lazyPart(() => management().then((views) => views.SettingsView));
const TriggerList = lazyPart(() => management().then((views) => views.TriggerList));

/** Begins to load script and data of the page of an execution: without it they are loaded after texts and frame are drawn, one after the other. */
export function preloadView(): void {
  const [, , , id] = segments.value;
  if (id === undefined || viewOf(segments.value) !== ExecutionPage) return;
  loadExecutionEarly(id);
  ExecutionPage.preload();
}

/** The page. */
export function App() {
  const View = viewOf(segments.value);
  return (
    <Shell>
      <View />
    </Shell>
  );
}

function viewOf([view, ...rest]: readonly string[]): ComponentType {
  if (view === "dashboards" && rest.length === 0 && query.value.has("create")) return DashboardEditor;
  if (view === "dashboards" && rest[1] === "edit") return DashboardEditor;
  if (view === undefined || view === "dashboards" && rest.length === 0) return Dashboard;
  if (view === "dashboards" && rest.length === 1) return DashboardPage;
  if (view === "executions" && rest.length === 0) return ExecutionList;
  if (view === "executions" && rest.length === 1) return ExecutionById;
  if (view === "executions" && rest.length >= 3) return ExecutionPage;
  if (view === "flows" && rest.length === 0) return FlowList;
  if (view === "flows" && rest[0] === "new" && rest.length === 1) return NewFlow;
  if (view === "flows" && rest[0] === "edit" && rest.length >= 3) return FlowPage;
  if (view === "blueprints" && rest.length === 0) return BlueprintList;
  if (view === "plugins" && rest.length <= 1) return PluginList;
  if (view === "triggers" && rest.length === 0) return TriggerList;
  if (view === "namespaces" && rest.length <= 2) return NamespacesView;
  if (view === "admin" && rest.length <= 1) return AdminView;
  if (view === "settings" && rest.length === 0) return SettingsView;
  if (view === "logs" && rest.length === 0) return LogSearch;
  return NotFound;
}

function NotFound() {
  return (
    <EmptyState title={t("notFound.title")}>
      <p>{t("notFound.text", { path: location.pathname })}</p>
      <a class="button" href={pagePath()}>{t("notFound.home")}</a>
    </EmptyState>
  );
}
