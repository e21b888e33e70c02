/** `notifications.google.GoogleChatExecution`. */
import { dynamicText } from "../../model/flows/schema.ts";
import { defineTask, optionalText } from "../../model/tasks/task_definition.ts";
import { composeMessage, EXECUTION_PROPERTIES } from "./execution_message.ts";
import { payloadOf, postToWebhook } from "./webhook.ts";

/** A message of text: the title in bold, and a line for each field. */
export const googleChatExecution = defineTask({
  type: "notifications.google.GoogleChatExecution",
  aliases: ["googleworkspace.chat.GoogleChatExecution"],
  title: "Report on an execution in Google Chat",
  description:
    "Sends a message about an execution, with its state, duration and address, to an incoming webhook of Google Chat.",
  properties: {
    ...EXECUTION_PROPERTIES,
    text: dynamicText("First line of the message; default names flow and state."),
  },
  async run(context) {
    const { text: first, payload } = context.properties;
    const { title, text, fields, execution } = await composeMessage(context);
    const lines = [
      `*${optionalText(first) ?? title}*`,
      ...text === undefined ? [] : [text],
      ...fields.map(({ name, value }) => `${name}: ${value}`),
      ...execution.url === undefined ? [] : [`<${execution.url}|Open the execution>`],
    ];
    await postToWebhook(context, { text: lines.join("\n"), ...payloadOf(payload) });
  },
});
