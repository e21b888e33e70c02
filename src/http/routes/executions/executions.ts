/** Executions: starting, reading, listing, following, deleting. */
import { type Context, Hono } from "hono";
import type { Clock } from "../../../base/time/clock.ts";
import type { ExecutionQuery } from "../../../model/executions/execution_query.ts";
import type { CallerLimits } from "../../../services/access/caller_limits.ts";
import type { Executions, StartOptions } from "../../../services/executions/executions.ts";
import type { IdempotentStarts } from "../../../services/executions/idempotent_starts.ts";
import type { AppEnv } from "../../env.ts";
import { executionIdOf, formReader } from "../../forms/execution_request.ts";
import { readExecutionQuery } from "../../filters/execution_filters.ts";
import { awaitExecution, executionEvents } from "../../streams/follow.ts";
import { deltaEvents, readLastEventId } from "../../streams/follow_delta.ts";
import { flowKeyOf } from "../../forms/flow_request.ts";
import { readIdempotencyKey, replayedHeaders, sortedQuery } from "../../forms/idempotency.ts";
import { jsonResponse } from "../../responses/json_response.ts";
import { streamedPageResponse, textResponse } from "../../responses/text_stream.ts";
import { type BaseUrlOf, pageUrl } from "../../responses/page_url.ts";
import { queryOf, readPaging, readPositive, readRequired } from "../../forms/params.ts";
import { eventStream } from "../../streams/sse.ts";
import { readStartQuery } from "../../forms/start_query.ts";

interface ExecutionRoutesDeps {
  readonly executions: Executions;
  readonly idempotentStarts: IdempotentStarts;
  /** Starts that wait for the end of their execution. */
  readonly waiting: CallerLimits;
  readonly clock: Clock;
  readonly baseUrlOf: BaseUrlOf;
  /** Largest body of a start. */
  readonly maxUploadBytes: number;
}

/** Routes under `/executions`, relative to the tenant. */
export function executionRoutes(deps: ExecutionRoutesDeps): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  addStart(routes, deps);
  addReading(routes, deps);
  addChanging(routes, deps);
  return routes;
}

function addStart(routes: Hono<AppEnv>, deps: ExecutionRoutesDeps): void {
  const start = (c: Context<AppEnv>) => startExecution(c, deps);
  routes.post("/executions/:namespace/:flowId", start);
  routes.post("/executions/trigger/:namespace/:flowId", start);

  routes.post("/executions/:namespace/:flowId/validate", async (c) => {
    const query = readStartQuery(c.req.raw.url);
    const readForm = formReader(c, deps.maxUploadBytes);
    return jsonResponse(await deps.executions.validate(c.get("actor"), flowKeyOf(c), readForm, query));
  });
}

/** The most frequent route: a start without body and query skips their parsing. */
async function startExecution(c: Context<AppEnv>, deps: ExecutionRoutesDeps): Promise<Response> {
  const { executions, idempotentStarts, waiting, baseUrlOf } = deps;
  const request = c.req.raw;
  const actor = c.get("actor");
  const flow = flowKeyOf(c);
  const { labels, kind, revision, scheduleDate, breakpoints, isWaiting } = readStartQuery(request.url);
  const baseUrl = baseUrlOf(c);
  const readForm = formReader(c, deps.maxUploadBytes);
  const options: StartOptions = {
    labels,
    kind,
    revision,
    scheduleDate,
    breakpoints,
    wait: isWaiting ? request.signal : undefined,
    urlOf: (execution) => pageUrl(baseUrl, execution),
    durations: actor.durations,
  };
  using _place = isWaiting ? waiting.take(actor) : undefined;
  const key = readIdempotencyKey(request);
  if (key === undefined) return jsonResponse(await executions.start(actor, flow, readForm, options));
  const once = { key, query: sortedQuery(request), flow, readForm, options };
  const response = await idempotentStarts.start(actor, once);
  return jsonResponse(response.body, replayedHeaders(response));
}

function addReading(routes: Hono<AppEnv>, { executions, clock }: ExecutionRoutesDeps): void {
  routes.get("/executions", async (c) => {
    const { pieces, total } = await executions.search(c.get("actor"), readFlowQuery(queryOf(c)));
    return streamedPageResponse(c, pieces, total);
  });

  routes.get("/executions/search", async (c) => {
    const query = readExecutionQuery(queryOf(c), clock.now());
    const { pieces, total } = await executions.search(c.get("actor"), query);
    return streamedPageResponse(c, pieces, total);
  });

  routes.get("/executions/:id", async (c) => {
    const maxTaskRuns = readPositive(queryOf(c), "maxTaskRuns", Infinity, Infinity);
    const text = await executions.text(c.get("actor"), executionIdOf(c), maxTaskRuns);
    return typeof text === "string" ? jsonResponse(text) : await textResponse(c, text);
  });

  routes.get("/executions/:id/follow", async (c) => {
    const target = { executions, clock, actor: c.get("actor"), id: c.req.param("id") };
    await awaitExecution(target, c.req.raw.signal);
    const isDelta = queryOf(c).get("format") === "delta";
    const lastEventId = readLastEventId(c.req.header("last-event-id"));
    return eventStream(c, isDelta ? deltaEvents(target, lastEventId) : executionEvents(target));
  });
}

function addChanging(routes: Hono<AppEnv>, { executions }: ExecutionRoutesDeps): void {
  routes.delete("/executions/:id", async (c) => {
    await executions.delete(c.get("actor"), executionIdOf(c));
    return c.body(null, 204);
  });
}

/** `namespace` and `flowId`, both exact, and the page. @throws DomainError bad_request, invalid_argument */
function readFlowQuery(query: URLSearchParams): ExecutionQuery {
  const namespace = readRequired(query, "namespace");
  const flowId = readRequired(query, "flowId");
  const { page, size } = readPaging(query);
  return {
    conditions: [
      { field: "namespace", operator: "EQUALS", values: [namespace] },
      { field: "flowId", operator: "EQUALS", values: [flowId] },
    ],
    groups: [],
    sort: [],
    page,
    size,
  };
}
