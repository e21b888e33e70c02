/** What a row of the benchmark is. */
import type { Bench } from "../bench.ts";
import type { RowResult } from "../figures.ts";

/** One row; the numbers and floors are those of `docs/PERFORMANCE.md`. */
export interface Row {
  readonly number: number;
  /** For `--only`. */
  readonly name: string;
  readonly title: string;
  readonly measure: (bench: Bench) => Promise<RowResult>;
}
