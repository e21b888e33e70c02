/** Actions on many triggers, selected by filters or by keys. */
import { type Context, Hono } from "hono";
import { isJsonObject, ownProperty } from "../../../base/json.ts";
import type { TriggerKey } from "../../../model/flows/flow.ts";
import { MAX_FILTER_BODY_BYTES } from "../../../model/limits.ts";
import {
  disableAction,
  TRIGGER_ACTIONS,
  type TriggerAction,
  type TriggerBulk,
} from "../../../services/triggers/trigger_bulk.ts";
import type { Triggers } from "../../../services/triggers/triggers.ts";
import { readJson, readOptionalJson } from "../../bodies/body.ts";
import { noteChanges } from "../../audit/bulk_changes.ts";
import type { AppEnv } from "../../env.ts";
import { valueResponse } from "../../responses/json_response.ts";
import { queryOf, readBoolean } from "../../forms/params.ts";
import { filterQueryOf, readTriggerFilter } from "../../filters/trigger_filters.ts";
import { readObject, requiredFlag, triggerKeysIn } from "../../forms/trigger_request.ts";

interface TriggerBulkRoutesDeps {
  readonly triggers: Triggers;
  readonly bulk: TriggerBulk;
}

/** Routes under `/triggers`, relative to the tenant. */
export function triggerBulkRoutes({ triggers, bulk }: TriggerBulkRoutesDeps): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  const apply = async (c: Context<AppEnv>, keys: readonly TriggerKey[], action: TriggerAction) => {
    const { count, totalItems, operationId } = await bulk.apply(c.get("actor"), keys, action);
    noteChanges(
      c,
      count,
      keys.map(({ namespace, flowId, triggerId }) => `${namespace}.${flowId}.${triggerId}`),
    );
    return valueResponse({ count, totalItems, operationId });
  };
  const byQuery = async (c: Context<AppEnv>) => {
    const matches = [
      readTriggerFilter(queryOf(c)),
      readTriggerFilter(filterQueryOf(await readOptionalJson(c, MAX_FILTER_BODY_BYTES))),
    ];
    return await triggers.select(c.get("actor"), (state) => matches.every((each) => each(state)));
  };

  for (const [name, action] of TRIGGER_ACTIONS) {
    const method = name === "delete" ? "DELETE" : "POST";
    for (const [way, keysOf] of [["by-query", byQuery], ["by-triggers", readKeys]] as const) {
      const handler = async (c: Context<AppEnv>) => await apply(c, await keysOf(c), action);
      routes.on(method, `/triggers/${name}/${way}`, handler);
    }
  }

  routes.post("/triggers/set-disabled/by-query", async (c) => {
    const disabled = readBoolean(queryOf(c), "disabled", true);
    return await apply(c, await byQuery(c), disableAction(disabled));
  });

  routes.post("/triggers/set-disabled/by-triggers", async (c) => {
    const body = await readObject(c);
    const keys = triggerKeysIn(ownProperty(body, "triggers"));
    return await apply(c, keys, disableAction(requiredFlag(body, "disabled")));
  });

  return routes;
}

/** A list of keys, plain or as `triggers`. */
async function readKeys(c: Context<AppEnv>): Promise<TriggerKey[]> {
  const body = await readJson(c);
  return triggerKeysIn(isJsonObject(body) ? ownProperty(body, "triggers") : body);
}
