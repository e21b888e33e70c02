/** Tests of flows. */
import { Hono } from "hono";
import type { FlowTests } from "../../../services/flow_tests/flow_tests.ts";
import type { AppEnv } from "../../env.ts";
import { flowKeyOf, readSource } from "../../forms/flow_request.ts";
import { queryOf } from "../../forms/params.ts";
import { readRevision } from "../../forms/start_query.ts";
import { valueResponse } from "../../responses/json_response.ts";
import { type BaseUrlOf, pageUrl } from "../../responses/page_url.ts";

interface FlowTestRoutesDeps {
  readonly flowTests: FlowTests;
  readonly baseUrlOf: BaseUrlOf;
}

/** The route of tests, relative to the tenant. The response is sent once the execution has ended. */
export function flowTestRoutes({ flowTests, baseUrlOf }: FlowTestRoutesDeps): Hono<AppEnv> {
  return new Hono<AppEnv>().post("/flows/:namespace/:flowId/test", async (c) => {
    const baseUrl = baseUrlOf(c);
    const result = await flowTests.run(c.get("actor"), flowKeyOf(c), await readSource(c), {
      revision: readRevision(queryOf(c)),
      signal: c.req.raw.signal,
      urlOf: (execution) => pageUrl(baseUrl, execution),
    });
    return valueResponse(result);
  });
}
