/** Notifies of commits that changed an execution: `wait=true`, event streams. Nothing is published before it is durable. */
import type { Clock } from "../base/time/clock.ts";

/** Called after each commit that changed the execution. */
type ChangeListener = () => void;

/** How long {@link Changes.until} waits. */
interface WaitLimits {
  readonly clock: Pick<Clock, "setTimer">;
  readonly timeoutMs: number;
  /** Ends the wait early. */
  readonly signal?: AbortSignal;
}

/** Listeners by execution. */
export class Changes {
  readonly #listeners = new Map<string, Set<ChangeListener>>();

  /** Calls `listener` after each commit that changes that execution, until the returned function is called. */
  subscribe(tenant: string, executionId: string, listener: ChangeListener): () => void {
    const key = `${tenant}/${executionId}`;
    const listeners = this.#listeners.get(key) ?? new Set();
    this.#listeners.set(key, listeners);
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(key) === listeners) this.#listeners.delete(key);
    };
  }

  /**
   * Waits until `isDone` holds. It is evaluated at once, after each commit that changes that execution (a commit during
   * an evaluation causes another one), and a last time at the limit. False when it did not hold within the limits.
   */
  async until(
    { tenant, id }: { readonly tenant: string; readonly id: string },
    isDone: () => boolean | Promise<boolean>,
    { clock, timeoutMs, signal }: WaitLimits,
  ): Promise<boolean> {
    let wake = () => {};
    let isOver = signal?.aborted ?? false;
    const end = () => {
      isOver = true;
      wake();
    };
    const unsubscribe = this.subscribe(tenant, id, () => wake());
    const cancelTimer = clock.setTimer(timeoutMs, end);
    signal?.addEventListener("abort", end);
    try {
      for (;;) {
        const changed = new Promise<void>((resolve) => wake = resolve);
        const isLast = isOver;
        if (await isDone()) return true;
        if (isLast) return false;
        if (!isOver) await changed;
      }
    } finally {
      unsubscribe();
      cancelTimer();
      signal?.removeEventListener("abort", end);
    }
  }

  /** Calls the listeners of that execution. */
  publish(tenant: string, executionId: string): void {
    if (this.#listeners.size === 0) return;
    const listeners = this.#listeners.get(`${tenant}/${executionId}`);
    if (listeners) { for (const listener of [...listeners]) listener(); }
  }

  /** Calls the listeners of all executions of a tenant. */
  publishTenant(tenant: string): void {
    const prefix = `${tenant}/`;
    for (const [key, listeners] of [...this.#listeners]) {
      if (key.startsWith(prefix)) { for (const listener of [...listeners]) listener(); }
    }
  }

  /** Number of executions with a listener. */
  get size(): number {
    return this.#listeners.size;
  }
}
