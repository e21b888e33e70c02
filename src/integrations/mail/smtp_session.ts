/** Sends mails by a server of SMTP. Loaded by the first task that does. */
import nodemailer from "nodemailer";
import { type JsonObject, objectsOf } from "../../base/json.ts";
import { optionalText, type TaskContext } from "../../model/tasks/task_definition.ts";
import { addressesOf } from "./mail_properties.ts";
import { serverNameOf } from "../tls_sockets.ts";

/** What the package offers; its own types would replace those of the platform. */
interface Mailer {
  createTransport(options: Readonly<Record<string, unknown>>): {
    sendMail(mail: Readonly<Record<string, unknown>>): Promise<unknown>;
    close(): void;
  };
}

/** What a mail says. */
interface MailContent {
  readonly subject: string;
  readonly html?: string;
  readonly text?: string;
}

const DEFAULT_PORTS: ReadonlyMap<unknown, number> = new Map([["SMTP", 25], ["SMTP_TLS", 587], [
  "SMTPS",
  465,
]]);

/** Sends one mail to the recipients of the properties; a stop of the attempt ends the wait at once. @throws Error with host and words of the server */
export async function sendMail(context: TaskContext, { subject, html, text }: MailContent): Promise<void> {
  const { from, to, cc, bcc, replyTo, host } = context.properties;
  if (html === undefined && text === undefined) {
    throw new Error("Nothing to send: give htmlTextContent or plainTextContent");
  }
  const mail = {
    from: addressesOf(from)[0],
    to: addressesOf(to),
    cc: addressesOf(cc),
    bcc: addressesOf(bcc),
    replyTo: addressesOf(replyTo),
    subject,
    html,
    text,
    attachments: await attachmentsOf(context),
    disableUrlAccess: true,
  };
  const { signal } = context;
  const stopped = Promise.withResolvers<never>();
  const abort = () => stopped.reject(signal.reason);
  signal.addEventListener("abort", abort);
  const transport = (nodemailer as unknown as Mailer).createTransport(await transportOptions(context));
  try {
    signal.throwIfAborted();
    await Promise.race([transport.sendMail(mail), stopped.promise]);
  } catch (error) {
    if (signal.aborted) throw error;
    throw new Error(`Cannot send a mail by "${host}": ${(error as Error).message}`);
  } finally {
    signal.removeEventListener("abort", abort);
    transport.close();
  }
}

async function transportOptions(context: TaskContext): Promise<Readonly<Record<string, unknown>>> {
  const { host, port, username, password, transportStrategy, sessionTimeout, ...options } =
    context.properties;
  const address = await context.connectAddress(
    String(host),
    Number(port ?? DEFAULT_PORTS.get(transportStrategy)),
  );
  const name = optionalText(username);
  return {
    host: address.hostname,
    port: address.port,
    // Without it the package reads the name of this machine, which the server may not.
    name: "localhost",
    secure: transportStrategy === "SMTPS",
    requireTLS: transportStrategy === "SMTP_TLS",
    tls: {
      ...serverNameOf(String(host)),
      rejectUnauthorized: isVerified(transportStrategy, String(host), options),
    },
    ...name !== undefined && { auth: { user: name, pass: optionalText(password) ?? "" } },
    connectionTimeout: sessionTimeout,
    greetingTimeout: sessionTimeout,
    socketTimeout: sessionTimeout,
  };
}

function isVerified(
  strategy: unknown,
  host: string,
  { verifyServerIdentity, trustedHosts }: JsonObject,
): boolean {
  const isTrusted = Array.isArray(trustedHosts) && trustedHosts.includes(host);
  return strategy !== "SMTP" && verifyServerIdentity !== false && !isTrusted;
}

async function attachmentsOf(context: TaskContext) {
  const { attachments, embeddedImages } = context.properties;
  const attached = async ({ name, uri, contentType }: JsonObject) => ({
    filename: String(name),
    path: await context.fetchFile(String(uri)),
    contentType: optionalText(contentType),
  });
  return [
    ...await Promise.all(objectsOf(attachments).map(attached)),
    ...await Promise.all(
      objectsOf(embeddedImages).map(async (image) => ({ ...await attached(image), cid: String(image.name) })),
    ),
  ];
}
