/** Actions on many executions, selected by ids or by filters. */
import { type Context, Hono } from "hono";
import type { Clock } from "../../../base/time/clock.ts";
import { isJsonObject, type JsonValue, ownProperty } from "../../../base/json.ts";
import type { ExecutionConditions } from "../../../model/executions/execution_query.ts";
import { UNQUEUED_STATES } from "../../../services/executions/execution_actions.ts";
import type { BulkAction, BulkResult, ExecutionBulk } from "../../../services/executions/execution_bulk.ts";
import { readJson } from "../../bodies/body.ts";
import { noteChanges } from "../../audit/bulk_changes.ts";
import type { AppEnv } from "../../env.ts";
import { endStateIn, idsIn, labelsIn, readIds, stateIn } from "../../forms/execution_request.ts";
import { readExecutionFilters } from "../../filters/execution_filters.ts";
import { valueResponse } from "../../responses/json_response.ts";
import { queryOf, readBoolean, readRequired } from "../../forms/params.ts";

interface ExecutionBulkRoutesDeps {
  readonly bulk: ExecutionBulk;
  readonly clock: Clock;
}

type ReadAction = (query: URLSearchParams) => BulkAction;

/** Actions by the name in their path, with options from the query. */
const POSTED: ReadonlyMap<string, ReadAction> = new Map<string, ReadAction>([
  ["restart", (query) => ({ type: "restart", latestRevision: readBoolean(query, "latestRevision", false) })],
  ["pause", () => ({ type: "pause" })],
  ["resume", () => ({ type: "resume" })],
  ["force-run", () => ({ type: "force-run" })],
  ["replay", (query) => ({ type: "replay", latestRevision: readBoolean(query, "latestRevision", false) })],
  ["change-status", (query) => ({
    type: "change-status",
    state: endStateIn(readRequired(query, "newStatus")),
  })],
]);

const readKill: ReadAction = (query) => ({
  type: "kill",
  sparesChildren: !readBoolean(query, "isOnKillCascade", true),
});

const readDelete: ReadAction = (query) => ({
  type: "delete",
  includeNonTerminated: readBoolean(query, "includeNonTerminated", false),
});

/** Routes under `/executions`, relative to the tenant. */
export function executionBulkRoutes(deps: ExecutionBulkRoutesDeps): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  for (const [name, read] of POSTED) addBoth(routes, deps, { method: "POST", path: `/${name}`, read });
  addBoth(routes, deps, { method: "DELETE", path: "/kill", read: readKill });
  addBoth(routes, deps, { method: "POST", path: "/kill", read: readKill });
  addBoth(routes, deps, { method: "DELETE", path: "", read: readDelete });
  addUnqueue(routes, deps);
  addLabels(routes, deps);
  return routes;
}

/** With ids also `state` names the new state; with filters that is one of them. */
function addUnqueue(routes: Hono<AppEnv>, deps: ExecutionBulkRoutesDeps): void {
  const readBy = (...names: readonly string[]): ReadAction => (query) => {
    const [state = "RUNNING"] = names.flatMap((name) => query.get(name) || []);
    return { type: "unqueue", state: stateIn(state, UNQUEUED_STATES) };
  };
  const readByIds = readBy("newState", "state");
  addBoth(routes, deps, { method: "POST", path: "/unqueue", read: readBy("newState"), readByIds });
}

function addBoth(
  routes: Hono<AppEnv>,
  { bulk, clock }: ExecutionBulkRoutesDeps,
  { method, path, read, readByIds = read }: {
    readonly method: string;
    readonly path: string;
    readonly read: ReadAction;
    readonly readByIds?: ReadAction;
  },
): void {
  routes.on(method, `/executions${path}/by-ids`, async (c) => {
    const action = readByIds(queryOf(c));
    const ids = await readIds(c);
    return response(c, await bulk.byIds(c.get("actor"), ids, action), ids);
  });
  routes.on(method, `/executions${path}/by-query`, async (c) => {
    const action = read(queryOf(c));
    return response(c, await bulk.byQuery(c.get("actor"), filtersOf(c, clock), action));
  });
}

/** Labels are in the body: `{executionsId, executionLabels}` with ids, a plain list with filters. */
function addLabels(routes: Hono<AppEnv>, { bulk, clock }: ExecutionBulkRoutesDeps): void {
  routes.post("/executions/labels/by-ids", async (c) => {
    const body = await readJson(c);
    const labels = labelsIn(memberOf(body, "executionLabels"));
    const ids = idsIn(memberOf(body, "executionsId"));
    return response(c, await bulk.byIds(c.get("actor"), ids, { type: "labels", labels }), ids);
  });

  routes.post("/executions/labels/by-query", async (c) => {
    const labels = labelsIn(await readJson(c));
    return response(c, await bulk.byQuery(c.get("actor"), filtersOf(c, clock), { type: "labels", labels }));
  });
}

function filtersOf(c: Context<AppEnv>, clock: Clock): ExecutionConditions {
  return readExecutionFilters(queryOf(c), clock.now());
}

function memberOf(body: JsonValue, name: string): JsonValue | undefined {
  return isJsonObject(body) ? ownProperty(body, name) : undefined;
}

function response(
  c: Context<AppEnv>,
  { count, totalItems, operationId }: BulkResult,
  ids?: readonly string[],
): Response {
  noteChanges(c, count, ids);
  return valueResponse({ count, totalItems, operationId });
}
