/** Views of executions: the latest of flows, values of a field, CSV, outputs, related executions. */
import { type Context, Hono } from "hono";
import { type Clock, toIso } from "../../../base/time/clock.ts";
import { type JsonObject, ownProperty, setOwnProperty, stringifyJson } from "../../../base/json.ts";
import { undefinedIfMissing } from "../../../model/errors.ts";
import type { Execution } from "../../../model/executions/execution.ts";
import { currentState, startedAt } from "../../../model/executions/state.ts";
import {
  DISTINCT_FIELDS,
  type DistinctField,
  type ExecutionViews,
  type TaskRunOutputs,
} from "../../../services/executions/execution_views.ts";
import type { Executions } from "../../../services/executions/executions.ts";
import type { FlowDependencies } from "../../../services/flows/flow_dependencies.ts";
import { csvResponse } from "../../responses/csv.ts";
import type { AppEnv } from "../../env.ts";
import { readExecutionFilters } from "../../filters/execution_filters.ts";
import { executionIdOf } from "../../forms/execution_request.ts";
import { readDependencyOptions, readFlowKeys } from "../../forms/flow_request.ts";
import { awaitExecution } from "../../streams/follow.ts";
import { dependencyEvents } from "../../streams/follow_dependencies.ts";
import { valueResponse } from "../../responses/json_response.ts";
import { listText, textResponse } from "../../responses/text_stream.ts";
import { queryOf, readPositive, readRequired } from "../../forms/params.ts";
import { eventStream } from "../../streams/sse.ts";
import { badRequest } from "../../refusals.ts";

interface ExecutionViewRoutesDeps {
  readonly views: ExecutionViews;
  readonly executions: Executions;
  readonly dependencies: FlowDependencies;
  readonly clock: Clock;
}

const DEFAULT_DISTINCT_VALUES = 100;
const MAX_DISTINCT_VALUES = 1_000;

/** Columns of the CSV export, in the order of the execution JSON; every row has all of them. */
const COLUMNS = [
  ...["id", "namespace", "flowId", "flowRevision", "inputs", "outputs", "variables", "labels", "state"],
  ...["parentId", "originalId", "trigger", "deleted", "metadata", "scheduleDate", "kind"],
];

/** Routes under `/executions` and `/outputs`, relative to the tenant. */
export function executionViewRoutes(deps: ExecutionViewRoutesDeps): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  addViews(routes, deps);
  addOutputs(routes, deps);
  addFollowing(routes, deps);
  return routes;
}

function addViews(routes: Hono<AppEnv>, { views, clock }: ExecutionViewRoutesDeps): void {
  const filtersOf = (c: Context<AppEnv>) => readExecutionFilters(queryOf(c), clock.now());

  routes.post("/executions/latest", async (c) => {
    const found = await views.latest(c.get("actor"), await readFlowKeys(c));
    return valueResponse(found.map(latestResponse));
  });

  routes.get("/executions/distinct-field-values", async (c) => {
    const query = queryOf(c);
    const field = readField(readRequired(query, "field"));
    const size = readPositive(query, "size", DEFAULT_DISTINCT_VALUES, MAX_DISTINCT_VALUES);
    return valueResponse(await views.distinct(c.get("actor"), field, filtersOf(c), size));
  });

  routes.get("/executions/export/by-query/csv", (c) => {
    const pages = views.pages(c.get("actor"), filtersOf(c));
    return csvResponse(c, rowPieces(pages), "executions.csv");
  });

  routes.get("/executions/export/by-query/json", (c) => {
    const pages = views.pages(c.get("actor"), filtersOf(c));
    return textResponse(c, listText(jsonPieces(pages), { before: "[", after: "]" }), {
      "content-type": "application/json",
      "content-disposition": 'attachment; filename="executions.json"',
    });
  });
}

function addOutputs(routes: Hono<AppEnv>, { views }: ExecutionViewRoutesDeps): void {
  routes.get("/outputs/:executionId", async (c) => {
    const found = await views.outputs(c.get("actor"), c.req.param("executionId"));
    return valueResponse(found.map(outputsResponse));
  });

  routes.get("/outputs/:executionId/:taskRunId", async (c) => {
    const { executionId, taskRunId } = c.req.param();
    return valueResponse(await views.taskRunOutputs(c.get("actor"), executionId, taskRunId));
  });

  routes.get("/outputs/executions/:executionId", async (c) => {
    const found = await views.flowOutputs(c.get("actor"), c.req.param("executionId"));
    return valueResponse(found);
  });
}

function addFollowing(routes: Hono<AppEnv>, deps: ExecutionViewRoutesDeps): void {
  const { views, dependencies, executions, clock } = deps;
  routes.get("/executions/:id/follow-dependencies", async (c) => {
    const [actor, id, options] = [c.get("actor"), executionIdOf(c), readDependencyOptions(queryOf(c))];
    const target = { executions, clock, actor, id };
    await awaitExecution(target, c.req.raw.signal);
    const { flow } = await views.related(actor, id);
    const flows = await dependencies.connectedNames(actor, flow, options);
    const read = async () => {
      const related = await undefinedIfMissing(() => views.related(actor, id));
      return related && { flows, executions: related.executions };
    };
    return eventStream(c, dependencyEvents(target, read));
  });
}

/** Also `state.current`, and constants of clients such as `FLOW_ID`. @throws DomainError bad_request */
function readField(text: string): DistinctField {
  const wanted = text === "state.current" ? "state" : text.replaceAll("_", "").toLowerCase();
  const field = DISTINCT_FIELDS.find((name) => name.toLowerCase() === wanted);
  if (field) return field;
  throw badRequest(
    `"field" must be one of ${DISTINCT_FIELDS.join(", ")}, but received "${text.slice(0, 100)}"`,
  );
}

function latestResponse({ id, flowId, namespace, history }: Execution): JsonObject {
  return { id, flowId, namespace, startDate: toIso(startedAt(history)), status: currentState(history) };
}

function outputsResponse({ id, taskId, value, iteration }: TaskRunOutputs): JsonObject {
  return {
    taskId,
    taskRunId: id,
    ...(value !== undefined && { value }),
    ...(iteration !== undefined && { iteration }),
    inline: true,
  };
}

async function* rowPieces(pages: AsyncIterable<readonly JsonObject[]>): AsyncGenerator<JsonObject[]> {
  for await (const page of pages) yield page.map(rowOf);
}

async function* jsonPieces(pages: AsyncIterable<readonly JsonObject[]>): AsyncGenerator<string[]> {
  for await (const page of pages) yield page.map((execution) => stringifyJson(execution));
}

function rowOf(execution: JsonObject): JsonObject {
  const row: JsonObject = {};
  for (const name of COLUMNS) setOwnProperty(row, name, ownProperty(execution, name) ?? null);
  return row;
}
