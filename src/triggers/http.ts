/** `core.http.Trigger`: the response of an HTTP server starts an execution. */
import { shownUri } from "../base/network/shown_uri.ts";
import { type JsonObject, ownProperty } from "../base/json.ts";
import { readStructure } from "../base/json_text.ts";
import { isFlagSet, isTruthyText } from "../base/text/truthy_text.ts";
import { type HttpPayload, readHttpRequest } from "../model/http/http_request.ts";
import { HTTP_REQUEST_OUTPUTS, HTTP_REQUEST_PROPERTIES } from "../model/http/http_schema.ts";
import { encodedText, responseText } from "../model/http/http_text.ts";
import type { HttpBody } from "../model/ports/http.ts";
import type { PollContext, PollFinding, PollingTriggerType } from "../model/triggers/trigger_catalog.ts";

const MAX_RESPONSE_BYTES = 1024 * 1024;

/** Sets `trigger` to the response, as `core.http.Request` sets its outputs. */
export const httpTrigger: PollingTriggerType = {
  form: "polling",
  type: "core.http.Trigger",
  aliases: ["fs.http.Trigger"],
  description:
    "Sends an HTTP request at an interval, and starts an execution when a condition on the response is true.",
  properties: {
    interval: { type: "duration", default: "PT1M", description: "Time from one request to the next." },
    ...HTTP_REQUEST_PROPERTIES,
    responseCondition: {
      type: "string",
      default: "{{ response.statusCode < 400 }}",
      description: "Expression that is evaluated for each response and reads it as `response`.",
    },
    encryptBody: {
      type: "boolean",
      default: false,
      description:
        "Whether the body of the response is kept encrypted, as `trigger.encryptedBody`; expressions read its text.",
    },
  },
  outputs: HTTP_REQUEST_OUTPUTS,
  poll,
};

async function poll(properties: JsonObject, context: PollContext): Promise<PollFinding | undefined> {
  const { method, uri, headers, options, payload, response: { defaultCharset } } = readHttpRequest(
    properties,
  );
  const received = await context.ports.http.send({
    method,
    uri,
    headers,
    body: payload && bodyOf(payload),
    options: { ...options, maxBytes: Math.min(options.maxBytes ?? MAX_RESPONSE_BYTES, MAX_RESPONSE_BYTES) },
    signal: context.signal,
  });
  const body = await responseText(received, defaultCharset);
  const lists = Object.fromEntries([...received.headers].map(([name, values]) => [name, [...values]]));
  const response = { statusCode: received.code, body, headers: lists };
  const isSecret = isFlagSet(ownProperty(properties, "encryptBody"));
  if (isSecret) context.hide(body);
  const condition = String(ownProperty(properties, "responseCondition") ?? "true");
  if (!await isMet(condition, response, context)) return undefined;
  const variables: JsonObject = { uri: shownUri(uri), code: received.code, headers: lists };
  return isSecret
    ? { variables: { ...variables, encryptedBody: body }, secrets: ["encryptedBody"] }
    : { variables: { ...variables, body } };
}

/** The body is its text, as existing flows read it: `json(response.body).a`. A condition may also read `response.body.a`. */
async function isMet(
  condition: string,
  response: JsonObject & { readonly body: string },
  { render }: PollContext,
): Promise<boolean> {
  const isTrue = async (given: JsonObject) =>
    isTruthyText(String(await render(condition, { response: given })));
  const body = readStructure(response.body);
  if (typeof body === "string") return await isTrue(response);
  return await isTrue(response).catch((error) =>
    isTrue({ ...response, body }).catch(() => {
      throw error;
    })
  );
}

function bodyOf(payload: HttpPayload): HttpBody {
  if (payload.type !== "text") throw new Error("Cannot send files: a trigger has none");
  const bytes = encodedText(payload.text, payload.contentType);
  const open = async function* () {
    yield bytes;
  };
  return { contentType: payload.contentType, size: bytes.length, open };
}
