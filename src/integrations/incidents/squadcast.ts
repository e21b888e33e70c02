/** `notifications.squadcast.…`: events for webhooks of Squadcast. */
import { dynamicProperty, dynamicText } from "../../model/flows/schema.ts";
import { defineTask, optionalText } from "../../model/tasks/task_definition.ts";
import { composeMessage, EXECUTION_PROPERTIES, plainText } from "../notifications/execution_message.ts";
import {
  PAYLOAD_PROPERTY,
  payloadOf,
  payloadText,
  postToWebhook,
  WEBHOOK_PROPERTIES,
} from "../notifications/webhook.ts";

/** The payload is the event. */
export const squadcastIncomingWebhook = defineTask({
  type: "notifications.squadcast.SquadcastIncomingWebhook",
  aliases: ["squadcast.SquadcastIncomingWebhook"],
  title: "Send an event to Squadcast",
  description: "Sends an event to an incident webhook of Squadcast.",
  properties: { ...WEBHOOK_PROPERTIES, ...PAYLOAD_PROPERTY },
  async run(context) {
    await postToWebhook(context, payloadText(context));
  },
});

/** A status of `resolve` with the id of an event ends its incident. */
export const squadcastExecution = defineTask({
  type: "notifications.squadcast.SquadcastExecution",
  aliases: ["squadcast.SquadcastExecution"],
  title: "Report on an execution to Squadcast",
  description:
    "Sends an event about an execution, with its state and duration, to an incident webhook of Squadcast.",
  properties: {
    ...EXECUTION_PROPERTIES,
    message: dynamicText("Message of the event; default names flow and state."),
    priority: dynamicText("Priority, such as `P1`."),
    eventId: dynamicText("Id of the event."),
    status: dynamicText("What the event does: `trigger` or `resolve`."),
    tags: dynamicProperty("map", "Tags of the event, by name."),
  },
  async run(context) {
    const { message: given, priority, eventId, status, tags, payload } = context.properties;
    const message = await composeMessage(context);
    await postToWebhook(context, {
      message: optionalText(given) ?? message.title,
      description: plainText(message),
      ...priority === undefined ? {} : { priority },
      ...eventId === undefined ? {} : { event_id: eventId },
      ...status === undefined ? {} : { status },
      ...tags === undefined ? {} : { tags },
      ...payloadOf(payload),
    });
  },
});
