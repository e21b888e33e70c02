/** What `deno task bench` was asked for. */
import {
  flag,
  names,
  positiveNumber,
  text,
  type ValuesOf,
  wholeNumber,
} from "../support/processes/command_line.ts";

/** Options of one run. */
export interface BenchOptions {
  /** Numbers or names of rows; empty for all. */
  readonly only: readonly string[];
  /** Length of each load. */
  readonly seconds: number;
  /** Times that both sides of a ratio are measured, one after the other; medians count. */
  readonly rounds: number;
  /** Executions that are stored for the rows that ask for a full store. */
  readonly executions: number;
  /** Level of the server's own log; `info`, its default, writes a line a request. */
  readonly logLevel: string;
  readonly output: "table" | "json" | "markdown";
  /** Files with the JSON of earlier runs: nothing is measured, of each figure the run with the median is reported. */
  readonly merge: readonly string[];
  /** A floor that is not held makes the exit code 1. */
  readonly isStrict: boolean;
  /** Leaves the stores behind. */
  readonly isKeeping: boolean;
  /** Folder of stores that were filled in bulk and are used again by later runs. */
  readonly storesFolder: string | undefined;
}

/** Stored executions of the rows that measure a full store. */
export const FULL_STORE_EXECUTIONS = 1_000_000;

/** Options of `deno task bench`. */
export const OPTIONS = {
  "only": names("numbers or names of rows"),
  "seconds": positiveNumber("length of each load", 6),
  "rounds": wholeNumber("times that each side of a ratio is measured", 3),
  "executions": wholeNumber("executions stored for the rows of a full store", FULL_STORE_EXECUTIONS),
  "log-level": text("of the server under test", "<level>", "info"),
  "json": flag("results as JSON"),
  "markdown": flag("results as a table for a document"),
  "merge": names("files with the JSON of earlier runs: measures nothing, gives their medians"),
  "no-fail": flag("exit code 0 even when a floor is not held"),
  "keep": flag("leaves the stores behind"),
  "stores": text("keeps the stores of row 24 there, and uses those of earlier runs", "<folder>", undefined),
};

/** What these values ask for. */
export function benchOptions(values: ValuesOf<typeof OPTIONS>): BenchOptions {
  const { only, seconds, rounds, executions, merge, json, markdown, keep } = values;
  return {
    ...{ only, seconds, rounds, executions, merge },
    logLevel: values["log-level"],
    output: json ? "json" : markdown ? "markdown" : "table",
    isStrict: !values["no-fail"],
    isKeeping: keep,
    storesFolder: values.stores,
  };
}
