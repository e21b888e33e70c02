/**
 * The messages of the data path of KV Connect, `com.deno.kv.datapath` in `schema/datapath.proto` of denokv: a read of key
 * ranges, and an atomic write.
 */
import type { Atomic, Mutation } from "../store.ts";
import { encodeKey } from "./key_codec.ts";
import { ProtoReader, ProtoWriter } from "./protobuf.ts";

/** Most ranges of one read. */
export const MAX_READ_RANGES = 10;
/** Most entries of one range of a read. */
export const MAX_READ_ENTRIES = 1_000;
/** Most checks of an atomic write; a file allows 100. */
const MAX_CHECKS = 10;

/** Value encoding of plain bytes. */
const VE_BYTES = 3;
const M_SET = 1;
const M_DELETE = 2;
const SR_SUCCESS = 1;
const AW_SUCCESS = 1;
const AW_CHECK_FAILURE = 2;

/** Keys from `start` to before `end`, both encoded. */
export interface ReadRange {
  readonly start: Uint8Array;
  readonly end: Uint8Array;
  /** From 1 to {@link MAX_READ_ENTRIES}. */
  readonly limit: number;
  readonly isReverse: boolean;
}

/** An entry as it is sent; the key is encoded. */
export interface RawEntry {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
  readonly versionstamp: string;
}

/** The message that reads ranges. */
export function encodeRead(ranges: readonly ReadRange[]): Uint8Array<ArrayBuffer> {
  const writer = new ProtoWriter();
  for (const { start, end, limit, isReverse } of ranges) {
    writer.message(1, () => {
      writer.byteString(1, start);
      writer.byteString(2, end);
      writer.number(3, limit);
      if (isReverse) writer.number(4, 1);
    });
  }
  return writer.bytes;
}

/** The message that watches a key; it needs version 3 of the protocol. */
export function encodeWatch(key: Uint8Array): Uint8Array<ArrayBuffer> {
  const writer = new ProtoWriter();
  writer.message(1, () => writer.byteString(1, key));
  return writer.bytes;
}

/** The entries of each range of a read. @throws Error when the server did not read */
export function decodeRead(bytes: Uint8Array): RawEntry[][] {
  const reader = new ProtoReader(bytes);
  const ranges: RawEntry[][] = [];
  let status = 0;
  let isStrong = false;
  for (let field = reader.next(); field > 0; field = reader.next()) {
    if (field === 1) ranges.push(decodeRange(reader.byteString()));
    else if (field === 4) isStrong = reader.number() === 1;
    else if (field === 8) status = reader.number();
    else reader.skip();
  }
  if (status !== SR_SUCCESS) throw new Error(`the server does not read (status ${status})`);
  if (!isStrong) throw new Error("the server gave data that may be old");
  return ranges;
}

function decodeRange(bytes: Uint8Array): RawEntry[] {
  const reader = new ProtoReader(bytes);
  const entries: RawEntry[] = [];
  for (let field = reader.next(); field > 0; field = reader.next()) {
    if (field === 1) entries.push(decodeEntry(reader.byteString()));
    else reader.skip();
  }
  return entries;
}

function decodeEntry(bytes: Uint8Array): RawEntry {
  const reader = new ProtoReader(bytes);
  let key: Uint8Array = new Uint8Array();
  let value: Uint8Array = new Uint8Array();
  let encoding = 0;
  let versionstamp = "";
  for (let field = reader.next(); field > 0; field = reader.next()) {
    if (field === 1) key = reader.byteString();
    // A copy: an entry that is kept must not keep the whole response.
    else if (field === 2) value = reader.byteString().slice();
    else if (field === 3) encoding = reader.number();
    else if (field === 4) versionstamp = reader.byteString().toHex();
    else reader.skip();
  }
  if (encoding !== VE_BYTES) throw new Error(`a value is not of this program (encoding ${encoding})`);
  return { key, value, versionstamp };
}

/** The message of an atomic write. @throws Error for messages of a queue, and for more checks than the protocol allows */
export function encodeWrite({ checks, mutations, messages }: Atomic): Uint8Array<ArrayBuffer> {
  if (messages.length > 0) throw new Error("Cannot commit: KV Connect has no queue");
  if (checks.length > MAX_CHECKS) throw new Error(`Cannot commit: KV Connect allows ${MAX_CHECKS} checks`);
  const writer = new ProtoWriter();
  for (const { key, versionstamp } of checks) {
    writer.message(1, () => {
      writer.byteString(1, encodeKey(key));
      if (versionstamp !== null) writer.byteString(2, Uint8Array.fromHex(versionstamp));
    });
  }
  for (const mutation of mutations) writer.message(2, () => writeMutation(writer, mutation));
  return writer.bytes;
}

function writeMutation(writer: ProtoWriter, mutation: Mutation): void {
  writer.byteString(1, encodeKey(mutation.key));
  if (mutation.type === "set") {
    writer.message(2, () => {
      writer.byteString(1, mutation.value);
      writer.number(2, VE_BYTES);
    });
  }
  writer.number(3, mutation.type === "set" ? M_SET : M_DELETE);
}

/** The versionstamp of an atomic write; `null` when a check failed. @throws Error for any other outcome */
export function decodeWrite(bytes: Uint8Array): string | null {
  const reader = new ProtoReader(bytes);
  let status = 0;
  let versionstamp = "";
  for (let field = reader.next(); field > 0; field = reader.next()) {
    if (field === 1) status = reader.number();
    else if (field === 2) versionstamp = reader.byteString().toHex();
    else reader.skip();
  }
  if (status === AW_CHECK_FAILURE) return null;
  if (status !== AW_SUCCESS) throw new Error(`the server does not write (status ${status})`);
  return versionstamp;
}
