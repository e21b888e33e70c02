/**
 * A catalog row: the facts of an execution that lists filter and sort by, in 56 bytes that are read in place as 14
 * little-endian words. Words 0–3 are the id: `ms >> 14`, then 14 bits of ms, 16 of the counter and 66 of the random part
 * (its first 5 digits in 30 bits, the other 6 in 36). Comparing the words compares the ids.
 */
import { ID_LENGTH, idPrefix, toBase62 } from "../../../base/id.ts";
import { EXECUTION_KINDS, type ExecutionKind } from "../../../model/executions/execution.ts";
import { LOG_LEVELS, type LogLevel } from "../../../model/flows/flow.ts";
import { CORRELATION_LABEL, type Label } from "../../../model/flows/label.ts";
import { type State, STATES } from "../../../model/executions/state.ts";

/** Words of a row. */
export const ROW_WORDS = 14;
/** Bytes of a row. */
export const ROW_BYTES = 56;
/** Rows that fit into one stored value. */
export const MAX_BLOCK_ROWS = 1_170;

/** Positions of the words; words 6 and 7 are the start as a double, at `row * 7 + 3` of a Float64Array. */
export const WORD = { flow: 4, duration: 5, trigger: 8, facts: 9, labels: 10 } as const;
/** Doubles of a row, and the position of the start in them. */
export const ROW_DOUBLES = 7;
export const START_DOUBLE = 3;

/**
 * Label hashes of a row. With one label more the words hold {@link MAX_LABELS} hashes of {@link SHORT_HASH_BITS} bits; with
 * even more they are a Bloom filter of 128 bits.
 */
export const LABEL_WORDS = 4;
/** Labels of a row that are stored as hashes. */
export const MAX_LABELS = 5;
const SHORT_HASH_BITS = 25;
/** Flags in word 9, which is `state | kind and flags << 8 | level << 16 | second trigger hash << 24`. */
export const FLAG = { child: 0x0400, moreLabels: 0x0800, longDuration: 0x1000, shortHashes: 0x2000 } as const;
/** Duration word of an execution that has not ended. */
export const OPEN_DURATION = 0xffff_ffff;
/** State byte of a deleted execution. */
export const TOMBSTONE_STATE = 255;

const NO_LEVEL = 255;
const MAX_COUNTER = 0xffff;
const MAX_MS = 2 ** 46;
const RANGE_7 = 62 ** 7;
const STATE_INDEX = new Map(STATES.map((state, index) => [state, index]));
const DIGITS = digitTable();

/** The facts that a row stores. */
export interface RowFacts {
  readonly id: string;
  readonly flowNo: number;
  readonly startMs: number;
  /** `undefined` while it has not ended. */
  readonly durationMs: number | undefined;
  readonly state: State;
  readonly kind: ExecutionKind;
  /** The execution that started this one; if present, this one is a child. */
  readonly triggerExecutionId?: string;
  /** Most severe logged level. */
  readonly maxLogLevel?: LogLevel;
  /** All labels; the row omits a correlation label that equals the id. */
  readonly labels: readonly Label[];
}

/** Hash of a text: 32 bits, never 0. Stored, so it must never change. FNV-1a over UTF-16 units, then the MurmurHash3 finaliser for short texts. */
export function hashText(text: string, seed = 0): number {
  let hash = 0x811c9dc5 ^ seed;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ hash >>> 16, 0x85ebca6b);
  hash = Math.imul(hash ^ hash >>> 13, 0xc2b2ae35);
  return (hash ^ hash >>> 16) >>> 0 || 1;
}

/** Hash of a label: 32 bits, never 0. */
export function hashLabel(label: Label): number {
  return hashText(`${label.key}\u0000${label.value}`);
}

/** The hash of a label in a row of {@link MAX_LABELS} labels; never 0. */
export function shortHash(hash: number): number {
  return hash >>> 32 - SHORT_HASH_BITS || 1;
}

/** Hash number `index` of a row with {@link FLAG.shortHashes}, whose label words begin at `at`. */
export function shortHashAt(words: Uint32Array, at: number, index: number): number {
  const bit = index * SHORT_HASH_BITS;
  const [word, shift] = [at + (bit >>> 5), bit & 31];
  const low = (words[word] as number) >>> shift;
  const high = shift + SHORT_HASH_BITS > 32 ? (words[word + 1] as number) << 32 - shift : 0;
  return (low | high) & (1 << SHORT_HASH_BITS) - 1;
}

function setShortHash(hash: number, words: Uint32Array, at: number, index: number): void {
  const bit = index * SHORT_HASH_BITS;
  const [word, shift] = [at + (bit >>> 5), bit & 31];
  words[word] = (words[word] as number) | hash << shift;
  if (shift + SHORT_HASH_BITS > 32) words[word + 1] = (words[word + 1] as number) | hash >>> 32 - shift;
}

/** Adds a hash to the 128-bit Bloom filter at `at`, 4 bits each: false positives are 0.2 % with 8 labels and 5 % with 20. */
export function setBloomBits(hash: number, words: Uint32Array, at: number): void {
  for (let probe = 0; probe < 4; probe++) {
    const bit = hash >>> probe * 7 & 127;
    words[at + (bit >>> 5)] = (words[at + (bit >>> 5)] as number) | 1 << (bit & 31);
  }
}

/** Rows are encoded here and copied to a shared buffer: allocating one buffer for each row costs more than encoding it. */
const scratch = new Uint32Array(ROW_WORDS);
const scratchBytes = new Uint8Array(scratch.buffer);
const scratchDoubles = new Float64Array(scratch.buffer);
const ROWS_PER_BUFFER = 1_024;
let rowBuffer = new Uint8Array(ROWS_PER_BUFFER * ROW_BYTES);
let rowBufferUsed = 0;

function copyOfScratch(): Uint8Array {
  if (rowBufferUsed === rowBuffer.length) {
    rowBuffer = new Uint8Array(ROWS_PER_BUFFER * ROW_BYTES);
    rowBufferUsed = 0;
  }
  rowBuffer.set(scratchBytes, rowBufferUsed);
  rowBufferUsed += ROW_BYTES;
  return rowBuffer.subarray(rowBufferUsed - ROW_BYTES, rowBufferUsed);
}

/** The row of an execution, as a part of a larger buffer. @throws Error when the id was not made by an `IdSource` */
export function encodeRow(facts: RowFacts): Uint8Array {
  const words = scratch.fill(0);
  packId(facts.id, words, 0);
  words[WORD.flow] = facts.flowNo;
  scratchDoubles[START_DOUBLE] = facts.startMs;
  let flags = EXECUTION_KINDS.indexOf(facts.kind) << 8;
  flags |= encodeDuration(facts.durationMs, words);
  let triggerHash = 0;
  if (facts.triggerExecutionId !== undefined) {
    flags |= FLAG.child;
    triggerHash = hashText(facts.triggerExecutionId, 1) & 0xff;
    words[WORD.trigger] = hashText(facts.triggerExecutionId);
  }
  flags |= encodeLabels(facts, words);
  const level = facts.maxLogLevel === undefined ? NO_LEVEL : LOG_LEVELS.indexOf(facts.maxLogLevel);
  const state = STATE_INDEX.get(facts.state) ?? 0;
  words[WORD.facts] = state | flags | level << 16 | triggerHash << 24;
  return copyOfScratch();
}

/** A row that removes an execution from the catalog; committed with the deletion of its record. */
export function tombstoneRow(id: string): Uint8Array {
  const words = new Uint32Array(ROW_WORDS);
  packId(id, words, 0);
  words[WORD.facts] = TOMBSTONE_STATE;
  return new Uint8Array(words.buffer);
}

/** True if two rows have the same facts. Earlier versions wrote the Bloom filter also for {@link MAX_LABELS} labels. */
export function isSameRow(stored: Uint32Array, expected: Uint32Array): boolean {
  const [a, b] = [stored[WORD.facts] as number, expected[WORD.facts] as number];
  const isEarlierForm = (a & FLAG.moreLabels) !== 0 && (b & FLAG.shortHashes) !== 0;
  const ignored = isEarlierForm ? FLAG.moreLabels | FLAG.shortHashes : 0;
  return expected.every((word, at) => {
    if (at === WORD.facts) return ((a ^ b) & ~ignored) === 0;
    return stored[at] === word || (isEarlierForm && at >= WORD.labels);
  });
}

/** Milliseconds from start to end; `undefined` while it has not ended. Beyond 49 days rounded to seconds. */
export function durationOf(words: Uint32Array, row: number): number | undefined {
  const duration = words[row * ROW_WORDS + WORD.duration] as number;
  if (duration === OPEN_DURATION) return undefined;
  const isLong = (words[row * ROW_WORDS + WORD.facts] as number) & FLAG.longDuration;
  return isLong ? duration * 1000 : duration;
}

function encodeDuration(durationMs: number | undefined, words: Uint32Array): number {
  if (durationMs === undefined) {
    words[WORD.duration] = OPEN_DURATION;
    return 0;
  }
  const isLong = durationMs >= OPEN_DURATION;
  words[WORD.duration] = isLong ? Math.min(Math.round(durationMs / 1000), OPEN_DURATION - 1) : durationMs;
  return isLong ? FLAG.longDuration : 0;
}

function encodeLabels(facts: RowFacts, words: Uint32Array): number {
  const { id, labels } = facts;
  if (labels.length === 0) return 0;
  const stored = labels.filter((label) => label.key !== CORRELATION_LABEL || label.value !== id);
  if (stored.length === MAX_LABELS) {
    stored.forEach((label, index) => setShortHash(shortHash(hashLabel(label)), words, WORD.labels, index));
    return FLAG.shortHashes;
  }
  if (stored.length > MAX_LABELS) {
    for (const label of stored) setBloomBits(hashLabel(label), words, WORD.labels);
    return FLAG.moreLabels;
  }
  stored.forEach((label, index) => words[WORD.labels + index] = hashLabel(label));
  return 0;
}

/** Writes the four words of an id at `at`. @throws Error when the id was not made by an `IdSource` */
export function packId(id: string, words: Uint32Array, at: number): void {
  if (!writeId(id, words, at)) throw new Error(`Cannot pack the id "${id}": it is not an execution id`);
}

/** The four words of an id; `undefined` for a text that cannot be the id of an execution. */
export function tryPackId(id: string): Uint32Array | undefined {
  const words = new Uint32Array(4);
  return writeId(id, words, 0) ? words : undefined;
}

function writeId(id: string, words: Uint32Array, at: number): boolean {
  const ms = (id.charCodeAt(0) - 65) * RANGE_7 + readDigits(id, 1, 8);
  const counter = readDigits(id, 8, 11);
  const high = readDigits(id, 11, 16);
  const low = readDigits(id, 16, 22);
  const isPackable = id.length === ID_LENGTH && ms >= 0 && ms < MAX_MS && counter <= MAX_COUNTER && low >= 0;
  if (!isPackable || !(high >= 0)) return false;
  words[at] = Math.floor(ms / 0x4000);
  words[at + 1] = ms % 0x4000 << 18 | counter << 2 | high >>> 28;
  words[at + 2] = high << 4 | Math.floor(low / 0x1_0000_0000);
  words[at + 3] = low % 0x1_0000_0000;
  return true;
}

/** The id whose four words are at `at`. */
export function unpackId(words: Uint32Array, at: number): string {
  const [w0, w1, w2, w3] = [words[at], words[at + 1], words[at + 2], words[at + 3]] as [
    number,
    number,
    number,
    number,
  ];
  const ms = w0 * 0x4000 + (w1 >>> 18);
  const high = (w1 & 3) << 28 | w2 >>> 4;
  const low = (w2 & 15) * 0x1_0000_0000 + w3;
  return idPrefix(ms, w1 >>> 2 & MAX_COUNTER) + toBase62(high, 5) + toBase62(low, 6);
}

function readDigits(text: string, from: number, to: number): number {
  let value = 0;
  for (let i = from; i < to; i++) value = value * 62 + (DIGITS[text.charCodeAt(i)] ?? NaN);
  return value;
}

/** Value of each base62 digit by character code; NaN for other characters. */
function digitTable(): Float64Array {
  const table = new Float64Array(128).fill(NaN);
  for (let digit = 0; digit < 62; digit++) table[toBase62(digit, 1).charCodeAt(0)] = digit;
  return table;
}

/** Negative when the id at `a[i]` sorts before the one at `b[j]`, zero when they are equal, else positive. */
export function compareIds(a: Uint32Array, i: number, b: Uint32Array, j: number): number {
  for (let word = 0; word < 4; word++) {
    const x = a[i + word] as number;
    const y = b[j + word] as number;
    if (x !== y) return x < y ? -1 : 1;
  }
  return 0;
}
