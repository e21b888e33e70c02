/**
 * The requests of git by SSH. The library speaks HTTP, of which a request and a response have the same bytes as the input and
 * the output of the programs of git on the server. Loaded by the first task that uses it.
 */
import type { GitHttpRequest, GitHttpResponse } from "isomorphic-git";
import { joinBytes } from "../../base/bytes.ts";
import { shellWord } from "../../base/text/shell_word.ts";
import { systemClock } from "../../base/time/clock.ts";
import type { ConnectAddress } from "../../model/tasks/task_definition.ts";
import type { SshConnection } from "../fs/ssh2.ts";
import { type RunningCommand, startCommand, withSshConnection } from "../fs/ssh_client.ts";
import { MAX_PACK_BYTES, MAX_SHOWN_CHARS, partsOf, TIMEOUT_MS, type Transport } from "./http.ts";
import type { SshPlace } from "./remote.ts";

/** The library refuses addresses of SSH. Nothing is sent to this one. */
const LIBRARY_URL = "https://ssh.invalid";
/** The end of a list of lines. */
const FLUSH = "0000";
const LENGTH_DIGITS = 4;
const RECEIVE = "git-receive-pack";

/** Works with one connection; a stop closes it at once. @throws Error with words of the server */
export async function withSshTransport<T>(
  { user, fingerprint, path }: SshPlace,
  { address, signal }: { readonly address: ConnectAddress; readonly signal: AbortSignal },
  work: (transport: Transport) => Promise<T>,
): Promise<T> {
  return await withSshConnection(
    { place: address, user, fingerprint },
    signal,
    (client) => work({ url: LIBRARY_URL, http: new SshRequests(client, path) }),
  );
}

/** Each listing of refs starts a program on the server; the request after it is the input of that one. */
class SshRequests {
  readonly #client: SshConnection;
  readonly #path: string;
  #program?: Program;

  constructor(client: SshConnection, path: string) {
    this.#client = client;
    this.#path = path;
  }

  /** @throws Error with words of the server */
  async request({ url, method = "GET", body }: GitHttpRequest): Promise<GitHttpResponse> {
    const [service = ""] = /git-(?:upload|receive)-pack$/.exec(url) ?? [];
    const bytes = await inTime(method === "GET" ? this.#refs(service) : this.#response(body));
    return { url, method, headers: {}, body: partsOf(bytes), statusCode: 200, statusMessage: "" };
  }

  async #refs(service: string): Promise<Uint8Array> {
    this.#program?.leave();
    const command = await startCommand(this.#client, `${service} ${shellWord(this.#path)}`);
    this.#program = new Program(command, service);
    // Servers of HTTP begin with a list that has the name of the service alone.
    const title = line(`# service=${service}\n`) + FLUSH;
    return joinBytes([new TextEncoder().encode(title), await this.#program.refs()]);
  }

  async #response(body: GitHttpRequest["body"]): Promise<Uint8Array> {
    const program = this.#program;
    this.#program = undefined;
    if (!program) throw new Error("the refs of the repository were not listed");
    return await program.response(joinBytes(await Array.fromAsync(body ?? [])));
  }
}

/** A program of git that runs on the server. */
class Program {
  readonly #command: RunningCommand;
  readonly #service: string;
  readonly #output: AsyncIterator<Uint8Array>;
  readonly #errors: Promise<string>;
  #size = 0;

  constructor(command: RunningCommand, service: string) {
    this.#command = command;
    this.#service = service;
    this.#output = command.channel[Symbol.asyncIterator]();
    this.#errors = beginningOf(command.channel.stderr);
    this.#errors.catch(() => {}); // It is read after the output.
  }

  /** The lines with which the program begins. @throws Error with words of the server */
  async refs(): Promise<Uint8Array> {
    const parts: Uint8Array[] = [];
    let rest: Uint8Array = new Uint8Array();
    for (;;) {
      const part = await this.#next();
      if (!part) throw await this.#refusal(joinBytes([...parts, rest]));
      rest = joinBytes([rest, part]);
      const { end, isOver } = linesIn(rest);
      parts.push(rest.subarray(0, end));
      if (isOver) return joinBytes(parts);
      rest = rest.subarray(end);
    }
  }

  /** What the program puts out for a request. @throws Error with words of the server */
  async response(request: Uint8Array): Promise<Uint8Array> {
    const isPush = this.#service === RECEIVE;
    if (isPush) this.#command.channel.end(request);
    else this.#command.channel.write(request);
    const parts: Uint8Array[] = [];
    for (let part = await this.#next(); part; part = await this.#next()) parts.push(part);
    const output = joinBytes(parts);
    // A push that was refused is reported in the output.
    if (isPush && output.length > 0 || await this.#command.exitCode === 0) return output;
    throw await this.#refusal(output);
  }

  /** Ends a program that gets no request. */
  leave(): void {
    this.#command.channel.end(new TextEncoder().encode(FLUSH));
  }

  async #next(): Promise<Uint8Array | undefined> {
    const { value, done } = await this.#output.next();
    if (done) return undefined;
    this.#size += value.length;
    if (this.#size > MAX_PACK_BYTES) throw new Error(`the response has more than ${MAX_PACK_BYTES} bytes`);
    return value;
  }

  async #refusal(output: Uint8Array): Promise<Error> {
    const text = new TextDecoder().decode(output.subarray(0, MAX_SHOWN_CHARS));
    const words = (await this.#errors).trim() || text.replace(/^[0-9a-f]{4}ERR /, "").trim();
    if (words !== "") return new Error(words);
    return new Error(`${this.#service} ended with exit code ${await this.#command.exitCode}`);
  }
}

/** A line of the protocol: its length, with that of the length itself, goes before it. */
function line(text: string): string {
  return (text.length + LENGTH_DIGITS).toString(16).padStart(LENGTH_DIGITS, "0") + text;
}

/** Where the last complete line ends, and whether it is the end of the list. @throws Error with what is no line */
function linesIn(bytes: Uint8Array): { readonly end: number; readonly isOver: boolean } {
  let end = 0;
  while (end + LENGTH_DIGITS <= bytes.length) {
    const digits = new TextDecoder().decode(bytes.subarray(end, end + LENGTH_DIGITS));
    if (digits === FLUSH) return { end: end + LENGTH_DIGITS, isOver: true };
    const length = /^[0-9a-f]{4}$/i.test(digits) ? Number.parseInt(digits, 16) : 0;
    if (length < LENGTH_DIGITS) {
      const text = new TextDecoder().decode(bytes.subarray(end, end + MAX_SHOWN_CHARS)).trim();
      throw new Error(`the server does not speak the protocol of git: ${text}`);
    }
    if (end + length > bytes.length) break;
    end += length;
  }
  return { end, isOver: false };
}

/** The first characters; reads to the end, as a full stream would stop the program. */
async function beginningOf(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const part of stream) {
    if (text.length < MAX_SHOWN_CHARS) text += decoder.decode(part, { stream: true });
  }
  return text.slice(0, MAX_SHOWN_CHARS);
}

/** @throws Error the server took too long */
async function inTime<T>(work: Promise<T>): Promise<T> {
  const over = Promise.withResolvers<never>();
  const cancel = systemClock.setTimer(
    TIMEOUT_MS,
    () => over.reject(new Error(`there was no response within ${TIMEOUT_MS / 1000} s`)),
  );
  return await Promise.race([work, over.promise]).finally(cancel);
}
