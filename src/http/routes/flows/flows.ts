/** Flows: saving, reading, listing, validating, deleting. */
import { type Context, Hono } from "hono";
import type { Flow } from "../../../model/flows/flow.ts";
import { checkResponse, flowText, savedFlowText } from "../../../services/flows/flow_responses.ts";
import type { Flows, SavedFlow } from "../../../services/flows/flows.ts";
import type { TaskEdits } from "../../../services/flows/task_edits.ts";
import type { AppEnv } from "../../env.ts";
import { readFlowFilter } from "../../filters/flow_filters.ts";
import { flowKeyOf, isJsonBody, readSource, readSources } from "../../forms/flow_request.ts";
import { readIfMatch } from "../../forms/if_match.ts";
import { jsonResponse, valueResponse } from "../../responses/json_response.ts";
import { listText, streamedPageResponse, textResponse } from "../../responses/text_stream.ts";
import { queryOf, readBoolean, readPaging } from "../../forms/params.ts";
import { readRevision } from "../../forms/start_query.ts";
import { badRequest } from "../../refusals.ts";

/** Sections of a flow whose entries are tasks. */
const TASK_SECTIONS: ReadonlySet<string> = new Set(["TASKS", "ERRORS", "FINALLY", "AFTEREXECUTION"]);
const TRIGGER_SECTION = "TRIGGERS";
const FLOW_PATH = "/flows/:namespace/:flowId";
const withoutSource = (flow: Flow) => flowText(flow, { source: false });
/** The text of a flow with its source. */
export const withSource = (flow: Flow) => flowText(flow, { source: true });

interface FlowRoutesDeps {
  readonly flows: Flows;
  readonly taskEdits: TaskEdits;
}

/** Routes under `/flows`, relative to the tenant. */
export function flowRoutes({ flows, taskEdits }: FlowRoutesDeps): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  addLists(routes, flows);
  addReading(routes, flows);
  addChanging(routes, { flows, taskEdits });
  return routes;
}

function addLists(routes: Hono<AppEnv>, flows: Flows): void {
  routes.get("/flows/search", async (c) => {
    const query = queryOf(c);
    const { page, size, sort } = readPaging(query);
    const search = { page, size, sort, matches: readFlowFilter(query) };
    const { heads, total } = await flows.search(c.get("actor"), search);
    return await streamedPageResponse(
      c,
      textPieces(flows.pieces(c.get("actor"), heads), withoutSource),
      total,
    );
  });

  routes.get("/flows/distinct-namespaces", (c) => {
    const part = queryOf(c).get("q")?.toLowerCase() ?? "";
    return c.json(flows.namespaces(c.get("actor")).filter((namespace) => namespace.includes(part)));
  });

  routes.get("/flows/:namespace", (c) => {
    const found = flows.inNamespace(c.get("actor"), c.req.param("namespace"));
    return flowPiecesResponse(c, flows.pieces(c.get("actor"), found), withoutSource);
  });

  routes.get(`${FLOW_PATH}/revisions`, (c) => {
    const query = queryOf(c);
    const isAllowed = readBoolean(query, "allowDelete", false) || readBoolean(query, "allowDeleted", false);
    return flowPiecesResponse(c, flows.revisions(c.get("actor"), flowKeyOf(c), isAllowed), withSource);
  });
}

function addReading(routes: Hono<AppEnv>, flows: Flows): void {
  routes.get(FLOW_PATH, async (c) => {
    const query = queryOf(c);
    const revision = readRevision(query);
    // A revision that is named stays readable.
    const options = { revision, allowDeleted: readBoolean(query, "allowDeleted", revision !== undefined) };
    const flow = await flows.get(c.get("actor"), flowKeyOf(c), options);
    return flowResponse(flow, { source: readBoolean(query, "source", false) });
  });

  routes.post("/flows/validate", async (c) => {
    const checks = await flows.checks.ofText(c.get("actor"), await readSources(c));
    return valueResponse(checks.map(checkResponse));
  });

  routes.post("/flows/validate/task", (c) => validatePart(c, flows, readPart(queryOf(c))));
  routes.post("/flows/validate/trigger", (c) => validatePart(c, flows, "trigger"));
}

function addChanging(routes: Hono<AppEnv>, { flows, taskEdits }: FlowRoutesDeps): void {
  routes.post("/flows", async (c) => {
    const saved = await flows.create(c.get("actor"), await readSource(c), { isJson: isJsonBody(c) });
    c.set("auditedIds", [["namespace", saved.flow.namespace], ["flowId", saved.flow.id]]);
    return savedResponse(saved);
  });

  routes.put(FLOW_PATH, async (c) => {
    const options = { ifMatch: readIfMatch(c.req.header("if-match"), "flow"), isJson: isJsonBody(c) };
    return savedResponse(await flows.update(c.get("actor"), flowKeyOf(c), await readSource(c), options));
  });

  routes.patch(`${FLOW_PATH}/:taskId`, async (c) => {
    const ifMatch = readIfMatch(c.req.header("if-match"), "flow");
    const change = { key: flowKeyOf(c), taskId: c.req.param("taskId"), source: await readSource(c), ifMatch };
    return flowResponse(await taskEdits.replace(c.get("actor"), change), { source: true });
  });

  routes.delete(FLOW_PATH, async (c) => {
    await flows.delete(c.get("actor"), flowKeyOf(c));
    return c.body(null, 204);
  });
}

async function validatePart(c: Context<AppEnv>, flows: Flows, part: "task" | "trigger"): Promise<Response> {
  return valueResponse(checkResponse(await flows.checks.ofPart(await readSource(c), part)));
}

/** Kind of the entries of `section`; a task by default. @throws DomainError bad_request */
function readPart(query: URLSearchParams): "task" | "trigger" {
  const section = query.get("section")?.toUpperCase() || "TASKS";
  if (TASK_SECTIONS.has(section)) return "task";
  if (section === TRIGGER_SECTION) return "trigger";
  const known = [...TASK_SECTIONS, TRIGGER_SECTION].join(", ");
  throw badRequest(`"section" must be one of ${known}, but received "${section}"`);
}

/** A flow; its `ETag` is the value for `If-Match`. */
function flowResponse(flow: Flow, options: { readonly source: boolean }): Response {
  return jsonResponse(flowText(flow, options), { etag: `"${flow.revision}"` });
}

/** As {@link flowResponse}, with the warnings of its source. */
function savedResponse(saved: SavedFlow): Response {
  return jsonResponse(savedFlowText(saved), { etag: `"${saved.flow.revision}"` });
}

/** A list of flows that are read while the client reads the response. */
export function flowPiecesResponse(
  c: Context<AppEnv>,
  pieces: AsyncIterable<readonly Flow[]>,
  textOf: (flow: Flow) => string,
): Promise<Response> {
  return textResponse(c, listText(textPieces(pieces, textOf), { before: "[", after: "]" }));
}

async function* textPieces(
  pieces: AsyncIterable<readonly Flow[]>,
  textOf: (flow: Flow) => string,
): AsyncGenerator<string[]> {
  for await (const flows of pieces) yield flows.map(textOf);
}
