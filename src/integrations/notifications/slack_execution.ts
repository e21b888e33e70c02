/** `notifications.slack.SlackExecution`. */
import type { JsonObject } from "../../base/json.ts";
import { dynamicText } from "../../model/flows/schema.ts";
import { defineTask, optionalText } from "../../model/tasks/task_definition.ts";
import { composeMessage, EXECUTION_PROPERTIES, type ExecutionMessage } from "./execution_message.ts";
import { payloadOf, postToWebhook } from "./webhook.ts";

/** A message with one attachment, whose bar has the colour of the state. */
export const slackExecution = defineTask({
  type: "notifications.slack.SlackExecution",
  aliases: ["slack.notifications.SlackExecution", "slack.SlackExecution"],
  title: "Report on an execution in Slack",
  description:
    "Sends a message about an execution, with its state, duration and address, to an incoming webhook of Slack.",
  properties: {
    ...EXECUTION_PROPERTIES,
    channel: dynamicText("Channel, if the webhook allows another one than its own."),
    username: dynamicText("Name of the sender, if the webhook allows that."),
    iconUrl: dynamicText("URL of the picture of the sender."),
    iconEmoji: dynamicText("Emoji that is the picture of the sender, such as `:warning:`."),
    messageText: dynamicText("Text above the details; default names flow and state."),
  },
  examples: [{
    title: "Report failures of all flows of a namespace",
    yaml: `id: report
namespace: company.alerts
triggers:
  - id: failed
    type: io.svc.plugin.core.trigger.Flow
    conditions:
      - type: io.svc.plugin.core.condition.ExecutionStatus
        in: [FAILED]
tasks:
  - id: send
    type: io.svc.plugin.notifications.slack.SlackExecution
    url: "{{ secret('SLACK_WEBHOOK') }}"
    executionId: "{{ trigger.executionId }}"`,
  }],
  async run(context) {
    await postToWebhook(context, slackBody(context.properties, await composeMessage(context)));
  },
});

/** The body for webhooks that take messages of Slack. */
export function slackBody(properties: JsonObject, message: ExecutionMessage): JsonObject {
  const { channel, username, iconUrl, iconEmoji, messageText, payload } = properties;
  const { title, text, fields, color, execution } = message;
  return {
    text: optionalText(messageText) ?? title,
    ...named({ channel, username, icon_url: iconUrl, icon_emoji: iconEmoji }),
    attachments: [{
      color: `#${color}`,
      fallback: title,
      ...text === undefined ? {} : { text },
      ...execution.url === undefined ? {} : { title: execution.id, title_link: execution.url },
      fields: fields.map(({ name, value }) => ({ title: name, value, short: value.length < 40 })),
    }],
    ...payloadOf(payload),
  };
}

function named(
  members: Readonly<Record<string, Parameters<typeof optionalText>[0]>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) => {
      const text = optionalText(value);
      return text === undefined ? [] : [[name, text]];
    }),
  );
}
