/** `notifications.zenduty.…`: events for integrations of Zenduty. */
import { dynamicChoice, dynamicProperty, dynamicText } from "../../model/flows/schema.ts";
import { defineTask, optionalText } from "../../model/tasks/task_definition.ts";
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

/** The payload is the event. */
export const zendutyAlert = defineTask({
  type: "notifications.zenduty.ZendutyAlert",
  aliases: ["zenduty.ZendutyAlert"],
  title: "Send an event to Zenduty",
  description: "Sends an event to an integration of Zenduty.",
  properties: { ...WEBHOOK_PROPERTIES, ...PAYLOAD_PROPERTY },
  async run(context) {
    await postToWebhook(context, payloadText(context));
  },
});

/** The key of the integration is part of the URL. */
export const zendutyExecution = defineTask({
  type: "notifications.zenduty.ZendutyExecution",
  aliases: ["zenduty.ZendutyExecution"],
  title: "Report on an execution to Zenduty",
  description:
    "Sends an event about an execution, with its state and duration, to an integration of Zenduty.",
  properties: {
    ...EXECUTION_PROPERTIES,
    message: dynamicText("Message of the event; default names flow and state."),
    alertType: dynamicChoice(
      ["info", "warning", "error", "critical", "acknowledged", "resolved"],
      "info",
      "Type of the event.",
    ),
    summary: dynamicText("Summary of the event; default are the facts of the execution."),
    entityId: dynamicText("Id of what the event is about; events with the same id belong to one alert."),
    urls: dynamicProperty("list", "Links of the event, as Zenduty documents them."),
  },
  async run(context) {
    const { message: given, alertType, summary, entityId, urls, payload } = context.properties;
    const message = await composeMessage(context);
    const { title, execution } = message;
    const link = execution.url === undefined
      ? []
      : [{ link_url: execution.url, link_text: "Open the execution" }];
    await postToWebhook(context, {
      message: optionalText(given) ?? title,
      alert_type: alertType ?? "info",
      summary: optionalText(summary) ?? plainText(message),
      ...entityId === undefined ? {} : { entity_id: entityId },
      payload: fieldMap(message),
      urls: [...link, ...Array.isArray(urls) ? urls : []],
      ...payloadOf(payload),
    });
  },
});
