/** Executions: starting, reading, listing, following, killing, deleting. */
import { type Context, Hono } from "hono";
import type { Clock } from "../../base/clock.ts";
import { isId } from "../../base/id.ts";
import { DomainError } from "../../model/errors.ts";
import type { ExecutionQuery } from "../../model/execution_query.ts";
import type { FlowKey } from "../../model/flow.ts";
import type { GivenValue } from "../../model/input_value.ts";
import type { Executions, ReadInputs } from "../../services/executions.ts";
import type { AppEnv } from "../env.ts";
import { readExecutionQuery } from "../filters.ts";
import { awaitExecution, executionEvents } from "../follow.ts";
import { flowKeyOf, queryOf } from "../flow_request.ts";
import { jsonAnswer, pageAnswer } from "../json_answer.ts";
import { type BaseUrlOf, pageUrl } from "../page_url.ts";
import { readPaging, readRequired } from "../params.ts";
import { eventStream } from "../sse.ts";
import { hasNoForm, readStartForm } from "../start_form.ts";
import { readStartQuery } from "../start_query.ts";

/** What the routes work with. */
export interface ExecutionRoutesDeps {
  readonly executions: Executions;
  readonly clock: Clock;
  readonly baseUrlOf: BaseUrlOf;
  /** Of the body of a start. */
  readonly maxUploadBytes: number;
}

/** A first segment that is an execution's id, never a namespace: it begins with an upper-case letter. */
const ID = ":id{[A-Z][0-9A-Za-z]+}";
const NOTHING_GIVEN: ReadonlyMap<string, GivenValue> = new Map();
const readNothing: ReadInputs = () => Promise.resolve(NOTHING_GIVEN);

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
    const { revision } = readStartQuery(c.req.raw.url);
    const key = flowKeyOf(c);
    const readInputs = inputReader(c, deps, { key, revision });
    return jsonAnswer(await deps.executions.validate(c.get("actor"), key, readInputs, revision));
  });
}

/** The busiest route: a start without body and query touches nothing that it does not need. */
async function startExecution(
  c: Context<AppEnv>,
  deps: ExecutionRoutesDeps,
): Promise<Response> {
  const { executions, baseUrlOf } = deps;
  const request = c.req.raw;
  const actor = c.get("actor");
  const key = flowKeyOf(c);
  const { labels, kind, revision, scheduleDate, isWaiting } = readStartQuery(request.url);
  const baseUrl = baseUrlOf(c);
  const readInputs = inputReader(c, deps, { key, revision });
  const answer = await executions.start(actor, key, readInputs, {
    labels,
    kind,
    revision,
    scheduleDate,
    wait: isWaiting ? request.signal : undefined,
    urlOf: (execution) => pageUrl(baseUrl, execution),
  });
  return jsonAnswer(answer);
}

/** Reads the form for the inputs of the flow; without a form nothing is looked up. */
function inputReader(
  c: Context<AppEnv>,
  { executions, maxUploadBytes }: ExecutionRoutesDeps,
  { key, revision }: { readonly key: FlowKey; readonly revision?: number },
): ReadInputs {
  const request = c.req.raw;
  if (hasNoForm(request)) return readNothing;
  return async (store) => {
    const { flow } = await executions.startable(c.get("actor"), key, revision);
    return await readStartForm(request, { inputs: flow.inputs, store, limits: { maxBytes: maxUploadBytes } });
  };
}

function addReading(routes: Hono<AppEnv>, { executions, clock }: ExecutionRoutesDeps): void {
  routes.get("/executions", async (c) => {
    const { results, total } = await executions.search(c.get("actor"), readFlowQuery(queryOf(c)));
    return pageAnswer(results, total);
  });

  routes.get("/executions/search", async (c) => {
    const query = readExecutionQuery(queryOf(c), clock.now());
    const { results, total } = await executions.search(c.get("actor"), query);
    return pageAnswer(results, total);
  });

  routes.get("/executions/:id", async (c) => {
    return jsonAnswer((await executions.get(c.get("actor"), idOf(c))).body);
  });

  routes.get("/executions/:id/follow", async (c) => {
    const target = { executions, clock, actor: c.get("actor"), id: c.req.param("id") };
    await awaitExecution(target, c.req.raw.signal);
    return eventStream(c, executionEvents(target));
  });
}

function addChanging(routes: Hono<AppEnv>, { executions }: ExecutionRoutesDeps): void {
  routes.delete("/executions/:id", async (c) => {
    await executions.delete(c.get("actor"), idOf(c));
    return c.body(null, 204);
  });

  const kill = async (c: Context<AppEnv>) => jsonAnswer(await executions.kill(c.get("actor"), idOf(c)));
  routes.delete("/executions/:id/kill", kill);
  routes.delete("/executions/:id/actions/kill", kill);
  routes.post(`/executions/${ID}/kill`, kill);
  routes.post(`/executions/${ID}/actions/kill`, kill);
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

/** The id in the path. What is none belongs to no execution, and need not be looked for. @throws DomainError not_found */
function idOf(c: Context<AppEnv>): string {
  const id = c.req.param("id") ?? "";
  if (isId(id)) return id;
  throw new DomainError("not_found", `Not Found: execution "${id.slice(0, 100)}" does not exist`);
}
