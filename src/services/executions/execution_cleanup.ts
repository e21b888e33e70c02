/**
 * What a deleted execution leaves behind: task runs, log lines, files, large values. There may be more of it than one
 * commit takes, so it goes after the record; a key remembers it, and a crash on the way is made good at the next start.
 */
import type { TenantId } from "../../model/flows/flow.ts";
import type { Committer } from "../../store/committer.ts";
import type { ExecutionFiles } from "../../store/blobs/execution_files.ts";
import type { ExecutionRecords } from "../../store/records/execution_records.ts";
import { EXECUTION_REMOVALS, executionRemovalKey } from "../../store/keys.ts";
import type { Mutation, Store } from "../../store/store.ts";

/** What the removal works with. */
interface ExecutionCleanupDeps {
  readonly store: Store;
  readonly committer: Committer;
  readonly records: ExecutionRecords;
  readonly files: ExecutionFiles;
}

const DELETES_PER_ENTRY = 200;
/** Commits wait for the reads that are under way: more would cost starts their time. */
const READS_AT_ONCE = 4;
const ONGOING = new Uint8Array([1]);

/** Removes what belongs to executions that are gone. */
export class ExecutionCleanup {
  readonly #deps: ExecutionCleanupDeps;

  constructor(deps: ExecutionCleanupDeps) {
    this.#deps = deps;
  }

  /** What the entry that deletes the execution must carry; {@link remove} follows once it is durable. */
  announce(tenant: TenantId, id: string): Mutation {
    return { type: "set", key: executionRemovalKey(tenant, id), value: ONGOING };
  }

  /** Removes everything, piece by piece. May be called again. @throws DomainError when the database refuses */
  remove(tenant: TenantId, id: string): Promise<void> {
    return this.removeMany(tenant, [id]);
  }

  /** As {@link remove}, of several, with as few commits as they take. */
  async removeMany(tenant: TenantId, ids: readonly string[]): Promise<void> {
    let mutations: Mutation[] = [];
    for (let i = 0; i < ids.length; i += READS_AT_ONCE) {
      const some = ids.slice(i, i + READS_AT_ONCE).map((id) => this.#mutations(tenant, id));
      mutations.push(...(await Promise.all(some)).flat());
      while (mutations.length >= DELETES_PER_ENTRY) {
        await this.#commit(mutations.slice(0, DELETES_PER_ENTRY));
        mutations = mutations.slice(DELETES_PER_ENTRY);
      }
    }
    if (mutations.length > 0) await this.#commit(mutations);
  }

  /** Ends the removals that a crash interrupted; gives their number. */
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
      // Behind what it stands for.
      { type: "delete", key: executionRemovalKey(tenant, id) },
    ];
  }

  async #commit(mutations: readonly Mutation[]): Promise<void> {
    await this.#deps.committer.commit({ mutations, bulk: true });
  }
}
