/** Opens the mailbox of a trigger by its protocol. */
import type { Mailbox, MailReader } from "./mailbox.ts";

/** Runs `work` with the mailbox of the properties, and closes it. @throws Error with the server and its words */
export async function withMailbox<T>(reader: MailReader, work: (mailbox: Mailbox) => Promise<T>): Promise<T> {
  const { protocol, host, port, ssl } = reader.properties;
  const isImap = protocol === "IMAP";
  const defaultPort = isImap ? (ssl ? 993 : 143) : (ssl ? 995 : 110);
  const place = { host: String(host), port: Number(port ?? defaultPort) };
  const open = isImap
    ? (await import("./imap_mailbox.ts")).withImap
    : (await import("./pop3_mailbox.ts")).withPop3;
  try {
    return await open(reader, place, work);
  } catch (error) {
    throw new Error(`Cannot read mails at "${place.host}:${place.port}": ${(error as Error).message}`, {
      cause: error,
    });
  }
}
