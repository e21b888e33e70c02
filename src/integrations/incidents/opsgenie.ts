/** `notifications.opsgenie.…`: alerts of Opsgenie. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import {
  dynamicChoice,
  dynamicProperty,
  dynamicText,
  type PropertySchemas,
} from "../../model/flows/schema.ts";
import { defineTask, optionalText, type TaskContext } from "../../model/tasks/task_definition.ts";
import {
  composeMessage,
  EXECUTION_PROPERTIES,
  fieldMap,
  plainText,
} from "../notifications/execution_message.ts";
import {
  PAYLOAD_PROPERTY,
  payloadOf,
  payloadText,
  postToWebhook,
  WEBHOOK_PROPERTIES,
} from "../notifications/webhook.ts";

const ACCESS_PROPERTIES: PropertySchemas = {
  url: dynamicText("Address of the API.", { default: "https://api.opsgenie.com/v2/alerts" }),
  authorizationToken: dynamicText("API key; keep it as a secret.", { required: true }),
};

/** Opsgenie refuses longer messages. */
const MAX_MESSAGE_CHARS = 130;

/** The payload is the alert. */
export const opsgenieAlert = defineTask({
  type: "notifications.opsgenie.OpsgenieAlert",
  aliases: ["opsgenie.OpsgenieAlert"],
  title: "Create an alert in Opsgenie",
  description: "Sends an alert to the API of Opsgenie.",
  properties: { ...WEBHOOK_PROPERTIES, ...ACCESS_PROPERTIES, ...PAYLOAD_PROPERTY },
  async run(context) {
    await postToWebhook(context, payloadText(context), authorization(context));
  },
});

/** Opsgenie responds with 202, or with JSON that has `message`. */
export const opsgenieExecution = defineTask({
  type: "notifications.opsgenie.OpsgenieExecution",
  aliases: ["opsgenie.OpsgenieExecution"],
  title: "Report on an execution to Opsgenie",
  description: "Creates an alert about an execution, with its state, duration and address, in Opsgenie.",
  properties: {
    ...EXECUTION_PROPERTIES,
    ...ACCESS_PROPERTIES,
    message: dynamicText("Message of the alert; default names flow and state."),
    alias: dynamicText("Alias of the alert, by which Opsgenie finds repeated ones."),
    responders: receivers("Who is notified: type, such as `team`, by id."),
    visibleTo: receivers("Who sees the alert: type, such as `team`, by id."),
    tags: dynamicProperty("list", "Tags of the alert.", { items: dynamicText("A tag.") }),
    priority: dynamicChoice(["P1", "P2", "P3", "P4", "P5"], "P3", "Priority of the alert."),
  },
  async run(context) {
    const { message: given, alias, responders, visibleTo, tags, priority, payload } = context.properties;
    const message = await composeMessage(context);
    await postToWebhook(context, {
      message: (optionalText(given) ?? message.title).slice(0, MAX_MESSAGE_CHARS),
      description: plainText(message),
      ...alias === undefined ? {} : { alias },
      ...responders === undefined ? {} : { responders: listed(responders) },
      ...visibleTo === undefined ? {} : { visibleTo: listed(visibleTo) },
      ...tags === undefined ? {} : { tags },
      priority: priority ?? "P3",
      details: fieldMap(message),
      ...payloadOf(payload),
    }, authorization(context));
  },
});

function receivers(description: string) {
  return dynamicProperty("map", description, { items: dynamicText("Type of the receiver.") });
}

function listed(receivers: JsonValue): JsonObject[] {
  const map = isJsonObject(receivers) ? receivers : {};
  return Object.entries(map).map(([id, type]) => ({ id, type: String(type) }));
}

function authorization({ properties }: TaskContext) {
  return { headers: { Authorization: `GenieKey ${properties.authorizationToken}` } };
}
