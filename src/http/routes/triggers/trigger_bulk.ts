/** Many triggers at once, by a query or by their names. */
import { type Context, Hono } from "hono";
import { isJsonObject, ownProperty, stringifyJson } from "../../../base/json.ts";
import type { TriggerKey } from "../../../model/flows/flow.ts";
import {
  disableAction,
  TRIGGER_ACTIONS,
  type TriggerAction,
  type TriggerBulk,
} from "../../../services/triggers/trigger_bulk.ts";
import type { Triggers } from "../../../services/triggers/triggers.ts";
import { readJson, readOptionalJson } from "../../forms/body.ts";
import type { AppEnv } from "../../forms/env.ts";
import { jsonResponse } from "../../responses/json_response.ts";
import { queryOf, readBoolean } from "../../forms/params.ts";
import { filterQueryOf, readTriggerFilter } from "../../filters/trigger_filters.ts";
import { readObject, requiredFlag, triggerKeysIn } from "../../forms/trigger_request.ts";

/** What the routes work with. */
interface TriggerBulkRoutesDeps {
  readonly triggers: Triggers;
  readonly bulk: TriggerBulk;
}

/** Routes under `/triggers`, relative to the tenant. */
export function triggerBulkRoutes({ triggers, bulk }: TriggerBulkRoutesDeps): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  const apply = async (c: Context<AppEnv>, keys: readonly TriggerKey[], action: TriggerAction) => {
    const { count, totalItems, operationId } = await bulk.apply(c.get("actor"), keys, action);
    return jsonResponse(stringifyJson({ count, totalItems, operationId }));
  };
  const byQuery = async (c: Context<AppEnv>) => {
    const matches = [
      readTriggerFilter(queryOf(c)),
      readTriggerFilter(filterQueryOf(await readOptionalJson(c))),
    ];
    return await triggers.select(c.get("actor"), (state) => matches.every((each) => each(state)));
  };

  for (const [name, action] of TRIGGER_ACTIONS) {
    const method = name === "delete" ? "DELETE" : "POST";
    routes.on(
      method,
      `/triggers/${name}/by-query`,
      async (c: Context<AppEnv>) => apply(c, await byQuery(c), action),
    );
    routes.on(
      method,
      `/triggers/${name}/by-triggers`,
      async (c: Context<AppEnv>) => apply(c, await keysOf(c), action),
    );
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

/** A list of names, alone or as `triggers`. */
async function keysOf(c: Context<AppEnv>): Promise<TriggerKey[]> {
  const body = await readJson(c);
  return triggerKeysIn(isJsonObject(body) ? ownProperty(body, "triggers") : body);
}
