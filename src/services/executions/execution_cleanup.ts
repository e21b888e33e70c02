/**
 * Removes the data of deleted executions: task runs, log lines, files, large values. It may be more than one commit holds, so
 * it is removed after the record. A stored key marks the removal, so that the next start completes one that a crash interrupts.
 */
import type { TenantId } from "../../model/flows/flow.ts";
import type { Committer } from "../../store/committer.ts";
import type { Blobs } from "../../store/blobs/blobs.ts";
import type { ExecutionFiles } from "../../store/blobs/execution_files.ts";
import type { ExecutionRecords } from "../../store/records/executions/execution_records.ts";
import { EXECUTION_REMOVALS, executionRemovalKey } from "../../store/keys.ts";
import type { Mutation, Store } from "../../store/store.ts";

interface ExecutionCleanupDeps {
  readonly store: Store;
  readonly committer: Committer;
  readonly records: ExecutionRecords;
  readonly files: ExecutionFiles;
  readonly blobs: Pick<Blobs, "defer">;
}

/** The database moves as many pages as a commit frees: with chunks of 64 KiB, 50 deletes take 11 ms, 200 take 74 ms. */
const DELETES_PER_ENTRY = 50;
/** Commits wait for reads in progress: more of them would delay starts. */
const READS_AT_ONCE = 4;
const MARK = new Uint8Array([1]);

/** Removes the data of deleted executions. */
export class ExecutionCleanup {
  readonly #deps: ExecutionCleanupDeps;

  constructor(deps: ExecutionCleanupDeps) {
    this.#deps = deps;
  }

  /** The mark, to be stored in the entry that deletes the execution; call {@link remove} once that is durable. */
  announce(tenant: TenantId, id: string): Mutation {
    return { type: "set", key: executionRemovalKey(tenant, id), value: MARK };
  }

  /** Removes all data, in several commits. May be repeated. @throws DomainError if the database refuses */
  remove(tenant: TenantId, id: string): Promise<void> {
    return this.removeMany(tenant, [id]);
  }

  /** As {@link remove} for several executions, in as few commits as possible. What is still being read is removed after that. */
  async removeMany(tenant: TenantId, ids: readonly string[]): Promise<void> {
    const { blobs } = this.#deps;
    const unread = ids.filter((id) => !blobs.defer(id, () => this.remove(tenant, id)));
    let mutations: Mutation[] = [];
    for (let i = 0; i < unread.length; i += READS_AT_ONCE) {
      const some = unread.slice(i, i + READS_AT_ONCE).map((id) => this.#mutations(tenant, id));
      mutations.push(...(await Promise.all(some)).flat());
      while (mutations.length >= DELETES_PER_ENTRY) {
        await this.#commit(mutations.slice(0, DELETES_PER_ENTRY));
        mutations = mutations.slice(DELETES_PER_ENTRY);
      }
    }
    if (mutations.length > 0) await this.#commit(mutations);
  }

  /** Completes the removals that a crash interrupted; returns their number. */
  async resume(): Promise<number> {
    const interrupted: [TenantId, string][] = [];
    for await (const { key } of this.#deps.store.list(EXECUTION_REMOVALS)) {
      interrupted.push([String(key[1]), String(key[2])]);
    }
    for (const [tenant, id] of interrupted) await this.remove(tenant, id);
    return interrupted.length;
  }

  async #mutations(tenant: TenantId, id: string): Promise<Mutation[]> {
    const { records, files } = this.#deps;
    return [
      ...await records.removalsOf(tenant, id),
      ...await files.removal(tenant, id),
      // The mark is deleted last.
      { type: "delete", key: executionRemovalKey(tenant, id) },
    ];
  }

  async #commit(mutations: readonly Mutation[]): Promise<void> {
    await this.#deps.committer.commit({ mutations, bulk: true });
  }
}
