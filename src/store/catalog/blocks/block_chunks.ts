/**
 * Sealed blocks in chunks of neighbours, with sums by flow, state, kind and start by another execution. Charts add up these
 * sums: some thousand instead of all rows.
 */
import { NumberSketch, type SketchCounts, SketchCountsWriter } from "../../../base/number_sketch.ts";
import { FACT_BITS, RowColumns } from "../rows/row_columns.ts";
import { type BlockSummary, summarizeAll } from "../rows/summary.ts";

/** Blocks of a chunk. With 200 flows and six states each a chunk of 37,000 rows has 1,200 sums of 36 bytes, a byte a row. */
export const CHUNK_BLOCKS = 32;
/** Blocks of a part of a chunk; its sums serve where a chunk lies in two days. */
const PART_BLOCKS = 8;
/** More sums than one for so many rows would not be worth their memory; parts with sums are few. */
const MIN_ROWS_PER_SUM = 8;
const MIN_ROWS_PER_PART_SUM = 4;

/** Numbers of the rows that share flow, state, kind and child flag; one place each in the arrays. */
export interface ChunkSums {
  /** One row for each place, with flow and facts only. */
  readonly columns: RowColumns;
  readonly counts: Float64Array;
  /** Of the executions that have ended: their number, and their durations in milliseconds. */
  readonly ended: Float64Array;
  readonly durations: Float64Array;
  readonly least: Float64Array;
  readonly most: Float64Array;
}

/** Durations of the ended rows that share facts, or flow and facts. */
export interface DurationSketches {
  /** One row for each place, with flow and facts only. */
  readonly columns: RowColumns;
  /** The counts of all places, one behind the other. */
  readonly counts: SketchCounts;
  /** By place: where its counts end. */
  readonly ends: Uint32Array;
}

/** Reads a block of a chunk. */
export type ReadBlock = (summary: BlockSummary) => RowColumns | Promise<RowColumns>;

/** Neighbouring blocks. */
export class BlockChunk {
  /** In id order. */
  readonly blocks: readonly BlockSummary[];
  readonly #minRowsPerSum: number;
  #summary: BlockSummary | undefined;
  #sums: ChunkSums | null | undefined;
  #sketches: DurationSketches | undefined;
  #parts: readonly BlockChunk[] | undefined;

  constructor(blocks: readonly BlockSummary[], minRowsPerSum = MIN_ROWS_PER_SUM) {
    this.blocks = blocks;
    this.#minRowsPerSum = minRowsPerSum;
  }

  /** Smaller chunks of the same blocks. */
  get parts(): readonly BlockChunk[] {
    return this.#parts ??= Array.from({ length: Math.ceil(this.blocks.length / PART_BLOCKS) }, (_, part) => {
      const blocks = this.blocks.slice(part * PART_BLOCKS, (part + 1) * PART_BLOCKS);
      return new BlockChunk(blocks, MIN_ROWS_PER_PART_SUM);
    });
  }

  /** The summary of all blocks. */
  get summary(): BlockSummary {
    return this.#summary ??= summarizeAll(this.blocks);
  }

  /** The sums; reads all blocks the first time. `undefined` where they would be too many. */
  async sums(read: ReadBlock): Promise<ChunkSums | undefined> {
    if (this.#sums !== undefined) return this.#sums ?? undefined;
    const adder = new SumAdder();
    for (const summary of this.blocks) adder.add(await read(summary));
    this.#sums = adder.size * this.#minRowsPerSum > this.summary.rows ? null : adder.sums();
    return this.#sums ?? undefined;
  }

  /**
   * The sketches of durations; reads all blocks the first time. They are not by flow (see `chunk_spans.ts`): with 10 million
   * rows and eight states they take 3 MB.
   */
  async sketches(read: ReadBlock): Promise<DurationSketches> {
    if (this.#sketches) return this.#sketches;
    const adder = new SketchAdder();
    for (const summary of this.blocks) adder.add(await read(summary));
    return this.#sketches = adder.sketches();
  }
}

/** The blocks in chunks, in id order; chunks of `known` whose blocks are unchanged are kept. */
export function chunksOf(blocks: readonly BlockSummary[], known: readonly BlockChunk[]): BlockChunk[] {
  return neighboursOf(blocks, known, {
    size: CHUNK_BLOCKS,
    itemsOf: (chunk) => chunk.blocks,
    create: (own) => new BlockChunk(own),
  });
}

interface Grouping<Item, Group> {
  /** Items of a group. */
  readonly size: number;
  itemsOf(group: Group): readonly Item[];
  /** `isLast`: more items may follow these. */
  create(items: readonly Item[], isLast: boolean): Group;
}

/** The items in groups of neighbours, in order; groups of `known` whose items are unchanged are kept. */
export function neighboursOf<Item, Group>(
  items: readonly Item[],
  known: readonly Group[],
  { size, itemsOf, create }: Grouping<Item, Group>,
): Group[] {
  // Changed items between kept groups leave small groups behind.
  const isFragmented = known.length > 16 + 2 * items.length / size;
  const byFirst = new Map(isFragmented ? [] : known.map((group) => [itemsOf(group)[0], group]));
  const growing = known.at(-1);
  const groups: Group[] = [];
  let open: Item[] = [];
  const close = (at: number) => {
    if (open.length > 0) groups.push(create(open, at === items.length));
    open = [];
  };
  for (let at = 0; at < items.length;) {
    const group = byFirst.get(items[at] as Item);
    const own = group === undefined ? [] : itemsOf(group);
    // More items follow the last group, which has room for them.
    const canGrow = group === growing && own.length < size && at + own.length < items.length;
    if (group !== undefined && !canGrow && own.every((item, index) => items[at + index] === item)) {
      close(at);
      groups.push(group);
      at += own.length;
      continue;
    }
    open.push(items[at++] as Item);
    if (open.length === size) close(at);
  }
  close(items.length);
  return groups;
}

interface RunningSum {
  counts: number;
  ended: number;
  duration: number;
  least: number;
  most: number;
}

/** Adds up rows by flow, state, kind and child flag. */
class SumAdder {
  readonly #places = new Map<number, number>();
  readonly #flows: number[] = [];
  readonly #facts: number[] = [];
  readonly #sums: RunningSum[] = [];

  get size(): number {
    return this.#sums.length;
  }

  add(block: RowColumns): void {
    const { flows, facts, count } = block;
    for (let row = 0; row < count; row++) {
      const sum = this.#sumOf(flows[row] as number, (facts[row] as number) & FACT_BITS);
      sum.counts++;
      const duration = block.durationAt(row);
      if (duration === undefined) continue;
      sum.ended++;
      sum.duration += duration;
      if (duration < sum.least) sum.least = duration;
      if (duration > sum.most) sum.most = duration;
    }
  }

  sums(): ChunkSums {
    const numbers = (read: (sum: RunningSum) => number) => Float64Array.from(this.#sums, read);
    return {
      columns: RowColumns.ofFacts(Uint32Array.from(this.#flows), Uint16Array.from(this.#facts)),
      counts: numbers(({ counts }) => counts),
      ended: numbers(({ ended }) => ended),
      durations: numbers(({ duration }) => duration),
      least: numbers(({ least }) => least),
      most: numbers(({ most }) => most),
    };
  }

  #sumOf(flow: number, facts: number): RunningSum {
    const code = flow * (FACT_BITS + 1) + facts;
    let place = this.#places.get(code);
    if (place === undefined) {
      this.#places.set(code, place = this.#sums.length);
      this.#flows.push(flow);
      this.#facts.push(facts);
      this.#sums.push({ counts: 0, ended: 0, duration: 0, least: Infinity, most: -Infinity });
    }
    return this.#sums[place] as RunningSum;
  }
}

/** Collects the durations of rows by state, kind and child flag. */
class SketchAdder {
  readonly #sketches = new Map<number, NumberSketch>();

  add(block: RowColumns): void {
    const { facts, count } = block;
    for (let row = 0; row < count; row++) {
      const duration = block.durationAt(row);
      if (duration !== undefined) this.#of((facts[row] as number) & FACT_BITS).add(duration);
    }
  }

  sketches(): DurationSketches {
    const facts = Uint16Array.from(this.#sketches.keys());
    const writer = new SketchCountsWriter();
    const ends = [...this.#sketches.values()].map((sketch) => {
      sketch.writeCounts(writer);
      return writer.length;
    });
    return {
      columns: RowColumns.ofFacts(new Uint32Array(facts.length), facts),
      counts: writer.bytes(),
      ends: Uint32Array.from(ends),
    };
  }

  #of(facts: number): NumberSketch {
    const known = this.#sketches.get(facts);
    if (known) return known;
    const sketch = new NumberSketch();
    this.#sketches.set(facts, sketch);
    return sketch;
  }
}
