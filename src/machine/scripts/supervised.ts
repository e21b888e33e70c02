/** One process with everything that it starts, to the end of all: asked to stop, it stops, or is made to. */
import type { Clock } from "../../base/clock.ts";
import { LineReader, type ReadLine } from "./lines.ts";
import type { Watchdog, WatchedCommand, WatchedProcess } from "./watchdog.ts";

/** What is started, and who hears of it. */
interface SupervisedOptions extends WatchedCommand {
  readonly starter: Pick<Watchdog, "start">;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onLine: (line: ReadLine & { readonly isError: boolean }) => Promise<void> | void;
}

/** Between the signal that asks to stop and the one that makes stop. */
const GRACE_MS = 3_000;
/** As a shell says that there is no such program. */
const NOT_FOUND = 127;

/** Runs it to its end; the exit code as a shell says it. @throws Error it cannot be started */
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
  const stopping = new Stopping(watched, clock);
  const stop = () => stopping.begin();
  // Whoever takes the lines may not want them any more; why is told at the end.
  const reads = readers.map((reader) => reader.run());
  for (const read of reads) read.catch(stop);
  signal.addEventListener("abort", stop);
  if (signal.aborted) stop();
  try {
    const { code } = await child.status;
    stopping.end();
    for (const reader of readers) reader.expectEnd();
    await Promise.allSettled(reads);
    await Promise.all(reads);
    return code;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** Ends a process and its group. */
class Stopping {
  readonly #watched: WatchedProcess;
  readonly #clock: Clock;
  #isBegun = false;
  #cancelTimer = () => {};

  constructor(watched: WatchedProcess, clock: Clock) {
    this.#watched = watched;
    this.#clock = clock;
  }

  /** Asks it to stop; makes it stop when it has not after a while. Once it has ended there is nobody to ask. */
  begin(): void {
    if (this.#isBegun) return;
    this.#isBegun = true;
    this.#watched.signal("SIGTERM");
    this.#cancelTimer = this.#clock.setTimer(GRACE_MS, () => this.#watched.signal("SIGKILL"));
  }

  /** The process itself has ended: what it has left behind ends too. */
  end(): void {
    this.#isBegun = true;
    this.#cancelTimer();
    this.#watched.end();
  }
}
