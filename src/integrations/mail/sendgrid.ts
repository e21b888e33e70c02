/** `notifications.sendgrid.…`: mails by the API of SendGrid. */
import { type JsonObject, type JsonValue, objectsOf } from "../../base/json.ts";
import { dynamicText, type PropertySchemas } from "../../model/flows/schema.ts";
import { defineTask, optionalText, type TaskContext } from "../../model/tasks/task_definition.ts";
import { composeMessage, EXECUTION_PROPERTIES, plainText } from "../notifications/execution_message.ts";
import { payloadOf, postToWebhook, WEBHOOK_PROPERTIES } from "../notifications/webhook.ts";
import { readWhole } from "../whole_file.ts";
import { addressesOf, ATTACHMENT_PROPERTIES, RECIPIENT_PROPERTIES } from "./mail_properties.ts";
import { executionHtml } from "./execution_mail.ts";

/** SendGrid takes mails up to this size, with their attachments. */
const MAX_MAIL_BYTES = 30 * 1024 * 1024;

const ACCESS_PROPERTIES: PropertySchemas = {
  url: dynamicText("Address of the API; accounts in the EU have another one.", {
    default: "https://api.sendgrid.com/v3/mail/send",
  }),
  sendgridApiKey: dynamicText("API key; keep it as a secret.", { required: true }),
};

/** SendGrid responds with 202, or with JSON that has `errors[].message`. */
export const sendGridMailSend = defineTask({
  type: "notifications.sendgrid.SendGridMailSend",
  aliases: ["sendgrid.SendGridMailSend"],
  title: "Send a mail by SendGrid",
  description: "Sends a mail by the API of SendGrid.",
  properties: {
    ...WEBHOOK_PROPERTIES,
    ...ACCESS_PROPERTIES,
    ...RECIPIENT_PROPERTIES,
    htmlContent: dynamicText("Content as HTML.", { aliases: ["htmlTextContent"] }),
    textContent: dynamicText("Content as plain text.", { aliases: ["plainTextContent"] }),
    ...ATTACHMENT_PROPERTIES,
  },
  outputs: {
    statusCode: { type: "integer", description: "Status of the response." },
  },
  async run(context) {
    const { htmlContent, textContent } = context.properties;
    return await send(context, { text: optionalText(textContent), html: optionalText(htmlContent) });
  },
});

/** A payload adds members to the request. */
export const sendGridMailExecution = defineTask({
  type: "notifications.sendgrid.SendGridMailExecution",
  aliases: ["sendgrid.SendGridMailExecution"],
  title: "Report on an execution in a mail by SendGrid",
  description:
    "Sends a mail about an execution, with its state, duration and address, by the API of SendGrid.",
  properties: {
    ...EXECUTION_PROPERTIES,
    ...ACCESS_PROPERTIES,
    ...RECIPIENT_PROPERTIES,
    subject: dynamicText("Subject; default names flow and state."),
    ...ATTACHMENT_PROPERTIES,
  },
  outputs: {
    statusCode: { type: "integer", description: "Status of the response." },
  },
  async run(context) {
    const message = await composeMessage(context);
    const content = { text: plainText(message), html: executionHtml(message) };
    return await send(context, { ...content, title: message.title });
  },
});

interface Content {
  readonly text?: string;
  readonly html?: string;
  /** Subject where none is given. */
  readonly title?: string;
}

async function send(context: TaskContext, { text, html, title = "" }: Content): Promise<JsonObject> {
  const { sendgridApiKey, from, to, cc, bcc, subject, payload } = context.properties;
  const content = [
    ...text === undefined ? [] : [{ type: "text/plain", value: text }],
    ...html === undefined ? [] : [{ type: "text/html", value: html }],
  ];
  if (content.length === 0) throw new Error("Nothing to send: give htmlContent or textContent");
  const attachments = await attachmentsOf(context);
  const { status } = await postToWebhook(context, {
    personalizations: [{ to: listed(to), ...some("cc", listed(cc)), ...some("bcc", listed(bcc)) }],
    from: listed(from)[0] ?? {},
    subject: optionalText(subject) ?? title,
    content,
    ...some("attachments", attachments),
    ...payloadOf(payload),
  }, { headers: { Authorization: `Bearer ${sendgridApiKey}` } });
  return { statusCode: status };
}

function some(name: string, list: JsonObject[]): JsonObject {
  return list.length === 0 ? {} : { [name]: list };
}

function listed(addresses: JsonValue | undefined): JsonObject[] {
  return addressesOf(addresses).map(({ name, address }) => ({ email: address, ...name !== "" && { name } }));
}

async function attachmentsOf(context: TaskContext): Promise<JsonObject[]> {
  const { attachments, embeddedImages } = context.properties;
  const files: JsonObject[] = [];
  let maxBytes = MAX_MAIL_BYTES;
  for (const [disposition, list] of [["attachment", attachments], ["inline", embeddedImages]] as const) {
    for (const { name, uri, contentType } of objectsOf(list)) {
      const bytes = await readWhole(await context.fetchFile(String(uri)), { name: String(uri), maxBytes });
      maxBytes -= bytes.length;
      files.push({
        content: bytes.toBase64(),
        filename: String(name),
        type: optionalText(contentType) ?? "application/octet-stream",
        disposition,
        ...disposition === "inline" && { content_id: String(name) },
      });
    }
  }
  return files;
}
