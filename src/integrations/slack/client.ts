/** The Web API of Slack. https://api.slack.com/web */
import { isJsonObject, type JsonObject, type JsonValue, stringifyJson } from "../../base/json.ts";
import { tryParseLongJson } from "../../base/json_turns.ts";
import { dynamicText, type PropertySchema, type PropertySchemas } from "../../model/flows/schema.ts";
import { optionalText, type WorkContext } from "../../model/tasks/task_definition.ts";
import { callRepeatedly, refusalOf } from "../http_calls.ts";

const API = "https://slack.com/api/";

/** Properties of all types. */
export const SLACK_PROPERTIES: PropertySchemas = Object.freeze({
  token: dynamicText("Token of a bot or a user, `xoxb-…` or `xoxp-…`; keep it as a secret.", {
    required: true,
  }),
});

/** Property: the channel. */
export const CHANNEL: PropertySchema = dynamicText("Id of the channel, such as `C1234567890`.", {
  required: true,
});

/** A call of a method. */
interface SlackCall {
  /** Such as `chat.postMessage`. */
  readonly method: string;
  /** For errors: verb and object. */
  readonly operation: string;
  /** A second call has the same effect as one. */
  readonly isRepeatable?: boolean;
}

/**
 * Calls a method; arguments without a value are left out. Slack refuses with status 200 and `ok: false`. @throws Error with the
 * word of Slack, such as `channel_not_found`
 */
export async function callSlack(
  context: Pick<WorkContext, "properties" | "http" | "signal"> & Partial<Pick<WorkContext, "log">>,
  { method, operation, isRepeatable = false }: SlackCall,
  parameters: Readonly<Record<string, JsonValue | undefined>>,
): Promise<JsonObject> {
  const url = API + method;
  const body = new URLSearchParams(
    Object.entries(parameters).flatMap(([name, value]) => {
      if (value === undefined || value === null) return [];
      return [[name, typeof value === "object" ? stringifyJson(value) : String(value)]];
    }),
  ).toString();
  // Each method takes a form; some take no JSON.
  const headers = {
    Authorization: `Bearer ${context.properties.token}`,
    "Content-Type": "application/x-www-form-urlencoded; charset=utf-8",
  };
  const response = await callRepeatedly(context, () => ({ url, method: "POST", headers, body }), {
    isRepeatable,
  });
  const { status, text } = response;
  const result = await tryParseLongJson(text);
  if (status >= 300 || result === undefined || !isJsonObject(result)) {
    throw refusalOf({ operation, url, status, words: text });
  }
  if (result.ok === true) {
    const warning = optionalText(result.warning);
    if (warning !== undefined) context.log?.("WARN", `Slack warns: ${warning}`);
    return result;
  }
  const details = isJsonObject(result.response_metadata) ? result.response_metadata.messages : undefined;
  const missing = optionalText(result.needed);
  const words = [
    optionalText(result.error) ?? "no reason was given",
    ...missing === undefined ? [] : [`the token needs the scope ${missing}`],
    ...Array.isArray(details) ? details.map(String) : [],
  ].join("; ");
  throw new Error(`Cannot ${operation} at "${new URL(url).host}": ${words}`);
}
