/** Sessions with a broker of MQTT. */
import { systemClock } from "../../base/time/clock.ts";
import { unbracketed } from "../../base/network/ip.ts";
import {
  dynamicChoice,
  dynamicFlag,
  dynamicProperty,
  dynamicText,
  type PropertySchemas,
} from "../../model/flows/schema.ts";
import { optionalText, type WorkContext } from "../../model/tasks/task_definition.ts";
import { millisecondsOf } from "../messages.ts";
import { MqttClient, type MqttOptions } from "./client.ts";
import { connectSocket } from "../tls_sockets.ts";

/** What connects: a task, a poll, or a trigger that holds a connection. */
type Connector = Pick<WorkContext, "properties" | "signal" | "connectAddress">;

/** Time to take leave after a stop. */
const CLOSE_TIMEOUT_MS = 500;
const DEFAULT_TIMEOUT_MS = 30_000;
/** How long a broker keeps the messages of a session that is not connected, in seconds. */
const SESSION_SECONDS = 7 * 24 * 60 * 60;
const PORTS: ReadonlyMap<string, number> = new Map([
  ["tcp:", 1883],
  ["mqtt:", 1883],
  ["ssl:", 8883],
  ["mqtts:", 8883],
  ["tls:", 8883],
]);

/** Properties of each type. */
export const CONNECTION_PROPERTIES: PropertySchemas = Object.freeze({
  server: dynamicText("Address of the broker, `tcp://host:1883`, or `ssl://host:8883` for TLS.", {
    required: true,
  }),
  clientId: dynamicText(
    "Name of the client, which only one connection of the broker has. Default is one that the broker chooses.",
  ),
  mqttVersion: dynamicChoice(["V3", "V5"], "V5", "Version of the protocol: 3.1.1 or 5."),
  username: dynamicText("Name of the user."),
  password: dynamicText("Password of the user; keep it as a secret."),
  crt: dynamicText("Certificate of the authority that the broker's certificate is checked with, PEM."),
  connectionTimeout: dynamicProperty("duration", "Longest wait for the connection.", { default: "PT30S" }),
  httpsHostnameVerificationEnabled: dynamicFlag(
    true,
    "Whether the certificate must have the name of the host; it must be valid in any case.",
  ),
  authMethod: dynamicText("Has no effect: further methods of authentication are not supported.", {
    ignored: true,
  }),
  qos: dynamicProperty("integer", "Quality of service: 0 at most once, 1 at least once, 2 exactly once.", {
    default: 1,
    minimum: 0,
    maximum: 2,
  }),
});

/** Property: the form of payloads. */
export const SERDE_PROPERTIES: PropertySchemas = Object.freeze({
  serdeType: dynamicChoice(
    ["JSON", "STRING", "BYTES"],
    "JSON",
    "Whether payloads are JSON, texts, or bytes in Base64.",
  ),
});

/** How a connection is used. */
interface SessionOptions {
  /** The broker keeps messages of the client between connections; it needs a `clientId`. */
  readonly isKept: boolean;
  /** How many messages a broker of MQTT 5 may send without an acknowledgement; default is what it chooses. */
  readonly receiveMaximum?: number;
  /** Messages may arrive as soon as the connection works. Without it all are acknowledged. */
  readonly take?: MqttOptions["take"];
}

/** A connection that the broker has accepted. */
export class MqttSession implements AsyncDisposable {
  readonly #client: MqttClient;
  readonly #broker: string;
  readonly #signal: AbortSignal;
  readonly #stop = () => this.#client.fail(new Error("The work was stopped"));

  private constructor(client: MqttClient, broker: string, signal: AbortSignal) {
    this.#client = client;
    this.#broker = broker;
    this.#signal = signal;
    signal.addEventListener("abort", this.#stop, { once: true });
    if (signal.aborted) this.#stop();
  }

  /** Connects. @throws Error with the broker and its words */
  static async open(context: Connector, options: SessionOptions): Promise<MqttSession> {
    const { server, connectionTimeout } = context.properties;
    const url = URL.parse(String(server).trim());
    const defaultPort = PORTS.get(url?.protocol ?? "");
    if (!url || defaultPort === undefined || url.hostname === "") {
      throw new Error("Invalid server: it must be tcp://host:port or ssl://host:port");
    }
    const host = unbracketed(url.hostname), port = Number(url.port || defaultPort);
    const address = await context.connectAddress(host, port);
    const socket = connectSocket(address, host, defaultPort === 8883 ? tlsOf(context) : undefined);
    const client = await MqttClient.connect(socket, optionsOf(context, options));
    const session = new MqttSession(client, `${host}:${port}`, context.signal);
    const timeoutMs = millisecondsOf(connectionTimeout) || DEFAULT_TIMEOUT_MS;
    const late = () => client.fail(new Error(`There was no connection within ${timeoutMs / 1000} s`));
    const cancel = systemClock.setTimer(timeoutMs, late);
    try {
      await session.use(() => client.accepted());
      return session;
    } catch (error) {
      await session[Symbol.asyncDispose]();
      throw error;
    } finally {
      cancel();
    }
  }

  /** Runs `work` while the connection works. @throws Error with the broker and its words */
  async use<T>(work: (client: MqttClient) => Promise<T>): Promise<T> {
    try {
      return await Promise.race([work(this.#client), this.#client.broken]);
    } catch (error) {
      const { message } = error as Error;
      throw new Error(`Cannot use the broker "${this.#broker}": ${message}`, { cause: error });
    }
  }

  /** Closes the connection. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#signal.removeEventListener("abort", this.#stop);
    await this.#client.close(CLOSE_TIMEOUT_MS);
  }
}

/** Runs `work` with a connection, and closes it. @throws Error with the broker and its words */
export async function withMqtt<T>(
  context: Connector,
  options: SessionOptions,
  work: (client: MqttClient) => Promise<T>,
): Promise<T> {
  await using session = await MqttSession.open(context, options);
  return await session.use(work);
}

function optionsOf({ properties }: Connector, { isKept, receiveMaximum, take }: SessionOptions): MqttOptions {
  const isVersion5 = properties.mqttVersion !== "V3";
  return {
    protocolVersion: isVersion5 ? 5 : 4,
    clientId: optionalText(properties.clientId) ?? "",
    clean: !isKept,
    username: optionalText(properties.username),
    password: optionalText(properties.password),
    take: take ?? ((_message, acknowledge) => Promise.resolve(acknowledge())),
    ...isVersion5 && isKept && {
      properties: {
        sessionExpiryInterval: SESSION_SECONDS,
        ...receiveMaximum !== undefined && { receiveMaximum },
      },
    },
  };
}

function tlsOf({ properties }: Connector) {
  return {
    ca: optionalText(properties.crt),
    ...properties.httpsHostnameVerificationEnabled === false && { checkServerIdentity: () => undefined },
  };
}
