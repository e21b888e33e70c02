/** A binary heap of timers, earliest first. */
import type { Instant } from "../../base/time/clock.ts";
import type { TimerName } from "../../engine/events.ts";

/** A stored timer. */
export interface DueTimer {
  readonly dueAt: number;
  readonly tenant: string;
  readonly executionId: string;
  readonly name: TimerName;
}

interface Due {
  readonly dueAt: Instant;
}

/** Push and pop take logarithmic time. */
export class TimerHeap<T extends Due = DueTimer> {
  readonly #items: T[] = [];

  /** Due time of the earliest timer. */
  get nextDue(): Instant | undefined {
    return this.#items[0]?.dueAt;
  }

  /** Adds a timer. */
  push(timer: T): void {
    const items = this.#items;
    let index = items.push(timer) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (at(items, parent).dueAt <= timer.dueAt) break;
      items[index] = at(items, parent);
      index = parent;
    }
    items[index] = timer;
  }

  /** Removes and returns the earliest timer if it is due at `now`. */
  popDue(now: Instant): T | undefined {
    const first = this.#items[0];
    if (!first || first.dueAt > now) return undefined;
    const last = this.#items.pop() as T;
    if (this.#items.length > 0) this.#sink(last);
    return first;
  }

  #sink(timer: T): void {
    const items = this.#items;
    let index = 0;
    for (let child = 1; child < items.length; child = 2 * index + 1) {
      const right = child + 1;
      if (right < items.length && at(items, right).dueAt < at(items, child).dueAt) child = right;
      if (at(items, child).dueAt >= timer.dueAt) break;
      items[index] = at(items, child);
      index = child;
    }
    items[index] = timer;
  }
}

function at<T>(items: readonly T[], index: number): T {
  return items[index] as T;
}
