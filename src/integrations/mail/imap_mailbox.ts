/** Mailboxes of IMAP. */
import { systemClock } from "../../base/time/clock.ts";
import type { JsonObject } from "../../base/json.ts";
import { unlessStopped } from "../http_calls.ts";
import { type ImapClient, newImapClient } from "./imap_client.ts";
import { type Mailbox, type MailReader, MAX_MAIL_BYTES, MAX_MAILS, type ReceivedMails } from "./mailbox.ts";
import { receivedMail } from "./received_mail.ts";
import { serverNameOf } from "../tls_sockets.ts";

const CONNECT_TIMEOUT_MS = 30_000;
/** Servers may close a connection that idles for 30 minutes (RFC 2177); a shorter time also finds connections that are lost. */
const MAX_IDLE_MS = 5 * 60_000;
/** The package ends a connection after this time without data, and idling is interrupted before. */
const SOCKET_TIMEOUT_MS = MAX_IDLE_MS + 60_000;

/** Runs `work` with the folder of the properties, and closes the connection. @throws Error with the words of the server */
export async function withImap<T>(
  reader: MailReader,
  { host, port }: { readonly host: string; readonly port: number },
  work: (mailbox: Mailbox) => Promise<T>,
): Promise<T> {
  const { username, password, folder, ssl, trustAllCertificates } = reader.properties;
  const address = await reader.connectAddress(host, port);
  const client = await newImapClient({
    host: address.hostname,
    port: address.port,
    ...serverNameOf(host),
    secure: ssl === true,
    tls: { rejectUnauthorized: ssl === true && trustAllCertificates !== true },
    auth: { user: String(username), pass: String(password) },
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SOCKET_TIMEOUT_MS,
    maxIdleTime: MAX_IDLE_MS,
  });
  const mailbox = new ImapMailbox(client);
  const steps = async () => {
    await client.connect();
    await client.mailboxOpen(String(folder), { readOnly: true });
    return await work(mailbox);
  };
  try {
    return await unlessStopped(Promise.race([steps(), mailbox.broken]), reader.signal);
  } catch (error) {
    // The server's own words are beside the message of the package.
    const { responseText, message } = error as Error & { readonly responseText?: string };
    throw new Error(responseText ?? message, { cause: error });
  } finally {
    client.close();
  }
}

class ImapMailbox implements Mailbox {
  /** Rejects when the connection ends. */
  readonly broken: Promise<never>;
  readonly #client: ImapClient;
  #arrived = Promise.withResolvers<void>();

  constructor(client: ImapClient) {
    this.#client = client;
    const { promise, reject } = Promise.withResolvers<never>();
    promise.catch(() => {}); // It is of interest only while there is work.
    this.broken = promise;
    client.on("error", reject);
    client.on("close", () => reject(new Error("The server closed the connection")));
    client.on("exists", () => this.#arrived.resolve());
  }

  /** @inheritdoc */
  async read(position: JsonObject | undefined, since: number): Promise<ReceivedMails> {
    // The next number of the folder is that of the last command.
    await this.#client.noop();
    const { uidNext } = this.#client.mailbox;
    const validity = String(this.#client.mailbox.uidValidity);
    const isKnown = position?.validity === validity;
    const first = isKnown ? Number(position.next) : 1;
    // Days are the smallest unit of a search.
    const query = isKnown ? { uid: `${first}:*` } : { since: new Date(since) };
    const found = await this.#client.search(query, { uid: true }) || [];
    // The last mail is always within `n:*`.
    const uids = found.filter((uid) => uid >= first).sort((a, b) => a - b);
    // Without a position, only the newest ones can be recent enough.
    const taken = isKnown ? uids.slice(0, MAX_MAILS) : uids.slice(-MAX_MAILS);
    const last = taken.at(-1) ?? 0;
    const next = taken.length < uids.length && isKnown ? last + 1 : Math.max(uidNext, last + 1);
    const mails = taken.length === 0 ? [] : await this.#fetch(taken, validity);
    return {
      mails: isKnown ? mails : mails.filter(({ receivedAt }) => receivedAt > since),
      position: { validity, next },
    };
  }

  async #fetch(uids: readonly number[], validity: string) {
    const query = { source: { maxLength: MAX_MAIL_BYTES }, internalDate: true };
    const mails = [];
    for await (const { uid, source, internalDate } of this.#client.fetch(uids.join(), query, { uid: true })) {
      if (mails.length === uids.length) continue; // The server sends mails that were not requested.
      const receivedAt = internalDate === undefined ? undefined : new Date(internalDate).getTime();
      const identity = `${validity}/${uid}`;
      mails.push(
        await receivedMail(source ?? new Uint8Array(), { identity, receivedAt, now: systemClock.now() }),
      );
    }
    return mails;
  }

  /** @inheritdoc */
  async waitForMails(): Promise<void> {
    // It ends with the next command, or fails with the connection.
    this.#client.idle().catch(() => {});
    await Promise.race([this.#arrived.promise, this.broken]);
    this.#arrived = Promise.withResolvers();
  }
}
