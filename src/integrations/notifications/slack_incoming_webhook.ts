/** `notifications.slack.SlackIncomingWebhook`. */
import { dynamicText } from "../../model/flows/schema.ts";
import { defineTask } from "../../model/tasks/task_definition.ts";
import { messageBody, PAYLOAD_PROPERTY, postToWebhook, WEBHOOK_PROPERTIES } from "./webhook.ts";

/** Slack responds with 200 and "ok", or with a word such as "invalid_payload" and a status from 400. */
export const slackIncomingWebhook = defineTask({
  type: "notifications.slack.SlackIncomingWebhook",
  aliases: [
    "slack.notifications.SlackIncomingWebhook",
    "slack.SlackIncomingWebhook",
    "notifications.slack.SlackIncoming",
  ],
  title: "Send a Slack message",
  description: "Sends a message to an incoming webhook of Slack.",
  properties: {
    ...WEBHOOK_PROPERTIES,
    ...PAYLOAD_PROPERTY,
    messageText: dynamicText("Text of the message; added to the payload, if there is one.", {
      aliases: ["message"],
    }),
  },
  examples: [{
    title: "Report that an execution failed",
    yaml: `id: alert
type: io.svc.plugin.notifications.slack.SlackIncomingWebhook
url: "{{ secret('SLACK_WEBHOOK') }}"
messageText: "{{ flow.id }} failed in execution {{ execution.id }}"`,
  }],
  async run(context) {
    await postToWebhook(context, messageBody(context, "text"));
  },
});
