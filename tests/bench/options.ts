/** What `deno task bench` was asked for. */
import { parseArgs } from "node:util";

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
  readonly wantsHelp: boolean;
}

/** Stored executions of the rows that measure a full store. */
export const FULL_STORE_EXECUTIONS = 1_000_000;

/** Text of `--help`. */
export const USAGE = `deno task bench [options]
  --only <row,row>     numbers or names of rows
  --seconds <n>        length of each load (6)
  --rounds <n>         times each side of a ratio is measured (3)
  --executions <n>     executions stored for the rows of a full store (${FULL_STORE_EXECUTIONS})
  --log-level <level>  of the server under test (info)
  --json               results as JSON
  --markdown           results as a table for a document
  --merge <file,file>  measures nothing: medians of the JSON results in these files
  --no-fail            exit code 0 even when a floor is not held
  --keep               leaves the stores behind
  --stores <folder>    keeps the stores of row 24 there, and uses those of earlier runs`;

/** Reads the command line. @throws TypeError for an unknown option; Error for a value that is no number above 0 */
export function readOptions(args: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      "only": { type: "string", default: "" },
      "seconds": { type: "string", default: "6" },
      "rounds": { type: "string", default: "3" },
      "executions": { type: "string", default: String(FULL_STORE_EXECUTIONS) },
      "log-level": { type: "string", default: "info" },
      "json": { type: "boolean", default: false },
      "markdown": { type: "boolean", default: false },
      "merge": { type: "string", default: "" },
      "no-fail": { type: "boolean", default: false },
      "keep": { type: "boolean", default: false },
      "stores": { type: "string" },
      "help": { type: "boolean", default: false },
    },
  });
  return {
    only: readList(values.only),
    merge: readList(values.merge),
    seconds: readNumber("seconds", values.seconds),
    rounds: Math.ceil(readNumber("rounds", values.rounds)),
    executions: Math.ceil(readNumber("executions", values.executions)),
    logLevel: values["log-level"],
    output: values.json ? "json" : values.markdown ? "markdown" : "table",
    isStrict: !values["no-fail"],
    isKeeping: values.keep,
    storesFolder: values.stores,
    wantsHelp: values.help,
  };
}

function readList(text: string): string[] {
  return text.split(",").map((name) => name.trim()).filter((name) => name !== "");
}

function readNumber(name: string, text: string): number {
  const number = Number(text.replaceAll("_", ""));
  if (number > 0 && Number.isFinite(number)) return number;
  throw new Error(`Cannot read --${name}: it must be a number above 0, but is "${text}"`);
}
