/** `notifications.telegram.…`: messages of a bot of Telegram. */
import type { JsonObject } from "../../base/json.ts";
import { dynamicText, type PropertySchemas } from "../../model/flows/schema.ts";
import { defineTask, optionalText, type TaskContext } from "../../model/tasks/task_definition.ts";
import { composeMessage, EXECUTION_PROPERTIES, plainText } from "./execution_message.ts";
import { PAYLOAD_PROPERTY, payloadOf, payloadText, postToWebhook, WEBHOOK_PROPERTIES } from "./webhook.ts";

const { options } = WEBHOOK_PROPERTIES;
const { url: _url, ...EXECUTION_WITHOUT_URL } = EXECUTION_PROPERTIES;

const BOT_PROPERTIES: PropertySchemas = {
  token: dynamicText("Token of the bot; keep it as a secret.", { required: true }),
  channel: dynamicText("Id of the chat, or `@name` of a channel.", { required: true }),
  endpointOverride: dynamicText("Address of the API in place of `https://api.telegram.org`."),
  parseMode: dynamicText(
    "Markup of the text: `HTML`, `Markdown` or `MarkdownV2`; by default the text has no markup.",
  ),
};

/** A payload is the text of the message. */
export const telegramSend = defineTask({
  type: "notifications.telegram.TelegramSend",
  aliases: ["telegram.TelegramSend"],
  title: "Send a Telegram message",
  description: "Sends a text as a bot of Telegram.",
  properties: { ...options && { options }, ...BOT_PROPERTIES, ...PAYLOAD_PROPERTY },
  async run(context) {
    await sendMessage(context, { text: payloadText(context) });
  },
});

/** A payload adds members to the message. */
export const telegramExecution = defineTask({
  type: "notifications.telegram.TelegramExecution",
  aliases: ["telegram.TelegramExecution"],
  title: "Report on an execution in Telegram",
  description:
    "Sends a message about an execution, with its state, duration and address, as a bot of Telegram.",
  properties: { ...EXECUTION_WITHOUT_URL, ...BOT_PROPERTIES },
  async run(context) {
    const text = plainText(await composeMessage(context));
    await sendMessage(context, { text, ...payloadOf(context.properties.payload) });
  },
});

/** The token is part of the URL, of which errors name the host alone. */
async function sendMessage(context: TaskContext, message: JsonObject): Promise<void> {
  const { token, channel, endpointOverride, parseMode } = context.properties;
  const base = (optionalText(endpointOverride) ?? "https://api.telegram.org").replace(/(?<!\/)\/+$/, "");
  await postToWebhook(context, {
    chat_id: String(channel),
    ...parseMode === undefined ? {} : { parse_mode: parseMode },
    ...message,
  }, { url: `${base}/bot${token}/sendMessage` });
}
