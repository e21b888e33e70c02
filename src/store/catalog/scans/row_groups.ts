/** Groups rows by columns and sums up numbers, without an object for each row. */
import type { Instant } from "../../../base/time/clock.ts";
import { NumberSketch } from "../../../base/number_sketch.ts";
import { DomainError } from "../../../model/errors.ts";
import type {
  ExecutionGroup,
  ExecutionGrouping,
  GroupKey,
  GroupMeasure,
  GroupValue,
  NumberSummary,
} from "../../../model/executions/execution_groups.ts";
import { STATES } from "../../../model/executions/state.ts";
import type { FlowKey, TenantId } from "../../../model/flows/flow.ts";
import type { ChunkSums, DurationSketches } from "../blocks/block_chunks.ts";
import type { FlowIndex } from "../filters/flow_index.ts";
import { FLAG, OPEN_DURATION } from "../rows/row.ts";
import type { RowColumns } from "../rows/row_columns.ts";
import { type BlockSummary, STATE_SLOTS } from "../rows/summary.ts";

interface GroupContext {
  readonly tenant: TenantId;
  readonly flows: FlowIndex;
  /** Shared by all requests; one runs at a time. */
  readonly table: PlaceTable;
}

/** Groups of one request; more would not fit into a response. */
const MAX_GROUPS = 50_000;
/** Groups with quantiles; each needs some 4 KB. */
const MAX_SKETCHED_GROUPS = 5_000;
/** Up to so many combinations of codes the group is found in an array (4 MB), beyond it in a map. */
const MAX_DENSE = 1 << 20;

/** Adds up rows by group. */
export class RowGroups {
  readonly #keys: readonly KeyCodes[];
  readonly #weights: readonly number[];
  readonly #numbers: readonly ReadNumbers[];
  readonly #places: Places;
  /** The codes of the keys of a row as one number. */
  #codes: Codes;
  #found = new Uint32Array(0);
  #read = new Float64Array(0);
  #counts = new Float64Array(0);
  readonly #sums: readonly Sums[];
  /** Durations by group; `undefined` without quantiles. */
  readonly #sketches: NumberSketch[] | undefined;

  constructor({ keys, measures, hasQuantiles }: ExecutionGrouping, context: GroupContext) {
    this.#sketches = hasQuantiles ? [] : undefined;
    this.#keys = keys.map((key) => codesOf(key, context));
    this.#numbers = measures.map((measure) => NUMBERS[measure]);
    this.#sums = measures.map(() => new Sums());
    const combinations = this.#keys.reduce((product, { size }) => product * size, 1);
    this.#weights = this.#keys.map((_, index) =>
      this.#keys.slice(index + 1).reduce((product, { size }) => product * size, 1)
    );
    this.#codes = combinations < 2 ** 32 ? new Uint32Array(0) : new Float64Array(0);
    this.#places = combinations <= MAX_DENSE
      ? new DensePlaces(context.table, combinations)
      : new MappedPlaces();
  }

  /** Adds rows of a block; `summary` describes all of its rows. @throws DomainError invalid_argument: there are too many groups */
  add(block: RowColumns, rows: Uint32Array, summary?: BlockSummary): void {
    if (rows.length === 0) return;
    const found = this.#find(block, rows, summary);
    const groups = this.#places.codes.length;
    for (let i = 0; i < rows.length; i++) {
      const group = found[i] as number;
      this.#counts[group] = (this.#counts[group] as number) + 1;
    }
    this.#numbers.forEach((read, index) => {
      read(block, rows, this.#read);
      this.#sums[index]?.add(found, this.#read, rows.length, groups);
    });
    if (this.#sketches) this.#addDurations(block, rows, this.#sketches);
  }

  #addDurations(block: RowColumns, rows: Uint32Array, sketches: readonly NumberSketch[]): void {
    NUMBERS.duration(block, rows, this.#read);
    for (let i = 0; i < rows.length; i++) {
      const duration = this.#read[i] as number;
      if (duration === duration) sketches[this.#found[i] as number]?.add(duration);
    }
  }

  /** True if {@link addSums} accepts a chunk with that summary. */
  acceptsSums(summary: BlockSummary): boolean {
    return this.#numbers.every((read) => read === NUMBERS.duration) &&
      this.#keys.every(({ isOfFacts, constantIn }) =>
        isOfFacts === true || constantIn?.(summary) !== undefined
      );
  }

  /** True if rows of different flows belong to different groups. */
  get isByFlow(): boolean {
    return this.#keys.some(({ isOfFlow }) => isOfFlow);
  }

  /** Adds chosen sums of a chunk. @throws DomainError invalid_argument: there are too many groups */
  addSums(sums: ChunkSums, chosen: Uint32Array, summary: BlockSummary): void {
    if (chosen.length === 0) return;
    const found = this.#find(sums.columns, chosen, summary);
    for (let i = 0; i < chosen.length; i++) {
      const group = found[i] as number;
      this.#counts[group] = (this.#counts[group] as number) + (sums.counts[chosen[i] as number] as number);
    }
    for (const own of this.#sums) own.addSums(found, sums, chosen, this.#places.codes.length);
  }

  /** Adds chosen sketches of a chunk or span. @throws DomainError invalid_argument: there are too many groups */
  addSketches(
    { columns, counts, ends }: DurationSketches,
    chosen: Uint32Array,
    summary: BlockSummary,
  ): void {
    const found = this.#find(columns, chosen, summary);
    for (let i = 0; i < chosen.length; i++) {
      const place = chosen[i] as number;
      this.#sketches?.[found[i] as number]?.addCounts(counts, ends[place - 1] ?? 0, ends[place]);
    }
  }

  /** All groups with at least one row. */
  all(): ExecutionGroup[] {
    return this.#places.codes.map((code, group) => ({
      values: this.#valuesOf(code),
      count: this.#counts[group] as number,
      measures: this.#sums.map((sums, measure) => ({
        ...sums.of(group),
        ...this.#numbers[measure] === NUMBERS.duration && this.#quantileOf(group),
      })),
    }));
  }

  #quantileOf(group: number): Pick<NumberSummary, "quantile"> {
    const sketch = this.#sketches?.[group];
    return sketch ? { quantile: (share) => sketch.quantile(share) } : {};
  }

  /** The group of each row; new groups are added. */
  #find(block: RowColumns, rows: Uint32Array, summary: BlockSummary | undefined): Uint32Array {
    this.#fit(rows.length);
    this.#encode(block, rows, summary);
    this.#places.find(this.#codes, rows.length, this.#found);
    const groups = this.#places.codes.length;
    const limit = this.#sketches ? MAX_SKETCHED_GROUPS : MAX_GROUPS;
    if (groups > limit) throw tooManyGroups(limit);
    while (this.#sketches && this.#sketches.length < groups) this.#sketches.push(new NumberSketch());
    this.#counts = grown(this.#counts, groups, 0);
    return this.#found;
  }

  /** Writes the code of each row. Most blocks lie within one day: then the date adds the same number to all rows. */
  #encode(block: RowColumns, rows: Uint32Array, summary: BlockSummary | undefined): void {
    const weightOf = (index: number) => this.#weights[index] as number;
    const constants = this.#keys.map(({ constantIn }) => summary && constantIn?.(summary));
    const base = constants.reduce<number>((sum, code, index) => sum + (code ?? 0) * weightOf(index), 0);
    this.#codes.fill(base, 0, rows.length);
    this.#keys.forEach((key, index) => {
      if (constants[index] === undefined) key.addTo(block, rows, this.#codes, weightOf(index));
    });
  }

  #valuesOf(code: number): GroupValue[] {
    const values: GroupValue[] = [];
    let rest = code;
    for (const { size, valueOf } of this.#keys.toReversed()) {
      values.unshift(valueOf(rest % size));
      rest = Math.floor(rest / size);
    }
    return values;
  }

  #fit(count: number): void {
    if (this.#codes.length >= count) return;
    this.#codes = this.#codes instanceof Uint32Array ? new Uint32Array(count) : new Float64Array(count);
    this.#found = new Uint32Array(count);
    this.#read = new Float64Array(count);
  }
}

function tooManyGroups(limit: number): DomainError {
  return new DomainError(
    "invalid_argument",
    `The executions form more than ${limit} groups: choose fewer columns, a shorter time window or a filter`,
  );
}

/** Numbers below 2^32 in the form that is faster to read. */
type Codes = Uint32Array<ArrayBuffer> | Float64Array<ArrayBuffer>;

/** Numbers the combinations of codes in the order in which they are found. */
interface Places {
  /** By place. */
  readonly codes: readonly number[];
  /** Writes the place of each of the first `count` codes to `out`. */
  find(codes: Codes, count: number, out: Uint32Array): void;
}

/** An array for {@link DensePlaces}. A new one for each chart, up to 4 MB, would wait for garbage collection. */
export class PlaceTable {
  #places = new Int32Array(0);
  #used: readonly number[] = [];

  /** An array of zeros; the one before is not used any more. `used` receives the indexes that will not be zero. */
  take(length: number, used: readonly number[]): Int32Array {
    for (const index of this.#used) this.#places[index] = 0;
    this.#used = used;
    if (this.#places.length < length) this.#places = new Int32Array(length);
    return this.#places;
  }
}

class DensePlaces implements Places {
  readonly codes: number[] = [];
  /** Place + 1 by code. */
  readonly #places: Int32Array;

  constructor(table: PlaceTable, combinations: number) {
    this.#places = table.take(combinations, this.codes);
  }

  find(codes: Codes, count: number, out: Uint32Array): void {
    const places = this.#places;
    for (let i = 0; i < count; i++) {
      const code = codes[i] as number;
      const place = places[code] as number;
      out[i] = place > 0 ? place - 1 : (places[code] = this.codes.push(code)) - 1;
    }
  }
}

class MappedPlaces implements Places {
  readonly codes: number[] = [];
  readonly #places = new Map<number, number>();

  find(codes: Codes, count: number, out: Uint32Array): void {
    for (let i = 0; i < count; i++) {
      const code = codes[i] as number;
      let place = this.#places.get(code);
      if (place === undefined) this.#places.set(code, place = this.codes.push(code) - 1);
      out[i] = place;
    }
  }
}

/** The sums of one measure by group. */
class Sums {
  #counts = new Float64Array(0);
  #sums = new Float64Array(0);
  #least = new Float64Array(0);
  #most = new Float64Array(0);

  /** Adds the durations of chosen sums to the groups in `found`. */
  addSums(found: Uint32Array, more: ChunkSums, chosen: Uint32Array, groups: number): void {
    this.#fit(groups);
    for (let i = 0; i < chosen.length; i++) {
      const [group, at] = [found[i] as number, chosen[i] as number];
      if (more.ended[at] === 0) continue;
      this.#counts[group] = (this.#counts[group] as number) + (more.ended[at] as number);
      this.#sums[group] = (this.#sums[group] as number) + (more.durations[at] as number);
      this.#least[group] = Math.min(this.#least[group] as number, more.least[at] as number);
      this.#most[group] = Math.max(this.#most[group] as number, more.most[at] as number);
    }
  }

  /** Adds the first `count` numbers to the groups in `found`; NaN stands for no number. */
  add(found: Uint32Array, numbers: Float64Array, count: number, groups: number): void {
    this.#fit(groups);
    const [counts, sums, least, most] = [this.#counts, this.#sums, this.#least, this.#most];
    for (let i = 0; i < count; i++) {
      const number = numbers[i] as number;
      if (number !== number) continue;
      const group = found[i] as number;
      counts[group] = (counts[group] as number) + 1;
      sums[group] = (sums[group] as number) + number;
      if (number < (least[group] as number)) least[group] = number;
      if (number > (most[group] as number)) most[group] = number;
    }
  }

  of(group: number): NumberSummary {
    const [count, sum, min, max] = [this.#counts, this.#sums, this.#least, this.#most]
      .map((numbers) => numbers[group] as number) as [number, number, number, number];
    return { count, sum, min, max };
  }

  #fit(groups: number): void {
    this.#counts = grown(this.#counts, groups, 0);
    this.#sums = grown(this.#sums, groups, 0);
    this.#least = grown(this.#least, groups, Infinity);
    this.#most = grown(this.#most, groups, -Infinity);
  }
}

function grown(
  numbers: Float64Array<ArrayBuffer>,
  length: number,
  filling: number,
): Float64Array<ArrayBuffer> {
  if (numbers.length >= length) return numbers;
  const larger = new Float64Array(Math.max(64, 2 * length)).fill(filling);
  larger.set(numbers);
  return larger;
}

/** A key as small numbers. */
interface KeyCodes {
  /** All codes are smaller. */
  readonly size: number;
  /** True if flow number and facts determine the code. */
  readonly isOfFacts?: boolean;
  /** True if the flow number alone does. */
  readonly isOfFlow?: boolean;
  /** The code of all rows of a block, if they have the same. */
  constantIn?(summary: BlockSummary): number | undefined;
  /** Adds the code of each row, multiplied by `weight`, to `out`. */
  addTo(block: RowColumns, rows: Uint32Array, out: Codes, weight: number): void;
  valueOf(code: number): GroupValue;
}

function codesOf(key: GroupKey, { tenant, flows }: GroupContext): KeyCodes {
  switch (key.field) {
    case "state":
      return STATE_CODES;
    case "flow":
      return flowCodes(flows.limit, undefined, (flowNo) => flowKey(flows, flowNo));
    case "namespace":
    case "flowId": {
      const { codes, names } = flows.codes(tenant, key.field);
      return flowCodes(names.length, codes, (code) => names[code]);
    }
    case "startDate":
    case "endDate":
      return dateCodes(key.starts, key.field);
  }
}

function flowKey(flows: FlowIndex, flowNo: number): FlowKey | undefined {
  const flow = flows.nameOf(flowNo);
  return flow && { namespace: flow.namespace, id: flow.id };
}

const STATE_CODES: KeyCodes = {
  size: STATE_SLOTS,
  isOfFacts: true,
  addTo({ facts }, rows, out, weight) {
    for (let i = 0; i < rows.length; i++) {
      const code = (facts[rows[i] as number] as number) & (STATE_SLOTS - 1);
      out[i] = (out[i] as number) + code * weight;
    }
  },
  valueOf: (code) => STATES[code],
};

/** `codes` by flow number; absent: the number itself. */
function flowCodes(
  size: number,
  codes: Uint32Array | undefined,
  valueOf: (code: number) => GroupValue,
): KeyCodes {
  return {
    size: Math.max(size, 1),
    isOfFacts: true,
    isOfFlow: true,
    addTo({ flows }, rows, out, weight) {
      for (let i = 0; i < rows.length; i++) {
        const flowNo = flows[rows[i] as number] as number;
        out[i] = (out[i] as number) + (codes ? codes[flowNo] ?? 0 : flowNo) * weight;
      }
    },
    valueOf,
  };
}

/** Code 0 means no part. */
function dateCodes(starts: readonly Instant[], field: "startDate" | "endDate"): KeyCodes {
  const finder = new PartFinder(starts);
  let dates = new Float64Array(0);
  return {
    size: starts.length + 1,
    constantIn({ minStart, maxStart }) {
      if (field !== "startDate") return undefined;
      const part = partOf(starts, minStart);
      return maxStart < (starts[part + 1] ?? Infinity) ? part + 1 : undefined;
    },
    addTo(block, rows, out, weight) {
      if (dates.length < rows.length) dates = new Float64Array(rows.length);
      NUMBERS[field](block, rows, dates);
      finder.addTo(dates, rows.length, { out, weight });
    },
    valueOf: (code) => starts[code - 1],
  };
}

/** Finds the parts of dates. Rows are almost in the order of their dates: most belong to the part of the row before. */
class PartFinder {
  readonly #starts: readonly Instant[];
  #part = -1;
  #from = Infinity;
  #to = -Infinity;

  constructor(starts: readonly Instant[]) {
    this.#starts = starts;
  }

  /** Adds the number of the part, from 1, of each of the first `count` dates, multiplied by `weight`; 0 without a part. */
  addTo(
    dates: Float64Array,
    count: number,
    { out, weight }: { readonly out: Codes; readonly weight: number },
  ): void {
    let [part, from, to] = [this.#part, this.#from, this.#to];
    for (let i = 0; i < count; i++) {
      const date = dates[i] as number;
      if (date >= from && date < to) {
        out[i] = (out[i] as number) + (part + 1) * weight;
        continue;
      }
      if (date !== date) continue;
      part = partOf(this.#starts, date);
      from = this.#starts[part] ?? -Infinity;
      to = this.#starts[part + 1] ?? Infinity;
      out[i] = (out[i] as number) + (part + 1) * weight;
    }
    [this.#part, this.#from, this.#to] = [part, from, to];
  }
}

/** The index of the last start that is not after `date`; -1 before the first. */
function partOf(starts: readonly Instant[], date: Instant): number {
  let [low, high] = [0, starts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((starts[middle] as number) <= date) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Writes the number of each row to `out`; NaN without one. */
type ReadNumbers = (block: RowColumns, rows: Uint32Array, out: Float64Array) => void;

const NUMBERS: Readonly<Record<GroupMeasure, ReadNumbers>> = {
  duration({ durations, facts }, rows, out) {
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i] as number;
      const duration = durations[row] as number;
      if (duration === OPEN_DURATION) out[i] = NaN;
      else out[i] = ((facts[row] as number) & FLAG.longDuration) === 0 ? duration : duration * 1000;
    }
  },
  startDate({ starts, startBase }, rows, out) {
    for (let i = 0; i < rows.length; i++) out[i] = startBase + (starts[rows[i] as number] as number);
  },
  endDate(block, rows, out) {
    NUMBERS.duration(block, rows, out);
    const { starts, startBase } = block;
    for (let i = 0; i < rows.length; i++) {
      out[i] = (out[i] as number) + startBase + (starts[rows[i] as number] as number);
    }
  },
};
