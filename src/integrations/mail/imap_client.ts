/** The part of the package `imapflow` that is used here, with limits of what a server sends. */
import os from "node:os";
import { MAX_MAIL_BYTES } from "./mailbox.ts";

/** A mail with its number and time; its content has at most the bytes asked for. */
interface FetchedMail {
  readonly uid: number;
  readonly source?: Uint8Array;
  readonly internalDate?: Date | string;
}

/** A client; the package's own types would replace those of the platform. */
export interface ImapClient {
  readonly mailbox: { readonly uidValidity: bigint; readonly uidNext: number };
  /** Connects and logs in. */
  connect(): Promise<void>;
  /** Chooses a folder. */
  mailboxOpen(folder: string, options: { readonly readOnly: boolean }): Promise<unknown>;
  /** The numbers of mails. */
  search(query: object, options: { readonly uid: boolean }): Promise<readonly number[] | false>;
  /** Mails by their numbers. */
  fetch(uids: string, query: object, options: { readonly uid: boolean }): AsyncIterable<FetchedMail>;
  /** Requests only changes. */
  noop(): Promise<void>;
  /** Waits for changes of the folder. */
  idle(): Promise<unknown>;
  /** Calls back for mails that arrive, and when the connection ends. */
  on(event: "exists" | "close", listener: () => void): void;
  /** Calls back when the connection fails. */
  on(event: "error", listener: (error: Error) => void): void;
  /** Calls the listeners of an event. */
  emit(event: "error", error: Error): void;
  /** Closes the connection at once. */
  close(): void;
}

/** Lines and literals of the response that has a mail. */
const RESPONSE_BYTES = MAX_MAIL_BYTES + 1024 * 1024;
/** A line with the numbers of all mails that a search finds. */
const LINE_BYTES = 8 * 1024 * 1024;
const MAX_TOKENS = 100_000;
const MAX_FOUND = 1_000_000;
/** Responses about folders; the package keeps them until the end of the command. */
const FOLDER_RESPONSES: ReadonlySet<string> = new Set(["LIST", "XLIST", "LSUB", "STATUS"]);
/** Characters of all folders of a command, which asks for one; and what a folder counts beside its texts. */
const MAX_FOLDER_CHARS = LINE_BYTES;
const FOLDER_CHARS = 100;

/** Of a response; `null` for NIL. */
type Attribute = { readonly value?: unknown } | null;

interface Untagged {
  readonly numbers?: readonly number[];
  /** Values, and lists of them. */
  readonly attributes?: readonly (Attribute | readonly Attribute[])[];
}

interface Handlers {
  readonly [response: string]: (untagged: Untagged) => Promise<unknown>;
}

/** Further methods of a client that are replaced. */
interface PackageClient extends ImapClient {
  exec(command: string, attributes: unknown, options?: { readonly untagged?: Handlers }): Promise<unknown>;
  untaggedVanished(): Promise<void>;
}

interface ImapOptions {
  readonly host: string;
  readonly port: number;
  readonly servername?: string;
  readonly secure: boolean;
  readonly tls: { readonly rejectUnauthorized: boolean };
  readonly auth: { readonly user: string; readonly pass: string };
  readonly connectionTimeout: number;
  readonly greetingTimeout: number;
  readonly socketTimeout: number;
  readonly maxIdleTime: number;
}

/** A client that is not connected yet. */
export async function newImapClient(options: ImapOptions): Promise<ImapClient> {
  const { ImapFlow } = await importPackage();
  const client = new ImapFlow({
    ...options,
    logger: false,
    disableAutoIdle: true,
    maxLineLength: LINE_BYTES,
    maxLiteralSize: RESPONSE_BYTES,
    maxResponseSize: RESPONSE_BYTES + LINE_BYTES,
    maxResponseTokens: MAX_TOKENS,
  }) as unknown as PackageClient;
  boundResponses(client);
  // Version 2.10.2 reports up to 2^24 mails that are gone, in one turn; they are not used.
  client.untaggedVanished = () => Promise.resolve();
  return client;
}

/** When it is loaded, the logger of the package reads the name of this machine, which the server may not. */
async function importPackage() {
  const { hostname } = os;
  os.hostname = () => "localhost";
  try {
    return await import("imapflow");
  } finally {
    os.hostname = hostname;
  }
}

/**
 * Version 2.10.2 takes up to 2^24 numbers from a server, also as a range of some bytes, and sorts them in one turn; and folders
 * with any texts.
 */
function boundResponses(client: PackageClient): void {
  const { exec } = client;
  client.exec = (command, attributes, options) => {
    let found = 0, folderChars = 0;
    const bounded = ([response, handle]: [string, Handlers[string]]) => [
      response,
      (untagged: Untagged) => {
        found += foundBy(response, untagged);
        if (FOLDER_RESPONSES.has(response)) folderChars += FOLDER_CHARS + charsOf(untagged);
        const problem = found > MAX_FOUND
          ? `The server found more than ${MAX_FOUND} mails: use a smaller folder`
          : folderChars > MAX_FOLDER_CHARS
          ? `The server lists folders with more than ${MAX_FOLDER_CHARS} characters`
          : undefined;
        if (problem === undefined) return handle(untagged);
        client.emit("error", new Error(problem));
        return Promise.resolve();
      },
    ];
    const untagged = Object.fromEntries(Object.entries(options?.untagged ?? {}).map(bounded));
    return exec.call(client, command, attributes, { ...options, untagged });
  };
}

function charsOf({ attributes = [] }: Untagged): number {
  return attributes.flat().reduce((sum, each) => sum + String(each?.value ?? "").length, 0);
}

function foundBy(response: string, { numbers, attributes = [] }: Untagged): number {
  if (response === "SEARCH") return numbers?.length ?? attributes.length;
  if (response !== "ESEARCH") return 0;
  let found = 0;
  for (const each of attributes.flat()) {
    for (const [range] of String(each?.value).matchAll(/[^,]+/g)) {
      found += lengthOf(range);
      if (found > MAX_FOUND) return found;
    }
  }
  return found;
}

/** The length of a range `1:9`, whose numbers the package reads in the same way. */
function lengthOf(range: string): number {
  const [first, last] = range.split(":").map(Number);
  return last === undefined || first === undefined ? 1 : Math.abs(last - first) + 1 || 1;
}
