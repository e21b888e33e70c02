/** Filters of requests, which clients choose: how long they may take. */
import { type Clock, systemClock } from "../base/time/clock.ts";
import { letOthersRun } from "../base/time/turn.ts";
import { DomainError } from "./errors.ts";

/**
 * Time for all filters of a request. Comparing names takes 3 ms for 10,000 flows; only malicious regular expressions take
 * longer than this.
 */
export const MAX_FILTER_MS = 500;
const TURN_MS = 4;

/** The refusal of filters that take longer. */
export function filtersTooSlow(): DomainError {
  return new DomainError(
    "invalid_filter",
    "Invalid filter: comparing all names takes too long; fewer or simpler regular expressions may help",
  );
}

/** The matching items, tested in turns. @throws DomainError invalid_filter: all tests together take too long */
export async function filterInTurns<T>(
  items: readonly T[],
  matches: (item: T) => boolean,
  clock: Clock = systemClock,
): Promise<T[]> {
  const found: T[] = [];
  let leftMs = MAX_FILTER_MS, startedAt = clock.monotonicMs();
  for (const item of items) {
    if (matches(item)) found.push(item);
    const tookMs = clock.monotonicMs() - startedAt;
    if (tookMs < TURN_MS) continue;
    leftMs -= tookMs;
    if (leftMs < 0) throw filtersTooSlow();
    await letOthersRun();
    startedAt = clock.monotonicMs();
  }
  return found;
}
