/**
 * A server of MongoDB's wire protocol with collections in memory, for one user. It understands what the tests send: equality and
 * `$gt` in filters, `$set`, and pipelines of `$match`. The shapes of replies are those of
 * https://www.mongodb.com/docs/manual/reference/command/, and the official driver for Node accepts them.
 */
import { createHash, createHmac, pbkdf2Sync } from "node:crypto";
import { BSON } from "bson";

type Document = Record<string, unknown>;

/** The name and password that the server accepts. */
export const MONGO_USER = "ada";
/** As {@link MONGO_USER}. */
export const MONGO_PASSWORD = "hidden=password,ß";

interface MongoServerOptions {
  /** Mechanisms of log-ins; default is both. */
  readonly mechanisms?: readonly string[];
  /** Members of the reply to `hello`. */
  readonly hello?: Document;
  /** Knows only the older name of `hello`. */
  readonly isOld?: boolean;
  /** Listens with TLS. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Errors by commands. */
  readonly errors?: Readonly<Record<string, Document>>;
  /** Commands that get no reply. */
  readonly silent?: readonly string[];
}

interface Cursor {
  readonly rest: Document[];
  readonly batchSize: number;
}

/** Documents of the first reply, where the command does not say how many. */
const FIRST_BATCH = 101;
const SALT = new TextEncoder().encode("a salt of 16 byt");

/** Listens on a free port until it is disposed of. */
export class MongoServer implements AsyncDisposable {
  /** Commands after the log-in, without the documents of their own sections. */
  readonly commands: Document[] = [];
  /** Documents by collection. */
  readonly collections = new Map<string, Document[]>();
  readonly #listener: Deno.Listener;
  readonly #options: MongoServerOptions;
  readonly #connections = new Set<Deno.Conn>();
  readonly #served = new Set<Promise<void>>();
  readonly #cursors = new Map<string, Cursor>();
  readonly #accepting: Promise<void>;

  constructor(options: MongoServerOptions = {}) {
    this.#options = options;
    const place = { hostname: "127.0.0.1", port: 0 };
    this.#listener = options.tls ? Deno.listenTls({ ...place, ...options.tls }) : Deno.listen(place);
    this.#accepting = this.#accept();
  }

  /** Its port. */
  get port(): number {
    return (this.#listener.addr as Deno.NetAddr).port;
  }

  /** Host and port, as errors name them. */
  get host(): string {
    return `localhost:${this.port}`;
  }

  /** A connection string with the user. */
  uri(query = ""): string {
    return `mongodb://${MONGO_USER}:${encodeURIComponent(MONGO_PASSWORD)}@${this.host}/?${query}`;
  }

  /** @inheritdoc */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    for (const connection of this.#connections) connection.close();
    this.#connections.clear();
    await this.#accepting;
    await Promise.all(this.#served);
  }

  async #accept(): Promise<void> {
    try {
      for await (const connection of this.#listener) {
        this.#connections.add(connection);
        const served = this.#serve(connection).catch(() => {}).finally(() => {
          if (this.#connections.delete(connection)) connection.close();
        });
        this.#served.add(served);
      }
    } catch {
      // A connection that gave up its handshake.
    }
  }

  async #serve(connection: Deno.Conn): Promise<void> {
    const reader = new Reader(connection);
    const login: Login = { isOver: false, server: this };
    for (;;) {
      const head = new DataView((await reader.bytes(16)).buffer);
      const body = await reader.bytes(head.getInt32(0, true) - 16);
      if (head.getInt32(12, true) !== 2013) throw new Error("not OP_MSG");
      const command = commandOf(body);
      const [name = ""] = Object.keys(command);
      if (this.#options.silent?.includes(name)) {
        this.commands.push(command);
        continue;
      }
      const reply = this.#reply(name, command, login);
      await writeAll(connection, messageOf(head.getInt32(4, true), reply));
    }
  }

  #reply(name: string, command: Document, login: Login): Document {
    const { hello, isOld, mechanisms = ["SCRAM-SHA-1", "SCRAM-SHA-256"], errors = {} } = this.#options;
    const error = errors[name];
    if (name === "hello" && isOld) {
      return { ok: 0, errmsg: "no such command: 'hello'", code: 59, codeName: "CommandNotFound" };
    }
    if (name === "hello" || name === "isMaster" || name === "ismaster") {
      const asked = command.saslSupportedMechs === undefined ? {} : { saslSupportedMechs: mechanisms };
      return { isWritablePrimary: true, ...asked, maxWireVersion: 21, minWireVersion: 0, ...hello, ok: 1 };
    }
    if (name === "saslStart" || name === "saslContinue") return answerLogin(name, command, login);
    if (name === "endSessions") return { ok: 1 };
    this.commands.push(command);
    if (!login.isOver) {
      return { ok: 0, errmsg: `command ${name} requires authentication`, codeName: "Unauthorized", code: 13 };
    }
    return error ?? this.#run(name, command);
  }

  #run(name: string, command: Document): Document {
    const collection = String(command[name]);
    const documents = this.collections.get(collection) ?? [];
    this.collections.set(collection, documents);
    if (name === "insert") {
      documents.push(...command.documents as Document[]);
      return { n: (command.documents as Document[]).length, ok: 1 };
    }
    if (name === "find") {
      const { filter, limit = Infinity, skip = 0, batchSize } = command as Record<string, never>;
      const found = documents.filter((each) => matches(each, filter ?? {}));
      return this.#cursorOf(
        found.slice(Number(skip), Number(skip) + Number(limit)),
        Number(batchSize ?? FIRST_BATCH),
      );
    }
    if (name === "aggregate") {
      const [{ $match = {} } = {}] = command.pipeline as Document[];
      const found = documents.filter((each) => matches(each, $match as Document));
      return this.#cursorOf(found, Number((command.cursor as Document).batchSize ?? FIRST_BATCH));
    }
    if (name === "getMore") return this.#more(String(command.getMore));
    if (name === "update") return updated(documents, command.updates as Document[]);
    if (name === "delete") return deleted(documents, command.deletes as Document[]);
    return { ok: 0, errmsg: `no such command: '${name}'`, code: 59, codeName: "CommandNotFound" };
  }

  #cursorOf(documents: Document[], batchSize: number): Document {
    const rest = documents.slice(batchSize);
    const id = rest.length === 0 ? 0n : BigInt(this.#cursors.size + 1) << 40n;
    if (rest.length > 0) this.#cursors.set(String(id), { rest, batchSize });
    const firstBatch = documents.slice(0, batchSize);
    return { cursor: { id: BSON.Long.fromBigInt(id), ns: "shop.orders", firstBatch }, ok: 1 };
  }

  #more(id: string): Document {
    const cursor = this.#cursors.get(id);
    if (!cursor) return { ok: 0, errmsg: `cursor id ${id} not found`, code: 43, codeName: "CursorNotFound" };
    const nextBatch = cursor.rest.splice(0, cursor.batchSize);
    const next = cursor.rest.length > 0 ? BigInt(id) : 0n;
    return { cursor: { id: BSON.Long.fromBigInt(next), ns: "shop.orders", nextBatch }, ok: 1 };
  }
}

interface Login {
  isOver: boolean;
  readonly server: MongoServer;
  mechanism?: string;
  bare?: string;
  first?: string;
}

/** The server's side of RFC 5802. */
function answerLogin(name: string, command: Document, login: Login): Document {
  const text = new TextDecoder().decode((command.payload as InstanceType<typeof BSON.Binary>).value());
  const bytes = (payload: string) => new BSON.Binary(new TextEncoder().encode(payload));
  const denied = { ok: 0, errmsg: "Authentication failed.", code: 18, codeName: "AuthenticationFailed" };
  if (name === "saslStart") {
    login.mechanism = String(command.mechanism);
    login.bare = text.replace("n,,", "");
    const [, user, nonce] = /^n=(.*),r=(.*)$/.exec(login.bare) ?? [];
    if (user !== MONGO_USER) return denied;
    login.first = `r=${nonce}server,s=${SALT.toBase64()},i=4096`;
    return { conversationId: 1, done: false, payload: bytes(login.first), ok: 1 };
  }
  const [, end = "", proof = ""] = /^(.*),p=(.*)$/.exec(text) ?? [];
  const digest = login.mechanism === "SCRAM-SHA-1" ? "sha1" : "sha256";
  const secret = digest === "sha256"
    ? MONGO_PASSWORD
    : createHash("md5").update(`${MONGO_USER}:mongo:${MONGO_PASSWORD}`).digest("hex");
  const hmac = (key: Uint8Array, message: string) => createHmac(digest, key).update(message).digest();
  const salted = pbkdf2Sync(secret, SALT, 4096, digest === "sha1" ? 20 : 32, digest);
  const message = `${login.bare},${login.first},${end}`;
  const clientKey = hmac(salted, "Client Key");
  const signature = hmac(createHash(digest).update(clientKey).digest(), message);
  const expected = clientKey.map((byte, at) => byte ^ (signature[at] ?? 0));
  if (Uint8Array.from(expected).toBase64() !== proof) return denied;
  login.isOver = true;
  const verifier = `v=${Uint8Array.from(hmac(hmac(salted, "Server Key"), message)).toBase64()}`;
  return { conversationId: 1, done: true, payload: bytes(verifier), ok: 1 };
}

function matches(document: Document, filter: Document): boolean {
  return Object.entries(filter).every(([name, wanted]) => {
    const found = document[name];
    const more = (wanted as Document | null)?.$gt;
    if (more !== undefined) return Number(found) > Number(more);
    return BSON.EJSON.stringify({ found }) === BSON.EJSON.stringify({ found: wanted });
  });
}

function updated(documents: Document[], updates: readonly Document[]): Document {
  let n = 0, nModified = 0;
  const upserted: Document[] = [];
  for (const [index, { q, u, multi, upsert }] of updates.entries()) {
    const all = documents.filter((each) => matches(each, q as Document));
    for (const found of multi ? all : all.slice(0, 1)) {
      const { $set } = u as Document;
      n++;
      nModified++;
      if ($set) Object.assign(found, $set);
      else documents[documents.indexOf(found)] = { _id: found._id, ...u as Document };
    }
    if (all.length > 0 || upsert !== true) continue;
    n++;
    const _id = new BSON.ObjectId("0123456789abcdef01234567");
    documents.push({ _id, ...q as Document, ...(u as Document).$set as Document });
    upserted.push({ index, _id });
  }
  return { n, nModified, ...upserted.length > 0 && { upserted }, ok: 1 };
}

function deleted(documents: Document[], deletes: readonly Document[]): Document {
  let n = 0;
  for (const { q, limit } of deletes) {
    const all = documents.filter((each) => matches(each, q as Document));
    for (const found of Number(limit) === 1 ? all.slice(0, 1) : all) {
      documents.splice(documents.indexOf(found), 1);
      n++;
    }
  }
  return { n, ok: 1 };
}

/** The command of a message: its document, and the documents of its other sections. */
function commandOf(body: Uint8Array): Document {
  const view = new DataView(body.buffer, body.byteOffset, body.length);
  const command: Document = {};
  for (let at = 4; at < body.length;) {
    const kind = body[at++];
    const size = view.getInt32(at, true);
    const section = body.subarray(at, at + size);
    at += size;
    if (kind === 0) Object.assign(command, BSON.deserialize(section, { promoteValues: false }));
    else {
      const end = section.indexOf(0, 4);
      const name = new TextDecoder().decode(section.subarray(4, end));
      command[name] = documentsIn(section.subarray(end + 1));
    }
  }
  return command;
}

function documentsIn(bytes: Uint8Array): Document[] {
  const documents: Document[] = [];
  for (let at = 0; at < bytes.length;) {
    const size = new DataView(bytes.buffer, bytes.byteOffset + at, 4).getInt32(0, true);
    documents.push(BSON.deserialize(bytes.subarray(at, at + size), { promoteValues: false }));
    at += size;
  }
  return documents;
}

function messageOf(requestId: number, reply: Document): Uint8Array {
  const document = BSON.serialize(reply);
  const message = new Uint8Array(21 + document.length);
  const view = new DataView(message.buffer);
  view.setInt32(0, message.length, true);
  view.setInt32(8, requestId, true);
  view.setInt32(12, 2013, true);
  message.set(document, 21);
  return message;
}

class Reader {
  readonly #connection: Deno.Conn;

  constructor(connection: Deno.Conn) {
    this.#connection = connection;
  }

  async bytes(length: number): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = new Uint8Array(length);
    for (let at = 0; at < length;) {
      const count = await this.#connection.read(bytes.subarray(at));
      if (count === null) throw new Error("the client has closed the connection");
      at += count;
    }
    return bytes;
  }
}

async function writeAll(connection: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
}
