/**
 * Spans of neighbouring chunks with sketches of durations by flow, state, kind and start by another execution. In a chunk,
 * such sketches would need almost as much memory as the rows. In a span they take some 1.2 bytes a row with 200 flows and
 * widely spread durations, and adding them up takes a tenth of the time of the rows.
 */
import { bucketOf, SketchCountsWriter } from "../../../base/number_sketch.ts";
import type { RowColumns } from "../rows/row_columns.ts";
import { type BlockSummary, summarizeAll } from "../rows/summary.ts";
import {
  type Adders,
  type BlockChunk,
  CHUNK_BLOCKS,
  type ChunkSums,
  codeOf,
  columnsOfCodes,
  type CounterTable,
  type DurationSketches,
  MAX_CELLS,
  neighboursOf,
  type ReadBlock,
} from "./block_chunks.ts";

/** Chunks of a span: 300,000 rows. A window covers some spans in part, whose rows are then read: up to 6 ms each. */
export const SPAN_CHUNKS = 8;
/** Neighbouring chunks. */
export class ChunkSpan {
  /** In id order. */
  readonly chunks: readonly BlockChunk[];
  readonly #isComplete: boolean;
  #summary: BlockSummary | undefined;
  #sketches: DurationSketches | null | undefined;

  /** `isComplete`: it will not grow. */
  constructor(chunks: readonly BlockChunk[], isComplete: boolean) {
    this.chunks = chunks;
    this.#isComplete = isComplete;
  }

  /** All blocks. */
  get blocks(): readonly BlockSummary[] {
    return this.chunks.flatMap(({ blocks }) => blocks);
  }

  /** The summary of all blocks. */
  get summary(): BlockSummary {
    return this.#summary ??= summarizeAll(this.chunks.map(({ summary }) => summary));
  }

  /**
   * The sums of each chunk, and the sketches; reads all blocks the first time. `undefined` for the newest span, which changes
   * with each sealing, and where the combinations are too many.
   */
  async sketches(
    read: ReadBlock,
    adders: Adders,
  ): Promise<{ readonly sums: readonly ChunkSums[]; readonly sketches: DurationSketches } | undefined> {
    if (!this.#isComplete || this.#sketches === null) return undefined;
    const sums: ChunkSums[] = [];
    for (const chunk of this.chunks) {
      const own = await chunk.sums(read, adders);
      if (!own) return undefined;
      sums.push(own);
    }
    if (this.#sketches === undefined) this.#sketches = await this.#make(sums, read, adders.counters);
    return this.#sketches ? { sums, sketches: this.#sketches } : undefined;
  }

  async #make(
    sums: readonly ChunkSums[],
    read: ReadBlock,
    table: CounterTable,
  ): Promise<DurationSketches | null> {
    const combinations = sums.map(({ columns }) => columns);
    const adder = DurationAdder.of(combinations, this.summary.maxDuration, table);
    if (!adder) return null;
    for (const chunk of this.chunks) for (const summary of chunk.blocks) adder.add(await read(summary));
    return adder.sketches();
  }
}

/** The chunks in spans of `size`, in id order; spans of `known` whose chunks are unchanged are kept. */
export function spansOf(
  chunks: readonly BlockChunk[],
  known: readonly ChunkSpan[],
  size: number,
): ChunkSpan[] {
  const isFull = (own: readonly BlockChunk[]) =>
    own.length === size && own.at(-1)?.blocks.length === CHUNK_BLOCKS;
  return neighboursOf(chunks, known, {
    size,
    itemsOf: (span) => span.chunks,
    create: (own, isLast) => new ChunkSpan(own, !isLast || isFull(own)),
  });
}

/** Counts durations by place and bucket. */
class DurationAdder {
  readonly #columns: RowColumns;
  readonly #places: ReadonlyMap<number, number>;
  readonly #buckets: number;
  readonly #counts: Uint32Array;

  private constructor(places: ReadonlyMap<number, number>, buckets: number, table: CounterTable) {
    this.#columns = columnsOfCodes([...places.keys()]);
    this.#places = places;
    this.#buckets = buckets;
    this.#counts = table.take(places.size * buckets);
  }

  /** For rows with these flows and facts; `undefined` if they would need too much memory. */
  static of(
    combinations: readonly RowColumns[],
    maxDuration: number,
    table: CounterTable,
  ): DurationAdder | undefined {
    const places = new Map<number, number>();
    for (const { flows, facts, count } of combinations) {
      for (let row = 0; row < count; row++) {
        const code = codeOf(flows[row] as number, facts[row] as number);
        if (!places.has(code)) places.set(code, places.size);
      }
    }
    const buckets = bucketOf(Math.max(0, maxDuration)) + 1;
    return places.size * buckets <= MAX_CELLS ? new DurationAdder(places, buckets, table) : undefined;
  }

  add(block: RowColumns): void {
    const { flows, facts, count } = block;
    for (let row = 0; row < count; row++) {
      const duration = block.durationAt(row);
      if (duration === undefined) continue;
      const place = this.#places.get(codeOf(flows[row] as number, facts[row] as number)) as number;
      const cell = place * this.#buckets + bucketOf(duration);
      this.#counts[cell] = (this.#counts[cell] as number) + 1;
    }
  }

  sketches(): DurationSketches {
    const writer = new SketchCountsWriter();
    const ends = new Uint32Array(this.#places.size);
    for (let place = 0; place < ends.length; place++) {
      writer.add(this.#counts.subarray(place * this.#buckets, (place + 1) * this.#buckets));
      ends[place] = writer.length;
    }
    return { columns: this.#columns, counts: writer.bytes(), ends };
  }
}
