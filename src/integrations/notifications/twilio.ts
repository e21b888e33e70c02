/** `notifications.twilio.…`: notifications by the REST API of Twilio, which takes forms. */
import { type JsonObject, stringifyJson } from "../../base/json.ts";
import { dynamicText, type PropertySchemas } from "../../model/flows/schema.ts";
import { defineTask, optionalText, type TaskContext } from "../../model/tasks/task_definition.ts";
import { basicCredentials } from "../../model/http/http_request.ts";
import { composeMessage, EXECUTION_PROPERTIES, plainText } from "./execution_message.ts";
import { PAYLOAD_PROPERTY, payloadOf, postToWebhook, WEBHOOK_PROPERTIES } from "./webhook.ts";

const ACCOUNT_PROPERTIES: PropertySchemas = {
  accountSID: dynamicText("Id of the account.", { required: true }),
  authToken: dynamicText("Token of the account; keep it as a secret.", { required: true }),
};

/** The members of the payload are the fields of the form. */
export const twilioAlert = defineTask({
  type: "notifications.twilio.TwilioAlert",
  aliases: ["twilio.notify.TwilioAlert", "twilio.TwilioAlert"],
  title: "Send a notification by Twilio",
  description: "Sends the members of the payload as a form to the REST API of Twilio.",
  properties: { ...WEBHOOK_PROPERTIES, ...ACCOUNT_PROPERTIES, ...PAYLOAD_PROPERTY },
  async run(context) {
    await postForm(context, payloadOf(context.properties.payload));
  },
});

/** Fields of the API are written with a capital. */
export const twilioExecution = defineTask({
  type: "notifications.twilio.TwilioExecution",
  aliases: ["twilio.notify.TwilioExecution", "twilio.TwilioExecution"],
  title: "Report on an execution by Twilio",
  description:
    "Sends a message about an execution, with its state, duration and address, by the REST API of Twilio.",
  properties: {
    ...EXECUTION_PROPERTIES,
    ...ACCOUNT_PROPERTIES,
    body: dynamicText("Text of the message; default are the facts of the execution."),
    identity: dynamicText("Identity of the recipient."),
    tag: dynamicText("Tag of the recipients."),
  },
  async run(context) {
    const { body, identity, tag, payload } = context.properties;
    const message = await composeMessage(context);
    await postForm(context, {
      Body: optionalText(body) ?? plainText(message),
      ...identity === undefined ? {} : { Identity: identity },
      ...tag === undefined ? {} : { Tag: tag },
      ...payloadOf(payload),
    });
  },
});

async function postForm(context: TaskContext, members: JsonObject): Promise<void> {
  const { accountSID, authToken } = context.properties;
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(members)) {
    const field = name.charAt(0).toUpperCase() + name.slice(1);
    form.append(field, typeof value === "string" ? value : stringifyJson(value));
  }
  await postToWebhook(context, form.toString(), {
    headers: {
      Authorization: basicCredentials(String(accountSID), String(authToken)),
      "Content-Type": "application/x-www-form-urlencoded",
    },
  });
}
