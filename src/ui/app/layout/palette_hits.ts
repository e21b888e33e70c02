/** What the palette finds: views, actions, and the objects of the server. */
import { get, type Page } from "../api/client.ts";
import { VIEWS } from "../../views.ts";
import { may, type Need } from "../core/access.ts";
import { pagePath } from "../core/places.ts";
import { choose } from "../core/preferences.ts";
import { navigate } from "../core/router.ts";
import { t, type TextName } from "../texts/mod.ts";
import { openKeys } from "./keys.tsx";

/** Something that a person can choose. */
export interface Hit {
  readonly title: string;
  /** What it is. */
  readonly kind: string;
  readonly run: () => void;
}

const MAX_OBJECTS = 6;
const EXECUTION_ID = /^[A-Za-z0-9]{22}$/;

const go = (...path: readonly string[]) => () => navigate(pagePath(...path));
const ACTIONS: readonly (readonly [title: TextName, run: () => void, need?: Need])[] = [
  ["palette.newFlow", go("flows", "new"), "change"],
  ["palette.failed", () => navigate(`${pagePath("executions")}?state=FAILED&timeRange=PT24H`)],
  ["palette.running", () => navigate(`${pagePath("executions")}?state=RUNNING`)],
  ["palette.errors", () => navigate(`${pagePath("logs")}?minLevel=ERROR&timeRange=PT24H`)],
  ["admin.tokens", go("admin", "tokens"), "server"],
  ["admin.tenants", go("admin", "tenants"), "server"],
  ["admin.maintenance", go("admin", "maintenance"), "server"],
  ["palette.light", () => choose({ theme: "light" })],
  ["palette.dark", () => choose({ theme: "dark" })],
  ["palette.systemTheme", () => choose({ theme: "auto" })],
  ["palette.compact", () => choose({ density: "compact" })],
  ["palette.comfortable", () => choose({ density: "comfortable" })],
  ["keys.open", openKeys],
];

/** Views and actions whose names contain the text; only the views without one. */
export function namedHits(wanted: string): Hit[] {
  const text = wanted.trim().toLowerCase();
  const views = VIEWS.filter((view) => view !== "admin" || may("server")).map((view): Hit => ({
    title: view === "dashboards" ? t("nav.dashboard") : t(`nav.${view}` as "nav.flows"),
    kind: t("palette.view"),
    run: view === "dashboards" ? go() : go(view),
  }));
  const actions = ACTIONS.filter(([, , need = "read"]) => may(need))
    .map(([title, run]): Hit => ({ title: t(title), kind: t("palette.action"), run }));
  return [...views, ...text === "" ? [] : actions].filter(({ title }) => title.toLowerCase().includes(text));
}

/** Objects of the server that match the text. @throws ApiError */
export async function objectHits(wanted: string): Promise<Hit[]> {
  const text = wanted.trim();
  if (text === "") return [];
  const found = await Promise.all([
    flowsLike(text),
    triggersLike(text),
    namespacesLike(text),
    dashboardsLike(text),
    executionOf(text),
  ]);
  return found.flat();
}

interface FlowName {
  readonly id: string;
  readonly namespace: string;
}

async function flowsLike(q: string): Promise<Hit[]> {
  const { results } = await get<Page<FlowName>>("/flows/search", { q, size: MAX_OBJECTS });
  return results.flatMap(({ id, namespace }) => {
    const path = pagePath("flows", "edit", namespace, id);
    const flow = `${namespace}.${id}`;
    const hits = [{ title: flow, kind: t("common.flow"), run: () => navigate(path) }];
    if (may("change")) {
      const run = () => navigate(`${path}?run=1`);
      hits.push({ title: t("palette.run", { flow }), kind: t("palette.action"), run });
    }
    return hits;
  });
}

interface TriggerName {
  readonly state: { readonly namespace: string; readonly flowId: string; readonly triggerId: string };
}

async function triggersLike(q: string): Promise<Hit[]> {
  const { results } = await get<Page<TriggerName>>("/triggers/search", { q, size: MAX_OBJECTS });
  return results.map(({ state: { namespace, flowId, triggerId } }) => ({
    title: `${namespace}.${flowId} · ${triggerId}`,
    kind: t("triggers.trigger"),
    run: () => {
      const trigger = [namespace, flowId, triggerId].map(encodeURIComponent).join("/");
      navigate(`${pagePath("triggers")}?trigger=${trigger}`);
    },
  }));
}

async function namespacesLike(q: string): Promise<Hit[]> {
  const { results } = await get<Page<{ readonly id: string }>>("/namespaces/search", {
    q,
    size: MAX_OBJECTS,
  });
  return results.map(({ id }) => ({ title: id, kind: t("common.namespace"), run: go("namespaces", id) }));
}

async function dashboardsLike(q: string): Promise<Hit[]> {
  const query = { q, size: MAX_OBJECTS };
  const { results } = await get<Page<{ readonly id: string; readonly title: string }>>("/dashboards", query);
  return results.map(({ id, title }) => ({ title, kind: t("nav.dashboard"), run: go("dashboards", id) }));
}

async function executionOf(wanted: string): Promise<Hit[]> {
  if (!EXECUTION_ID.test(wanted)) return [];
  try {
    const { id = "", namespace = "", flowId = "" } = await get<Record<string, string>>(
      `/executions/${wanted}`,
    );
    return [{ title: id, kind: t("executions.id"), run: go("executions", namespace, flowId, id) }];
  } catch {
    return []; // No execution has this id.
  }
}
