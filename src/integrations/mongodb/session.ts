/** Sessions with a server of MongoDB, or with the primary of a replica set. */
import { isJsonObject } from "../../base/json.ts";
import { unbracketed } from "../../base/network/ip.ts";
import { dynamicProperty, dynamicText, type PropertySchemas } from "../../model/flows/schema.ts";
import type { WorkContext } from "../../model/tasks/task_definition.ts";
import { type MongoAddress, type MongoHost, readConnectionString } from "./connection_string.ts";
import { type Bson, type BsonDocument, fromBson, loadBson } from "./documents.ts";
import { ScramLogin } from "./scram.ts";
import { type CommandDocuments, MongoError, type MongoReply, MongoWire } from "./wire.ts";
import { connectSocket } from "../tls_sockets.ts";

/** Properties of each type. */
export const COLLECTION_PROPERTIES: PropertySchemas = Object.freeze({
  connection: dynamicProperty("object", "The server.", {
    required: true,
    properties: {
      uri: dynamicText(
        "Connection string, `mongodb://user:password@host:27017/?authSource=admin` or `mongodb+srv://…`; keep it as a secret.",
        { required: true },
      ),
    },
  }),
  database: dynamicText("Name of the database.", { required: true }),
  collection: dynamicText("Name of the collection.", { required: true }),
});

type Connector = Pick<WorkContext, "properties" | "signal" | "connectAddress">;

/** A session. */
export interface MongoSession {
  readonly bson: Bson;
  readonly database: string;
  readonly collection: string;
  /** Runs a command in the database; `operation` is for errors. @throws Error with the host and its words */
  command(operation: string, command: BsonDocument, documents?: CommandDocuments): Promise<MongoReply>;
}

/** A server that is connected, and what it says of itself. */
interface Connected {
  readonly host: MongoHost;
  readonly wire: MongoWire;
  readonly hello: MongoReply;
}

/** Runs `work` with a session for the properties, and closes it. @throws Error the server cannot be reached, or refuses the log-in */
export async function withMongo<T>(
  context: Connector,
  work: (session: MongoSession) => Promise<T>,
): Promise<T> {
  const { connection, database, collection } = context.properties;
  const address = await readConnectionString(String(isJsonObject(connection) ? connection.uri : ""));
  const bson = await loadBson();
  const { host, wire, hello } = await connected(context, bson, address);
  const inWords = async <R>(operation: string, run: () => Promise<R>): Promise<R> => {
    try {
      return await run();
    } catch (error) {
      const reason = context.signal.aborted ? "the work was stopped" : (error as Error).message;
      throw new Error(`Cannot ${operation} at "${nameOf(host)}": ${reason}`, { cause: error });
    }
  };
  const stop = () => wire.fail(new Error("the work was stopped"));
  context.signal.addEventListener("abort", stop, { once: true });
  if (context.signal.aborted) stop();
  try {
    await inWords("log in", () => logIn(wire, { bson, address, hello }));
    const timeoutMs = address.replyTimeoutMs;
    return await work({
      bson,
      database: String(database),
      collection: String(collection),
      command: (operation, command, documents) =>
        inWords(operation, () => wire.command(String(database), command, { timeoutMs, documents })),
    });
  } finally {
    context.signal.removeEventListener("abort", stop);
    wire.fail(new Error("the session is over"));
  }
}

function nameOf({ host, port }: MongoHost): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** Connects to the primary, by the first host that can be reached. @throws Error no host can be reached */
async function connected(context: Connector, bson: Bson, address: MongoAddress): Promise<Connected> {
  let failure: unknown;
  for (const host of address.hosts) {
    try {
      return await primaryFrom(context, bson, { address, host });
    } catch (error) {
      if (context.signal.aborted) throw error;
      failure = error;
    }
  }
  throw failure;
}

async function primaryFrom(
  context: Connector,
  bson: Bson,
  { address, host }: { readonly address: MongoAddress; readonly host: MongoHost },
): Promise<Connected> {
  const first = await greeted(context, bson, { address, host });
  const { isWritablePrimary, ismaster, msg, primary } = first.hello;
  // A router of a sharded cluster is no primary, but it accepts writes.
  if (address.isDirect || isWritablePrimary === true || ismaster === true || msg === "isdbgrid") return first;
  first.wire.fail(new Error("the server is not the primary"));
  const [, name, port] = /^(.*):(\d+)$/.exec(String(primary ?? "")) ?? [];
  if (name === undefined) {
    throw new Error(`Cannot use "${nameOf(host)}": its replica set has no primary now`);
  }
  return await greeted(context, bson, {
    address,
    host: { host: unbracketed(name), port: Number(port) },
  });
}

async function greeted(
  context: Connector,
  bson: Bson,
  { address, host }: { readonly address: MongoAddress; readonly host: MongoHost },
): Promise<Connected> {
  const wire = new MongoWire(await socketTo(context, address, host), bson);
  const stop = () => wire.fail(new Error("the work was stopped"));
  context.signal.addEventListener("abort", stop, { once: true });
  try {
    return { host, wire, hello: await helloOf(wire, address) };
  } catch (error) {
    wire.fail(error as Error);
    throw new Error(`Cannot connect to "${nameOf(host)}": ${(error as Error).message}`, { cause: error });
  } finally {
    context.signal.removeEventListener("abort", stop);
  }
}

async function socketTo(context: Connector, address: MongoAddress, { host, port }: MongoHost) {
  const checked = await context.connectAddress(host, port);
  if (context.signal.aborted) {
    throw new Error(`Cannot connect to "${nameOf({ host, port })}": the work was stopped`);
  }
  const tls = {
    rejectUnauthorized: !address.isInsecure,
    ...address.acceptsAnyName && { checkServerIdentity: () => undefined },
  };
  return connectSocket(checked, host, address.isTls ? tls : undefined);
}

/** What the server says of itself, and how the user may log in. */
async function helloOf(
  wire: MongoWire,
  { username, authSource, connectTimeoutMs: timeoutMs }: MongoAddress,
): Promise<MongoReply> {
  const user: BsonDocument = new Map(username ? [["saslSupportedMechs", `${authSource}.${username}`]] : []);
  try {
    return await wire.command("admin", new Map<string, unknown>([["hello", 1], ...user]), { timeoutMs });
  } catch (error) {
    // Servers before 5.0 have the older name only.
    if (!(error instanceof MongoError) || error.codeName !== "CommandNotFound") throw error;
    return await wire.command("admin", new Map<string, unknown>([["isMaster", 1], ...user]), { timeoutMs });
  }
}

async function logIn(
  wire: MongoWire,
  { bson, address, hello }: {
    readonly bson: Bson;
    readonly address: MongoAddress;
    readonly hello: MongoReply;
  },
): Promise<void> {
  const { username, password = "", authSource, authMechanism, connectTimeoutMs: timeoutMs } = address;
  if (username === undefined) return;
  const { saslSupportedMechs } = hello;
  const offered = Array.isArray(saslSupportedMechs) ? saslSupportedMechs : [];
  const preferred = offered.length === 0 || offered.includes("SCRAM-SHA-256")
    ? "SCRAM-SHA-256"
    : "SCRAM-SHA-1";
  const mechanism = (authMechanism ?? preferred) as "SCRAM-SHA-1" | "SCRAM-SHA-256";
  const login = new ScramLogin({ username, password, mechanism });
  const bytes = (text: string) => new bson.Binary(new TextEncoder().encode(text));
  const send = async (command: readonly (readonly [string, unknown])[]) => {
    const reply = await wire.command(authSource, new Map(command), { timeoutMs });
    const payload = String(fromBson(bson, reply.payload));
    return { id: reply.conversationId, text: new TextDecoder().decode(Uint8Array.fromBase64(payload)) };
  };
  const { id, text } = await send([["saslStart", 1], ["mechanism", mechanism], [
    "payload",
    bytes(login.first),
  ], ["options", { skipEmptyExchange: true }]]);
  const proof = await login.proof(text);
  const end = await send([["saslContinue", 1], ["conversationId", id], ["payload", bytes(proof)]]);
  login.verify(end.text);
}
