/** `notifications.messenger.MessengerExecution`. */
import { dynamicProperty, dynamicText } from "../../model/flows/schema.ts";
import { defineTask, optionalText } from "../../model/tasks/task_definition.ts";
import { composeMessage, EXECUTION_PROPERTIES, plainText } from "./execution_message.ts";
import { payloadOf, postToWebhook } from "./webhook.ts";

const API = "https://graph.facebook.com/v23.0";

/** One request a recipient; the Graph API responds with JSON that has `error.message`. */
export const messengerExecution = defineTask({
  type: "notifications.messenger.MessengerExecution",
  aliases: ["messenger.MessengerExecution"],
  title: "Report on an execution in Messenger",
  description:
    "Sends a message about an execution, with its state, duration and address, as a page of Facebook.",
  properties: {
    ...EXECUTION_PROPERTIES,
    url: dynamicText(`Address of the messages of the page; default is \`${API}/<pageId>/messages\`.`),
    pageId: dynamicText("Id of the page.", { required: true }),
    accessToken: dynamicText("Access token of the page; keep it as a secret.", { required: true }),
    recipientIds: dynamicProperty("list", "Ids of the recipients.", {
      required: true,
      items: dynamicText("Id of a recipient."),
    }),
  },
  async run(context) {
    const { url, pageId, accessToken, recipientIds, payload } = context.properties;
    const text = plainText(await composeMessage(context));
    for (const id of Array.isArray(recipientIds) ? recipientIds : []) {
      await postToWebhook(context, {
        recipient: { id },
        messaging_type: "UPDATE",
        message: { text },
        ...payloadOf(payload),
      }, {
        url: optionalText(url) ?? `${API}/${encodeURIComponent(String(pageId))}/messages`,
        headers: { Authorization: `Bearer ${accessToken}` },
      });
    }
  },
});
