/** What was committed, for those who wait for it: `wait=true`, event streams. Nothing is published before it is durable. */

/** Called after each commit that changed the execution. */
type ChangeListener = () => void;

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

  /** Tells those who wait for that execution. */
  publish(tenant: string, executionId: string): void {
    if (this.#listeners.size === 0) return;
    const listeners = this.#listeners.get(`${tenant}/${executionId}`);
    if (listeners) { for (const listener of [...listeners]) listener(); }
  }

  /** Number of executions somebody waits for. */
  get size(): number {
    return this.#listeners.size;
  }
}
