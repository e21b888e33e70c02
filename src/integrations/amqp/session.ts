/** Sessions with a broker of AMQP 0-9-1. */
import type { AMQPChannel } from "@cloudamqp/amqp-client/amqp-channel";
import type { Duplex } from "node:stream";
import { systemClock } from "../../base/time/clock.ts";
import type { JsonObject } from "../../base/json.ts";
import { unbracketed } from "../../base/network/ip.ts";
import { dynamicProperty, dynamicText, type PropertySchemas } from "../../model/flows/schema.ts";
import { optionalText, type WorkContext } from "../../model/tasks/task_definition.ts";
import type { AmqpClient, AmqpLogin } from "./client.ts";
import { connectSocket } from "../tls_sockets.ts";

/** What connects: a task, a poll, or a trigger that holds a connection. */
type Connector = Pick<WorkContext, "properties" | "signal" | "connectAddress">;

const CONNECT_TIMEOUT_MS = 30_000;
/** Time to take leave after a stop. */
const CLOSE_TIMEOUT_MS = 500;
/** Time until the broker has all acknowledgements. */
const END_TIMEOUT_MS = 10_000;
const DEFAULT_PORT = 5672, DEFAULT_TLS_PORT = 5671;
/** User and password of a new RabbitMQ. */
const DEFAULT_LOGIN = "guest";

/** Properties of each type. */
export const CONNECTION_PROPERTIES: PropertySchemas = Object.freeze({
  host: dynamicText("Name or address of the broker."),
  port: dynamicProperty("integer", "Port of the broker.", {
    default: DEFAULT_PORT,
    minimum: 1,
    maximum: 65_535,
  }),
  username: dynamicText("Name of the user; default is `guest`."),
  password: dynamicText("Password of the user; keep it as a secret. Default is `guest`."),
  virtualHost: dynamicText("Virtual host; default is `/`."),
  url: dynamicText(
    "Address in place of host and port, `amqp://user:password@host:5672/vhost`, or `amqps://…` for TLS; keep it as a secret. Its path, with the slash, is the virtual host, unless `virtualHost` is given.",
  ),
});

interface BrokerAddress extends AmqpLogin {
  readonly host: string;
  readonly port: number;
  readonly isSecure: boolean;
}

/** A connection that is open, with one channel. */
export class AmqpSession {
  readonly client: AmqpClient;
  readonly channel: AMQPChannel;
  readonly #broker: string;
  readonly #signal: AbortSignal;
  readonly #stop = () => this.client.stop(stopped());
  #isFailed = false;

  private constructor(
    { client, channel, broker, signal }: {
      readonly client: AmqpClient;
      readonly channel: AMQPChannel;
      readonly broker: string;
      readonly signal: AbortSignal;
    },
  ) {
    this.client = client;
    this.channel = channel;
    this.#broker = broker;
    this.#signal = signal;
    signal.addEventListener("abort", this.#stop, { once: true });
    if (signal.aborted) this.#stop();
  }

  /** Connects and logs in. @throws Error with the broker and its words */
  static async open(context: Connector): Promise<AmqpSession> {
    const address = addressOf(context.properties);
    const broker = `${address.host}:${address.port}`;
    const { signal } = context;
    const socket = await socketTo(address, context);
    const client = await newClient(socket, address);
    const stop = () => client.fail(stopped());
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    const late = () =>
      client.fail(new Error(`There was no connection within ${CONNECT_TIMEOUT_MS / 1000} s`));
    const cancel = systemClock.setTimer(CONNECT_TIMEOUT_MS, late);
    try {
      await client.connect();
      return new AmqpSession({ client, channel: await client.openChannel(), broker, signal });
    } catch (error) {
      const failure = refusal(broker, client.failure ?? error);
      await client.end(0);
      throw failure;
    } finally {
      cancel();
      signal.removeEventListener("abort", stop);
    }
  }

  /** The result of `work`. @throws Error it failed, the connection failed, or the work must stop; with the broker and its words */
  async run<T>(work: (channel: AMQPChannel) => Promise<T>): Promise<T> {
    try {
      return await Promise.race([work(this.channel), this.client.broken]);
    } catch (error) {
      this.#isFailed = true;
      throw refusal(this.#broker, this.client.failure ?? error);
    }
  }

  /** Closes the connection; the broker has all acknowledgements then, unless the work failed. */
  async close(): Promise<void> {
    this.#signal.removeEventListener("abort", this.#stop);
    await this.client.end(this.#isFailed || this.#signal.aborted ? CLOSE_TIMEOUT_MS : END_TIMEOUT_MS);
  }
}

/** Runs `work` with a connection, and closes it. @throws Error with the broker and its words */
export async function withAmqp<T>(
  context: Connector,
  work: (channel: AMQPChannel) => Promise<T>,
): Promise<T> {
  const session = await AmqpSession.open(context);
  try {
    return await session.run(work);
  } finally {
    await session.close();
  }
}

/** The package is loaded by the first connection. */
async function newClient(socket: Duplex, login: AmqpLogin): Promise<AmqpClient> {
  const { AmqpClient } = await import("./client.ts");
  return new AmqpClient(socket, login);
}

async function socketTo(
  { host, port, isSecure }: BrokerAddress,
  { connectAddress }: Connector,
): Promise<Duplex> {
  return connectSocket(await connectAddress(host, port), host, isSecure ? {} : undefined);
}

function addressOf(properties: JsonObject): BrokerAddress {
  const text = optionalText(properties.url);
  const url = text === undefined ? undefined : urlOf(text);
  const host = (url && unbracketed(url.hostname)) ?? optionalText(properties.host);
  if (host === undefined) throw new Error("Missing host: give host or url");
  if (url && optionalText(properties.host) !== undefined) {
    throw new Error("Invalid url: give either host or url");
  }
  const isSecure = url?.protocol === "amqps:";
  const urlPort = Number(url?.port || (isSecure ? DEFAULT_TLS_PORT : DEFAULT_PORT));
  const fromUrl = (part: string | undefined) => optionalText(decodeURIComponent(part ?? ""));
  return {
    host,
    port: url ? urlPort : Number(properties.port),
    isSecure,
    username: fromUrl(url?.username) ?? optionalText(properties.username) ?? DEFAULT_LOGIN,
    password: fromUrl(url?.password) ?? optionalText(properties.password) ?? DEFAULT_LOGIN,
    virtualHost: optionalText(properties.virtualHost) ?? fromUrl(url?.pathname) ?? "/",
  };
}

function urlOf(text: string): URL {
  const url = URL.parse(text.trim());
  if (url && /^amqps?:$/.test(url.protocol) && url.hostname !== "") return url;
  throw new Error("Invalid url: it must be amqp://host:port/vhost or amqps://…");
}

function refusal(broker: string, error: unknown): Error {
  const reason = (error as Error).message.replace(/^(?:(?:connection|channel \d+) closed: )+/i, "");
  return new Error(`Cannot use the broker "${broker}": ${reason}`, { cause: error });
}

function stopped(): Error {
  return new Error("The work was stopped");
}
