/** The response to a webhook call, as the trigger configures it. */
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownProperty,
  parseJson,
  stringifyJson,
} from "../../base/json.ts";
import { isFlagSet } from "../../base/text/truthy_text.ts";
import { invalidEntity } from "../../model/errors.ts";
import type { Trigger } from "../../model/flows/flow.ts";
import { SLACK_EVENTS_KIND } from "../../model/triggers/webhook_kinds.ts";

/** The response to a webhook call. */
export interface WebhookResponse {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

interface Outcome {
  /** JSON text of the execution. */
  readonly body: string;
  /** The call waited for the end of the execution. */
  readonly isAwaited: boolean;
  /** Renders a template, with further root variables. @throws Error what cannot be rendered */
  readonly text: (template: string, variables: JsonObject) => Promise<string>;
}

const FAILED_STATES = ["FAILED", "KILLED", "CANCELLED"];
const JSON_TYPE = "application/json";

/** The response: the execution, or its outputs once it has ended; status 500 if it was awaited and failed. */
export async function responseOf({ properties }: Trigger, outcome: Outcome): Promise<WebhookResponse> {
  const { body, isAwaited, text } = outcome;
  const contentType = String(ownProperty(properties, "responseContentType") ?? JSON_TYPE);
  const code = ownProperty(properties, "responseCode") ?? null;
  if (!isAwaited) return { status: await statusOf(code, text, {}), contentType: JSON_TYPE, body };
  const { state, outputs } = readResult(body);
  if (FAILED_STATES.includes(state)) return { status: 500, contentType: JSON_TYPE, body };
  const status = await statusOf(code, text, { outputs });
  const isOutputs = isFlagSet(ownProperty(properties, "returnOutputs"));
  if (!isOutputs) return { status, contentType: JSON_TYPE, body };
  return { status, contentType, body: outputsText(outputs, contentType) };
}

/** The response to the question of an app of Slack whether the address is right; `undefined` for any other call. */
export function challengeOf({ kind }: Trigger, { body = null }: JsonObject): WebhookResponse | undefined {
  if (kind !== SLACK_EVENTS_KIND || !isJsonObject(body)) return undefined;
  const challenge = ownProperty(body, "challenge");
  if (ownProperty(body, "type") !== "url_verification" || typeof challenge !== "string") return undefined;
  return { status: 200, contentType: JSON_TYPE, body: stringifyJson({ challenge }) };
}

/** With a text content type, a single output is sent as it is. */
function outputsText(outputs: JsonObject, contentType: string): string {
  const values = Object.values(outputs);
  const [only] = values;
  const isText = contentType.startsWith("text/") && values.length === 1;
  return isText && typeof only === "string" ? only : stringifyJson(isText ? only : outputs);
}

async function statusOf(code: JsonValue, text: Outcome["text"], variables: JsonObject): Promise<number> {
  if (code === null) return 200;
  const rendered = typeof code === "string" ? await text(code, variables) : String(code);
  const status = Number(rendered.trim());
  if (Number.isInteger(status) && status >= 200 && status <= 599) return status;
  throw invalidEntity(`responseCode "${rendered}" must be from 200 to 599`);
}

function readResult(body: string): { readonly state: string; readonly outputs: JsonObject } {
  const execution = parseJson(body);
  const state = isJsonObject(execution) ? ownProperty(execution, "state") : undefined;
  const outputs = isJsonObject(execution) ? ownProperty(execution, "outputs") : undefined;
  return {
    state: isJsonObject(state) ? String(ownProperty(state, "current")) : "",
    outputs: isJsonObject(outputs) ? outputs : {},
  };
}
