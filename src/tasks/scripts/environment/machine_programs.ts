/** Looks for programs of the machine by running commands, and keeps what it finds: to start a program takes milliseconds. */
import { stringifyJson } from "../../../base/json.ts";
import type { RunContext } from "../../../model/ports/run_context.ts";

/** What was not found is looked for again after this time: it may be installed meanwhile. */
const RETRY_MS = 10 * 60_000;

/** A part of a key of {@link remembered} that changes every ten minutes. */
export function retryTurn({ context }: Pick<ProgramRequest, "context">): number {
  return Math.floor(context.now() / RETRY_MS);
}

/** What programs are looked for with. */
export interface ProgramRequest {
  readonly context: RunContext;
  /** Variables of the flow. */
  readonly env: ReadonlyMap<string, string>;
  /** Runs a command with `env` and further variables; returns its exit code. */
  readonly execute: (
    command: readonly string[],
    onLine: (line: { readonly text: string; readonly isError: boolean }) => void,
    variables?: readonly (readonly [string, string])[],
  ) => Promise<number>;
}

/** What `find` returned for that key, as JSON; kept for a day unless it is `undefined`. */
export async function remembered<Found>(
  { context }: Pick<ProgramRequest, "context">,
  key: readonly (string | number | null)[],
  find: () => Promise<Found | undefined>,
): Promise<Found | undefined> {
  const file = "found.json";
  const directory = await context.ports.workingDirectories.share({
    key: stringifyJson(["program", context.tenant, ...key]),
    now: context.now(),
    signal: context.signal,
    async fill(path) {
      const found = await find();
      if (found === undefined || context.signal.aborted) return false;
      await Deno.writeTextFile(`${path}/${file}`, JSON.stringify(found));
      return true;
    },
  });
  if (!directory) return undefined;
  try {
    return JSON.parse(Deno.readTextFileSync(`${directory.path}/${file}`));
  } finally {
    directory.release();
  }
}

/** Runs a shell script; the last line of its output, `undefined` if it failed. */
export async function lastLine({ execute }: ProgramRequest, script: string): Promise<string | undefined> {
  let last = "";
  const exitCode = await execute(["/bin/sh", "-c", script], ({ text, isError }) => {
    if (!isError) last = text;
  });
  return exitCode === 0 ? last : undefined;
}
