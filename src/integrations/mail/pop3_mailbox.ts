/** Mailboxes of POP3 (RFC 1939). The protocol is small, and its packages are not kept. */
import type { Socket } from "node:net";
import { ByteCollector } from "../../base/bytes.ts";
import { systemClock } from "../../base/time/clock.ts";
import { readDuration } from "../../base/time/duration.ts";
import type { JsonObject } from "../../base/json.ts";
import { pause, unlessStopped } from "../http_calls.ts";
import { type Mailbox, type MailReader, MAX_MAIL_BYTES, MAX_MAILS, type ReceivedMails } from "./mailbox.ts";
import { type ReceivedMail, receivedMail } from "./received_mail.ts";
import { connectSocket } from "../tls_sockets.ts";

const TIMEOUT_MS = 30_000;
/** Identities of a position: the last one may be deleted before the next reading. */
const MAX_KNOWN = 50;
/** Mails of a mailbox. */
const MAX_LISTED = 200_000;
const LINE_BREAK = 10;
const DOT = 46;

interface ServerPlace {
  readonly host: string;
  readonly port: number;
}

/** Runs `work` with the mailbox of the user. @throws Error with the words of the server */
export async function withPop3<T>(
  reader: MailReader,
  place: ServerPlace,
  work: (mailbox: Mailbox) => Promise<T>,
): Promise<T> {
  return await work({
    // The server shows a connection only the mails that were there at its begin.
    read: (position, since) => withSession(reader, place, (session) => readMails(session, position, since)),
    waitForMails: () => pause(readDuration(reader.properties.interval) ?? TIMEOUT_MS, reader.signal),
  });
}

async function withSession<T>(
  reader: MailReader,
  { host, port }: ServerPlace,
  work: (session: Pop3Session) => Promise<T>,
): Promise<T> {
  const { username, password, ssl, trustAllCertificates } = reader.properties;
  const address = await reader.connectAddress(host, port);
  const tls = ssl === true ? { rejectUnauthorized: trustAllCertificates !== true } : undefined;
  const socket = connectSocket(address, host, tls);
  const session = new Pop3Session(socket);
  try {
    return await unlessStopped(
      (async () => {
        await session.begin(String(username), String(password));
        const result = await work(session);
        await session.command("QUIT");
        return result;
      })(),
      reader.signal,
    );
  } finally {
    socket.destroy();
  }
}

async function readMails(
  session: Pop3Session,
  position: JsonObject | undefined,
  since: number,
): Promise<ReceivedMails> {
  const list = (await session.lines("UIDL")).map((line) => line.split(" "))
    .map(([number = "", identity = ""]) => ({ number, identity }));
  const known = new Set(Array.isArray(position?.known) ? position.known : []);
  const lastKnown = list.findLastIndex(({ identity }) => known.has(identity));
  // At first only the newest ones can be recent enough.
  const begin = position ? lastKnown + 1 : Math.max(0, list.length - MAX_MAILS);
  const taken = list.slice(begin, begin + MAX_MAILS);
  const mails: ReceivedMail[] = [];
  for (const { number, identity } of taken) {
    const source = await session.content(`RETR ${number}`);
    mails.push(await receivedMail(source, { identity, now: systemClock.now() }));
  }
  const end = begin + taken.length;
  return {
    mails: position ? mails : mails.filter(({ receivedAt }) => receivedAt > since),
    position: { known: list.slice(Math.max(0, end - MAX_KNOWN), end).map(({ identity }) => identity) },
  };
}

/** One connection: a command is sent after the response to the one before. */
class Pop3Session {
  readonly #socket: Socket;
  readonly #chunks: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array();

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error("The server does not respond")));
    this.#chunks = socket[Symbol.asyncIterator]();
  }

  /** Reads the greeting and logs in. @throws Error with the words of the server */
  async begin(user: string, password: string): Promise<void> {
    await this.#status();
    await this.command(`USER ${user}`);
    await this.command(`PASS ${password}`);
  }

  /** @throws Error the server refuses the command; with its words alone, since a command may have the password */
  async command(text: string): Promise<void> {
    if (/[\r\n]/.test(text)) throw new Error("Invalid username or password: a line break is not allowed");
    this.#socket.write(`${text}\r\n`);
    await this.#status();
  }

  /** The lines that follow the status. */
  async lines(text: string): Promise<string[]> {
    const content = await this.content(text, MAX_LISTED);
    return new TextDecoder().decode(content).split("\r\n").filter((line) => line !== "");
  }

  /** The bytes that follow the status, as far as they are kept. @throws Error there are more lines */
  async content(text: string, maxLines = Infinity): Promise<Uint8Array> {
    await this.command(text);
    const kept = new ByteCollector();
    let size = 0, lines = 0;
    for (let line = await this.#line(); !isEnd(line); line = await this.#line()) {
      if (++lines > maxLines) throw new Error(`The mailbox has more than ${maxLines} mails`);
      size += line.length;
      if (size <= MAX_MAIL_BYTES) kept.add(line.subarray(line[0] === DOT ? 1 : 0));
    }
    return kept.take();
  }

  async #status(): Promise<void> {
    const text = new TextDecoder().decode(await this.#line()).trim();
    if (!text.startsWith("+OK")) {
      throw new Error(text.replace(/^-ERR\s*/, "") || "The server refused a command");
    }
  }

  /** The next line with its break. */
  async #line(): Promise<Uint8Array> {
    const line = new ByteCollector();
    while (line.size <= MAX_MAIL_BYTES) {
      const end = this.#rest.indexOf(LINE_BREAK) + 1;
      line.add(this.#rest.subarray(0, end || undefined));
      this.#rest = end > 0 ? this.#rest.subarray(end) : new Uint8Array();
      if (end > 0) return line.take();
      const { value, done } = await this.#chunks.next();
      if (done) throw new Error("The server closed the connection");
      this.#rest = value;
    }
    throw new Error(`A line has more than ${MAX_MAIL_BYTES} bytes`);
  }
}

function isEnd(line: Uint8Array): boolean {
  return line[0] === DOT && (line[1] === 13 || line[1] === LINE_BREAK);
}
