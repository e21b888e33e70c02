/** Numbers of running executions of flows with a concurrency limit. */
import { Hono } from "hono";
import { isJsonObject, type JsonObject, ownProperty, stringifyJson } from "../../../base/json.ts";
import { publicTenantId } from "../../../model/access/tenant.ts";
import type { ConcurrencyLimits, LimitedFlow } from "../../../services/executions/concurrency_limits.ts";
import { readOptionalJson } from "../../bodies/body.ts";
import type { AppEnv } from "../../env.ts";
import { flowKeyOf } from "../../forms/flow_request.ts";
import { pageResponse, valueResponse } from "../../responses/json_response.ts";
import { takePage } from "../../responses/list_page.ts";
import { queryOf, readPaging } from "../../forms/params.ts";
import { invalidArgument } from "../../refusals.ts";

const SORT_FIELDS: ReadonlyMap<string, (flow: LimitedFlow) => string | number> = new Map([
  ["namespace", ({ namespace }: LimitedFlow): string | number => namespace],
  ["flowId", ({ id }: LimitedFlow) => id],
  ["running", ({ running }: LimitedFlow) => running],
]);

/** Routes under `/concurrency-limit`, relative to the tenant. */
export function concurrencyLimitRoutes(limits: ConcurrencyLimits): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();

  routes.get("/concurrency-limit/search", async (c) => {
    const found = await limits.list(c.get("actor"));
    const page = takePage(found, readPaging(queryOf(c)), SORT_FIELDS);
    return pageResponse(page.map((limit) => stringifyJson(responseOf(limit))), found.length);
  });

  routes.get("/concurrency-limit/:namespace/:flowId", async (c) => {
    return valueResponse(responseOf(await limits.get(c.get("actor"), flowKeyOf(c))));
  });

  // The number is recounted from the executions; the value sent is only validated. Waiting executions get free slots.
  routes.put("/concurrency-limit/:namespace/:flowId", async (c) => {
    const body = await readOptionalJson(c);
    const running = isJsonObject(body) ? ownProperty(body, "running") : undefined;
    const isCount = typeof running === "number" && Number.isSafeInteger(running) && running >= 0;
    if (running !== undefined && !isCount) {
      throw invalidArgument('"running" must be a whole number from 0');
    }
    return valueResponse(responseOf(await limits.recount(c.get("actor"), flowKeyOf(c))));
  });
  return routes;
}

function responseOf({ tenant, namespace, id, running }: LimitedFlow): JsonObject {
  return { tenantId: publicTenantId(tenant), namespace, flowId: id, running };
}
