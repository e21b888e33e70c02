/** Webhook calls: the only route that starts executions without credentials. */
import { Buffer } from "node:buffer";
import { type Context, Hono } from "hono";
import { type JsonObject, setOwnProperty } from "../../../base/json.ts";
import { readStructure } from "../../../base/json_text.ts";
import { DomainError } from "../../../model/errors.ts";
import { MAX_WEBHOOK_BODY_BYTES } from "../../../model/limits.ts";
import { MAIN_TENANT } from "../../../model/flows/flow.ts";
import { percentDecoded } from "../../../model/http/percent_decoding.ts";
import type { StoreFile } from "../../../services/starts/given_files.ts";
import type { VerifyCall } from "../../../services/webhooks/webhook_gate.ts";
import type { WebhookResponse } from "../../../services/webhooks/webhook_response.ts";
import type {
  BodyUse,
  OnceCall,
  WebhookAddress,
  WebhookCall,
  Webhooks,
} from "../../../services/webhooks/webhooks.ts";
import { mediaTypeOf, readRequestBytes } from "../../bodies/body.ts";
import { readChunks } from "../../bodies/body_reader.ts";
import type { AppEnv } from "../../env.ts";
import { readIdempotencyKey, replayedHeaders, sortedQuery } from "../../forms/idempotency.ts";
import { readMultipart } from "../../bodies/multipart.ts";
import { rawPath } from "../../pipeline/canonical_path.ts";
import { isInertType } from "../../responses/attachment.ts";
import type { ClientAddresses } from "../../pipeline/client_addresses.ts";
import { type BaseUrlOf, pageUrl } from "../../responses/page_url.ts";

interface WebhookRoutesDeps {
  readonly webhooks: Webhooks;
  readonly baseUrlOf: BaseUrlOf;
  readonly clients: ClientAddresses;
}

/** Credentials of the caller, which flows must not see. */
const HIDDEN_HEADERS: ReadonlySet<string> = new Set(["authorization", "cookie", "proxy-authorization"]);
const BINARY = "application/octet-stream";
/** It precedes the names of each address. The first occurrence counts: no tenant may be called "executions". */
const MOUNT = "/executions/webhook/";
const NO_STORE = { "cache-control": "no-store" };

/** Routes below `/executions/webhook`; their mount needs no credentials. */
export function webhookRoutes({ webhooks, baseUrlOf, clients }: WebhookRoutesDeps): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  const call = async (c: Context<AppEnv>) => {
    // HEAD runs the GET handler, but must not start anything.
    if (c.req.raw.method === "HEAD") {
      throw new DomainError("method_not_allowed", "Method Not Allowed: use GET or POST");
    }
    const baseUrl = baseUrlOf(c);
    const { tenant, durations } = c.get("actor");
    const response = await webhooks.call(tenant, addressOf(c), {
      caller: { address: clients.of(c.req.raw, c.env), tenant: c.req.param("tenant") ?? MAIN_TENANT },
      readCall: async (store, use, verify) => {
        const request = verify ? await verified(c.req.raw, verify) : c.req.raw;
        return await readCall(request, store, use);
      },
      urlOf: (execution) => pageUrl(baseUrl, execution),
      durations,
      signal: c.req.raw.signal,
      once: onceCallOf(c.req.raw),
    });
    return response ? responseTo(response) : c.body(null, 204, NO_STORE);
  };
  routes.on(["GET", "POST", "PUT"], "/:namespace/:flowId/:key", call);
  routes.on(["GET", "POST", "PUT"], "/:namespace/:flowId/:key/*", call);
  return routes;
}

function onceCallOf(request: Request): OnceCall | undefined {
  const key = readIdempotencyKey(request);
  return key === undefined ? undefined : { key, method: request.method, query: sortedQuery(request) };
}

function addressOf(c: Context<AppEnv>): WebhookAddress {
  const { namespace = "", flowId = "", key = "" } = c.req.param() as Record<string, string>;
  const address = rawPath(c.req.url);
  const segments = address.slice(address.indexOf(MOUNT) + MOUNT.length).split("/");
  return { namespace, id: flowId, key, path: decodePath(segments.slice(3)) };
}

/** Each segment with a slash before it. One that is not encoded UTF-8 stays undecoded, and matches nothing. */
function decodePath(segments: readonly string[]): string {
  return segments.map((segment) => `/${percentDecoded(segment) ?? segment}`).join("");
}

function responseTo(response: WebhookResponse & { readonly isReplayed?: boolean }): Response {
  const { status, contentType, body } = response;
  const hasBody = status !== 204 && status !== 205 && status !== 304;
  const headers: Record<string, string> = { ...NO_STORE, ...replayedHeaders(response) };
  if (hasBody) headers["content-type"] = contentType;
  if (hasBody && !isInertType(contentType)) headers["content-disposition"] = "attachment";
  return new Response(hasBody ? body : null, { status, headers });
}

/** The request after a check of its signature, before any of it is stored. @throws DomainError forbidden, too_large */
async function verified(request: Request, verify: VerifyCall): Promise<Request> {
  const { url, headers } = request;
  const body = await readRequestBytes(request, MAX_WEBHOOK_BODY_BYTES);
  verify({ headers, body });
  // A GET request could have no body.
  return new Request(url, { method: "POST", headers, body: body.length > 0 ? body : null });
}

async function readCall(request: Request, store: StoreFile, use: BodyUse): Promise<WebhookCall> {
  const { url, headers } = request;
  const isForm = mediaTypeOf(request) === "multipart/form-data";
  const call = isForm ? await readParts(request, store) : await readBody(request, store, use);
  call.headers = listsByName([...headers].filter(([name]) => !HIDDEN_HEADERS.has(name)));
  const mark = url.indexOf("?");
  call.parameters = mark === -1 ? {} : listsByName(new URLSearchParams(url.slice(mark)));
  return call;
}

/** A stored body is streamed, with the size limit of an uploaded file. */
async function readBody(request: Request, store: StoreFile, use: BodyUse): Promise<WebhookCall> {
  if (use !== "STORE") {
    const bytes = await readRequestBytes(request, MAX_WEBHOOK_BODY_BYTES);
    return use === "NONE" ? {} : bodyOf(bytes);
  }
  if (!request.body) return {};
  const stream = ReadableStream.from(readChunks(request, request.body));
  const kept = await store("", { name: "body", stream });
  return kept.kind === "file" ? { uri: kept.uri } : {};
}

/** Files of a form are stored with the execution; other fields are texts. */
async function readParts(request: Request, store: StoreFile): Promise<WebhookCall> {
  const parts: JsonObject[] = [];
  const fields: (readonly [string, string])[] = [];
  for await (const part of readMultipart(request, { maxBytes: MAX_WEBHOOK_BODY_BYTES })) {
    const { name, fileName, contentType } = part;
    if (fileName === undefined) {
      fields.push([name, await part.text()]);
      continue;
    }
    const kept = await store(String(parts.length), { name: fileNameOf(fileName), stream: part.stream() });
    if (kept.kind !== "file") continue;
    const names = { name, filename: fileName, fileName };
    parts.push({ ...names, contentType: contentType ?? BINARY, size: kept.size, uri: kept.uri });
  }
  return { parts, formFields: listsByName(fields) };
}

/** The last path segment, with characters that a URI must not contain replaced. A name of dots alone becomes `file`. */
function fileNameOf(name: string): string {
  const last = name.split(/[/\\]/).at(-1)?.replace(/[^\w.-]+/g, "_").slice(0, 200) ?? "";
  return /^\.*$/.test(last) ? "file" : last;
}

/** An object or list is parsed, whatever the content type; other text stays text; other bytes are Base64. */
function bodyOf(bytes: Uint8Array): WebhookCall {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return { body: Buffer.from(bytes).toString("base64") };
  }
  return text === "" ? {} : { body: readStructure(text) };
}

function listsByName(pairs: Iterable<readonly [string, string]>): JsonObject {
  const object: JsonObject = {};
  for (const [name, list] of Map.groupBy(pairs, ([name]) => name)) {
    setOwnProperty(object, name, list.map(([, value]) => value));
  }
  return object;
}
