/** `notifications.sentry.…`: events for projects of Sentry. */
import { isJsonObject, type JsonObject, stringifyJson } from "../../base/json.ts";
import {
  dynamicChoice,
  dynamicProperty,
  dynamicText,
  type PropertySchemas,
} from "../../model/flows/schema.ts";
import { defineTask, optionalText, type TaskContext } from "../../model/tasks/task_definition.ts";
import { composeMessage, EXECUTION_PROPERTIES, fieldMap } from "../notifications/execution_message.ts";
import { PAYLOAD_PROPERTY, payloadOf, postToWebhook, WEBHOOK_PROPERTIES } from "../notifications/webhook.ts";

const { options } = WEBHOOK_PROPERTIES;
const { url: _url, ...EXECUTION_WITHOUT_URL } = EXECUTION_PROPERTIES;

const PROJECT_PROPERTIES: PropertySchemas = {
  dsn: dynamicText("Data source name of the project; keep it as a secret.", { required: true }),
  endpointType: dynamicChoice(["ENVELOPE", "STORE"], "ENVELOPE", "Endpoint that takes the event."),
};

/** Characters of the id of an event. */
const ID_CHARS = 32;

/** The payload is an event. */
export const sentryAlert = defineTask({
  type: "notifications.sentry.SentryAlert",
  aliases: ["sentry.SentryAlert"],
  title: "Send an event to Sentry",
  description: "Sends an event to a project of Sentry.",
  properties: { ...options && { options }, ...PROJECT_PROPERTIES, ...PAYLOAD_PROPERTY },
  async run(context) {
    await sendEvent(context, payloadOf(context.properties.payload));
  },
});

/** A payload adds members to the event. */
export const sentryExecution = defineTask({
  type: "notifications.sentry.SentryExecution",
  aliases: ["sentry.SentryExecution"],
  title: "Report on an execution to Sentry",
  description: "Sends an event about an execution, with its state and duration, to a project of Sentry.",
  properties: {
    ...EXECUTION_WITHOUT_URL,
    ...PROJECT_PROPERTIES,
    eventId: dynamicText("Id of the event, 32 hexadecimal digits; default is derived from the attempt."),
    platform: dynamicText("Platform of the event.", { default: "other" }),
    level: dynamicChoice(["FATAL", "ERROR", "WARNING", "INFO", "DEBUG"], "ERROR", "Level of the event."),
    transaction: dynamicText("Name of the transaction; default is the flow."),
    serverName: dynamicText("Name of the server."),
    environment: dynamicText("Name of the environment."),
    extra: dynamicProperty("map", "Further members of `extra`, by name."),
  },
  async run(context) {
    const { eventId, platform, level, transaction, serverName, environment, extra, payload } =
      context.properties;
    const message = await composeMessage(context);
    const { title, text, execution } = message;
    await sendEvent(context, {
      ...eventId === undefined ? {} : { event_id: eventId },
      platform: platform ?? "other",
      level: String(level).toLowerCase(),
      transaction: optionalText(transaction) ?? `${execution.namespace}.${execution.flowId}`,
      ...serverName === undefined ? {} : { server_name: serverName },
      ...environment === undefined ? {} : { environment },
      message: { formatted: text === undefined ? title : `${title}\n${text}` },
      extra: {
        ...fieldMap(message),
        ...execution.url !== undefined && { Link: execution.url },
        ...isJsonObject(extra) && extra,
      },
      ...payloadOf(payload),
    });
  },
});

/** A repeated request of one attempt has the same id, so that Sentry keeps one event. */
async function sendEvent(context: TaskContext, given: JsonObject): Promise<void> {
  const { dsn, endpointType } = context.properties;
  const { origin, project, key } = readDsn(String(dsn));
  const event = { event_id: await eventIdOf(context), ...given };
  const isStore = endpointType === "STORE";
  await postToWebhook(context, isStore ? event : envelopeOf(event), {
    url: `${origin}/api/${project}/${isStore ? "store" : "envelope"}/`,
    headers: {
      "X-Sentry-Auth": `Sentry sentry_version=7, sentry_client=sluice/1.0, sentry_key=${key}`,
      ...!isStore && { "Content-Type": "application/x-sentry-envelope" },
    },
  });
}

/** The parts of `https://<key>@<host>/<path>/<project>`. @throws Error another form; the message has nothing of it */
function readDsn(dsn: string): { readonly origin: string; readonly project: string; readonly key: string } {
  const url = URL.canParse(dsn) ? new URL(dsn) : undefined;
  const path = url?.pathname.split("/") ?? [];
  const project = path.pop();
  if (!url || !/^https?:$/.test(url.protocol) || url.username === "" || !project) {
    throw new Error("Invalid dsn: it must be https://<key>@<host>/<project>");
  }
  return { origin: url.origin + path.join("/"), project, key: decodeURIComponent(url.username) };
}

function envelopeOf(event: JsonObject): string {
  const item = stringifyJson(event);
  const length = new TextEncoder().encode(item).length;
  return [stringifyJson({ event_id: event.event_id }), stringifyJson({ type: "event", length }), item, ""]
    .join("\n");
}

async function eventIdOf({ attempt: { taskRunId, attemptNumber } }: TaskContext): Promise<string> {
  const bytes = new TextEncoder().encode(`${taskRunId}/${attemptNumber}`);
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex().slice(0, ID_CHARS);
}
