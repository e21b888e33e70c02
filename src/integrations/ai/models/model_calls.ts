/** Requests to the APIs of models: time-outs, retries, and errors with the words of the provider. */
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownProperty,
  tryParseJson,
} from "../../../base/json.ts";
import { tryParseLongJson, tryParseLongPlainJson } from "../../../base/json_turns.ts";
import type { TaskRequest } from "../../../model/tasks/task_definition.ts";
import { callRepeatedly, refusalOf, type Sender } from "../../http_calls.ts";

/** Longest wait for the first byte of a reply: models that think are silent for minutes. */
const REPLY_MS = 300_000;
/** Images arrive as base64 within JSON. */
const MAX_REPLY_BYTES = 64 * 1024 * 1024;

/** A call of a provider. */
interface ModelCall {
  /** Verb and object, such as `complete the prompt with "gpt-5"`. */
  readonly operation: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly method?: string;
  /** Credentials: no message shows them, even where the provider repeats them. */
  readonly secrets: readonly string[];
  readonly timeoutMs?: number;
  /** The reply has embeddings: its numbers are read without their kind. */
  readonly hasVectors?: boolean;
}

/** The JSON of the response. A reply has no effect but its price, so an overloaded provider is asked again. @throws Error with host and words of the provider */
export async function callModel(
  sender: Sender,
  { operation, url, headers, json, method, secrets, timeoutMs = REPLY_MS, hasVectors = false }: ModelCall,
): Promise<JsonObject> {
  const request: TaskRequest = { url, method, headers, json, timeoutMs, maxBytes: MAX_REPLY_BYTES };
  const response = await callRepeatedly(sender, () => request, { isRepeatable: true });
  const { status, text } = response;
  const body = await (hasVectors ? tryParseLongPlainJson(text) : tryParseLongJson(text));
  if (status >= 200 && status < 300 && isJsonObject(body)) return body;
  const words = wordsOf(body) ?? text;
  const shown = secrets.reduce(
    (shown, secret) => secret === "" ? shown : shown.replaceAll(secret, "***"),
    words,
  );
  throw refusalOf({
    operation,
    url,
    status,
    words: [shown.trim(), adviceOf(status)].filter(Boolean).join("; "),
  });
}

/** Members under which providers put the words of a refusal. */
const WORDS = ["error", "errors", "message", "msg", "detail"];

/** `{error: {message}}` of most providers, a list of it, `{message}` and `{error}` of the others. */
function wordsOf(body: JsonValue | undefined): string | undefined {
  if (typeof body === "string") return body;
  if (Array.isArray(body)) return wordsOf(body[0]);
  if (!isJsonObject(body)) return undefined;
  for (const name of WORDS) {
    const found = wordsOf(ownProperty(body, name));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** What the user can do about a refusal. */
function adviceOf(status: number): string {
  if (status === 401 || status === 403) return "check the key and what it may use";
  if (status === 404) return "check modelName and the address";
  if (status === 429) {
    return "the limit of requests or the quota is used up; try later, or raise it at the provider";
  }
  return status >= 500 ? "the provider has a problem; try later" : "";
}

/** The address of a path below a base, with or without a slash at its end. */
export function urlOf(base: string, path: string): string {
  return `${base.replace(/(?<!\/)\/+$/, "")}/${path}`;
}

/** Members that are not `undefined`. */
export function given(members: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  const entries = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as JsonObject;
}

/** A number of a response; 0 for anything else. */
export function count(value: JsonValue | undefined): number {
  return typeof value === "number" ? value : 0;
}

/** A member that is an object; else an empty one. */
export function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** A text that is not empty. */
export function textIn(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The arguments of a call; `{}` for an empty text. @throws Error no JSON object */
export function argumentsOf(value: JsonValue | undefined, tool: string): JsonObject {
  if (isJsonObject(value)) return value;
  const text = typeof value === "string" ? value.trim() : "";
  const parsed = text === "" ? {} : tryParseJson(text);
  if (isJsonObject(parsed)) return parsed;
  throw new Error(`The model calls the tool "${tool}" with arguments that are no JSON object`);
}
