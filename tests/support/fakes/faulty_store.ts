/**
 * A store that injects faults: conflicts, errors before or after a write, delays, a full or broken disk, failing reads, and
 * writes that land late.
 */
import type { DiskProblem } from "../../../src/model/server_health.ts";
import {
  type Atomic,
  type Key,
  type ListOptions,
  type Selector,
  type Store,
  type StoredEntry,
  UnsentError,
} from "../../../src/store/store.ts";

/** The fault of one commit. `fail_after` writes it, then throws; `late` throws, and {@link FaultyStore.land} writes it. */
export type Fault =
  | "none"
  | "conflict"
  | "fail_before"
  | "fail_after"
  | "late"
  | "unsent"
  | "delay"
  | "full"
  | "io_error";

/** Chooses the fault of a commit; `commit` counts from 1. */
export type FaultPlan = (commit: number, atomic: Atomic) => Fault;

/** Delegates to another store and injects the faults of its plan into commits. */
export class FaultyStore implements Store {
  readonly inner: Store;
  plan: FaultPlan;
  commits = 0;
  /** What the disk would report to a file that is written beside the database. */
  diskProblem: DiskProblem | undefined;
  isReserveReleased = false;
  /** Bytes that the disk has left. */
  free = Infinity;
  landsLate = false;
  /** Commits that may still be written. */
  readonly late: Atomic[] = [];
  /** Reads fail while it is set. */
  isUnreadable = false;
  /** Executions whose records cannot be read. */
  readonly unreadable = new Set<string>();

  constructor(inner: Store, plan: FaultPlan = () => "none") {
    this.inner = inner;
    this.plan = plan;
  }

  get hasQueue(): boolean {
    return this.inner.hasQueue;
  }

  get(key: Key): Promise<StoredEntry | null> {
    const isRefused = this.isUnreadable || this.#isUnreadable(key);
    return isRefused ? Promise.reject(unreadable()) : this.inner.get(key);
  }

  getMany(keys: readonly Key[]): Promise<(StoredEntry | null)[]> {
    const isRefused = keys.some((key) => this.#isUnreadable(key));
    return isRefused ? Promise.reject(unreadable()) : this.inner.getMany(keys);
  }

  list(selector: Selector, options?: ListOptions): AsyncIterable<StoredEntry> {
    return this.inner.list(selector, options);
  }

  async commit(atomic: Atomic): Promise<string | null> {
    switch (this.plan(++this.commits, atomic)) {
      case "conflict":
        return null;
      case "fail_before":
        throw new Error("injected: not written");
      case "late":
        this.late.push(atomic);
        throw new Error("injected: not written yet");
      case "unsent":
        throw new UnsentError("injected: not connected");
      case "full":
        throw new Error("database or disk is full");
      case "io_error":
        throw new Error("disk I/O error");
      case "fail_after":
        await this.inner.commit(atomic);
        throw new Error("injected: written, but the response was lost");
      case "delay":
        for (let turn = 0; turn < 5; turn++) await Promise.resolve();
        return await this.inner.commit(atomic);
      case "none":
        return await this.inner.commit(atomic);
    }
  }

  /** Writes the late commits whose checks still hold, in their order. */
  async land(): Promise<void> {
    for (const atomic of this.late.splice(0)) await this.inner.commit(atomic);
  }

  listenQueue(handler: (payload: string) => Promise<void>): Promise<void> {
    return this.inner.listenQueue(handler);
  }

  watch(key: Key, onChange: () => void): () => void {
    return this.inner.watch(key, onChange);
  }

  releaseReserve(): Promise<boolean> {
    this.isReserveReleased = true;
    return this.inner.releaseReserve();
  }

  findDiskProblem(): Promise<DiskProblem | undefined> {
    return Promise.resolve(this.diskProblem);
  }

  freeBytes(): Promise<number> {
    return Promise.resolve(this.free);
  }

  close(): void {
    this.inner.close();
  }

  #isUnreadable([, kind, id]: Key): boolean {
    return kind === "x" && this.unreadable.has(String(id));
  }
}

function unreadable(): Error {
  return new Error("database disk image is malformed");
}
