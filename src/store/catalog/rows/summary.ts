/** The in-memory summary of a sealed block: often enough to skip the block or to count its rows without reading it. */
import { compareIds, durationOf, FLAG, ROW_DOUBLES, ROW_WORDS, START_DOUBLE, WORD } from "./row.ts";
import type { RowBlock } from "./row_block.ts";

/** One counter for each kind and state, at `kind << 5 | state`. */
export const STATE_SLOTS = 32;
export const COUNT_SLOTS = 4 * STATE_SLOTS;
/** Flows are recorded by the low bits of their number. */
export const FLOW_BITS = 256;
/** Triggers are recorded by the low bits of their hash. With 100 children per block, 9 of 10 blocks are skipped. */
export const TRIGGER_BITS = 1024;

/** The summary of one block; about 700 bytes. */
export interface BlockSummary {
  /** Part of the block's key. */
  readonly firstId: string;
  readonly rows: number;
  /** Words of the first id, then of the last. */
  readonly range: Uint32Array;
  readonly minStart: number;
  readonly maxStart: number;
  /** Of ended executions; `Infinity` and -1 when none has ended. */
  readonly minDuration: number;
  readonly maxDuration: number;
  readonly hasOpen: boolean;
  /** True when a row has more labels than a row has label words. */
  readonly hasMoreLabels: boolean;
  /** Rows by kind and state. */
  readonly counts: Uint16Array | Uint32Array;
  /** Which of {@link FLOW_BITS} occur. */
  readonly flows: Uint32Array;
  /** Which of {@link TRIGGER_BITS} occur. */
  readonly triggers: Uint32Array;
}

/** The summary of a block with at least one row. */
export function summarize(block: RowBlock): BlockSummary {
  const { words, doubles, count } = block;
  const counts = new Uint16Array(COUNT_SLOTS);
  const flows = new Uint32Array(FLOW_BITS >> 5);
  const triggers = new Uint32Array(TRIGGER_BITS >> 5);
  let [minStart, maxStart, minDuration, maxDuration] = [Infinity, -Infinity, Infinity, -1];
  let hasOpen = false;
  let flags = 0;
  for (let row = 0; row < count; row++) {
    const at = row * ROW_WORDS;
    const facts = words[at + WORD.facts] as number;
    const flow = words[at + WORD.flow] as number;
    const start = doubles[row * ROW_DOUBLES + START_DOUBLE] as number;
    const duration = durationOf(words, row);
    const slot = countSlot(facts);
    counts[slot] = (counts[slot] as number) + 1;
    setBit(flows, flow & (FLOW_BITS - 1));
    if ((facts & FLAG.child) !== 0) {
      setBit(triggers, (words[at + WORD.trigger] as number) & (TRIGGER_BITS - 1));
    }
    flags |= facts;
    if (start < minStart) minStart = start;
    if (start > maxStart) maxStart = start;
    if (duration === undefined) hasOpen = true;
    else {
      if (duration < minDuration) minDuration = duration;
      if (duration > maxDuration) maxDuration = duration;
    }
  }
  const range = new Uint32Array(8);
  range.set(words.subarray(0, 4), 0);
  range.set(words.subarray((count - 1) * ROW_WORDS, (count - 1) * ROW_WORDS + 4), 4);
  return {
    firstId: block.idAt(0),
    rows: count,
    range,
    ...{ minStart, maxStart, minDuration, maxDuration, hasOpen },
    hasMoreLabels: (flags & FLAG.moreLabels) !== 0,
    counts,
    flows,
    triggers,
  };
}

/** The summary of all blocks together; at least one, in id order. */
export function summarizeAll(blocks: readonly BlockSummary[]): BlockSummary {
  const [first, last] = [blocks[0], blocks[blocks.length - 1]] as [BlockSummary, BlockSummary];
  const counts = new Uint32Array(COUNT_SLOTS);
  const flows = new Uint32Array(FLOW_BITS >> 5);
  const triggers = new Uint32Array(TRIGGER_BITS >> 5);
  for (const block of blocks) {
    for (let slot = 0; slot < COUNT_SLOTS; slot++) {
      counts[slot] = (counts[slot] as number) + (block.counts[slot] as number);
    }
    addBits(flows, block.flows);
    addBits(triggers, block.triggers);
  }
  const least = (read: (block: BlockSummary) => number) =>
    blocks.reduce((a, b) => Math.min(a, read(b)), Infinity);
  const most = (read: (block: BlockSummary) => number) =>
    blocks.reduce((a, b) => Math.max(a, read(b)), -Infinity);
  return {
    firstId: first.firstId,
    rows: blocks.reduce((sum, block) => sum + block.rows, 0),
    range: Uint32Array.of(...first.range.subarray(0, 4), ...last.range.subarray(4)),
    minStart: least((block) => block.minStart),
    maxStart: most((block) => block.maxStart),
    minDuration: least((block) => block.minDuration),
    maxDuration: most((block) => block.maxDuration),
    hasOpen: blocks.some((block) => block.hasOpen),
    hasMoreLabels: blocks.some((block) => block.hasMoreLabels),
    counts,
    flows,
    triggers,
  };
}

/** Sets one bit. */
export function setBit(bits: Uint32Array, bit: number): void {
  bits[bit >> 5] = (bits[bit >> 5] as number) | 1 << (bit & 31);
}

/** True when the bit is set. */
export function hasBit(bits: Uint32Array, bit: number): boolean {
  return ((bits[bit >> 5] as number) >>> (bit & 31) & 1) === 1;
}

function addBits(bits: Uint32Array, more: Uint32Array): void {
  for (let i = 0; i < bits.length; i++) bits[i] = (bits[i] as number) | (more[i] as number);
}

/** The slot of a row's facts word in {@link BlockSummary.counts}. */
export function countSlot(facts: number): number {
  return facts >>> 3 & 0x60 | facts & 0x1f;
}

/** The index of the block that covers the id at `words[at]`: the last one that does not begin after it; -1 before the first. */
export function coveringBlock(blocks: readonly BlockSummary[], words: Uint32Array, at: number): number {
  let low = 0;
  let high = blocks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareIds((blocks[middle] as BlockSummary).range, 0, words, at) <= 0) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
