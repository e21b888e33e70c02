/**
 * What a deleted execution leaves behind: task runs, log lines, files, large values. There may be more of it than one
 * commit takes, so it goes after the record; a key remembers it, and a crash on the way is made good at the next start.
 */
import type { TenantId } from "../model/flow.ts";
import type { Committer } from "../store/committer.ts";
import type { ExecutionFiles } from "../store/execution_files.ts";
import type { ExecutionRecords } from "../store/execution_records.ts";
import { EXECUTION_REMOVALS, executionRemovalKey } from "../store/keys.ts";
import type { Mutation, Store } from "../store/store.ts";

/** What the removal works with. */
export interface ExecutionRemainsDeps {
  readonly store: Store;
  readonly committer: Committer;
  readonly records: ExecutionRecords;
  readonly files: ExecutionFiles;
}

const DELETES_PER_ENTRY = 200;
const ONGOING = new Uint8Array([1]);

/** Removes what belongs to executions that are gone. */
export class ExecutionRemains {
  readonly #deps: ExecutionRemainsDeps;

  constructor(deps: ExecutionRemainsDeps) {
    this.#deps = deps;
  }

  /** What the entry that deletes the execution must carry; {@link remove} follows once it is durable. */
  announce(tenant: TenantId, id: string): Mutation {
    return { type: "set", key: executionRemovalKey(tenant, id), value: ONGOING };
  }

  /** Removes everything, piece by piece. May be called again. @throws DomainError when the database refuses */
  async remove(tenant: TenantId, id: string): Promise<void> {
    const { records, files, committer } = this.#deps;
    const mutations = [...await records.remains(tenant, id), ...await files.removal(tenant, id)];
    mutations.push({ type: "delete", key: executionRemovalKey(tenant, id) });
    for (let i = 0; i < mutations.length; i += DELETES_PER_ENTRY) {
      await committer.commit({ mutations: mutations.slice(i, i + DELETES_PER_ENTRY), bulk: true });
    }
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
}
