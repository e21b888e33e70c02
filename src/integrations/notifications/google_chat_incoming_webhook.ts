/** `notifications.google.GoogleChatIncomingWebhook`. */
import { dynamicText } from "../../model/flows/schema.ts";
import { defineTask } from "../../model/tasks/task_definition.ts";
import { messageBody, PAYLOAD_PROPERTY, postToWebhook, WEBHOOK_PROPERTIES } from "./webhook.ts";

/** Google responds with the message, or with JSON that has `error.message`. */
export const googleChatIncomingWebhook = defineTask({
  type: "notifications.google.GoogleChatIncomingWebhook",
  aliases: ["googleworkspace.chat.GoogleChatIncomingWebhook"],
  title: "Send a Google Chat message",
  description: "Sends a message to an incoming webhook of Google Chat.",
  properties: {
    ...WEBHOOK_PROPERTIES,
    ...PAYLOAD_PROPERTY,
    messageText: dynamicText("Text of the message; added to the payload, if there is one."),
  },
  async run(context) {
    await postToWebhook(context, messageBody(context, "text"));
  },
});
