/** `notifications.mail.MailExecution`. */
import { dynamicText } from "../../model/flows/schema.ts";
import { defineTask, optionalText } from "../../model/tasks/task_definition.ts";
import { composeMessage, EXECUTION_PROPERTIES, plainText } from "../notifications/execution_message.ts";
import { executionHtml } from "./execution_mail.ts";
import { SMTP_PROPERTIES } from "./smtp_properties.ts";

const { url: _url, options: _options, payload: _payload, ...REPORT_PROPERTIES } = EXECUTION_PROPERTIES;

/** Given contents replace the facts of the execution. */
export const mailExecution = defineTask({
  type: "notifications.mail.MailExecution",
  aliases: ["email.MailExecution"],
  title: "Report on an execution in a mail",
  description: "Sends a mail about an execution, with its state, duration and address, by a server of SMTP.",
  properties: {
    ...SMTP_PROPERTIES,
    ...REPORT_PROPERTIES,
    subject: dynamicText("Subject; default names flow and state."),
    htmlTextContent: dynamicText("Content as HTML; default are the facts of the execution."),
    plainTextContent: dynamicText("Content as plain text; default are the facts of the execution."),
  },
  async run(context) {
    const { htmlTextContent, plainTextContent, subject } = context.properties;
    const message = await composeMessage(context);
    const { sendMail } = await import("./smtp_session.ts");
    await sendMail(context, {
      subject: optionalText(subject) ?? message.title,
      html: optionalText(htmlTextContent) ?? executionHtml(message),
      text: optionalText(plainTextContent) ?? plainText(message),
    });
  },
});
