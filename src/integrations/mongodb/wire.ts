/** One connection to a server of MongoDB: a command, then its reply. https://www.mongodb.com/docs/manual/reference/mongodb-wire-protocol/ */
import type { Socket } from "node:net";
import { systemClock } from "../../base/time/clock.ts";
import {
  type Bson,
  type BsonDocument,
  type BsonValue,
  deserialize,
  fromBson,
  serialize,
} from "./documents.ts";

/** A reply. */
export type MongoReply = Record<string, BsonValue>;

/** Documents of a command that are sent beside it: together they may have more than 16 MiB. */
export interface CommandDocuments {
  /** Such as `documents`, `updates` or `deletes`. */
  readonly name: string;
  readonly bytes: readonly Uint8Array[];
}

const OP_MSG = 2013;
const HEADER_BYTES = 16;
/** Bytes of header, flags and kind before the document. */
const BODY_AT = HEADER_BYTES + 5;
/** Largest reply; servers send at most 48 MB. */
const MAX_REPLY_BYTES = 48_000_000;

/** A connection that is open, or opens. */
export class MongoWire {
  readonly #socket: Socket;
  readonly #bson: Bson;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #requestId = 0;
  #waiting: PromiseWithResolvers<Buffer> | undefined;
  #error: Error | undefined;

  constructor(socket: Socket, bson: Bson) {
    this.#socket = socket;
    this.#bson = bson;
    socket.on("data", (chunk: Buffer) => this.#receive(chunk));
    socket.on("error", (error: Error) => this.fail(error));
    socket.on("close", () => this.fail(new Error("the connection was closed")));
  }

  /** Ends the connection; commands fail with the first error. */
  fail(error: Error): void {
    this.#error ??= error;
    this.#waiting?.reject(this.#error);
    this.#waiting = undefined;
    this.#socket.destroy();
  }

  /** Runs a command in a database. @throws Error no reply in time, or the words of the server */
  async command(
    database: string,
    command: BsonDocument,
    { timeoutMs, documents }: { readonly timeoutMs: number; readonly documents?: CommandDocuments },
  ): Promise<MongoReply> {
    if (this.#error) throw this.#error;
    const id = ++this.#requestId;
    const waiting = this.#waiting = Promise.withResolvers<Buffer>();
    const cancel = systemClock.setTimer(timeoutMs, () => {
      this.fail(new Error(`there was no reply within ${timeoutMs / 1000} s`));
    });
    try {
      this.#socket.write(this.#message(id, new Map([...command, ["$db", database]]), documents));
      const reply = replyOf(this.#bson, await waiting.promise, id);
      checkReply(this.#bson, reply);
      return reply;
    } finally {
      cancel();
    }
  }

  #message(id: number, command: BsonDocument, documents?: CommandDocuments): Buffer {
    const parts: Uint8Array[] = [Buffer.alloc(BODY_AT), serialize(this.#bson, command)];
    if (documents) {
      const name = Buffer.from(`${documents.name}\0`);
      const head = Buffer.alloc(5);
      head.writeUInt8(1);
      head.writeInt32LE(4 + name.length + documents.bytes.reduce((sum, { length }) => sum + length, 0), 1);
      parts.push(head, name, ...documents.bytes);
    }
    const message = Buffer.concat(parts);
    message.writeInt32LE(message.length, 0);
    message.writeInt32LE(id, 4);
    message.writeInt32LE(OP_MSG, 12);
    return message;
  }

  #receive(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes < HEADER_BYTES) return;
    if ((this.#chunks[0]?.length ?? 0) < HEADER_BYTES) this.#chunks = [Buffer.concat(this.#chunks)];
    const length = this.#chunks[0]?.readInt32LE(0) ?? 0;
    if (length <= BODY_AT || length > MAX_REPLY_BYTES || !this.#waiting) {
      return this.fail(new Error("the server sent no reply of the protocol of MongoDB"));
    }
    if (this.#bytes < length) return;
    this.#waiting.resolve(Buffer.concat(this.#chunks).subarray(0, length));
    this.#waiting = undefined;
    this.#chunks = [];
    this.#bytes = 0;
  }
}

function replyOf(bson: Bson, message: Buffer, id: number): MongoReply {
  const isReply = message.readInt32LE(8) === id && message.readInt32LE(12) === OP_MSG &&
    message.readUInt8(BODY_AT - 1) === 0;
  if (!isReply) throw new Error("the server sent no reply of the protocol of MongoDB");
  const length = message.readInt32LE(BODY_AT);
  return deserialize(bson, message.subarray(BODY_AT, BODY_AT + length));
}

/** @throws Error with the words of the server */
function checkReply(bson: Bson, { ok, errmsg, codeName, writeErrors, writeConcernError }: MongoReply): void {
  if (Number(fromBson(bson, ok)) !== 1) throw new MongoError(String(errmsg), codeName);
  const [failed] = Array.isArray(writeErrors) ? writeErrors : [writeConcernError];
  if (failed) throw new MongoError(String(failed.errmsg), failed.codeName);
}

/** What a server refuses. */
export class MongoError extends Error {
  override name = "MongoError";
  /** Such as `CommandNotFound`. */
  readonly codeName?: string;

  constructor(words: string, codeName: BsonValue) {
    super(codeName === undefined ? words : `${words} (${codeName})`);
    if (typeof codeName === "string") this.codeName = codeName;
  }
}
