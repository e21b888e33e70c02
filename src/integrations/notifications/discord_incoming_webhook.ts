/** `notifications.discord.DiscordIncomingWebhook`. */
import { dynamicText } from "../../model/flows/schema.ts";
import { defineTask } from "../../model/tasks/task_definition.ts";
import { messageBody, PAYLOAD_PROPERTY, postToWebhook, WEBHOOK_PROPERTIES } from "./webhook.ts";

/** Discord responds with 204, or with JSON that has `message` and `code`. */
export const discordIncomingWebhook = defineTask({
  type: "notifications.discord.DiscordIncomingWebhook",
  aliases: ["discord.DiscordIncomingWebhook"],
  title: "Send a Discord message",
  description: "Sends a message to an incoming webhook of Discord.",
  properties: {
    ...WEBHOOK_PROPERTIES,
    ...PAYLOAD_PROPERTY,
    messageText: dynamicText("Text of the message; added to the payload, if there is one."),
  },
  async run(context) {
    await postToWebhook(context, messageBody(context, "content"));
  },
});
