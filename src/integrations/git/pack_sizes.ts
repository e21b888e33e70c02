/**
 * The sizes of the objects in a pack of git. The library inflates them in one piece and without a bound, so they are checked
 * before. Format: `gitformat-pack`.
 */
import zlib from "node:zlib";
import { systemClock } from "../../base/time/clock.ts";
import { Turns } from "../../base/time/turn.ts";

/** Most bytes of one object. Large hosts of repositories take no larger file. */
export const MAX_OBJECT_BYTES = 100 * 1024 * 1024;
/** Most bytes of all objects of a pack. */
const MAX_UNPACKED_BYTES = 4 * 1024 * 1024 * 1024;
/** Most bytes of the results of all deltas: the library holds those of long chains in memory. */
const MAX_DELTA_BYTES = 1024 * 1024 * 1024;
/** Objects with more bytes than this may have so many times the bytes of the pack. Ordinary repositories have 5 to 50 times as many. */
const [SMALL_BYTES, MAX_GROWTH] = [256 * 1024 * 1024, 200];
/** Bytes before the first object: `PACK`, version and number of objects. */
const HEADER_BYTES = 12;
const OFS_DELTA = 6;
const REF_DELTA = 7;
/** Bytes of the id of the object that a delta of the second kind changes. */
const ID_BYTES = 20;
const TURN_MS = 10;

/** What node gives with `info: true`; its types do not know it. */
interface Inflated {
  readonly buffer: Uint8Array;
  readonly engine: { readonly bytesWritten: number };
}

/** The library writes a pack once more after a failure, such as a missing folder or a refusal. */
const checks = new WeakMap<Uint8Array, Promise<void>>();

/** Reads a pack up to its end, once. @throws Error one object, or all together, are too large; the pack is damaged */
export async function checkPackSizes(pack: Uint8Array): Promise<void> {
  const check = checks.get(pack) ?? readToEnd(pack);
  checks.set(pack, check);
  await check;
}

async function readToEnd(pack: Uint8Array): Promise<void> {
  const reader = new PackReader(pack);
  const turns = new Turns(systemClock, TURN_MS);
  const mayGrowTo = Math.max(SMALL_BYTES, pack.length * MAX_GROWTH);
  let total = 0, ofDeltas = 0;
  for (let left = reader.count; left > 0; left--) {
    const { size, isDelta } = reader.next();
    total += size;
    if (isDelta) ofDeltas += size;
    if (total > MAX_UNPACKED_BYTES) throw tooLarge("objects of the repository have", MAX_UNPACKED_BYTES);
    if (ofDeltas > MAX_DELTA_BYTES) throw tooLarge("changed objects of the repository have", MAX_DELTA_BYTES);
    if (total > mayGrowTo) throw tooLarge(`objects of a pack of ${pack.length} bytes have`, mayGrowTo);
    await turns.next();
  }
}

function tooLarge(what: string, limit: number): Error {
  return new Error(`the ${what} more than ${limit} bytes; fetch fewer commits by \`depth\``);
}

class PackReader {
  /** Number of objects. */
  readonly count: number;
  readonly #pack: Uint8Array;
  #at = HEADER_BYTES;

  constructor(pack: Uint8Array) {
    if (pack.length < HEADER_BYTES) throw damaged();
    this.count = new DataView(pack.buffer, pack.byteOffset).getUint32(8);
    this.#pack = pack;
  }

  /** Reads one object; gives its size in bytes, of a delta that of its result. */
  next(): { readonly size: number; readonly isDelta: boolean } {
    const first = this.#byte();
    const type = first >> 4 & 7;
    const size = checked((first & 15) + (first >= 128 ? this.#number() * 16 : 0));
    if (type === OFS_DELTA) this.#number();
    if (type === REF_DELTA) this.#at += ID_BYTES;
    const content = this.#inflate(size);
    const isDelta = type === OFS_DELTA || type === REF_DELTA;
    return { size: isDelta ? resultSize(content) : size, isDelta };
  }

  #byte(): number {
    const byte = this.#pack[this.#at++];
    if (byte === undefined) throw damaged();
    return byte;
  }

  /** A number of seven bits a byte, the lowest ones first. */
  #number(): number {
    return readNumber(() => this.#byte());
  }

  #inflate(size: number): Uint8Array {
    const options = { maxOutputLength: size + 1, info: true };
    const { buffer, engine } = inflated(this.#pack.subarray(this.#at), options);
    if (buffer.length !== size) throw damaged();
    this.#at += engine.bytesWritten;
    return buffer;
  }
}

function inflated(bytes: Uint8Array, options: zlib.ZlibOptions): Inflated {
  try {
    return zlib.inflateSync(bytes, options) as unknown as Inflated;
  } catch {
    throw damaged();
  }
}

/** A delta begins with the size of what it changes and that of the result. */
function resultSize(delta: Uint8Array): number {
  let at = 0;
  const next = () => delta[at++] ?? 0;
  readNumber(next);
  return checked(readNumber(next));
}

/** Inexact above 2^53 and then NaN: both are refused as too large. */
function readNumber(next: () => number): number {
  let value = 0;
  for (let factor = 1;; factor *= 128) {
    const byte = next();
    value += (byte & 127) * factor;
    if (byte < 128) return value;
  }
}

function checked(bytes: number): number {
  if (bytes <= MAX_OBJECT_BYTES) return bytes;
  throw new Error(`the repository has an object of more than ${MAX_OBJECT_BYTES} bytes`);
}

function damaged(): Error {
  return new Error("the server sent a damaged pack");
}
