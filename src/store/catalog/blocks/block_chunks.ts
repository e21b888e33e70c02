/**
 * Sealed blocks in chunks of neighbours, with sums by flow, state, kind and start by another execution. Charts add up these
 * sums: some thousand instead of all rows.
 */
import { NumberSketch, type SketchCounts, SketchCountsWriter } from "../../../base/number_sketch.ts";
import { FACT_BITS, RowColumns } from "../rows/row_columns.ts";
import { type BlockSummary, summarizeAll } from "../rows/summary.ts";

/** Blocks of a chunk. With 200 flows and six states each a chunk of 37,000 rows has 1,200 sums of 23 bytes, 0.7 bytes a row. */
export const CHUNK_BLOCKS = 32;
/** Blocks of a part of a chunk; its sums serve where a chunk lies in two days. */
const PART_BLOCKS = 8;
/** More sums than one for so many rows would not be worth their memory; parts with sums are few. */
const MIN_ROWS_PER_SUM = 8;
const MIN_ROWS_PER_PART_SUM = 4;
const MAX_BYTE = 0xff;
const MAX_WORD = 0xffff_ffff;
/** Counters while the sketches of a span are made: 16 MB. */
export const MAX_CELLS = 4_000_000;

/**
 * Numbers of the rows that share flow, state, kind and child flag; one place each in the arrays. As narrow as a chunk of at
 * most 37,440 rows allows: those of 10 million rows take some 10 MB.
 */
export interface ChunkSums {
  /** One row for each place, with flow and facts only. */
  readonly columns: RowColumns;
  readonly counts: Uint16Array;
  /** Of the executions that have ended: their number, and their durations in milliseconds. */
  readonly ended: Uint16Array;
  readonly durations: Float64Array;
  /** 0 where none has ended. */
  readonly least: Milliseconds;
  readonly most: Milliseconds;
}

/** Wide beyond 49 days. */
type Milliseconds = Uint32Array | Float64Array;

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
  async sums(read: ReadBlock, { sums }: Adders): Promise<ChunkSums | undefined> {
    if (this.#sums !== undefined) return this.#sums ?? undefined;
    sums.begin(Math.floor(this.summary.rows / this.#minRowsPerSum));
    for (const summary of this.blocks) sums.add(await read(summary));
    this.#sums = sums.end() ?? null;
    return this.#sums ?? undefined;
  }

  /**
   * The sketches of durations; reads all blocks the first time. They are not by flow (see `chunk_spans.ts`): with 10 million
   * rows and eight states they take 3 MB.
   */
  async sketches(read: ReadBlock, { sketches }: Adders): Promise<DurationSketches> {
    if (this.#sketches) return this.#sketches;
    for (const summary of this.blocks) sketches.add(await read(summary));
    return this.#sketches = sketches.end();
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

/** What makes sums and sketches. One for each chunk, some 300 KB, would wait for garbage collection. */
export class Adders {
  readonly sums = new SumAdder();
  readonly sketches = new SketchAdder();
  readonly counters = new CounterTable();
}

/**
 * An array of counters for one scan. It has its largest length at once, because larger and larger ones would wait for garbage
 * collection; the system gives memory only to the part that is used.
 */
export class CounterTable {
  #counters: Uint32Array | undefined;

  /** Counters that are 0; those before are not used any more. */
  take(length: number): Uint32Array {
    this.#counters ??= new Uint32Array(MAX_CELLS);
    return this.#counters.subarray(0, length).fill(0);
  }
}

/** Adds up rows by flow, state, kind and child flag. */
class SumAdder {
  readonly #places = new Map<number, number>();
  #limit = 0;
  #counts = new Uint16Array(0);
  #ended = new Uint16Array(0);
  #durations = new Float64Array(0);
  #least = new Float64Array(0);
  #most = new Float64Array(0);

  /** Begins up to `limit` sums. */
  begin(limit: number): void {
    this.#limit = limit;
    this.#places.clear();
    if (this.#counts.length >= limit) {
      for (const each of [this.#counts, this.#ended, this.#durations, this.#most]) each.fill(0);
    } else {
      [this.#counts, this.#ended] = [new Uint16Array(limit), new Uint16Array(limit)];
      [this.#durations, this.#most] = [new Float64Array(limit), new Float64Array(limit)];
      this.#least = new Float64Array(limit);
    }
    this.#least.fill(Infinity);
  }

  /** Adds the rows of a block; those beyond the limit are left out. */
  add(block: RowColumns): void {
    const { flows, facts, count } = block;
    const [counts, ended] = [this.#counts, this.#ended];
    const [durations, least, most] = [this.#durations, this.#least, this.#most];
    for (let row = 0; row < count; row++) {
      const place = this.#placeOf(codeOf(flows[row] as number, facts[row] as number));
      if (place >= this.#limit) return;
      counts[place] = (counts[place] as number) + 1;
      const duration = block.durationAt(row);
      if (duration === undefined) continue;
      ended[place] = (ended[place] as number) + 1;
      durations[place] = (durations[place] as number) + duration;
      if (duration < (least[place] as number)) least[place] = duration;
      if (duration > (most[place] as number)) most[place] = duration;
    }
  }

  /** `undefined` if there are more than the limit. */
  end(): ChunkSums | undefined {
    const { size } = this.#places;
    if (size > this.#limit) return undefined;
    return {
      columns: columnsOfCodes([...this.#places.keys()]),
      counts: this.#counts.slice(0, size),
      ended: this.#ended.slice(0, size),
      durations: this.#durations.slice(0, size),
      least: narrowed(this.#least.subarray(0, size).map((ms) => ms === Infinity ? 0 : ms)),
      most: narrowed(this.#most.subarray(0, size)),
    };
  }

  #placeOf(code: number): number {
    const known = this.#places.get(code);
    if (known !== undefined) return known;
    const place = this.#places.size;
    this.#places.set(code, place);
    return place;
  }
}

function narrowed(ms: Float64Array): Milliseconds {
  return ms.every((each) => each <= MAX_WORD) ? Uint32Array.from(ms) : ms.slice();
}

/** Flow number and facts of a row as one number. */
export function codeOf(flow: number, facts: number): number {
  return flow * (FACT_BITS + 1) + (facts & FACT_BITS);
}

/** A row for each of these codes, with flow and facts only. */
export function columnsOfCodes(codes: readonly number[]): RowColumns {
  const flows = codes.map((code) => Math.floor(code / (FACT_BITS + 1)));
  const most = flows.reduce((a, b) => Math.max(a, b), 0);
  return RowColumns.ofFacts(
    most <= MAX_BYTE ? Uint8Array.from(flows) : Uint32Array.from(flows),
    Uint16Array.from(codes, (code) => code % (FACT_BITS + 1)),
  );
}

/** Collects the durations of rows by state, kind and child flag. */
class SketchAdder {
  readonly #sketches = new Map<number, NumberSketch>();
  readonly #writer = new SketchCountsWriter();

  add(block: RowColumns): void {
    const { facts, count } = block;
    for (let row = 0; row < count; row++) {
      const duration = block.durationAt(row);
      if (duration !== undefined) this.#of((facts[row] as number) & FACT_BITS).add(duration);
    }
  }

  /** The sketches of all rows since the last call. */
  end(): DurationSketches {
    const facts = [...this.#sketches].flatMap(([each, { total }]) => total > 0 ? [each] : []);
    const writer = this.#writer;
    writer.clear();
    const ends = facts.map((each) => {
      const sketch = this.#of(each);
      sketch.writeCounts(writer);
      sketch.clear();
      return writer.length;
    });
    return {
      columns: RowColumns.ofFacts(new Uint8Array(facts.length), Uint16Array.from(facts)),
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
