/** What must hold of every response, whatever the request was. */
import { gunzipSync } from "node:zlib";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../src/base/json.ts";
import { schemaProblems } from "../../http/json_schema_check.ts";
import type { DescribedOperation, Description } from "./description.ts";
import { type FuzzRequest, headerOf } from "./message.ts";
import type { WireResponse } from "./wire.ts";

/** What is wrong with a response. */
export interface Mistake {
  /** Equal for equal mistakes. */
  readonly kind: string;
  readonly detail: string;
}

/** What the judge knows of the server. */
export interface Rules {
  readonly description: Description;
  /** Texts that no response may hold: secrets, paths of the server. */
  readonly hidden: readonly string[];
  /** The data directory, which may be below a hidden path; the settings show it to operators. */
  readonly dataDir?: string;
  /** The server asks for credentials. */
  readonly isProtected: boolean;
}

/** Longest time of a request that has no reason to wait. */
const MAX_REQUEST_MS = 1_000;
/** Added for each execution or flow that a bulk action was asked for. */
const MAX_ITEM_MS = 1;
const STACK =
  /\bat (?:async )?(?:[\w.#<>]+ \()?(?:file:\/\/|ext:|npm:)\S+:\d+:\d+|\b(?:src\/[\w/]+\.ts|dist\/server\/[\w-]+\.js):\d+/;
const JSON_TYPE = /^application\/(?:problem\+)?json/;
const WEBHOOK = /\/executions\/webhook\//;
const PAGE = /^\/ui(?:\/|$)|^\/$/;
const LOG_IN = /^\/ui\/login(?:\?|$)/;
/** Statuses of the HTTP implementation below the application, for messages that it cannot read. */
const BELOW: ReadonlySet<number> = new Set([400, 414, 431, 505]);
/** What that implementation may refuse although clients send it at times. */
const UNREADABLE_TARGET = /[^\u0021-\u007e]|[<>`"{}|\\^#]|^[^/]/;
const MAX_READABLE_CHARS = 8_000;
const MAX_CHECKED_BYTES = 400_000;
/** Errors may quote what is wrong, but not much more than was sent. */
const MAX_ERROR_BYTES = 100_000;
const MAX_BULK_ERROR_BYTES = 1_000_000;
const SETTINGS = "GET /settings";
const BULK = /\/by-(?:query|ids)$/;
/** The number of things of a bulk action, in its result or in its refusal. */
const BULK_ITEMS = /"totalItems":(\d+)|: \d+ of (\d+) \w+ do not allow it/;
const MAX_ERROR_BY_REQUEST = 4;
const latin1 = new TextDecoder("latin1");

/** The longest time that a response may take. */
export function maxMsOf(request: FuzzRequest, response: WireResponse | undefined): number {
  if (!response || !BULK.test(pathOf(request))) return MAX_REQUEST_MS;
  const [, selected, checked] = BULK_ITEMS.exec(decoded(response)) ?? [];
  return MAX_REQUEST_MS + Number(selected ?? checked ?? 0) * MAX_ITEM_MS;
}

/** The mistake of a response; `undefined` when everything holds. */
export function judge(request: FuzzRequest, response: WireResponse, rules: Rules): Mistake | undefined {
  const path = pathOf(request);
  const operations = rules.description.matching(request.method, path);
  const name = operations[0]?.key ?? `${request.method} (no operation)`;
  const body = decoded(response);
  const mistake = (what: string, detail = "") => ({
    kind: `${what} | ${name}`,
    detail: `${detail}\n${shown(body)}`,
  });
  const leak = leakIn(name === SETTINGS ? withoutText(body, rules.dataDir) : body, rules);
  if (leak !== undefined) return mistake("leak", leak);
  if (isFromBelow(response)) {
    return isReadable(request) ? mistake(`bare ${response.status}`) : undefined;
  }
  // The server may have read it as several messages; which ones is unknown.
  if (request.raw) return response.status >= 500 ? mistake(`status ${response.status}`) : undefined;
  if (request.method !== "HEAD" && response.status >= 400) {
    // Pages tell people what is wrong.
    if (isChosenByFlow(path, body) || isHealth(path) || (PAGE.test(path) && response.status < 500)) {
      return undefined;
    }
    // A bulk action tells of a thousand refusals at most.
    const most = BULK.test(path) ? MAX_BULK_ERROR_BYTES : MAX_ERROR_BYTES;
    if (body.length > most + MAX_ERROR_BY_REQUEST * sizeOf(request)) {
      return mistake("long error response", `it has ${body.length} bytes`);
    }
    const problem = problemOf(response, body, rules);
    if (problem !== undefined) return mistake("no problem shape", problem);
  }
  if (response.status >= 500 && !isBusy(response)) return mistake(`status ${response.status}`);
  if (response.status < 400) {
    return successMistake(request, { response, body, operations, rules, mistake, path });
  }
  return undefined;
}

interface Success {
  readonly response: WireResponse;
  readonly body: string;
  readonly operations: readonly DescribedOperation[];
  readonly rules: Rules;
  readonly mistake: (what: string, detail?: string) => Mistake;
  readonly path: string;
}

function successMistake(request: FuzzRequest, success: Success): Mistake | undefined {
  const { response, operations, rules, mistake, path } = success;
  if (!response.headers.has("x-request-id")) return mistake("no request id");
  const isAnonymous = headerOf(request, "authorization") === undefined;
  const isOpen = operations.some((each) => each.isOpen);
  if (rules.isProtected && isAnonymous && !isOpen && !leadsToLogIn(response)) {
    return mistake("open to everybody");
  }
  if (PAGE.test(path)) return undefined;
  if (operations.length === 0) return mistake(`undescribed ${response.status}`);
  // The status and the type of what a flow returns are its own.
  if (WEBHOOK.test(path) || request.method === "HEAD") return undefined;
  const problems = operations.map((operation) => disagreement(success, operation));
  if (problems.includes(undefined)) return undefined;
  return mistake("disagrees with the description", problems[0]);
}

/** Pages send people who have not logged in there. */
function leadsToLogIn({ status, headers }: WireResponse): boolean {
  return status === 303 && LOG_IN.test(headers.get("location") ?? "");
}

/** How a successful response differs from the description of an operation. */
function disagreement(
  { response, body, rules }: Success,
  { responses }: DescribedOperation,
): string | undefined {
  const schemas = responses.get(String(response.status));
  if (!schemas) return `status ${response.status} is not among ${[...responses.keys()].join(", ")}`;
  const type = response.headers.get("content-type")?.split(";")[0] ?? "";
  if (schemas.size === 0) return body === "" ? undefined : `there is a body of type "${type}"`;
  const schema = schemas.get(type);
  if (!schema) {
    // The media type of a file is its own.
    return schemas.has("application/octet-stream")
      ? undefined
      : `type "${type}" is not among ${[...schemas.keys()]}`;
  }
  if (!JSON_TYPE.test(type) || body.length > MAX_CHECKED_BYTES) return undefined;
  const value = jsonOf(body);
  if (value === undefined) return "the body is not JSON";
  return schemaProblems(value, schema, rules.description.document)[0];
}

/** What is wrong with an error response. */
function problemOf(response: WireResponse, body: string, { description }: Rules): string | undefined {
  const { headers, status } = response;
  if (!JSON_TYPE.test(headers.get("content-type") ?? "")) return `type "${headers.get("content-type")}"`;
  const value = jsonOf(body);
  if (!isJsonObject(value)) return "the body is no JSON object";
  const schema: JsonObject = { $ref: "#/components/schemas/Problem" };
  const [problem] = schemaProblems(value, schema, description.document);
  if (problem !== undefined) return problem;
  if (Number(value.status) !== status) return `the body has status ${value.status}`;
  if (value.traceId !== headers.get("x-request-id")) {
    return "the body has another request id than the headers";
  }
  if (status === 405 && !headers.has("allow")) return "there is no Allow";
  if ((status === 429 || status === 503) && !headers.has("retry-after")) return "there is no Retry-After";
  return undefined;
}

/** An honest refusal of a server that has too much to do. */
function isBusy({ status, headers }: WireResponse): boolean {
  return status === 503 && headers.has("retry-after");
}

function isFromBelow({ status, headers }: WireResponse): boolean {
  return BELOW.has(status) && !headers.has("x-request-id");
}

/** The HTTP implementation has no reason to refuse it. */
function isReadable({ raw, target, headers, method }: FuzzRequest): boolean {
  if (raw || target === "" || target.length > MAX_READABLE_CHARS || UNREADABLE_TARGET.test(target)) {
    return false;
  }
  if (!/^[A-Z]+$/.test(method) || method === "CONNECT") return false;
  return headers.every(([name, value]) =>
    value.length < MAX_READABLE_CHARS && !/[^\t\u0020-\u007e]/.test(value) && name !== "expect"
  );
}

/** A webhook returns the execution, also with an error status. */
function isChosenByFlow(path: string, body: string): boolean {
  return WEBHOOK.test(path) && !body.includes('"traceId"');
}

function isHealth(path: string): boolean {
  return path.startsWith("/health");
}

function leakIn(body: string, { hidden }: Rules): string | undefined {
  const text = hidden.find((each) => body.includes(each));
  if (text !== undefined) return `the response holds "${text}"`;
  const [stack] = STACK.exec(body) ?? [];
  return stack === undefined ? undefined : `the response holds "${stack}"`;
}

function withoutText(body: string, text: string | undefined): string {
  return text === undefined ? body : body.replaceAll(text, "");
}

function sizeOf({ target, body }: FuzzRequest): number {
  return target.length + (body?.length ?? 0);
}

/** The server takes any scheme in the absolute form of a target, as it decides by the path. */
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^/]*/i;

function pathOf({ target }: FuzzRequest): string {
  const path = target.replace(ORIGIN, "").split(/[?#]/, 1)[0] ?? "";
  return path === "" && ORIGIN.test(target) ? "/" : path;
}

/** The body as Latin-1 text, unpacked. */
function decoded({ headers, body }: WireResponse): string {
  const isPacked = headers.get("content-encoding") === "gzip" && body.length > 0;
  return latin1.decode(isPacked ? gunzipSync(body) : body);
}

function jsonOf(body: string): JsonValue | undefined {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function shown(body: string): string {
  return body.length > 1_000 ? `${body.slice(0, 1_000)}…` : body;
}
