/** Runs one process with all its children to the end; a stop request is followed by SIGKILL after a grace period. */
import type { CancelTimer, Clock } from "../../base/time/clock.ts";
import { LineReader, type ReadLine } from "./lines.ts";
import type { Watchdog, WatchedCommand, WatchedProcess } from "./watchdog.ts";

/** A process to run, and who watches it. */
export interface SupervisedOptions extends Omit<WatchedCommand, "stdin"> {
  readonly starter: Pick<Watchdog, "start">;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Between SIGTERM and SIGKILL; absent: three seconds. */
  readonly graceMs?: number;
  /** Absent: no input. */
  readonly input?: ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly onLine: (line: ReadLine & { readonly isError: boolean }) => Promise<void> | void;
  /** Receives the bytes of the output stream instead of its lines. */
  readonly onOutput?: (bytes: Uint8Array) => Promise<void> | void;
  /** Looks why the process failed, while its control group exists. */
  readonly inspect?: (watched: WatchedProcess) => Promise<Error | undefined>;
  /** Watches the process until the returned function is called; `fail` stops it with an error. */
  readonly watch?: (watched: WatchedProcess, fail: (error: Error) => void) => () => Promise<void>;
}

/** Between SIGTERM and SIGKILL. */
const GRACE_MS = 3_000;
/** The exit code of shells for an unknown program. */
const NOT_FOUND = 127;

/** Runs it to its end; returns the exit code as a shell does. @throws Error it cannot be started, or was stopped by an error */
export async function runSupervised(options: SupervisedOptions): Promise<number> {
  let watched: WatchedProcess;
  try {
    watched = await options.starter.start({ ...options, ...options.input && { stdin: "piped" } });
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    await options.onLine({ text: error.message, isError: true });
    return NOT_FOUND;
  }
  return await runWatched(watched, options);
}

async function runWatched(watched: WatchedProcess, options: SupervisedOptions): Promise<number> {
  const { clock, signal, onLine, onOutput, graceMs = GRACE_MS } = options;
  const { child } = watched;
  const readers = [
    new LineReader(child.stdout, clock, (line) => onLine({ ...line, isError: false }), onOutput),
    new LineReader(child.stderr, clock, (line) => onLine({ ...line, isError: true })),
  ];
  let cancelKill: CancelTimer | undefined;
  let hasEnded = false;
  const stop = () => {
    if (hasEnded || cancelKill) return;
    watched.signal("SIGTERM");
    cancelKill = clock.setTimer(graceMs, () => watched.signal("SIGKILL"));
  };
  // An error of `onLine` stops the process, and is thrown at the end.
  const reads = readers.map((reader) => reader.run());
  for (const read of reads) read.catch(stop);
  let failure: Error | undefined;
  const unwatch = options.watch?.(watched, (error) => {
    failure ??= error;
    stop();
  });
  signal.addEventListener("abort", stop);
  if (signal.aborted) stop();
  const over = new AbortController();
  // It fails when the process reads no more: its end says why.
  const feeding = options.input?.pipeTo(child.stdin, { signal: over.signal }).catch(() => {});
  try {
    const { code } = await child.status;
    hasEnded = true;
    cancelKill?.();
    if (code !== 0 && options.inspect) {
      watched.signal("SIGKILL");
      failure ??= await options.inspect(watched);
    }
    watched.end();
    for (const reader of readers) reader.expectEnd();
    await Promise.allSettled(reads);
    await Promise.all(reads);
    if (failure) throw failure;
    return code;
  } finally {
    over.abort();
    await feeding;
    await unwatch?.();
    signal.removeEventListener("abort", stop);
  }
}
