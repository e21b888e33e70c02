/** Posts messages to incoming webhooks, for all chat services. */
import { readDuration } from "../../base/time/duration.ts";
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownProperty,
  stringifyJson,
  tryParseJson,
} from "../../base/json.ts";
import { tryParseShortJson } from "../../base/json_turns.ts";
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

/** How a request differs from a plain post of JSON to the property `url`. */
interface PostOptions {
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a body, of JSON unless a header says otherwise. @throws Error the service did not take it; the message holds the words of the service, and not the URL */
export async function postToWebhook(
  context: TaskContext,
  body: string | JsonObject,
  { url = String(context.properties.url), headers = {} }: PostOptions = {},
): Promise<TaskResponse> {
  const { options } = context.properties;
  const given = isJsonObject(options ?? null) ? options as JsonObject : {};
  const further = isJsonObject(given.headers ?? null) ? given.headers as JsonObject : {};
  const timeoutMs = readDuration(given.readIdleTimeout ?? given.readTimeout ?? given.connectTimeout);
  const response = await context.http({
    url,
    method: "POST",
    headers: {
      ...Object.fromEntries(Object.entries(further).map(([name, value]) => [name, String(value)])),
      "Content-Type": "application/json",
      ...headers,
    },
    body: typeof body === "string" ? body : stringifyJson(body),
    timeoutMs,
  });
  if (response.status >= 400) throw refusal(url, response);
  return response;
}

/** The error of a response that refuses the message. */
export function refusal(url: string, { status, text }: TaskResponse): Error {
  const { host } = new URL(url);
  const words = wordsOf(text).slice(0, MAX_SHOWN_CHARS);
  return new Error(`Cannot POST to "${host}": the response was ${status}${words && `: ${words}`}`);
}

/** Members in which services explain a refusal. */
const EXPLANATIONS = ["message", "description", "detail", "msg", "error"];

/** The words of a JSON body by its members, such as `error.message` of Google and `errors[].message` of SendGrid; else the text. */
function wordsOf(text: string): string {
  const body = tryParseShortJson(text);
  if (body === undefined || !isJsonObject(body)) return text.trim();
  const errors = Array.isArray(body.errors) ? body.errors : [];
  const words = [explanationOf(body), ...errors.map(explanationOf)].filter((each) => each !== undefined);
  return words.length > 0 ? words.join("; ") : text.trim();
}

function explanationOf(value: JsonValue): string | undefined {
  if (!isJsonObject(value)) return typeof value === "string" ? optionalText(value) : undefined;
  const [found] = EXPLANATIONS.flatMap((name) => ownProperty(value, name) ?? []);
  return found === undefined ? undefined : explanationOf(found);
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

/** The payload as it is written. @throws Error it is not given */
export function payloadText({ properties: { payload } }: TaskContext): string {
  if (payload !== undefined) return String(payload);
  throw new Error("Nothing to send: give payload");
}
