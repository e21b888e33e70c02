/**
 * Runs commands in containers of pods: the exec API over WebSocket, subprotocol `v4.channel.k8s.io`. Each message begins with
 * the number of its channel. https://kubernetes.io/docs/reference/using-api/ and KEP-4006.
 */
import { systemClock } from "../../base/time/clock.ts";
import { isJsonObject } from "../../base/json.ts";
import { tryParseShortJson } from "../../base/json_turns.ts";
import { unbracketed } from "../../base/network/ip.ts";
import { optionalText, type TaskTls, type WorkContext } from "../../model/tasks/task_definition.ts";
import { parsedUrl, refusalOf } from "../http_calls.ts";
import type { Cluster } from "./cluster.ts";
import { connectSocket } from "../tls_sockets.ts";

const PROTOCOL = "v4.channel.k8s.io";
const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;
/** Carries a `Status` as JSON when the command has ended. */
const END = 3;
/** Bytes of a message to the server. */
const CHUNK_BYTES = 32 * 1024;
/** Longest time without a message in either direction. */
const IDLE_MS = 60_000;
/** Bytes of a message from the server, whose messages have 32 KiB. */
const MAX_MESSAGE_BYTES = 1024 * 1024;
/** Characters of a refusal. */
const MAX_REFUSAL_CHARS = 64 * 1024;
/** Characters of the error stream in a message. */
const MAX_ERROR_CHARS = 500;

type ExecContext = Pick<WorkContext, "signal" | "connectAddress">;

/** A command and where it runs. */
interface PodCommand {
  /** Path of the pod in the API. */
  readonly path: string;
  readonly container: string;
  readonly command: readonly string[];
  /** For its standard input, which stays open afterwards: the command must know where it ends. */
  readonly input?: AsyncIterable<Uint8Array>;
  /** For errors: verb and object. */
  readonly operation: string;
}

/** What is used of the package `ws`; its own types would replace those of the platform. */
interface Socket {
  on(event: "open" | "close", listener: () => void): void;
  on(event: "message", listener: (data: Uint8Array<ArrayBuffer>) => void): void;
  on(event: "error", listener: (error: Error) => void): void;
  on(event: "unexpected-response", listener: (request: unknown, response: Refused) => void): void;
  send(data: Uint8Array, done: (error?: Error) => void): void;
  pause(): void;
  resume(): void;
  terminate(): void;
}

type Refused = AsyncIterable<Uint8Array> & { readonly statusCode: number };

/** Runs the command; what it prints arrives as a stream, which fails if the command does. @throws Error no connection */
export async function executeInPod(
  context: ExecContext,
  cluster: Cluster,
  command: PodCommand,
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  const { promise, resolve, reject } = Promise.withResolvers<ReadableStream<Uint8Array<ArrayBuffer>>>();
  const { url, socket } = await connected(context, cluster, command);
  const exchange = new Exchange(socket, context.signal, command);
  socket.on("open", () => {
    resolve(exchange.output);
    exchange.send(command.input);
  });
  socket.on("unexpected-response", (_request, response) => {
    const { operation } = command;
    void wordsOf(response).then((words) => {
      reject(refusalOf({ operation, url, status: response.statusCode, words }));
      exchange.stop();
    });
  });
  socket.on("error", (error) => {
    const failure = new Error(`Cannot ${command.operation} at "${new URL(url).host}": ${error.message}`);
    reject(failure);
    exchange.fail(failure);
  });
  return await promise;
}

/** Runs the command to its end, whatever it prints. @throws Error it fails */
export async function runInPod(context: ExecContext, cluster: Cluster, command: PodCommand): Promise<void> {
  for await (const _chunk of await executeInPod(context, cluster, command));
}

async function connected(context: ExecContext, cluster: Cluster, { path, container, ...rest }: PodCommand) {
  const { command, input, operation } = rest;
  const query = new URLSearchParams([
    ["container", container],
    ...command.map((word) => ["command", word]),
    ...input ? [["stdin", "true"]] : [],
    ["stdout", "true"],
    ["stderr", "true"],
  ]);
  const { url, headers, tls = {} } = cluster.requestOf({ path: `${path}/exec?${query}`, operation });
  const { protocol, hostname, port } = parsedUrl(url);
  const host = unbracketed(hostname);
  const isSecure = protocol === "https:";
  const address = await context.connectAddress(host, Number(port || (isSecure ? 443 : 80)));
  const { WebSocket } = await import("ws");
  const socket = new WebSocket(url.replace(/^http/, "ws"), [PROTOCOL], {
    headers,
    handshakeTimeout: IDLE_MS,
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE_BYTES,
    createConnection: () => connectSocket(address, host, isSecure ? connectionTls(tls) : undefined),
  }) as unknown as Socket;
  return { url, socket };
}

function connectionTls({ ca, certificate: cert, key, isInsecure }: TaskTls) {
  return { ca, cert, key, rejectUnauthorized: isInsecure !== true };
}

async function wordsOf(response: Refused): Promise<string> {
  const text = await beginOf(response).catch(() => "");
  const status = tryParseShortJson(text);
  return isJsonObject(status) ? optionalText(status.message) ?? text : text;
}

async function beginOf(response: Refused): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of response) {
    text += decoder.decode(bytes, { stream: true });
    if (text.length > MAX_REFUSAL_CHARS) break;
  }
  return text;
}

/** The messages of one command. */
class Exchange {
  /** What the command prints. */
  readonly output: ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly #socket: Socket;
  readonly #operation: string;
  readonly #decoder = new TextDecoder();
  #target!: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>;
  #errors = "";
  #isOver = false;
  #cancelIdle = () => {};

  constructor(socket: Socket, signal: AbortSignal, { operation }: PodCommand) {
    this.#socket = socket;
    this.#operation = operation;
    this.output = new ReadableStream({
      start: (controller) => void (this.#target = controller),
      pull: () => socket.resume(),
      cancel: () => this.stop(),
    });
    const abort = () => this.fail(new Error("The work was stopped"));
    signal.addEventListener("abort", abort);
    socket.on("message", (data) => this.#receive(data));
    socket.on("close", () => {
      signal.removeEventListener("abort", abort);
      this.fail(new Error(`Cannot ${operation}: the connection ended before the command did`));
    });
    if (signal.aborted) abort();
    this.#touch();
  }

  /** Sends the input of the command. */
  send(input: AsyncIterable<Uint8Array> = ReadableStream.from([])): void {
    void this.#sendAll(input).catch((error) => this.fail(error));
  }

  /** Ends the exchange with an error, if it has not ended. */
  fail(error: Error): void {
    if (!this.#isOver) this.#target.error(error);
    this.stop();
  }

  /** Closes the connection. */
  stop(): void {
    this.#isOver = true;
    this.#cancelIdle();
    this.#socket.terminate();
  }

  async #sendAll(input: AsyncIterable<Uint8Array>): Promise<void> {
    for await (const bytes of input) {
      if (this.#isOver) return;
      for (let start = 0; start < bytes.length && !this.#isOver; start += CHUNK_BYTES) {
        const chunk = bytes.subarray(start, start + CHUNK_BYTES);
        const message = new Uint8Array(chunk.length + 1);
        message[0] = STDIN;
        message.set(chunk, 1);
        await new Promise<void>((resolve, reject) =>
          this.#socket.send(message, (error) => error ? reject(error) : resolve())
        );
        this.#touch();
      }
    }
  }

  #receive(data: Uint8Array<ArrayBuffer>): void {
    if (this.#isOver) return;
    this.#touch();
    const content = data.slice(1);
    if (data[0] === STDOUT && content.length > 0) {
      this.#target.enqueue(content);
      if ((this.#target.desiredSize ?? 1) <= 0) this.#socket.pause();
    } else if (data[0] === STDERR) {
      this.#errors = (this.#errors + this.#decoder.decode(content, { stream: true })).slice(-MAX_ERROR_CHARS);
    } else if (data[0] === END) this.#end(new TextDecoder().decode(content));
  }

  #end(text: string): void {
    const status = tryParseShortJson(text);
    if (isJsonObject(status) && status.status === "Success") {
      this.#target.close();
      return this.stop();
    }
    const words = isJsonObject(status) ? optionalText(status.message) ?? text : text;
    const errors = this.#errors.trim();
    this.fail(new Error(`Cannot ${this.#operation}: ${words}${errors && `: ${errors}`}`));
  }

  /** A reader that takes its time pauses the connection, which is then not idle. */
  #touch(): void {
    this.#cancelIdle();
    this.#cancelIdle = systemClock.setTimer(IDLE_MS, () => {
      if ((this.#target.desiredSize ?? 1) <= 0) return this.#touch();
      this.fail(new Error(`Cannot ${this.#operation}: nothing arrived for ${IDLE_MS / 1000} s`));
    });
  }
}
