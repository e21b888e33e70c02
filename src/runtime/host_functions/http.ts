/** `http()`: a request to another server, and its parsed answer. */
import { isJsonObject, type JsonObject, type JsonValue, parseJson, stringifyJson } from "../../base/json.ts";
import {
  type HostCall,
  HostError,
  type HostFunctionTable,
  type HttpReply,
  portOf,
  requiredOf,
  textOf,
} from "./host_function.ts";

/** Characters of a failed answer that the message repeats. */
const MAX_SHOWN_BODY = 200;

/** Functions that talk to other servers. */
export const HTTP_FUNCTIONS: HostFunctionTable = [
  ["http", {
    parameters: ["uri", "method", "query", "body", "contentType", "headers", "options", "accept"],
    call: callHttp,
    hasEffect: true,
  }],
];

async function callHttp({ args, values }: HostCall): Promise<JsonValue> {
  const port = portOf(values.http, "http");
  const uri = withQuery(requiredOf(args, "uri"), mapOf(args.get("query"), "query"));
  const method = (textOf(args, "method") ?? "GET").toUpperCase();
  const body = bodyText(args.get("body") ?? null);
  const headers = headersOf(args, body !== undefined);
  const options = mapOf(args.get("options"), "options");
  const reply = await port.call({ method, uri, headers, body, options });
  if (reply.code < 400) return parsed(reply);
  const shown = reply.body.slice(0, MAX_SHOWN_BODY).trim();
  throw new HostError(`Cannot ${method} "${uri}": the server answered ${reply.code}${shown && `: ${shown}`}`);
}

function headersOf(args: ReadonlyMap<string, JsonValue>, hasBody: boolean): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  const [contentType, accept] = [textOf(args, "contentType"), textOf(args, "accept")];
  if (hasBody) headers.set("content-type", contentType ?? "application/json");
  if (accept !== undefined) headers.set("accept", accept);
  for (const [name, value] of Object.entries(mapOf(args.get("headers"), "headers"))) {
    headers.set(name.toLowerCase(), typeof value === "string" ? value : stringifyJson(value));
  }
  return headers;
}

function mapOf(value: JsonValue | undefined, name: string): JsonObject {
  if (value === undefined || value === null) return {};
  if (isJsonObject(value)) return value;
  throw new HostError(`Cannot call "http": argument "${name}" must be a map`);
}

/** A text is sent as it is, anything else as JSON. */
function bodyText(body: JsonValue): string | undefined {
  if (body === null) return undefined;
  return typeof body === "string" ? body : stringifyJson(body);
}

/** A list gives its parameter several times; null gives none. */
function withQuery(uri: string, query: JsonObject): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).filter((item) => item !== null).map((item) => {
      const text = typeof item === "object" ? stringifyJson(item) : String(item);
      return `${encodeURIComponent(name)}=${encodeURIComponent(text)}`;
    })
  );
  if (pairs.length === 0) return uri;
  const [address = "", fragment] = uri.split("#", 2);
  const joined = `${address}${address.includes("?") ? "&" : "?"}${pairs.join("&")}`;
  return fragment === undefined ? joined : `${joined}#${fragment}`;
}

function parsed({ contentType, body }: HttpReply): JsonValue {
  if (!/^application\/(?:[^;]+\+)?json\b/i.test(contentType.trim())) return body;
  if (body.trim() === "") return null;
  try {
    return parseJson(body);
  } catch (error) {
    // What the other server calls JSON need not be JSON.
    throw new HostError(`Cannot read the answer as JSON: ${(error as Error).message}`);
  }
}
