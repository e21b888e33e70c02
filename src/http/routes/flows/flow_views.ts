/** Views of flows: graphs, dependencies, single tasks, search in sources. */
import { type Context, Hono } from "hono";
import { stringifyJson } from "../../../base/json.ts";
import type { Actor } from "../../../model/access/actor.ts";
import type { Executions } from "../../../services/executions/executions.ts";
import type { FlowDependencies } from "../../../services/flows/flow_dependencies.ts";
import { flowOutlineText } from "../../../services/flows/flow_outline.ts";
import { flowText } from "../../../services/flows/flow_responses.ts";
import type { FlowGraphs } from "../../../services/flows/flow_graphs.ts";
import type { FlowInspection } from "../../../services/flows/flow_inspection.ts";
import { searchSources } from "../../../services/flows/flow_search.ts";
import type { Flows } from "../../../services/flows/flows.ts";
import type { AppEnv } from "../../env.ts";
import { readFlowFilter } from "../../filters/flow_filters.ts";
import { flowPiecesResponse } from "./flows.ts";
import { flowKeyOf, readDependencyOptions, readSource } from "../../forms/flow_request.ts";
import { jsonResponse, valueResponse } from "../../responses/json_response.ts";
import { streamedPageResponse } from "../../responses/text_stream.ts";
import { queryOf, readBoolean, readPaging } from "../../forms/params.ts";
import { readRevision } from "../../forms/start_query.ts";

interface FlowViewRoutesDeps {
  readonly flows: Flows;
  readonly graphs: FlowGraphs;
  readonly dependencies: FlowDependencies;
  readonly inspection: FlowInspection;
  readonly executions: Executions;
}

const FLOW_PATH = "/flows/:namespace/:flowId";

/** Routes under `/flows`, `/dependencies`, `/namespaces/:namespace/dependencies` and `/executions`, relative to the tenant. */
export function flowViewRoutes(deps: FlowViewRoutesDeps): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  addGraphs(routes, deps);
  addDependencies(routes, deps);
  addInspection(routes, deps);
  addSearch(routes, deps);
  addFlowsOfExecutions(routes, deps);
  return routes;
}

function addGraphs(routes: Hono<AppEnv>, { graphs }: FlowViewRoutesDeps): void {
  routes.get(`${FLOW_PATH}/graph`, async (c) => {
    const options = { revision: readRevision(queryOf(c)), subflows: readSubflows(c) };
    return jsonResponse(await graphs.stored(c.get("actor"), flowKeyOf(c), options));
  });

  routes.post("/flows/graph", async (c) => {
    const source = await readSource(c);
    return jsonResponse(await graphs.draft(c.get("actor"), source, readSubflows(c)));
  });
}

/** `subflows`, repeated or comma-separated: uids of tasks whose flows are included in the graph. */
function readSubflows(c: Context<AppEnv>): string[] {
  return queryOf(c).getAll("subflows").flatMap((text) => text.split(",")).filter((uid) => uid !== "");
}

function addDependencies(routes: Hono<AppEnv>, { dependencies }: FlowViewRoutesDeps): void {
  routes.get(`${FLOW_PATH}/dependencies`, async (c) => {
    const options = readDependencyOptions(queryOf(c));
    return valueResponse(await dependencies.ofFlow(c.get("actor"), flowKeyOf(c), options));
  });

  routes.get("/namespaces/:namespace/dependencies", async (c) => {
    const destinationOnly = readBoolean(queryOf(c), "destinationOnly", false);
    const namespace = c.req.param("namespace");
    return valueResponse(await dependencies.ofNamespace(c.get("actor"), namespace, destinationOnly));
  });

  routes.get("/dependencies", async (c) => {
    return valueResponse(await dependencies.ofTenant(c.get("actor")));
  });
}

function addInspection(routes: Hono<AppEnv>, { inspection }: FlowViewRoutesDeps): void {
  routes.get(`${FLOW_PATH}/tasks/:taskId`, async (c) => {
    const { taskId } = c.req.param();
    const revision = readRevision(queryOf(c));
    return valueResponse(await inspection.task(c.get("actor"), flowKeyOf(c), taskId, revision));
  });

  routes.get("/flows/deprecated", async (c) => {
    return valueResponse(await inspection.deprecated(c.get("actor"), readFlowFilter(queryOf(c))));
  });

  routes.post("/flows/expressions", async (c) => {
    const taskId = queryOf(c).get("taskId") || undefined;
    return valueResponse(await inspection.expressions(c.get("actor"), await readSource(c), taskId));
  });
}

function addSearch(routes: Hono<AppEnv>, { flows }: FlowViewRoutesDeps): void {
  routes.get("/flows/source", async (c) => {
    const query = queryOf(c);
    const paging = readPaging(query);
    const text = query.get("q") ?? "";
    query.delete("q"); // it applies to sources, not to names
    const matches = readFlowFilter(query);
    const { results, total } = await searchSources(flows, c.get("actor"), { ...paging, text, matches });
    return await streamedPageResponse(c, foundTexts(flows, c.get("actor"), results), total);
  });
}

async function* foundTexts(
  flows: Flows,
  actor: Actor,
  found: Awaited<ReturnType<typeof searchSources>>["results"],
): AsyncGenerator<string[]> {
  for (const { head, fragments } of found) {
    for await (const [flow] of flows.pieces(actor, [head])) {
      const model = flow && flowText(flow, { source: false });
      if (model) yield [`{"model":${model},"fragments":${stringifyJson(fragments)}}`];
    }
  }
}

/** Flows for callers that start and read executions: the flow of an execution, and the enabled flows. */
function addFlowsOfExecutions(routes: Hono<AppEnv>, { flows, graphs, executions }: FlowViewRoutesDeps): void {
  const flowOf = async (c: Context<AppEnv>) => {
    const execution = await executions.header(c.get("actor"), c.req.param("id") ?? "");
    const { namespace, flowId: id, flowRevision: revision } = execution;
    return { key: { namespace, id }, options: { revision, allowDeleted: true } };
  };

  routes.get("/executions/:id/graph", async (c) => {
    const { execution } = await executions.view(c.get("actor"), c.req.param("id"));
    const hasValueClusters = readBoolean(queryOf(c), "valueClusters", false);
    const shown = { subflows: readSubflows(c), hasValueClusters };
    return jsonResponse(await graphs.ofExecution(c.get("actor"), execution, shown));
  });

  routes.get("/executions/:id/flow", async (c) => {
    const { key, options } = await flowOf(c);
    return jsonResponse(flowOutlineText(await flows.get(c.get("actor"), key, options)));
  });

  routes.get("/executions/flows/:namespace/:flowId", async (c) => {
    const flow = await flows.get(c.get("actor"), flowKeyOf(c), { revision: readRevision(queryOf(c)) });
    return jsonResponse(flowOutlineText(flow));
  });

  routes.get("/executions/namespaces", (c) => {
    const startable = flows.select(c.get("actor"), ({ disabled }) => !disabled);
    return c.json([...new Set(startable.map(({ namespace }) => namespace))]);
  });

  routes.get("/executions/namespaces/:namespace/flows", (c) => {
    const found = flows.inNamespace(c.get("actor"), c.req.param("namespace"));
    const startable = found.filter(({ disabled }) => !disabled);
    return flowPiecesResponse(c, flows.pieces(c.get("actor"), startable), flowOutlineText);
  });
}
