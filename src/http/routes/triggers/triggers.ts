/** Single triggers: states, disabling, backfills. */
import { type Context, Hono } from "hono";
import { isJsonObject, type JsonObject, ownProperty, stringifyJson } from "../../../base/json.ts";
import type { Actor } from "../../../model/access/actor.ts";
import type { TriggerKey } from "../../../model/flows/flow.ts";
import { filterInTurns } from "../../../model/list_filter.ts";
import type { TriggerState } from "../../../model/triggers/trigger_state.ts";
import { listedResponse, stateResponse } from "../../../services/triggers/trigger_responses.ts";
import type { Triggers, TriggerView } from "../../../services/triggers/triggers.ts";
import { csvResponse } from "../../responses/csv.ts";
import type { AppEnv } from "../../env.ts";
import { flowKeyOf } from "../../forms/flow_request.ts";
import { valueResponse } from "../../responses/json_response.ts";
import { takePage } from "../../responses/list_page.ts";
import { streamedPageResponse } from "../../responses/text_stream.ts";
import { queryOf, readPaging } from "../../forms/params.ts";
import { readTriggerFilter } from "../../filters/trigger_filters.ts";
import {
  backfillIn,
  readObject,
  readTriggerKey,
  requiredFlag,
  triggerKeyIn,
} from "../../forms/trigger_request.ts";

const SORT_FIELDS = new Map<string, (state: TriggerState) => string | number>([
  ["namespace", (state) => state.namespace],
  ["flowId", (state) => state.flowId],
  ["triggerId", (state) => state.triggerId],
  ["date", (state) => state.date ?? 0],
  ["nextExecutionDate", (state) => state.nextDate ?? 0],
  ["updatedDate", (state) => state.updatedAt],
  ["lastTriggeredDate", (state) => state.date ?? 0],
  ["nextEvaluationDate", (state) => state.nextDate ?? 0],
  ["updatedAt", (state) => state.updatedAt],
]);

type Change = (actor: Actor, key: TriggerKey) => Promise<TriggerView>;

/** Routes under `/triggers`, relative to the tenant. */
export function triggerRoutes(triggers: Triggers): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  addLists(routes, triggers);
  addChanges(routes, triggers);
  addActions(routes, triggers);
  return routes;
}

function addLists(routes: Hono<AppEnv>, triggers: Triggers): void {
  const pageResponse = (
    c: Context<AppEnv>,
    found: readonly TriggerState[],
    bodyOf: (view: TriggerView) => JsonObject,
  ) => {
    const page = takePage(found, readPaging(queryOf(c)), SORT_FIELDS);
    const views = triggers.pieces(c.get("actor"), page);
    return streamedPageResponse(c, bodies(views, (view) => stringifyJson(bodyOf(view))), found.length);
  };

  routes.get("/triggers/search", async (c) => {
    const found = await triggers.select(c.get("actor"), readTriggerFilter(queryOf(c)));
    return await pageResponse(c, found, listedResponse);
  });

  routes.get("/triggers/:namespace/:flowId", async (c) => {
    const matches = readTriggerFilter(queryOf(c));
    const found = await triggers.ofFlow(c.get("actor"), flowKeyOf(c));
    return await pageResponse(c, await filterInTurns(found, matches), stateResponse);
  });

  routes.get("/triggers/export/by-query/csv", async (c) => {
    const found = await triggers.select(c.get("actor"), readTriggerFilter(queryOf(c)));
    return await csvResponse(c, bodies(triggers.pieces(c.get("actor"), found), recordOf), "triggers.csv");
  });
}

async function* bodies<T>(
  pieces: AsyncIterable<readonly TriggerView[]>,
  bodyOf: (view: TriggerView) => T,
): AsyncGenerator<T[]> {
  for await (const views of pieces) yield views.map(bodyOf);
}

function addChanges(routes: Hono<AppEnv>, triggers: Triggers): void {
  routes.put("/triggers/set-disabled", async (c) => {
    const body = await readObject(c);
    const key = await namedIn(c, triggers, body);
    return stateOf(await triggers.disable(c.get("actor"), key, requiredFlag(body, "disabled")));
  });

  // The older request for both: a complete trigger, with or without a new backfill. One that runs has its next date.
  routes.put("/triggers", async (c) => {
    const body = await readObject(c);
    const key = await namedIn(c, triggers, body);
    if (isJsonObject(body.backfill) && ownProperty(body.backfill, "currentDate") === undefined) {
      return stateOf(await triggers.backfill(c.get("actor"), key, backfillIn(body)));
    }
    return stateOf(await triggers.disable(c.get("actor"), key, requiredFlag(body, "disabled")));
  });

  routes.put("/triggers/backfill/create", async (c) => {
    const body = await readObject(c);
    const key = await namedIn(c, triggers, body);
    return stateOf(await triggers.backfill(c.get("actor"), key, backfillIn(body)));
  });

  const bodyActions: readonly (readonly [method: string, path: string, Change])[] = [
    ["PUT", "backfill/pause", (actor, key) => triggers.pauseBackfill(actor, key, true)],
    ["PUT", "backfill/unpause", (actor, key) => triggers.pauseBackfill(actor, key, false)],
    ["POST", "backfill/delete", (actor, key) => triggers.deleteBackfill(actor, key)],
  ];
  for (const [method, path, change] of bodyActions) {
    routes.on(method, `/triggers/${path}`, async (c: Context<AppEnv>) => {
      return stateOf(await change(c.get("actor"), await namedIn(c, triggers, await readObject(c))));
    });
  }
}

/** The trigger that a body names, for the audit log, too. Without it the rest of the body is not read. @throws DomainError invalid_argument, not_found */
async function namedIn(c: Context<AppEnv>, triggers: Triggers, body: JsonObject): Promise<TriggerKey> {
  const { namespace, flowId, triggerId } = triggerKeyIn(body);
  c.set("auditedIds", Object.entries({ namespace, flowId, triggerId }));
  await triggers.pick(c.get("actor"), [{ namespace, flowId, triggerId }]);
  return { namespace, flowId, triggerId };
}

function addActions(routes: Hono<AppEnv>, triggers: Triggers): void {
  routes.post("/triggers/:namespace/:flowId/:triggerId/restart", async (c) => {
    return stateOf(await triggers.restart(c.get("actor"), readTriggerKey(c)));
  });

  routes.post("/triggers/:namespace/:flowId/:triggerId/unlock", async (c) => {
    return stateOf(await triggers.unlock(c.get("actor"), readTriggerKey(c)));
  });

  routes.delete("/triggers/:namespace/:flowId/:triggerId", async (c) => {
    await triggers.reset(c.get("actor"), readTriggerKey(c));
    return c.body(null, 204);
  });
}

function stateOf(view: TriggerView): Response {
  return valueResponse(stateResponse(view));
}

function recordOf(view: TriggerView): JsonObject {
  const state = stateResponse(view);
  const valueOf = (name: string) => state[name] ?? null;
  return {
    namespace: valueOf("namespace"),
    flowId: valueOf("flowId"),
    triggerId: valueOf("triggerId"),
    type: view.trigger?.type ?? null,
    disabled: valueOf("disabled"),
    date: valueOf("date"),
    nextExecutionDate: valueOf("nextExecutionDate"),
    updatedDate: valueOf("updatedDate"),
  };
}
