/** What `deno task test:overload` was asked for. */
import { parseArgs } from "node:util";

/** Options of one run. */
export interface OverloadOptions {
  /** Names of attacks, each alone; `together` for all at once. Empty: each alone, then together. */
  readonly only: readonly string[];
  /** Length of each attack. */
  readonly seconds: number;
  /** Connections that send nothing, at most. */
  readonly connections: number;
  readonly wantsHelp: boolean;
}

/** Longest attack: the run must end. */
const MAX_SECONDS = 600;
const MAX_CONNECTIONS = 50_000;

/** Text of `--help`. */
export const USAGE = `deno task test:overload [options]
  --seconds <n>      length of each attack (20; at most ${MAX_SECONDS})
  --connections <n>  idle connections (10000; at most ${MAX_CONNECTIONS} and what the limit of open files permits)
  --only <a,b>       names of attacks, each alone; "together" for all at once`;

/** Reads the command line. @throws TypeError for an unknown option; Error for a value out of range */
export function readOptions(args: readonly string[]): OverloadOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seconds: { type: "string", default: "20" },
      connections: { type: "string", default: "10000" },
      only: { type: "string", default: "" },
      help: { type: "boolean", default: false },
    },
  });
  return {
    only: values.only.split(",").filter((name) => name !== ""),
    seconds: readNumber("seconds", values.seconds, MAX_SECONDS),
    connections: readNumber("connections", values.connections, MAX_CONNECTIONS),
    wantsHelp: values.help,
  };
}

function readNumber(option: string, text: string, most: number): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= 1 && number <= most) return number;
  throw new Error(`Invalid option "--${option}": it must be a whole number from 1 to ${most}`);
}
