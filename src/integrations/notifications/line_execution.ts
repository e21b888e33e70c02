/** `notifications.line.LineExecution`. */
import { dynamicProperty, dynamicText } from "../../model/flows/schema.ts";
import { defineTask } from "../../model/tasks/task_definition.ts";
import { composeMessage, EXECUTION_PROPERTIES, plainText } from "./execution_message.ts";
import { payloadOf, postToWebhook } from "./webhook.ts";

/** A multicast message of the Messaging API, which responds with JSON that has `message`. */
export const lineExecution = defineTask({
  type: "notifications.line.LineExecution",
  aliases: ["line.LineExecution"],
  title: "Report on an execution in LINE",
  description: "Sends a message about an execution, with its state, duration and address, to users of LINE.",
  properties: {
    ...EXECUTION_PROPERTIES,
    url: dynamicText("Address of the API.", { default: "https://api.line.me/v2/bot/message/multicast" }),
    channelAccessToken: dynamicText("Access token of the channel; keep it as a secret.", { required: true }),
    recipientIds: dynamicProperty("list", "Ids of the users.", {
      required: true,
      items: dynamicText("Id of a user."),
    }),
  },
  async run(context) {
    const { channelAccessToken, recipientIds, payload } = context.properties;
    await postToWebhook(context, {
      to: recipientIds ?? [],
      messages: [{ type: "text", text: plainText(await composeMessage(context)) }],
      ...payloadOf(payload),
    }, { headers: { Authorization: `Bearer ${channelAccessToken}` } });
  },
});
