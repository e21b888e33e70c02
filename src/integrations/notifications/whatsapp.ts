/** `notifications.whatsapp.…`: messages to webhooks for WhatsApp. */
import { dynamicProperty, dynamicText } from "../../model/flows/schema.ts";
import { defineTask, optionalText } from "../../model/tasks/task_definition.ts";
import { composeMessage, EXECUTION_PROPERTIES, plainText } from "./execution_message.ts";
import { PAYLOAD_PROPERTY, payloadOf, payloadText, postToWebhook, WEBHOOK_PROPERTIES } from "./webhook.ts";

/** The payload is sent as it is written. */
export const whatsAppIncomingWebhook = defineTask({
  type: "notifications.whatsapp.WhatsAppIncomingWebhook",
  aliases: ["whatsapp.WhatsAppIncomingWebhook"],
  title: "Send a WhatsApp message",
  description: "Sends a message to a webhook for WhatsApp.",
  properties: { ...WEBHOOK_PROPERTIES, ...PAYLOAD_PROPERTY },
  async run(context) {
    await postToWebhook(context, payloadText(context));
  },
});

/** A message of text, with the contacts that it is for. */
export const whatsAppExecution = defineTask({
  type: "notifications.whatsapp.WhatsAppExecution",
  aliases: ["whatsapp.WhatsAppExecution"],
  title: "Report on an execution in WhatsApp",
  description: "Sends a message about an execution to a webhook for WhatsApp, as `contacts` and `messages`.",
  properties: {
    ...EXECUTION_PROPERTIES,
    profileName: dynamicText("Name of the profile of the contacts."),
    whatsAppIds: dynamicProperty("list", "Ids of the contacts.", {
      items: dynamicText("Id of a contact."),
    }),
    from: dynamicText("Id of the sender."),
    messageId: dynamicText("Id of the message; default is that of the task run."),
    textBody: dynamicText("Text of the message; default are the facts of the execution."),
    recipientId: dynamicText("Id of the recipient."),
  },
  async run(context) {
    const { profileName, whatsAppIds, from, messageId, textBody, recipientId, payload } = context.properties;
    const name = optionalText(profileName);
    const recipient = optionalText(recipientId);
    const message = await composeMessage(context);
    await postToWebhook(context, {
      contacts: (Array.isArray(whatsAppIds) ? whatsAppIds : []).map((id) => ({
        ...name !== undefined && { profile: { name } },
        wa_id: String(id),
      })),
      messages: [{
        from: optionalText(from) ?? "",
        id: optionalText(messageId) ?? context.attempt.taskRunId,
        ...recipient !== undefined && { recipient_id: recipient },
        type: "text",
        text: { body: optionalText(textBody) ?? plainText(message) },
      }],
      ...payloadOf(payload),
    });
  },
});
