/** Waits between the tries of a worker. */
import type { Clock } from "../base/time/clock.ts";

/** Resolves after `ms`, or when the signal aborts. */
export async function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = () => resolve();
  const cancel = clock.setTimer(ms, stop);
  signal.addEventListener("abort", stop, { once: true });
  await promise;
  signal.removeEventListener("abort", stop);
  cancel();
}
