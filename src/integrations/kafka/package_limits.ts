/** Limits of what the package `kafkajs` reads of a broker. Version 2.2.4, the last one, trusts the counts and lengths that it reads. */
import type { Buffer } from "node:buffer";
import { systemClock } from "../../base/time/clock.ts";
import { Turns } from "../../base/time/turn.ts";
import { BatchError } from "./batch_error.ts";
import {
  batchFailure,
  beginBatch,
  beginPartition,
  type CompressionCodec,
  countHeaders,
  countMessages,
} from "./batch_limits.ts";

const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;
/** Elements of all lists of a response, without records. */
const MAX_ELEMENTS = 500_000;
/** Batches, or messages in a set of the old form, which is decoded in one turn. */
const MAX_PARTS = 100_000;
/** Offset in a batch, from its epoch on. */
const ATTRIBUTES_AT = 9;
/** Offset of the first message, and the length of the batch. */
const HEAD_BYTES = 12;
const COMPRESSION_BITS = 0x07;
const TURN_MS = 8;
/** Of SCRAM. Brokers ask for some 4,096. */
const MAX_ITERATIONS = 200_000;

/** By the number of the protocol. */
export type CompressionCodecs = Record<number, () => CompressionCodec>;

interface Connection {
  /** Bytes of the response that arrives. */
  readonly bytesNeeded: number;
  readonly socket: { destroy(error: Error): void };
  /** What waits for a response to a log-in. */
  readonly authHandlers: { onError(): void } | null;
  readonly requestTimeout: number;
  processData(bytes: Uint8Array): void;
  /** Sends a part of a log-in without the head of a request. */
  sendAuthRequest(protocol: object): Promise<unknown>;
}

type Read<T> = (decoder: Decoder) => T;

interface Decoder {
  readonly buffer: Buffer;
  offset: number;
  /** Elements of the lists that were read. */
  elements?: number;
  /** Parts that were made: each is a message or a batch. */
  parts?: number;
  /** Of a compressed batch. */
  codec?: () => CompressionCodec;
  /** Of the first message, in a batch. */
  firstOffset: bigint;
  readInt32(): number;
  readVarInt(): number;
  readString(): unknown;
  readVarIntString(): unknown;
  readBytes(length?: number): unknown;
  readVarIntBytes(): unknown;
  readInt16(): number;
  slice(size: number): Decoder;
  readArray<T>(read: Read<T>): T[] | Promise<T[]>;
  readArrayAsync<T>(read: Read<Promise<T>>): Promise<T[]>;
  readVarIntArray(read: Read<Header>): { reduce(): Record<string, HeaderValue> };
}

type HeaderValue = Buffer | null | (Buffer | null)[];

interface Header {
  readonly key: string | null;
  readonly value: Buffer | null;
}

interface Scram {
  hi(password: string, salt: Buffer, iterations: number, digest: object): Promise<Buffer>;
}

interface ScramModule {
  readonly default: { readonly SCRAM: Scram };
}

/** A module of the package. */
export interface ClassModule<T> {
  readonly default: { readonly prototype: T };
}

const limited = new WeakSet<object>();
const turns = new Turns(systemClock, TURN_MS);

/** Sets the limits, once. */
export function limitPackage(
  { default: connection }: ClassModule<Connection>,
  { default: decoder }: ClassModule<Decoder>,
  { default: { SCRAM: scram } }: ScramModule,
  codecs: CompressionCodecs,
): void {
  if (limited.has(connection)) return;
  limited.add(connection);
  limitResponses(connection.prototype);
  limitLogIn(connection.prototype);
  limitReads(decoder.prototype);
  limitLists(decoder.prototype);
  limitBatches(decoder.prototype, codecs);
  limitIterations(scram);
}

/** A listener of the socket calls this: what it throws would end the process. */
function limitResponses(prototype: Connection): void {
  const { processData } = prototype;
  prototype.processData = function (bytes) {
    try {
      processData.call(this, bytes);
      if (this.bytesNeeded <= MAX_RESPONSE_BYTES) return;
      this.socket.destroy(new Error(`Cannot read a response: it has more than ${MAX_RESPONSE_BYTES} bytes`));
    } catch (cause) {
      this.socket.destroy(new Error("Cannot read a response: it is not one of Kafka", { cause }));
    }
    this.authHandlers?.onError();
  };
}

/** Only requests have a time limit in the package. */
function limitLogIn(prototype: Connection): void {
  const { sendAuthRequest } = prototype;
  prototype.sendAuthRequest = async function (protocol) {
    const late = Promise.withResolvers<never>();
    const cancel = systemClock.setTimer(this.requestTimeout, () => {
      const seconds = this.requestTimeout / 1000;
      const error = new Error(`the broker did not respond to the log-in within ${seconds} s`);
      late.reject(error);
      this.socket.destroy(error);
    });
    try {
      return await Promise.race([sendAuthRequest.call(this, protocol), late.promise]);
    } finally {
      cancel();
    }
  };
}

/** Reads neither go back, by negative lengths, nor past the end, where a variable integer is 0. */
function limitReads(prototype: Decoder): void {
  const names = ["readVarInt", "readString", "readVarIntString", "readBytes", "readVarIntBytes"] as const;
  for (const name of names) {
    const read = prototype[name] as (length?: number) => never;
    prototype[name] = function (length?: number) {
      const start = this.offset, value = read.call(this, length);
      if (this.offset < start || this.offset > this.buffer.length) throw malformed();
      return value;
    };
  }
}

/** Memory is taken for all elements of a list at once. */
function limitLists(prototype: Decoder): void {
  const { readArray, readArrayAsync } = prototype;
  prototype.readArray = function (read) {
    countElements(this);
    return readArray.call(this, read) as never;
  };
  prototype.readArrayAsync = function (read) {
    countElements(this);
    return readArrayAsync.call(this, async (decoder) => {
      const start = decoder.offset;
      beginPartition();
      try {
        return await read(decoder);
      } catch (error) {
        if (error instanceof BatchError) error.within(decoder.buffer.subarray(start));
        throw error;
      } finally {
        await turns.next();
      }
    }) as never;
  };
  // Only headers of records are such lists. The package reduces them in quadratic time.
  prototype.readVarIntArray = function (read) {
    const count = this.readVarInt();
    countHeaders(count);
    checkCount(count, this.buffer.length - this.offset);
    const headers = Array.from({ length: Math.max(count, 0) }, () => read(this));
    return { reduce: () => byName(headers) };
  };
}

function countElements(decoder: Decoder): void {
  const { buffer, offset, elements = 0 } = decoder, count = buffer.readInt32BE(offset);
  checkCount(count, buffer.length - offset - Int32Array.BYTES_PER_ELEMENT);
  decoder.elements = elements + Math.max(count, 0);
  if (decoder.elements <= MAX_ELEMENTS) return;
  throw new Error(`Cannot read a response: its lists have more than ${MAX_ELEMENTS} elements`);
}

/** -1 stands for no list. */
function checkCount(count: number, restBytes: number): void {
  if (count < -1 || count > restBytes) throw malformed();
}

function byName(headers: readonly Header[]): Record<string, HeaderValue> {
  const values = new Map<string, HeaderValue>();
  for (const { key, value } of headers) {
    const name = String(key), known = values.get(name);
    if (Array.isArray(known)) known.push(value);
    else values.set(name, known === undefined ? value : [known, value]);
  }
  return Object.fromEntries(values);
}

/**
 * Of a batch, and of a message in a set of the old form, the package makes a part. Only batches have attributes of this size, and
 * lists: it waits for these, but not while it decodes a compressed one.
 */
function limitBatches(prototype: Decoder, codecs: CompressionCodecs): void {
  const { slice, readInt16 } = prototype;
  prototype.slice = function (size) {
    this.parts = (this.parts ?? 0) + 1;
    if (this.parts > MAX_PARTS) {
      throw new Error(`Cannot read a response: a partition has more than ${MAX_PARTS} batches`);
    }
    beginBatch();
    countMessages(1);
    const firstOffset = this.offset < HEAD_BYTES ? 0n : this.buffer.readBigInt64BE(this.offset - HEAD_BYTES);
    const own = { firstOffset, readInt16: readAttributes, readArray: readRecords };
    return Object.assign(slice.call(this, size), own);
  };
  function readAttributes(this: Decoder): number {
    const isFirst = this.offset === ATTRIBUTES_AT, value = readInt16.call(this);
    if (!isFirst) return value;
    this.codec = codecs[value & COMPRESSION_BITS];
    return value & ~COMPRESSION_BITS;
  }
}

async function readRecords<T>(this: Decoder, read: Read<T>): Promise<T[]> {
  try {
    return await recordsOf(this, read);
  } catch (error) {
    throw batchFailure(error, (cause) => new BatchError(this.firstOffset, cause));
  }
}

async function recordsOf<T>(decoder: Decoder, read: Read<T>): Promise<T[]> {
  const count = decoder.readInt32(), records: T[] = [];
  if (count <= 0) return records;
  countMessages(count);
  const codec = decoder.codec?.(), source = codec ? await unpacked(decoder, codec) : decoder;
  for (let n = 0; n < count; n++) {
    records.push(read(source));
    await turns.next();
  }
  return records;
}

async function unpacked({ buffer, offset, constructor }: Decoder, codec: CompressionCodec): Promise<Decoder> {
  return new (constructor as new (bytes: Uint8Array) => Decoder)(
    await codec.decompress(buffer.subarray(offset)),
  );
}

/** The broker chooses how long the key of a password occupies a thread. */
function limitIterations(scram: Scram): void {
  const { hi } = scram;
  scram.hi = (password, salt, iterations, digest) =>
    iterations > MAX_ITERATIONS
      ? Promise.reject(
        new Error(`the broker asks for ${iterations} iterations, at most ${MAX_ITERATIONS} are allowed`),
      )
      : hi(password, salt, iterations, digest);
}

function malformed(): Error {
  return new Error("Cannot read a response: it is malformed");
}
