/** Sessions with a server of Redis. */
import { systemClock } from "../../base/time/clock.ts";
import type { JsonObject, JsonValue } from "../../base/json.ts";
import { parseJson, stringifyJson } from "../../base/json.ts";
import { unbracketed } from "../../base/network/ip.ts";
import { dynamicChoice, dynamicText, type PropertySchemas } from "../../model/flows/schema.ts";
import type { WorkContext } from "../../model/tasks/task_definition.ts";
import { serverNameOf } from "../tls_sockets.ts";
import { newRedisClient, type RedisClient, type RedisOptions, type Reply } from "./redis_package.ts";

/** What connects: a task, a poll, or a trigger that holds a connection. */
type Connector = Pick<WorkContext, "properties" | "signal" | "connectAddress">;

const CONNECT_TIMEOUT_MS = 10_000;
/** Longest wait for a reply; a blocking command of the trigger waits 1 second. */
const REPLY_TIMEOUT_MS = 30_000;
/** After a stop the work must end within a second. */
const CLOSE_TIMEOUT_MS = 500;
const DEFAULT_PORT = 6379;

/** Properties of each type. */
export const CONNECTION_PROPERTIES: PropertySchemas = Object.freeze({
  url: dynamicText(
    "Address of the server, `redis://user:password@host:6379/0`, or `rediss://…` for TLS; keep it as a secret.",
    { required: true },
  ),
});

/** Property: the form of values. */
export const SERDE_PROPERTIES: PropertySchemas = Object.freeze({
  serdeType: dynamicChoice(["STRING", "JSON"], "STRING", "Whether values are texts, or JSON."),
});

/** Property: the key. */
export const KEY: PropertySchemas = Object.freeze({
  key: dynamicText("Key of the value.", { required: true }),
});

/** A connection that is open. */
interface RedisSession {
  /** Runs a command. @throws Error with the server and its words */
  command(name: string, ...args: readonly (string | number)[]): Promise<Reply>;
}

/** Runs `work` with a connection, and closes it. @throws Error the server cannot be reached, or refuses the log-in */
export async function withRedis<T>(
  { properties, signal, connectAddress }: Connector,
  work: (session: RedisSession) => Promise<T>,
): Promise<T> {
  const { address, options } = optionsOf(String(properties.url));
  const { hostname: host, port } = await connectAddress(address.hostname, address.port);
  const client = await newRedisClient({ ...options, host, port });
  let broken: Error | undefined;
  client.on("error", (error) => broken = error);
  const stop = () => client.disconnect();
  signal.addEventListener("abort", stop, { once: true });
  const failed = (operation: string, error: unknown) => {
    const reason = signal.aborted ? "the work was stopped" : (broken ?? error as Error).message;
    const server = `${address.hostname}:${address.port}`;
    return new Error(`Cannot ${operation} at "${server}": ${reason}`, { cause: error });
  };
  const inTime = async <R>(operation: string, start: () => Promise<R>): Promise<R> => {
    const cancel = systemClock.setTimer(REPLY_TIMEOUT_MS, () => {
      broken ??= new Error(`there was no reply within ${REPLY_TIMEOUT_MS / 1000} s`);
      client.disconnect();
    });
    try {
      return await start();
    } catch (error) {
      throw failed(operation, error);
    } finally {
      cancel();
    }
  };
  try {
    if (signal.aborted) throw failed("connect", undefined);
    await inTime("connect", () => client.connect());
    return await work({
      command: (name, ...args) => inTime(`run ${name}`, () => client.call(name, ...args)),
    });
  } finally {
    signal.removeEventListener("abort", stop);
    await closed(client);
  }
}

/** Closes a connection, unless it is closed. */
async function closed(client: RedisClient): Promise<void> {
  if (client.status === "end") return;
  const { promise, resolve } = Promise.withResolvers<void>();
  client.on("end", resolve);
  client.disconnect();
  await promise;
}

function optionsOf(text: string) {
  const url = URL.parse(text.trim());
  const isSecure = url?.protocol === "rediss:";
  if (!url || !isSecure && url.protocol !== "redis:" || url.hostname === "") {
    throw new Error("Invalid url: it must be redis://host:port/database or rediss://…");
  }
  const db = Number(url.pathname.replace(/^\//, "") || 0);
  if (!Number.isSafeInteger(db)) throw new Error("Invalid url: its path must be the number of a database");
  const hostname = unbracketed(url.hostname);
  const options: Omit<RedisOptions, "host" | "port"> = {
    username: decodeURIComponent(url.username) || undefined,
    password: decodeURIComponent(url.password) || undefined,
    db,
    tls: isSecure ? serverNameOf(hostname) : undefined,
    lazyConnect: true,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
    enableReadyCheck: false,
    enableOfflineQueue: false,
    connectTimeout: CONNECT_TIMEOUT_MS,
    disableClientInfo: true,
    disconnectTimeout: CLOSE_TIMEOUT_MS,
  };
  return { address: { hostname, port: Number(url.port || DEFAULT_PORT) }, options };
}

/** The text that is stored for a value. @throws Error a text that must be JSON is not */
export function stored({ serdeType }: JsonObject, value: JsonValue | undefined): string {
  if (serdeType !== "JSON") return typeof value === "string" ? value : stringifyJson(value ?? null);
  return typeof value === "string" ? stringifyJson(jsonOf(value)) : stringifyJson(value ?? null);
}

/** The value of a stored text; null stays null. @throws Error it must be JSON, and is not */
export function restored({ serdeType }: JsonObject, text: Reply): JsonValue {
  if (text === null) return null;
  return serdeType === "JSON" ? jsonOf(String(text)) : String(text);
}

function jsonOf(text: string): JsonValue {
  try {
    return parseJson(text);
  } catch (error) {
    throw new Error("Cannot use the value: it is not JSON", { cause: error });
  }
}
