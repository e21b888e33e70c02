/** Properties of the types that send mails by a server of SMTP. */
import {
  dynamicChoice,
  dynamicFlag,
  dynamicProperty,
  dynamicText,
  type PropertySchemas,
} from "../../model/flows/schema.ts";
import { ATTACHMENT_PROPERTIES, RECIPIENT_PROPERTIES } from "./mail_properties.ts";

/** The server, the recipients and the attached files. */
export const SMTP_PROPERTIES: PropertySchemas = Object.freeze({
  host: dynamicText("Host of the server.", { required: true }),
  port: dynamicProperty(
    "integer",
    "Port of the server: 465 for `SMTPS`, 587 for `SMTP_TLS`, 25 for `SMTP`.",
    {
      minimum: 1,
      maximum: 65_535,
    },
  ),
  username: dynamicText("Name of the user; without it the user is not authenticated."),
  password: dynamicText("Password of the user; keep it as a secret."),
  transportStrategy: dynamicChoice(
    ["SMTP", "SMTP_TLS", "SMTPS"],
    "SMTPS",
    "`SMTPS` is TLS from the beginning, `SMTP_TLS` requires STARTTLS, `SMTP` uses it where the server offers it, without a check of the certificate.",
  ),
  sessionTimeout: dynamicProperty("integer", "Longest wait for the server, in milliseconds.", {
    default: 10_000,
    minimum: 1,
    maximum: 600_000,
  }),
  verifyServerIdentity: dynamicFlag(true, "Checks the certificate of the server."),
  trustedHosts: dynamicProperty("list", "Hosts whose certificates are not checked.", {
    items: dynamicText("A host."),
  }),
  ...RECIPIENT_PROPERTIES,
  replyTo: dynamicText("Address for replies."),
  ...ATTACHMENT_PROPERTIES,
});
