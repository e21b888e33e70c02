/** `notifications.zulip.…`: messages to incoming webhooks of Zulip, which take those of Slack. */
import { dynamicText } from "../../model/flows/schema.ts";
import { defineTask } from "../../model/tasks/task_definition.ts";
import { composeMessage, EXECUTION_PROPERTIES } from "./execution_message.ts";
import { slackBody } from "./slack_execution.ts";
import { messageBody, PAYLOAD_PROPERTY, postToWebhook, WEBHOOK_PROPERTIES } from "./webhook.ts";

/** Zulip responds with 200, or with JSON that has `msg`. */
export const zulipIncomingWebhook = defineTask({
  type: "notifications.zulip.ZulipIncomingWebhook",
  aliases: ["zulip.ZulipIncomingWebhook"],
  title: "Send a Zulip message",
  description: "Sends a message to an incoming webhook of Zulip.",
  properties: {
    ...WEBHOOK_PROPERTIES,
    ...PAYLOAD_PROPERTY,
    messageText: dynamicText("Text of the message; added to the payload, if there is one."),
  },
  async run(context) {
    await postToWebhook(context, messageBody(context, "text"));
  },
});

/** The body is that of Slack. */
export const zulipExecution = defineTask({
  type: "notifications.zulip.ZulipExecution",
  aliases: ["zulip.ZulipExecution"],
  title: "Report on an execution in Zulip",
  description:
    "Sends a message about an execution, with its state, duration and address, to an incoming webhook of Zulip.",
  properties: {
    ...EXECUTION_PROPERTIES,
    channel: dynamicText("Channel, if the webhook allows another one than its own."),
    username: dynamicText("Name of the sender, if the webhook allows that."),
    iconUrl: dynamicText("URL of the picture of the sender."),
    iconEmoji: dynamicText("Emoji that is the picture of the sender, such as `:warning:`."),
    messageText: dynamicText("Text above the details; default names flow and state."),
  },
  async run(context) {
    await postToWebhook(context, slackBody(context.properties, await composeMessage(context)));
  },
});
