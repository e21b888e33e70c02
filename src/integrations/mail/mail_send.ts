/** `notifications.mail.MailSend`. */
import { dynamicText } from "../../model/flows/schema.ts";
import { defineTask, optionalText } from "../../model/tasks/task_definition.ts";
import { SMTP_PROPERTIES } from "./smtp_properties.ts";

/** The mail has both contents where both are given. */
export const mailSend = defineTask({
  type: "notifications.mail.MailSend",
  aliases: ["email.MailSend"],
  title: "Send a mail",
  description: "Sends a mail by a server of SMTP.",
  properties: {
    ...SMTP_PROPERTIES,
    htmlTextContent: dynamicText("Content as HTML."),
    plainTextContent: dynamicText("Content as plain text."),
  },
  examples: [{
    title: "Send a report",
    yaml: `id: send
type: io.svc.plugin.notifications.mail.MailSend
host: mail.example.com
port: 465
username: flows
password: "{{ secret('MAIL_PASSWORD') }}"
from: flows@example.com
to: team@example.com
subject: "Report of {{ execution.startDate }}"
htmlTextContent: <p>The report is attached.</p>
attachments:
  - name: report.csv
    uri: "{{ outputs.report.uri }}"`,
  }],
  async run(context) {
    const { htmlTextContent, plainTextContent, subject } = context.properties;
    const { sendMail } = await import("./smtp_session.ts");
    await sendMail(context, {
      subject: optionalText(subject) ?? "",
      html: optionalText(htmlTextContent),
      text: optionalText(plainTextContent),
    });
  },
});
