/** Posts messages to incoming webhooks, for all chat services. */
import { readDuration } from "../../base/duration.ts";
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  stringifyJson,
  tryParseJson,
} from "../../base/json.ts";
import {
  dynamicContent,
  dynamicProperty,
  dynamicText,
  type PropertySchemas,
} from "../../model/flows/schema.ts";
import { optionalText, type TaskContext, type TaskResponse } from "../../model/tasks/task_definition.ts";

/** Characters of the response in a message. */
const MAX_SHOWN_CHARS = 200;

/** The properties of every type that posts to a webhook. */
export const WEBHOOK_PROPERTIES: PropertySchemas = Object.freeze({
  url: dynamicText("URL of the incoming webhook; keep it as a secret.", { required: true }),
  options: dynamicProperty("object", "Options of the request.", {
    properties: {
      connectTimeout: dynamicProperty("duration", "Longest wait for the connection."),
      readTimeout: dynamicProperty("duration", "Longest wait for the response."),
      readIdleTimeout: dynamicProperty("duration", "Longest wait for the next bytes of the response."),
      headers: dynamicProperty("map", "Further headers of the request.", {
        items: { type: "string", description: "Value of the header." },
      }),
    },
  }),
});

/** The message as it is sent. */
export const PAYLOAD_PROPERTY: PropertySchemas = Object.freeze({
  payload: dynamicContent("Body of the request, as the service documents it: JSON text, or a map."),
});

/** Sends a body of JSON. @throws Error the service did not take it; the message holds the words of the service, and not the URL */
export async function postToWebhook(context: TaskContext, body: string | JsonObject): Promise<TaskResponse> {
  const { url, options } = context.properties;
  const given = isJsonObject(options ?? null) ? options as JsonObject : {};
  const headers = isJsonObject(given.headers ?? null) ? given.headers as JsonObject : {};
  const timeoutMs = readDuration(given.readIdleTimeout ?? given.readTimeout ?? given.connectTimeout);
  const response = await context.http({
    url: String(url),
    method: "POST",
    headers: {
      ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
      "Content-Type": "application/json",
    },
    body: typeof body === "string" ? body : stringifyJson(body),
    timeoutMs,
  });
  if (response.status >= 400) throw refusal(context, response);
  return response;
}

/** The error of a response that refuses the message. */
export function refusal({ properties }: TaskContext, { status, text }: TaskResponse): Error {
  const { host } = new URL(String(properties.url));
  const words = wordsOf(text).slice(0, MAX_SHOWN_CHARS);
  return new Error(`Cannot POST to "${host}": the response was ${status}${words && `: ${words}`}`);
}

/** Discord has `message`, Google `error.message`, Slack a text. */
function wordsOf(text: string): string {
  const body = tryParseJson(text);
  if (body === undefined || !isJsonObject(body)) return text.trim();
  const message = body.message ??
    (isJsonObject(body.error ?? null) ? (body.error as JsonObject).message : body.error);
  return optionalText(message) ?? text.trim();
}

/** The map of a payload. @throws Error it is no JSON object; the message has nothing of it, since it may hold secrets */
export function payloadOf(payload: JsonValue | undefined): JsonObject {
  if (payload === undefined) return {};
  const map = typeof payload === "string" ? tryParseJson(payload) : payload;
  if (map !== undefined && isJsonObject(map)) return map;
  throw new Error("Invalid payload: it must be a JSON object");
}

/** The payload with a text as one of its members; without a text the payload as it is written. @throws Error neither is given */
export function messageBody(context: TaskContext, member: string): string | JsonObject {
  const { payload, messageText } = context.properties;
  const text = optionalText(messageText);
  if (text !== undefined) return { ...payloadOf(payload), [member]: text };
  if (payload !== undefined) return String(payload);
  throw new Error("Nothing to send: give payload or messageText");
}
