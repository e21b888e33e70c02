/** Signs of life of the processes of a cluster. Each process writes its own; the committer belongs to the leader. */
import type { Clock, Instant } from "../../base/time/clock.ts";
import type { ClusterProcess } from "../../model/cluster.ts";
import type { ReadTime } from "../clock_skew.ts";
import { decodeJson, encodeJson } from "../codec.ts";
import { beatKey, BEATS } from "../keys.ts";
import type { Store, StoredEntry } from "../store.ts";

/** Interval of the signs of life, in milliseconds. */
export const BEAT_MS = 5_000;
/** A process that was silent longer is not listed. */
const SILENT_MS = 4 * BEAT_MS;
/** Entries of processes that were silent longer are removed: their clocks may differ from that of the reader. */
const FORGET_MS = 120 * BEAT_MS;
/** Most processes that are listed. */
const MAX_PROCESSES = 1_000;

/** Reads and writes them. */
export class BeatRecords {
  readonly #store: Store;
  readonly #clock: Clock;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Stores the state of a process. @throws Error it may not be stored */
  async write(process: ClusterProcess): Promise<void> {
    const mutation = { type: "set", key: beatKey(process.id), value: encodeJson(process) } as const;
    await this.#store.commit({ checks: [], mutations: [mutation], messages: [] });
  }

  /** Removes the entry of a process that ends. @throws Error it may still be there */
  async remove(id: string): Promise<void> {
    await this.#store.commit({ checks: [], mutations: [{ type: "delete", key: beatKey(id) }], messages: [] });
  }

  /** The processes that live, by id. Removes what was silent for long. @throws DomainError unavailable: the database cannot be read */
  async list(): Promise<ClusterProcess[]> {
    const found: ClusterProcess[] = [];
    for await (const entry of this.#store.list(BEATS, { limit: MAX_PROCESSES })) {
      const process = decodeJson(entry.value) as unknown as ClusterProcess;
      const silentMs = this.#clock.now() - process.seenAt;
      if (silentMs <= SILENT_MS) found.push(process);
      else if (silentMs > FORGET_MS) await this.#forget(entry);
    }
    return found;
  }

  /** When each process wrote its entry, by its own clock. @throws DomainError unavailable: the database cannot be read */
  async instants(): Promise<{ readonly written: Map<string, Instant>; readonly read: ReadTime }> {
    const sentAt = this.#clock.now();
    const entries = await Array.fromAsync(this.#store.list(BEATS, { limit: MAX_PROCESSES }));
    const processes = entries.map(({ value }) => decodeJson(value) as unknown as ClusterProcess);
    const written = new Map(processes.map(({ id, seenAt }) => [id, seenAt]));
    return { written, read: { sentAt, doneAt: this.#clock.now() } };
  }

  async #forget({ key, versionstamp }: StoredEntry): Promise<void> {
    const mutations = [{ type: "delete", key }] as const;
    await Promise.allSettled([
      this.#store.commit({ checks: [{ key, versionstamp }], mutations, messages: [] }),
    ]);
  }
}
