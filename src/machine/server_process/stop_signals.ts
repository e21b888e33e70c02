/** Signals that stop a process: the first one lets it end its work, a later one does not. */
import type { Clock } from "../../base/time/clock.ts";

/**
 * Signals within this time of the first are the same one: a terminal sends Ctrl-C to all its processes, and those that have
 * started the server, such as `deno task` and npm, pass theirs on to it.
 */
const SAME_SIGNAL_MS = 1_000;

/** Where signals come from. */
interface SignalSource {
  readonly clock: Clock;
  listenSignals(listener: (exitCode: number) => void): () => void;
}

/** What to do at signals. */
interface StopListener {
  /** At the first one. */
  readonly stop: () => void;
  /** At a later one, with the exit code that it asks for. */
  readonly exit: (exitCode: number) => void;
}

/** Listens to the stop signals until the returned function is called. */
export function listenStopSignals(
  source: SignalSource,
  { stop, exit }: StopListener,
): () => void {
  let firstAt: number | undefined;
  return source.listenSignals((exitCode) => {
    const now = source.clock.monotonicMs();
    if (firstAt !== undefined) {
      if (now - firstAt >= SAME_SIGNAL_MS) exit(exitCode);
      return;
    }
    firstAt = now;
    stop();
  });
}
