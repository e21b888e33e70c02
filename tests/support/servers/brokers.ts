/** Brokers from Debian on free ports of this machine. Tests that need one are skipped where it is not installed. */
import { freePort } from "../processes/free_port.ts";
import { SELF_SIGNED_CERT, SELF_SIGNED_KEY } from "../processes/self_signed.ts";
import { isInstalled, startServer } from "./server_programs.ts";

const REDIS = "/usr/bin/redis-server";
const RABBITMQ = "/usr/lib/rabbitmq/bin/rabbitmq-server";
const NATS = "/usr/sbin/nats-server";
const MOSQUITTO = "/usr/sbin/mosquitto";

/** Password of the default user. */
export const REDIS_PASSWORD = "s3cret-word";

/** Whether Redis is installed. */
export function hasRedis(): boolean {
  return isInstalled(REDIS);
}

/** A server in memory; `url` has the password. */
export async function startRedis(): Promise<
  AsyncDisposable & { readonly url: string; readonly port: number }
> {
  const port = freePort();
  const options = [
    "--save",
    "",
    "--appendonly",
    "no",
    "--bind",
    "127.0.0.1",
    "--requirepass",
    REDIS_PASSWORD,
  ];
  const server = await startServer(REDIS, ["--port", String(port), "--dir", "/tmp", ...options], port);
  const url = `redis://:${REDIS_PASSWORD}@localhost:${port}/1`;
  return { url, port, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

/** Whether Mosquitto is installed. */
export function hasMosquitto(): boolean {
  return isInstalled(MOSQUITTO);
}

interface MqttBroker extends AsyncDisposable {
  readonly port: number;
  readonly tlsPort: number;
}

/** A broker of MQTT in memory that anyone may use, with a port for TLS by the certificate of `self_signed.ts`. */
export async function startMosquitto(): Promise<MqttBroker> {
  const folder = await Deno.makeTempDir({ prefix: "sluice-test-" });
  const port = freePort(), tlsPort = freePort();
  await Deno.writeTextFile(`${folder}/cert.pem`, SELF_SIGNED_CERT);
  await Deno.writeTextFile(`${folder}/key.pem`, SELF_SIGNED_KEY);
  await Deno.writeTextFile(
    `${folder}/config`,
    [
      "allow_anonymous true",
      "persistence false",
      ...Deno.uid() === 0 ? ["user root"] : [],
      `listener ${port} 127.0.0.1`,
      `listener ${tlsPort} 127.0.0.1`,
      `certfile ${folder}/cert.pem`,
      `keyfile ${folder}/key.pem`,
    ].join("\n") + "\n",
  );
  // It listens to them one after the other.
  const server = await startServer(MOSQUITTO, ["-c", `${folder}/config`], tlsPort);
  return {
    port,
    tlsPort,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

/** Whether RabbitMQ is installed. */
export function hasRabbitMq(): boolean {
  return isInstalled(RABBITMQ);
}

/** A server with data in a temporary folder and the user guest; it takes some 10 seconds to start. */
export async function startRabbitMq(): Promise<AsyncDisposable & { readonly port: number }> {
  const folder = await Deno.makeTempDir({ prefix: "sluice-test-" });
  const port = freePort(), namesPort = String(freePort());
  const settings = {
    HOME: folder,
    // It replaces the shell that starts it, so that it gets its signals.
    RUNNING_UNDER_SYSTEMD: "true",
    RABBITMQ_NODENAME: `sluice-${port}@localhost`,
    RABBITMQ_NODE_IP_ADDRESS: "127.0.0.1",
    RABBITMQ_NODE_PORT: port,
    RABBITMQ_DIST_PORT: freePort(),
    ERL_EPMD_ADDRESS: "127.0.0.1",
    ERL_EPMD_PORT: namesPort,
    RABBITMQ_MNESIA_BASE: `${folder}/data`,
    RABBITMQ_LOG_BASE: `${folder}/log`,
    RABBITMQ_ENABLED_PLUGINS_FILE: `${folder}/plugins`,
    RABBITMQ_CONFIG_FILE: `${folder}/config`,
  };
  const variables = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  const server = await startServer("/usr/bin/env", [...variables, RABBITMQ], port);
  return {
    port,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      // The server of node names that it has started.
      await new Deno.Command("epmd", { args: ["-port", namesPort, "-kill"], stdout: "null" }).output();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

/** Whether the server of NATS is installed. */
export function hasNats(): boolean {
  return isInstalled(NATS);
}

/** User of {@link startNats}. */
export const NATS_USER = "flows";
/** Password of {@link NATS_USER}. */
export const NATS_PASSWORD = "s3cret-word";

/** A server with JetStream in a temporary folder, with the certificate of `self_signed.ts` if it uses TLS. */
export async function startNats({ isSecure = false } = {}): Promise<
  AsyncDisposable & { readonly port: number }
> {
  const folder = await Deno.makeTempDir({ prefix: "sluice-test-" });
  const port = freePort();
  await Deno.writeTextFile(`${folder}/cert.pem`, SELF_SIGNED_CERT);
  await Deno.writeTextFile(`${folder}/key.pem`, SELF_SIGNED_KEY);
  // By default a log-in has two seconds, which are not enough on a machine with much other work.
  const config = [
    `authorization { user: ${NATS_USER}, password: "${NATS_PASSWORD}", timeout: 60 }`,
    ...isSecure
      ? [`tls { cert_file: "${folder}/cert.pem", key_file: "${folder}/key.pem", timeout: 60 }`]
      : [],
  ];
  await Deno.writeTextFile(`${folder}/nats.conf`, config.join("\n"));
  const options = ["--jetstream", "--store_dir", folder, "--config", `${folder}/nats.conf`];
  const server = await startServer(NATS, ["--addr", "127.0.0.1", "--port", String(port), ...options], port);
  return {
    port,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await Deno.remove(folder, { recursive: true });
    },
  };
}
