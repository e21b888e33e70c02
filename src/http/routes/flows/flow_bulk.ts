/** Operations on many flows: replace, import, export, enable, disable, delete. */
import { type Context, Hono } from "hono";
import { isJsonObject, type JsonObject, parseJson } from "../../../base/json.ts";
import { flowText } from "../../../services/flows/flow_responses.ts";
import type { ChangedFlows, FlowBulk } from "../../../services/flows/flow_bulk.ts";
import type { FlowRevisions } from "../../../services/flows/flow_revisions.ts";
import type { Flows } from "../../../services/flows/flows.ts";
import {
  type FlowFile,
  type FlowTransfer,
  MAX_FLOW_IMPORT_BYTES,
} from "../../../services/flows/flow_transfer.ts";
import { streamResponse } from "../../responses/attachment.ts";
import type { Flow, FlowKey } from "../../../model/flows/flow.ts";
import { csvResponse } from "../../responses/csv.ts";
import { noteChanges } from "../../audit/bulk_changes.ts";
import type { AppEnv } from "../../env.ts";
import { readFlowFilter } from "../../filters/flow_filters.ts";
import { flowKeyOf, isJsonBody, readFlowKeys, readSources } from "../../forms/flow_request.ts";
import { valueResponse } from "../../responses/json_response.ts";
import { flowPiecesResponse, withSource } from "./flows.ts";
import { readMultipart } from "../../bodies/multipart.ts";
import { queryOf, readBoolean } from "../../forms/params.ts";
import { badRequest } from "../../refusals.ts";

interface FlowBulkRoutesDeps {
  readonly flows: Flows;
  readonly bulk: FlowBulk;
  readonly transfer: FlowTransfer;
  readonly revisions: FlowRevisions;
}

/** Form part with the file of an import. */
const FILE_PART = "fileUpload";
/** Allowance for boundaries, headers and other parts of the form. */
const FORM_OVERHEAD_BYTES = 64 * 1024;

type Head = ReturnType<Flows["select"]>[number];
type Select = (c: Context<AppEnv>, action: string) => Promise<Head[]>;

/** Routes under `/flows`, relative to the tenant. */
export function flowBulkRoutes(deps: FlowBulkRoutesDeps): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  addReplacing(routes, deps);
  addTransfer(routes, deps);
  addChanging(routes, deps);
  addRevisions(routes, deps);
  return routes;
}

function addReplacing(routes: Hono<AppEnv>, { bulk }: FlowBulkRoutesDeps): void {
  const readDelete = (c: Context<AppEnv>) => readBoolean(queryOf(c), "delete", true);

  routes.post("/flows/:namespace", async (c) => {
    const override = readBoolean(queryOf(c), "override", false);
    const options = { delete: readDelete(c), override, isJson: isJsonBody(c) };
    const text = await readSources(c);
    return changesResponse(c, await bulk.replace(c.get("actor"), c.req.param("namespace"), text, options));
  });

  routes.post("/flows/bulk", async (c) => {
    const query = queryOf(c);
    const options = {
      delete: readDelete(c),
      namespace: query.get("namespace") || undefined,
      allowNamespaceChild: readBoolean(query, "allowNamespaceChild", false),
      isJson: isJsonBody(c),
    };
    return changesResponse(c, await bulk.update(c.get("actor"), await readSources(c), options));
  });
}

function addTransfer(routes: Hono<AppEnv>, { flows, bulk, transfer }: FlowBulkRoutesDeps): void {
  routes.post("/flows/import", async (c) => {
    const failOnError = readBoolean(queryOf(c), "failOnError", false);
    const file = await readFile(c.req.raw);
    const { saved, failed } = await transfer.import(c.get("actor"), file, failOnError);
    noteChanges(c, saved.length, saved.map(nameOf));
    return c.json(failed);
  });

  routes.get("/flows/export/by-query", async (c) => {
    const heads = await flows.filter(c.get("actor"), readFlowFilter(queryOf(c)));
    return await zipResponse(c, transfer.export(c.get("actor"), heads));
  });

  routes.post("/flows/export/by-ids", async (c) => {
    const heads = await bulk.pick(c.get("actor"), await readFlowKeys(c), "export");
    return zipResponse(c, transfer.export(c.get("actor"), heads));
  });

  routes.get("/flows/export/by-query/csv", async (c) => {
    const heads = await flows.filter(c.get("actor"), readFlowFilter(queryOf(c)));
    return await csvResponse(c, recordPieces(flows.pieces(c.get("actor"), heads)), "flows.csv");
  });
}

function addChanging(routes: Hono<AppEnv>, { flows, bulk }: FlowBulkRoutesDeps): void {
  const ways: readonly (readonly [string, Select])[] = [
    ["by-query", (c) => flows.filter(c.get("actor"), readFlowFilter(queryOf(c)))],
    ["by-ids", async (c, action) => await bulk.pick(c.get("actor"), await readFlowKeys(c), action)],
  ];
  for (const [way, select] of ways) {
    routes.delete(`/flows/delete/${way}`, async (c) => {
      const heads = await select(c, "delete");
      return countResponse(c, await bulk.delete(c.get("actor"), heads), heads);
    });
    for (const [verb, isDisabled] of [["enable", false], ["disable", true]] as const) {
      routes.post(`/flows/${verb}/${way}`, async (c) => {
        const heads = await select(c, verb);
        return countResponse(c, await bulk.setDisabled(c.get("actor"), heads, isDisabled), heads);
      });
    }
  }
}

function addRevisions(routes: Hono<AppEnv>, { revisions }: FlowBulkRoutesDeps): void {
  routes.delete("/flows/:namespace/:flowId/revisions", async (c) => {
    await revisions.remove(c.get("actor"), flowKeyOf(c), readRevisions(queryOf(c)));
    return c.body(null, 200);
  });
}

/** `revisions`, repeated or comma-separated. @throws DomainError bad_request */
function readRevisions(query: URLSearchParams): number[] {
  const texts = query.getAll("revisions").flatMap((text) => text.split(",")).filter((text) => text !== "");
  if (texts.length === 0) {
    throw badRequest('query parameter "revisions" is missing');
  }
  return texts.map((text) => {
    if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
    throw badRequest(`"revisions" must be numbers from 1, but received "${text.slice(0, 100)}"`);
  });
}

/** The file of a form. @throws DomainError bad_request, unsupported_media_type, too_large, invalid_argument */
async function readFile(request: Request): Promise<FlowFile> {
  const limits = { maxBytes: MAX_FLOW_IMPORT_BYTES + FORM_OVERHEAD_BYTES };
  let file: FlowFile | undefined;
  for await (const part of readMultipart(request, limits)) {
    if (part.name !== FILE_PART || part.fileName === undefined) continue;
    file = { name: part.fileName, bytes: await part.bytes(MAX_FLOW_IMPORT_BYTES) };
  }
  if (file) return file;
  throw badRequest(`the form must have a file as part "${FILE_PART}"`);
}

function nameOf({ namespace, id }: FlowKey): string {
  return `${namespace}.${id}`;
}

function changesResponse(c: Context<AppEnv>, { keys, pieces }: ChangedFlows): Promise<Response> {
  noteChanges(c, keys.length, keys.map(nameOf));
  return flowPiecesResponse(c, pieces, withSource);
}

function countResponse(c: Context<AppEnv>, count: number, heads: readonly FlowKey[]): Response {
  noteChanges(c, count, heads.map(nameOf));
  return valueResponse({ count });
}

function zipResponse(c: Context<AppEnv>, zip: ReadableStream<Uint8Array>): Promise<Response> {
  return streamResponse(c, zip, {
    "content-type": "application/octet-stream",
    "content-disposition": 'attachment; filename="flows.zip"',
  });
}

async function* recordPieces(pieces: AsyncIterable<readonly Flow[]>): AsyncGenerator<JsonObject[]> {
  for await (const flows of pieces) {
    yield flows.map((flow) => parseJson(flowText(flow, { source: false }))).filter(isJsonObject);
  }
}
