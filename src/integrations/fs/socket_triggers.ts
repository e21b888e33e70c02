/** `fs.tcp.RealtimeTrigger` and `fs.udp.RealtimeTrigger`: ports of this machine. */
import { Buffer } from "node:buffer";
import { createSocket, type RemoteInfo } from "node:dgram";
import { type AddressInfo, createServer, isIPv6, type Server, type Socket } from "node:net";
import type { JsonObject } from "../../base/json.ts";
import { AcceptProbe } from "../../base/network/accept_probe.ts";
import { systemClock } from "../../base/time/clock.ts";
import { dynamicProperty, dynamicText, type PropertySchemas } from "../../model/flows/schema.ts";
import { defineListener, type ListenerContext } from "../../model/triggers/machine_trigger.ts";
import type { RealtimeDefinition } from "../../model/triggers/trigger_definition.ts";

/** Connections at a time; a further one is closed at once. */
const MAX_CONNECTIONS = 100;
/** A connection on which nothing arrives for so long is closed. */
const IDLE_MS = 30_000;
/** Datagrams, and their characters, that wait for executions; further ones are lost. */
const MAX_WAITING = 1_000;
const MAX_WAITING_CHARS = 4 * 1024 * 1024;
/** Largest message of a connection, in bytes. */
const MAX_MESSAGE_BYTES = 1024 * 1024;
const MAX_DATAGRAM_BYTES = 65_507;
const SWEEP_MS = 1_000;
const BASE64 = "BASE64";

const LISTEN_PROPERTIES: PropertySchemas = Object.freeze({
  host: dynamicText(
    "IP address of this machine to listen on. Others than loopback addresses, such as `0.0.0.0` for all, need `--listen-triggers` of the server.",
    { default: "127.0.0.1" },
  ),
  port: dynamicProperty("integer", "Port to listen on.", { required: true, minimum: 1, maximum: 65_535 }),
  encoding: dynamicText("Character set of the messages, or `BASE64` for bytes.", { default: "UTF-8" }),
});

const MESSAGE: PropertySchemas = Object.freeze({
  payload: { type: "string", description: "The message." },
  timestamp: { type: "string", description: "When it was received." },
  sourceIp: { type: "string", description: "Address of the sender." },
  sourcePort: { type: "integer", description: "Port of the sender." },
});

interface Sender {
  readonly address?: string;
  readonly port?: number;
}

/** Reads messages by the property `encoding`. @throws Error it is not known */
function readerOf({ encoding }: JsonObject): (bytes: Uint8Array) => string {
  if (String(encoding).toUpperCase() === BASE64) return (bytes) => Buffer.from(bytes).toString("base64");
  try {
    const decoder = new TextDecoder(String(encoding));
    return (bytes) => decoder.decode(bytes);
  } catch {
    throw new Error(`Invalid encoding: "${encoding}" is not known`);
  }
}

function messageOf(payload: string, { address = "", port = 0 }: Sender): JsonObject {
  const timestamp = new Date(systemClock.now()).toISOString();
  return { payload, timestamp, sourceIp: address.replace(/^::ffff:(?=\d+\.)/, ""), sourcePort: port };
}

/** Settles when the trigger is stopped, or with the error of the socket. */
function untilStopped(
  { signal }: ListenerContext,
  socket: { on(event: "error", listener: (error: Error) => void): unknown },
) {
  const over = Promise.withResolvers<void>();
  socket.on("error", over.reject);
  signal.addEventListener("abort", () => over.resolve(), { once: true });
  if (signal.aborted) over.resolve();
  return over.promise;
}

/** @throws Error with address and reason */
async function listening(context: ListenerContext, listen: (host: string, port: number) => Promise<void>) {
  const port = Number(context.properties.port);
  const host = context.listenAddress(String(context.properties.host));
  try {
    await listen(host, port);
  } catch (error) {
    throw new Error(`Cannot listen on "${host}:${port}": ${(error as Error).message}`, { cause: error });
  }
}

/** One execution for each connection. */
export const tcpTrigger: RealtimeDefinition = defineListener({
  type: "fs.tcp.RealtimeTrigger",
  title: "Start for messages by TCP",
  description:
    "Listens on a port. What a client sends until it ends its side of the connection is one message, of at most 1 MiB, and starts an execution; white space around it is removed, and an empty one is ignored. The server closes the connection once the execution is stored, and resets it if no execution is stored.",
  properties: LISTEN_PROPERTIES,
  outputs: MESSAGE,
  examples: [{
    title: "Start for each message",
    yaml: "id: listen\ntype: io.svc.plugin.fs.tcp.RealtimeTrigger\nport: 9090",
  }],
  async realtime(context) {
    const read = readerOf(context.properties);
    const sockets = new Set<Socket>();
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      if (sockets.size >= MAX_CONNECTIONS) return void socket.destroy();
      sockets.add(socket);
      socket.on("close", () => sockets.delete(socket));
      void receive(socket, read, context);
    });
    const stopped = untilStopped(context, server);
    let endWatch = () => {};
    try {
      await listening(context, (host, port) => {
        const bound = Promise.withResolvers<void>();
        server.listen({ host, port, ipv6Only: isIPv6(host) }, bound.resolve);
        return Promise.race([bound.promise, stopped]);
      });
      endWatch = watchAccepting(server);
      context.connected();
      await stopped;
    } finally {
      endWatch();
      await closed(server, sockets);
    }
  },
});

/** Makes it an error of the server that it accepts no more; until the returned function is called. */
function watchAccepting(server: Server): () => void {
  const { address: hostname, port } = server.address() as AddressInfo;
  const probe = new AcceptProbe({ hostname, port });
  server.on("connection", () => probe.accepted());
  const sweep = () => {
    if (probe.sweep()) server.emit("error", new Error("No connection was accepted any more"));
    cancel = systemClock.setTimer(SWEEP_MS, sweep);
  };
  let cancel = systemClock.setTimer(SWEEP_MS, sweep);
  return () => {
    cancel();
    probe.end();
  };
}

/** Reads one message and starts an execution with it. Never rejects. */
async function receive(
  socket: Socket,
  read: (bytes: Uint8Array) => string,
  context: ListenerContext,
): Promise<void> {
  const sender = { address: socket.remoteAddress, port: socket.remotePort };
  try {
    const payload = read(await messageFrom(socket)).trim();
    if (payload !== "") await context.emit(messageOf(payload, sender));
    socket.end();
  } catch (error) {
    context.log("WARN", `A message of ${sender.address} was not taken: ${(error as Error).message}`);
    socket.resetAndDestroy();
  }
}

/** What arrives until the client ends its side; the connection stays open. @throws Error it broke, was silent, or sent too much */
async function messageFrom(socket: Socket): Promise<Uint8Array> {
  const over = Promise.withResolvers<void>();
  const pieces: Uint8Array[] = [];
  let size = 0;
  socket.on("data", (piece: Uint8Array) => {
    size += piece.length;
    pieces.push(piece);
    if (size > MAX_MESSAGE_BYTES) over.reject(new Error(`it has more than ${MAX_MESSAGE_BYTES} bytes`));
  });
  socket.on("end", () => over.resolve());
  socket.on("error", over.reject);
  socket.on("close", () => over.reject(new Error("the connection was closed before its end")));
  socket.setTimeout(IDLE_MS, () => over.reject(new Error(`nothing came for ${IDLE_MS / 1_000} s`)));
  await over.promise;
  return Buffer.concat(pieces);
}

async function closed(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  for (const socket of sockets) socket.destroy();
  const over = Promise.withResolvers<void>();
  // One that does not listen gives an error here.
  server.close(() => over.resolve());
  await over.promise;
}

/** One execution for each datagram. */
export const udpTrigger: RealtimeDefinition = defineListener({
  type: "fs.udp.RealtimeTrigger",
  title: "Start for datagrams by UDP",
  description:
    "Listens on a port and starts an execution for each datagram. The protocol has no confirmation: a datagram that arrives while 1,000 or 4 MiB wait, or shortly before the server ends, is lost.",
  properties: {
    ...LISTEN_PROPERTIES,
    bufferSize: dynamicProperty("integer", "Bytes of a datagram that are read; the rest is cut off.", {
      default: 1_024,
      minimum: 1,
      maximum: MAX_DATAGRAM_BYTES,
    }),
  },
  outputs: MESSAGE,
  async realtime(context) {
    const read = readerOf(context.properties);
    const maxBytes = Number(context.properties.bufferSize);
    const host = context.listenAddress(String(context.properties.host));
    const socket = createSocket({ type: isIPv6(host) ? "udp6" : "udp4", ipv6Only: isIPv6(host) });
    const over = Promise.withResolvers<void>();
    socket.on("close", over.resolve);
    const stopped = untilStopped(context, socket);
    const inbox = new Inbox(context);
    socket.on("message", (bytes: Uint8Array, sender: RemoteInfo) => {
      if (bytes.length > maxBytes) {
        context.log("WARN", `A datagram of ${bytes.length} bytes was cut (bufferSize)`);
      }
      inbox.add(messageOf(read(bytes.subarray(0, maxBytes)), sender));
    });
    try {
      await listening(context, (address, port) => {
        const bound = Promise.withResolvers<void>();
        socket.bind({ address, port }, bound.resolve);
        return Promise.race([bound.promise, stopped]);
      });
      context.connected();
      await stopped;
    } finally {
      socket.close();
      await over.promise;
    }
  },
});

/** Messages that start executions one after the other. */
class Inbox {
  readonly #context: ListenerContext;
  readonly #waiting: JsonObject[] = [];
  #chars = 0;
  #isWorking = false;

  constructor(context: ListenerContext) {
    this.#context = context;
  }

  add(message: JsonObject): void {
    if (this.#waiting.length >= MAX_WAITING || this.#chars >= MAX_WAITING_CHARS) {
      return this.#context.log("WARN", `A datagram was lost: ${this.#waiting.length} others wait`);
    }
    this.#waiting.push(message);
    this.#chars += String(message.payload).length;
    if (!this.#isWorking) void this.#work();
  }

  /** Never rejects. */
  async #work(): Promise<void> {
    this.#isWorking = true;
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      this.#chars -= String(next.payload).length;
      try {
        if (!this.#context.signal.aborted) await this.#context.emit(next);
      } catch (error) {
        this.#context.log("WARN", `A datagram was lost: ${(error as Error).message}`);
      }
    }
    this.#isWorking = false;
  }
}
