/** Sort keys of rows as numbers, with lower and upper bounds for each block. */
import type { Instant } from "../../../base/time/clock.ts";
import { STATES } from "../../../model/executions/state.ts";
import type { FlowRanks } from "../filters/flow_index.ts";
import { FLAG, OPEN_DURATION } from "../rows/row.ts";
import type { RowColumns } from "../rows/row_columns.ts";
import { type BlockSummary, COUNT_SLOTS, FLOW_BITS, hasBit, STATE_SLOTS } from "../rows/summary.ts";

/** Both ends included. */
interface NumberRange {
  readonly least: number;
  readonly most: number;
}

/** One number for each row. */
export interface RowNumbers {
  /** Writes the numbers of the rows to `out`. */
  read(block: RowColumns, rows: Uint32Array, out: Float64Array): void;
  /**
   * Copies at least those rows to `out` whose number is from `least` to `most`, in order, and returns how many; faster than
   * {@link read}. Absent: the numbers have no such form.
   */
  narrow?(block: RowColumns, rows: Uint32Array, out: Uint32Array, of: NumberRange): number;
  /** A lower bound for the rows of the block. */
  low(summary: BlockSummary): number;
  /** An upper bound for the rows of the block. */
  high(summary: BlockSummary): number;
}

/** Ranks of states in text order. */
const STATE_RANKS = rankStates();

/** The rank of the namespace or flow id. */
export function rankNumbers({ ranks, lowest, highest }: FlowRanks): RowNumbers {
  return {
    read({ flows }, rows, out) {
      for (let i = 0; i < rows.length; i++) out[i] = ranks[flows[rows[i] as number] as number] ?? 0;
    },
    low: ({ flows }) => leastOfBits(flows, (bit) => lowest[bit] as number),
    high: ({ flows }) => -leastOfBits(flows, (bit) => -(highest[bit] as number)),
  };
}

/** The rank of the state's name. */
export function stateNumbers(): RowNumbers {
  return {
    read({ facts }, rows, out) {
      for (let i = 0; i < rows.length; i++) {
        out[i] = STATE_RANKS[(facts[rows[i] as number] as number) & 0xff] ?? 0;
      }
    },
    low: (summary) => leastOfStates(summary, (rank) => rank),
    high: (summary) => -leastOfStates(summary, (rank) => -rank),
  };
}

/** The start date. */
export function startNumbers(): RowNumbers {
  return {
    read({ starts, startBase }, rows, out) {
      for (let i = 0; i < rows.length; i++) out[i] = startBase + (starts[rows[i] as number] as number);
    },
    low: ({ minStart }) => minStart,
    high: ({ maxStart }) => maxStart,
  };
}

/** The end date; Infinity while it has not ended. */
export function endNumbers(): RowNumbers {
  return {
    read(block, rows, out) {
      const { starts, startBase } = block;
      for (let i = 0; i < rows.length; i++) {
        const row = rows[i] as number;
        out[i] = startBase + (starts[row] as number) + (block.durationAt(row) ?? Infinity);
      }
    },
    low: ({ minStart, minDuration }) => minStart + minDuration,
    high: ({ maxStart, maxDuration, hasOpen }) => hasOpen ? Infinity : maxStart + maxDuration,
  };
}

/** Milliseconds from start to end, or to `now` while it has not ended. */
export function durationNumbers(now: Instant): RowNumbers {
  const sinceStart = (start: number) => Math.max(0, now - start);
  return {
    read(block, rows, out) {
      const { durations, facts, startBase } = block;
      let starts: RowColumns["starts"] | undefined;
      const startAt = (row: number) => startBase + ((starts ??= block.starts)[row] as number);
      for (let i = 0; i < rows.length; i++) {
        const row = rows[i] as number;
        const duration = durations[row] as number;
        // Calls for each row would double the time of a scan.
        const isPlain = duration !== OPEN_DURATION && ((facts[row] as number) & FLAG.longDuration) === 0;
        out[i] = isPlain ? duration : block.durationAt(row) ?? sinceStart(startAt(row));
      }
    },
    narrow: narrowDurations,
    low: ({ minDuration, hasOpen, maxStart }) =>
      hasOpen ? Math.min(minDuration, sinceStart(maxStart)) : minDuration,
    high: ({ maxDuration, hasOpen, minStart }) =>
      hasOpen ? Math.max(maxDuration, sinceStart(minStart)) : maxDuration,
  };
}

/** Keeps all rows of a block in which the column does not have the milliseconds of each row. */
function narrowDurations(
  block: RowColumns,
  rows: Uint32Array,
  out: Uint32Array,
  { least, most }: NumberRange,
): number {
  const { durations } = block;
  const [from, to] = [Math.max(0, Math.ceil(least)), Math.min(OPEN_DURATION - 1, Math.floor(most))];
  if (!block.hasPlainDurations) {
    out.set(rows);
    return rows.length;
  }
  if (from > to) return 0;
  // A function for each type of array, and whole numbers: 1 ns a row instead of 4.
  return durations instanceof Uint32Array
    ? narrowWide(durations, rows, out, { from, span: to - from })
    : narrowHalves(durations, rows, out, { from, span: to - from });
}

interface WholeRange {
  readonly from: number;
  readonly span: number;
}

function narrowWide(column: Uint32Array, rows: Uint32Array, out: Uint32Array, range: WholeRange): number {
  const [from, span] = [range.from | 0, range.span >>> 0];
  let kept = 0;
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as number;
    if (((column[row] as number) - from) >>> 0 > span) continue;
    out[kept++] = row;
  }
  return kept;
}

function narrowHalves(column: Uint16Array, rows: Uint32Array, out: Uint32Array, range: WholeRange): number {
  const [from, span] = [range.from | 0, range.span >>> 0];
  let kept = 0;
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as number;
    if (((column[row] as number) - from) >>> 0 > span) continue;
    out[kept++] = row;
  }
  return kept;
}

function leastOfBits(bits: Uint32Array, read: (bit: number) => number): number {
  let least = Infinity;
  for (let bit = 0; bit < FLOW_BITS; bit++) {
    if (hasBit(bits, bit)) least = Math.min(least, read(bit));
  }
  return least;
}

function leastOfStates({ counts }: BlockSummary, read: (rank: number) => number): number {
  let least = Infinity;
  for (let slot = 0; slot < COUNT_SLOTS; slot++) {
    const rank = STATE_RANKS[slot & (STATE_SLOTS - 1)];
    if (rank !== undefined && (counts[slot] as number) > 0) least = Math.min(least, read(rank));
  }
  return least;
}

function rankStates(): Float64Array {
  const sorted = [...STATES].sort();
  return Float64Array.from(STATES, (state) => sorted.indexOf(state));
}
