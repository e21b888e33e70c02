/** Runs one process with all its children to the end; a stop request is followed by SIGKILL after a grace period. */
import type { CancelTimer, Clock } from "../../base/clock.ts";
import { LineReader, type ReadLine } from "./lines.ts";
import type { Watchdog, WatchedCommand, WatchedProcess } from "./watchdog.ts";

interface SupervisedOptions extends WatchedCommand {
  readonly starter: Pick<Watchdog, "start">;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onLine: (line: ReadLine & { readonly isError: boolean }) => Promise<void> | void;
}

/** Between SIGTERM and SIGKILL. */
const GRACE_MS = 3_000;
/** The exit code of shells for an unknown program. */
const NOT_FOUND = 127;

/** Runs it to its end; returns the exit code as a shell does. @throws Error it cannot be started */
export async function runSupervised(options: SupervisedOptions): Promise<number> {
  let watched: WatchedProcess;
  try {
    watched = await options.starter.start(options);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    await options.onLine({ text: error.message, isError: true });
    return NOT_FOUND;
  }
  return await runWatched(watched, options);
}

async function runWatched(watched: WatchedProcess, options: SupervisedOptions): Promise<number> {
  const { clock, signal, onLine } = options;
  const { child } = watched;
  const readers = [
    new LineReader(child.stdout, clock, (line) => onLine({ ...line, isError: false })),
    new LineReader(child.stderr, clock, (line) => onLine({ ...line, isError: true })),
  ];
  let cancelKill: CancelTimer | undefined;
  let hasEnded = false;
  const stop = () => {
    if (hasEnded || cancelKill) return;
    watched.signal("SIGTERM");
    cancelKill = clock.setTimer(GRACE_MS, () => watched.signal("SIGKILL"));
  };
  // An error of `onLine` stops the process, and is thrown at the end.
  const reads = readers.map((reader) => reader.run());
  for (const read of reads) read.catch(stop);
  signal.addEventListener("abort", stop);
  if (signal.aborted) stop();
  try {
    const { code } = await child.status;
    hasEnded = true;
    cancelKill?.();
    watched.end();
    for (const reader of readers) reader.expectEnd();
    await Promise.allSettled(reads);
    await Promise.all(reads);
    return code;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
