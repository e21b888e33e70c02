/** The order of a list: one number per row for each criterion; rows with equal numbers are listed newest first. */
import type { Instant } from "../../../base/time/clock.ts";
import type { ExecutionSort } from "../../../model/executions/execution_query.ts";
import type { TenantId } from "../../../model/flows/flow.ts";
import type { FlowIndex } from "../filters/flow_index.ts";
import { compareIds } from "../rows/row.ts";
import { compareRows, ID_WORDS, type RowColumns } from "../rows/row_columns.ts";
import {
  durationNumbers,
  endNumbers,
  rankNumbers,
  type RowNumbers,
  startNumbers,
  stateNumbers,
} from "./row_numbers.ts";
import type { BlockSummary } from "../rows/summary.ts";

interface OrderContext {
  readonly tenant: TenantId;
  readonly flows: FlowIndex;
  /** End of the duration of executions that have not ended. */
  readonly now: Instant;
}

/** A criterion; a descending one negates its numbers, so that the smaller number always comes first. */
interface Criterion {
  readonly numbers: RowNumbers;
  readonly sign: 1 | -1;
}

/** An order that does not begin with the id. */
export class RowOrder {
  /** Identifies the order. */
  readonly key: string;
  readonly #first: Criterion;
  readonly #rest: readonly Criterion[];
  readonly #idDescending: boolean;
  readonly #one = new Uint32Array(1);
  readonly #out = new Float64Array(1);

  /** `sort` must not be empty or begin with `id`; criteria after an `id` have no effect. */
  constructor(sort: readonly ExecutionSort[], context: OrderContext) {
    const idAt = sort.findIndex(({ field }) => field === "id");
    const used = idAt < 0 ? sort : sort.slice(0, idAt);
    const [first, ...rest] = used.map((criterion) => criterionOf(criterion, context));
    if (!first) throw new Error("Cannot order by id here: use idDirection()");
    this.key = JSON.stringify(sort);
    this.#first = first;
    this.#rest = rest;
    this.#idDescending = idAt < 0 || (sort[idAt] as ExecutionSort).descending;
  }

  /** Writes the numbers of the first criterion to `out`. */
  read(block: RowColumns, rows: Uint32Array, out: Float64Array): void {
    const { numbers, sign } = this.#first;
    numbers.read(block, rows, out);
    if (sign < 0) { for (let i = 0; i < rows.length; i++) out[i] = -(out[i] as number); }
  }

  /** At least the rows whose number is at most `limit`, in order; `rows` themselves, or the front of `out`. */
  narrow(block: RowColumns, rows: Uint32Array, limit: number, out: Uint32Array): Uint32Array {
    const { numbers, sign } = this.#first;
    if (!numbers.narrow || limit === Infinity) return rows;
    const range = sign < 0 ? { least: -limit, most: Infinity } : { least: -Infinity, most: limit };
    return out.subarray(0, numbers.narrow(block, rows, out, range));
  }

  /** A lower bound for each criterion over the rows of the block. */
  bounds(summary: BlockSummary): number[] {
    return [this.#first, ...this.#rest].map(({ numbers, sign }) =>
      sign < 0 ? -numbers.high(summary) : numbers.low(summary)
    );
  }

  /** Compares two rows with equal numbers for the first criterion. */
  compareRest(a: RowColumns, i: number, b: RowColumns, j: number): number {
    for (const { numbers, sign } of this.#rest) {
      const x = this.#readOne(numbers, a, i);
      const y = this.#readOne(numbers, b, j);
      if (x !== y) return x < y ? -sign : sign; // not x - y: Infinity - Infinity is NaN
    }
    const order = compareRows(a, i, b, j);
    return this.#idDescending ? -order : order;
  }

  /** True when every row of a block with these bounds comes after row `j` of `b`. */
  isBlockAfter(summary: BlockSummary, bounds: readonly number[], b: RowColumns, j: number): boolean {
    const criteria = [this.#first, ...this.#rest];
    for (const [index, { numbers, sign }] of criteria.entries()) {
      const bound = bounds[index] as number;
      const number = sign * this.#readOne(numbers, b, j);
      if (bound !== number) return bound > number;
    }
    if (compareIds(summary.range, ID_WORDS, b.range, 0) < 0) return this.#idDescending;
    if (compareIds(summary.range, 0, b.range, ID_WORDS) > 0) return !this.#idDescending;
    return this.#idDescending
      ? compareIds(summary.range, ID_WORDS, b.ids, j * ID_WORDS) < 0
      : compareIds(summary.range, 0, b.ids, j * ID_WORDS) > 0;
  }

  #readOne(numbers: RowNumbers, block: RowColumns, row: number): number {
    this.#one[0] = row;
    numbers.read(block, this.#one, this.#out);
    return this.#out[0] as number;
  }
}

/** The direction of a list ordered by id; `undefined` for another order. */
export function idDirection(sort: readonly ExecutionSort[]): "ascending" | "descending" | undefined {
  const [first] = sort;
  if (!first) return "descending";
  if (first.field !== "id") return undefined;
  return first.descending ? "descending" : "ascending";
}

function criterionOf({ field, descending }: ExecutionSort, context: OrderContext): Criterion {
  return { numbers: numbersOf(field, context), sign: descending ? -1 : 1 };
}

function numbersOf(field: ExecutionSort["field"], context: OrderContext): RowNumbers {
  switch (field) {
    case "namespace":
    case "flowId":
      return rankNumbers(context.flows.ranks(context.tenant, field));
    case "state.current":
      return stateNumbers();
    case "state.startDate":
      return startNumbers();
    case "state.endDate":
      return endNumbers();
    case "state.duration":
      return durationNumbers(context.now);
    case "id":
      throw new Error("Cannot order by id here: use idDirection()");
  }
}
