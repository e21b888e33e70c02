/** Connections to Kafka, by the properties that clients in Java have. */
import { Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { systemClock } from "../../base/time/clock.ts";
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { dynamicProperty, type PropertySchemas } from "../../model/flows/schema.ts";
import type { WorkContext } from "../../model/tasks/task_definition.ts";
import {
  type KafkaClient,
  type KafkaOptions,
  type KafkaSasl,
  type KafkaTls,
  loadKafka,
} from "./kafka_package.ts";
import { affordableKey } from "../key_derivation.ts";
import { serverNameOf } from "../tls_sockets.ts";

/** What connects: a task, a poll, or a trigger that holds a connection. */
export type Connector = Pick<WorkContext, "properties" | "signal" | "connectAddress" | "http">;

const CONNECT_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
/** Time to leave a group after a stop. */
const STOP_MS = 500;
const RETRY = { retries: 3, initialRetryTime: 200, maxRetryTime: 5_000 };
/** `logLevel.NOTHING`: errors reach the caller. */
const NO_LOG = 0;

/** Properties of each type. */
export const CONNECTION_PROPERTIES: PropertySchemas = Object.freeze({
  properties: dynamicProperty(
    "map",
    "Properties of the client, as those in Java: `bootstrap.servers` (`host:port`, separated by commas), `security.protocol` (PLAINTEXT, SSL, SASL_PLAINTEXT, SASL_SSL), `sasl.mechanism` (PLAIN, SCRAM-SHA-256, SCRAM-SHA-512), `sasl.jaas.config`, `ssl.truststore.certificates`, `ssl.keystore.certificate.chain`, `ssl.keystore.key` and `ssl.key.password` (PEM), `ssl.endpoint.identification.algorithm`, `auto.offset.reset`, `acks`, `compression.type`, `session.timeout.ms`, `request.timeout.ms`, `client.id`. Keep passwords as secrets.",
    { required: true, items: { type: "string", description: "Value of a property." } },
  ),
  serdeProperties: dynamicProperty(
    "map",
    "Properties of the schema registry for AVRO, as those in Java: `schema.registry.url`, `basic.auth.user.info` (`user:password`), `bearer.auth.token`, `auto.register.schemas`. Keep passwords as secrets.",
  ),
});

/** The texts of `properties`, or of another map, by name. */
export class ClientProperties {
  readonly #values: ReadonlyMap<string, string>;

  constructor(properties: JsonObject, name = "properties") {
    const { [name]: map } = properties;
    const given = isJsonObject(map) ? Object.entries(map) : [];
    this.#values = new Map(given.map(([name, value]) => [name, String(value ?? "").trim()]));
  }

  /** A text; `undefined` if it is absent or empty. */
  text(name: string): string | undefined {
    return this.#values.get(name) || undefined;
  }

  /** A number of milliseconds. @throws Error it is no number */
  milliseconds(name: string, fallback: number): number {
    const value = Number(this.text(name) ?? fallback);
    if (Number.isFinite(value) && value > 0) return value;
    throw new Error(`Invalid ${name}: it must be a number of milliseconds`);
  }

  /** The first servers, `host:port`. @throws Error there are none */
  get servers(): string[] {
    const servers = (this.text("bootstrap.servers") ?? "").split(",").map((each) => each.trim()).filter(
      Boolean,
    );
    if (servers.length > 0 && servers.every((each) => /:\d+$/.test(each))) return servers;
    throw new Error("Invalid properties: bootstrap.servers must name host:port, several separated by commas");
  }
}

/** How the connection is secured. @throws Error a property is not supported */
export function securityOf(
  properties: ClientProperties,
): { readonly ssl?: KafkaTls; readonly sasl?: KafkaSasl } {
  const protocol = properties.text("security.protocol")?.toUpperCase() ?? "PLAINTEXT";
  if (!["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"].includes(protocol)) {
    throw new Error("Invalid security.protocol: it must be PLAINTEXT, SSL, SASL_PLAINTEXT or SASL_SSL");
  }
  return {
    ssl: protocol.endsWith("SSL") ? tlsOf(properties) : undefined,
    sasl: protocol.startsWith("SASL") ? saslOf(properties) : undefined,
  };
}

function tlsOf(properties: ClientProperties): KafkaTls {
  for (const name of ["ssl.keystore.location", "ssl.truststore.location"]) {
    if (properties.text(name) === undefined) continue;
    throw new Error(
      `Cannot use ${name}: Java key stores are not supported; give PEM in ssl.truststore.certificates, ssl.keystore.certificate.chain and ssl.keystore.key`,
    );
  }
  // An empty value turns the check of the name off, as in Java; it is absent in `text`.
  const algorithm = properties.text("ssl.endpoint.identification.algorithm");
  return {
    ca: properties.text("ssl.truststore.certificates"),
    cert: properties.text("ssl.keystore.certificate.chain"),
    key: affordableKey(properties.text("ssl.keystore.key"), "ssl.keystore.key"),
    passphrase: properties.text("ssl.key.password"),
    ...algorithm?.toLowerCase() === "none" && { checkServerIdentity: () => undefined },
  };
}

const MECHANISMS: ReadonlyMap<string, KafkaSasl["mechanism"]> = new Map([
  ["PLAIN", "plain"],
  ["SCRAM-SHA-256", "scram-sha-256"],
  ["SCRAM-SHA-512", "scram-sha-512"],
]);

function saslOf(properties: ClientProperties): KafkaSasl {
  const mechanism = MECHANISMS.get(properties.text("sasl.mechanism")?.toUpperCase() ?? "PLAIN");
  if (!mechanism) {
    throw new Error(`Invalid sasl.mechanism: it must be one of ${[...MECHANISMS.keys()].join(", ")}`);
  }
  const jaas = properties.text("sasl.jaas.config") ?? "";
  const option = (name: string) => {
    const [, quoted, plain] =
      new RegExp(`\\b${name}\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s;"]+))`).exec(jaas) ?? [];
    return quoted?.replace(/\\(.)/g, "$1") ?? plain;
  };
  const username = option("username") ?? properties.text("sasl.username");
  const password = option("password") ?? properties.text("sasl.password");
  if (username === undefined || password === undefined) {
    throw new Error("Invalid sasl.jaas.config: it must have username and password");
  }
  return { mechanism, username, password };
}

/** A client; it is connected by its producers and consumers. @throws Error a property is invalid */
export async function connectKafka(
  context: Connector,
): Promise<{ readonly client: KafkaClient; readonly properties: ClientProperties }> {
  const properties = new ClientProperties(context.properties);
  const options: KafkaOptions = {
    clientId: properties.text("client.id") ?? "sluice",
    brokers: properties.servers,
    ssl: undefined,
    sasl: undefined,
    ...securityOf(properties),
    connectionTimeout: CONNECT_TIMEOUT_MS,
    requestTimeout: properties.milliseconds("request.timeout.ms", REQUEST_TIMEOUT_MS),
    logLevel: NO_LOG,
    retry: RETRY,
    socketFactory: (socket) => openSocket(context, socket),
  };
  const { Kafka } = await loadKafka();
  return { client: new Kafka(options), properties };
}

/** Each broker that the cluster names is resolved and checked before it is connected to. */
function openSocket(
  { connectAddress, signal }: Connector,
  { host, port, ssl, onConnect }: Parameters<KafkaOptions["socketFactory"]>[0],
): Socket {
  const socket = new Socket();
  let cancel: (() => void) | undefined;
  const stop = () => {
    cancel = systemClock.setTimer(STOP_MS, () => socket.destroy(stopped()));
  };
  signal.addEventListener("abort", stop, { once: true });
  socket.once("close", () => {
    signal.removeEventListener("abort", stop);
    cancel?.();
  });
  const outer = ssl ? connectTls({ socket, ...serverNameOf(host), ...ssl }, onConnect) : socket;
  if (!ssl) socket.once("connect", onConnect);
  // The package tries again after a stop, too.
  const address = signal.aborted ? Promise.reject(stopped()) : connectAddress(host, port);
  address.then(({ hostname, port: checked }) => socket.connect({ host: hostname, port: checked }))
    // A broker may name a port that does not exist.
    .catch((error) => outer.destroy(error));
  return outer;
}

function stopped(): Error {
  return new Error("The work was stopped");
}

/** The error of a call, with the servers and the words of the package. */
export function kafkaError(operation: string, { properties }: Connector, error: unknown): Error {
  const servers = new ClientProperties(properties).text("bootstrap.servers") ?? "";
  const { message } = error as Error;
  return new Error(`Cannot ${operation} at "${servers}": ${message}`, { cause: error });
}
