/** `http()`: a request to another server, and its parsed response. */
import { isJsonObject, type JsonObject, type JsonValue, parseJson, stringifyJson } from "../../base/json.ts";
import { parseYaml, yamlText } from "../../languages/yaml/mod.ts";
import { shownUri } from "../../base/network/shown_uri.ts";
import { statusText } from "../../model/http/status_text.ts";
import {
  type HostCall,
  HostError,
  type HostFunctionTable,
  type HttpReply,
  portOf,
  requiredOf,
  textOf,
} from "./host_function.ts";

/** Characters of a failed response that the message repeats. */
const MAX_SHOWN_BODY = 200;
const JSON_TYPE = "application/json";
const IS_JSON = /^application\/(?:[^;]+\+)?json\b/i;
const IS_YAML = /^(?:application|text)\/(?:[^;]+\+|x-)?yaml\b/i;

/** Functions that send requests. */
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
  const contentType = textOf(args, "contentType") ?? JSON_TYPE;
  const body = bodyText(args.get("body") ?? null, contentType);
  const headers = headersOf(args, body === undefined ? undefined : contentType);
  const options = mapOf(args.get("options"), "options");
  const reply = await port.call({ method, uri, headers, body, options });
  if (reply.code < 400) return parsed(reply);
  const shown = reply.body.slice(0, MAX_SHOWN_BODY).trim();
  const status = statusText(reply.code);
  throw new HostError(
    `Cannot ${method} "${shownUri(uri)}": the server answered ${status}${shown && `: ${shown}`}`,
  );
}

function headersOf(
  args: ReadonlyMap<string, JsonValue>,
  contentType: string | undefined,
): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  if (contentType !== undefined) headers.set("content-type", contentType);
  headers.set("accept", textOf(args, "accept") ?? JSON_TYPE);
  for (const [name, value] of Object.entries(mapOf(args.get("headers"), "headers"))) {
    headers.set(name.toLowerCase(), (Array.isArray(value) ? value : [value]).map(headerText).join(", "));
  }
  return headers;
}

function headerText(value: JsonValue): string {
  return typeof value === "string" ? value : stringifyJson(value);
}

function mapOf(value: JsonValue | undefined, name: string): JsonObject {
  if (value === undefined || value === null) return {};
  if (isJsonObject(value)) return value;
  throw new HostError(`Cannot call "http": argument "${name}" must be a map`);
}

/** A text is sent unchanged, other values as YAML or JSON, by content type. */
function bodyText(body: JsonValue, contentType: string): string | undefined {
  if (body === null) return undefined;
  if (typeof body === "string") return body;
  return IS_YAML.test(contentType.trim()) ? yamlText(body) : stringifyJson(body);
}

/** A list repeats its parameter; null is left out. */
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
  const type = contentType.trim();
  const isYaml = IS_YAML.test(type);
  if (!isYaml && !IS_JSON.test(type)) return body;
  if (body.trim() === "") return null;
  try {
    return isYaml ? parseYaml(body) : parseJson(body);
  } catch (error) {
    // The content type may be wrong.
    const language = isYaml ? "YAML" : "JSON";
    throw new HostError(`Cannot read the answer as ${language}: ${(error as Error).message}`);
  }
}
