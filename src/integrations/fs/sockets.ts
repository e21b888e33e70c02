/** `fs.tcp.Send` and `fs.udp.Send`. */
import { Buffer } from "node:buffer";
import { createSocket } from "node:dgram";
import { connect, isIPv6 } from "node:net";
import { readDuration } from "../../base/time/duration.ts";
import { systemClock } from "../../base/time/clock.ts";
import type { JsonObject } from "../../base/json.ts";
import { dynamicProperty, dynamicText, type PropertySchemas } from "../../model/flows/schema.ts";
import { defineTask, type TaskContext } from "../../model/tasks/task_definition.ts";
import { unlessStopped } from "../http_calls.ts";

const TIMEOUT_MS = 10_000;
/** How long the host may take to close the connection: many never do. */
const CLOSE_TIMEOUT_MS = 500;
/** Largest payload of a datagram. */
const MAX_DATAGRAM_BYTES = 65_507;
const ENCODINGS: ReadonlyMap<string, BufferEncoding> = new Map([
  ["UTF-8", "utf8"],
  ["UTF8", "utf8"],
  ["US-ASCII", "ascii"],
  ["ISO-8859-1", "latin1"],
  ["UTF-16LE", "utf16le"],
  ["BASE64", "base64"],
]);

const SEND_PROPERTIES: PropertySchemas = Object.freeze({
  host: dynamicText("Name or address of the host.", { required: true }),
  port: dynamicProperty("integer", "Port of the host.", { required: true, minimum: 1, maximum: 65_535 }),
  payload: dynamicText("What is sent.", { required: true }),
  encoding: dynamicText("Character set of the payload, or `BASE64` for bytes.", { default: "UTF-8" }),
});

const SENT: PropertySchemas = Object.freeze({
  host: { type: "string", description: "The host." },
  port: { type: "integer", description: "The port." },
  sentBytes: { type: "integer", description: "Number of bytes that were sent." },
});

/** @throws Error the encoding is not known */
function payloadOf({ payload, encoding }: JsonObject): Buffer {
  const known = ENCODINGS.get(String(encoding).toUpperCase());
  if (known !== undefined) return Buffer.from(String(payload), known);
  throw new Error(`Invalid encoding: "${encoding}" must be one of ${[...ENCODINGS.keys()].join(", ")}`);
}

/** Sends with a socket; `send` closes it. Outputs: `host`, `port` and `sentBytes`. @throws Error with the host */
async function sent(
  context: TaskContext,
  bytes: Buffer,
  send: (address: { readonly hostname: string; readonly port: number }) => Promise<void>,
): Promise<JsonObject> {
  const host = String(context.properties.host), port = Number(context.properties.port);
  const address = await context.connectAddress(host, port);
  try {
    await unlessStopped(send(address), context.signal);
  } catch (error) {
    throw new Error(`Cannot send to "${host}:${port}": ${(error as Error).message}`, { cause: error });
  }
  return { host, port, sentBytes: bytes.length };
}

/** Closes the connection after the payload. */
export const tcpSend = defineTask({
  type: "fs.tcp.Send",
  title: "Send bytes by TCP",
  description: "Connects to a host, sends a payload and closes the connection. It reads no response.",
  properties: {
    ...SEND_PROPERTIES,
    timeout: dynamicProperty("duration", "Longest time of the connection.", { default: "PT10S" }),
  },
  outputs: SENT,
  examples: [{
    title: "Send a line",
    yaml: `id: send\ntype: io.svc.plugin.fs.tcp.Send\nhost: logs.example.com\nport: 5140\npayload: "done\\n"`,
  }],
  async run(context) {
    const bytes = payloadOf(context.properties);
    const timeoutMs = readDuration(context.properties.timeout) || TIMEOUT_MS;
    return await sent(context, bytes, async ({ hostname, port }) => {
      const over = Promise.withResolvers<void>();
      const socket = connect({ host: hostname, port });
      const stop = () => socket.destroy(new Error("the work was stopped"));
      const cancel = systemClock.setTimer(timeoutMs, () => {
        socket.destroy(new Error(`the payload was not sent within ${timeoutMs / 1000} s`));
      });
      context.signal.addEventListener("abort", stop, { once: true });
      socket.on("error", over.reject);
      socket.on("close", () => over.resolve());
      socket.on("connect", () => socket.end(bytes));
      const cancels = [cancel];
      socket.on("finish", () => {
        cancel();
        cancels.push(systemClock.setTimer(CLOSE_TIMEOUT_MS, () => socket.destroy()));
      });
      socket.resume();
      await over.promise.finally(() => {
        for (const each of cancels) each();
        context.signal.removeEventListener("abort", stop);
      });
    });
  },
});

/** Nothing says whether a datagram has arrived. */
export const udpSend = defineTask({
  type: "fs.udp.Send",
  title: "Send a datagram by UDP",
  description: "Sends a payload as one datagram. Nothing tells whether it arrives.",
  properties: SEND_PROPERTIES,
  outputs: SENT,
  async run(context) {
    const bytes = payloadOf(context.properties);
    if (bytes.length > MAX_DATAGRAM_BYTES) {
      throw new Error(`Cannot send ${bytes.length} bytes: a datagram has at most ${MAX_DATAGRAM_BYTES}`);
    }
    return await sent(context, bytes, async ({ hostname, port }) => {
      const over = Promise.withResolvers<void>();
      const closed = Promise.withResolvers<void>();
      const socket = createSocket(isIPv6(hostname) ? "udp6" : "udp4");
      socket.on("error", over.reject);
      socket.on("close", closed.resolve);
      socket.send(
        bytes,
        port,
        hostname,
        (error: Error | null) => error ? over.reject(error) : over.resolve(),
      );
      await over.promise.finally(async () => {
        socket.close();
        await closed.promise;
      });
    });
  },
});
