/** Properties and outputs of the triggers that read mailboxes. */
import {
  dynamicChoice,
  dynamicFlag,
  dynamicProperty,
  dynamicText,
  type PropertySchemas,
} from "../../model/flows/schema.ts";

/** The mailbox and how it is reached. */
export const MAILBOX_PROPERTIES: PropertySchemas = Object.freeze({
  protocol: dynamicChoice(["IMAP", "POP3"], "IMAP", "Protocol of the server."),
  host: dynamicText("Host of the server.", { required: true }),
  port: dynamicProperty(
    "integer",
    "Port of the server. Default is 993 for IMAP and 995 for POP3, without `ssl` 143 and 110.",
    { minimum: 1, maximum: 65_535 },
  ),
  username: dynamicText("Name of the user.", { required: true }),
  password: dynamicText("Password of the user; keep it as a secret.", { required: true }),
  folder: dynamicText("Folder that is read; POP3 has one only.", { default: "INBOX" }),
  ssl: dynamicFlag(
    true,
    "Whether the connection is TLS from the beginning. Without it IMAP uses STARTTLS where the server offers it, without a check of the certificate.",
  ),
  trustAllCertificates: dynamicFlag(false, "Whether any certificate of the server is accepted."),
});

/** What is known of a mail. */
export const MAIL_OUTPUTS: PropertySchemas = Object.freeze({
  subject: { type: "string", description: "Subject." },
  from: { type: "string", description: "Address of the sender." },
  to: { type: "list", description: "Addresses of the recipients." },
  cc: { type: "list", description: "Addresses of recipients of copies." },
  bcc: { type: "list", description: "Addresses of recipients of blind copies." },
  date: { type: "string", description: "When the server received it, in ISO 8601." },
  body: {
    type: "string",
    description: "Content as text, or as HTML where the mail has no text; its first 30,000 characters.",
  },
  messageId: { type: "string", description: "Identity that the sender has given it." },
  attachments: {
    type: "list",
    description: "Attached files: `filename`, `contentType` and `size` in bytes.",
  },
});
