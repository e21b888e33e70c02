/** One request of a task, from its rendered properties to the head of the answer; what both HTTP tasks do alike. */
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { type HttpDraft, readHttpRequest, shownUri } from "../../model/http/http_request.ts";
import { HTTP_REQUEST_PROPERTIES } from "../../model/http/http_schema.ts";
import { shownResponse } from "../../model/http/http_text.ts";
import type { HttpResponse, NamedText } from "../../model/ports/http.ts";
import type { RunContext } from "../../model/ports/run_context.ts";
import { textOf } from "../property_values.ts";
import { payloadBody } from "./payload.ts";
import { structuredProperties } from "./structured_properties.ts";

const CREDENTIALS = /^(?:authorization|proxy-authorization|cookie|set-cookie)$/i;

/** What was sent, and the answer to it. */
interface Exchange {
  readonly draft: HttpDraft;
  readonly response: HttpResponse;
}

/**
 * Sends what the properties ask for. `maxBytes` bounds an answer for which they give no bound.
 * @throws Error when no answer came, or one with a code that is a failure; its message is for the log
 */
export async function exchange(
  properties: JsonObject,
  context: RunContext,
  { maxBytes }: { readonly maxBytes?: number } = {},
): Promise<Exchange> {
  const given = structuredProperties(properties, HTTP_REQUEST_PROPERTIES);
  const draft = readHttpRequest(given);
  const { method, uri, headers, options, payload, response: { logs } } = draft;
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
    options: maxBytes === undefined || isBounded(given) ? options : { ...options, maxBytes },
    signal: context.signal,
  });
  if (logs.has("RESPONSE_HEADERS")) {
    const given = [...response.headers].map(([name, values]): NamedText => [name, values.join(", ")]);
    context.log("INFO", `Response headers: ${headerText(given)}`);
  }
  await refuseFailure(draft, response);
  return { draft, response };
}

function isBounded({ options }: JsonObject): boolean {
  return isJsonObject(options) && textOf(options, "maxContentLength") !== undefined;
}

/** Headers of an answer as outputs: each a list. */
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
    `Cannot ${method} "${shownUri(uri)}": the server answered ${code}${shown && `: ${shown}`}`,
  );
}

function headerText(headers: readonly NamedText[]): string {
  return headers.map(([name, value]) => `${name}: ${CREDENTIALS.test(name) ? "***" : value}`).join(", ");
}
