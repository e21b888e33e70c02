/** The request of all HTTP tasks, from rendered properties to the head of the response. */
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownProperty,
  setOwnProperty,
} from "../../base/json.ts";
import { shownUri } from "../../base/network/shown_uri.ts";
import type { PropertySchema, PropertySchemas } from "../../model/flows/schema.ts";
import { keptInMemory } from "../../model/http/http_options.ts";
import { type HttpDraft, readHttpRequest } from "../../model/http/http_request.ts";
import { HTTP_REQUEST_PROPERTIES } from "../../model/http/http_schema.ts";
import { shownResponse } from "../../model/http/http_text.ts";
import { statusText } from "../../model/http/status_text.ts";
import type { HttpResponse, NamedText } from "../../model/ports/http.ts";
import type { RunContext } from "../../model/ports/run_context.ts";
import { structureOf, textOf } from "../property_values.ts";
import { payloadBody } from "./payload.ts";

const CREDENTIALS = /^(?:authorization|proxy-authorization|cookie|set-cookie)$/i;

/** A request and its response. */
interface Exchange {
  readonly draft: HttpDraft;
  readonly response: HttpResponse;
}

/**
 * Sends the request. `maxBytes` limits a response that is not kept in memory if the properties set no limit; `accept` is
 * the `Accept` header unless they set one.
 * @throws Error no response, or one with a status code that counts as failure; the message is for the log
 */
export async function exchange(
  properties: JsonObject,
  context: RunContext,
  { maxBytes, accept }: { readonly maxBytes?: number; readonly accept?: string } = {},
): Promise<Exchange> {
  const given = structuredProperties(properties, HTTP_REQUEST_PROPERTIES);
  const draft = readHttpRequest(given);
  const { method, uri, options, payload, response: { logs } } = draft;
  const headers = acceptedHeaders(draft.headers, accept);
  if (logs.has("REQUEST_HEADERS")) context.log("INFO", `Request headers: ${headerText(headers)}`);
  if (logs.has("REQUEST_BODY") && payload?.type === "text") {
    context.log("INFO", `Request body: ${payload.text}`);
  }
  const body = await payloadBody(payload, context);
  const response = await context.ports.http.send({
    method,
    uri,
    headers,
    body,
    options: maxBytes === undefined
      ? keptInMemory(options)
      : isBounded(given)
      ? options
      : { ...options, maxBytes },
    signal: context.signal,
  });
  if (logs.has("RESPONSE_HEADERS")) {
    const given = [...response.headers].map(([name, values]): NamedText => [name, values.join(", ")]);
    context.log("INFO", `Response headers: ${headerText(given)}`);
  }
  await refuseFailure(draft, response);
  return { draft, response };
}

function acceptedHeaders(headers: readonly NamedText[], accept: string | undefined): readonly NamedText[] {
  const isGiven = headers.some(([name]) => name.toLowerCase() === "accept");
  return accept === undefined || isGiven ? headers : [...headers, ["Accept", accept]];
}

function isBounded({ options }: JsonObject): boolean {
  return isJsonObject(options) && textOf(options, "maxContentLength") !== undefined;
}

/** Headers of a response as outputs; each is a list. */
export function headerLists({ headers }: HttpResponse): JsonObject {
  return Object.fromEntries([...headers].map(([name, values]) => [name, [...values]]));
}

async function refuseFailure(
  { method, uri, response: { allowedCodes, defaultCharset } }: HttpDraft,
  response: HttpResponse,
): Promise<void> {
  const { code } = response;
  if (code < 400 || allowedCodes === undefined || allowedCodes.has(code)) return;
  const shown = await shownResponse(response, defaultCharset);
  throw new Error(
    `Cannot ${method} "${shownUri(uri)}": the server answered ${statusText(code)}${shown && `: ${shown}`}`,
  );
}

function headerText(headers: readonly NamedText[]): string {
  return headers.map(([name, value]) => `${name}: ${CREDENTIALS.test(name) ? "***" : value}`).join(", ");
}

/**
 * The properties with texts parsed where `schemas` declare a map, an object or a list: an expression for such a value renders
 * to JSON text. Empty texts are omitted.
 * @throws Error no map; the message does not contain the text, since it may be a secret
 */
function structuredProperties(properties: JsonObject, schemas: PropertySchemas): JsonObject {
  const read: JsonObject = {};
  for (const name of Object.keys(properties)) {
    const schema = Object.hasOwn(schemas, name) ? schemas[name] : undefined;
    const value = propertyOf(properties, name, schema);
    if (value !== undefined) setOwnProperty(read, name, value);
  }
  return read;
}

function propertyOf(
  properties: JsonObject,
  name: string,
  schema: PropertySchema | undefined,
): JsonValue | undefined {
  if (schema?.type === "map" || schema?.type === "object") return readMap(properties, name, schema);
  const list = schema?.type === "list" ? structureOf(properties, name) : undefined;
  // A single element is accepted instead of a list.
  return Array.isArray(list) ? list : ownProperty(properties, name);
}

function readMap(properties: JsonObject, name: string, schema: PropertySchema): JsonValue | undefined {
  const value = structureOf(properties, name);
  if (value === undefined) return undefined;
  if (!isJsonObject(value)) throw new Error(`Invalid ${name}: it must be a map`);
  return schema.properties ? structuredProperties(value, schema.properties) : value;
}
