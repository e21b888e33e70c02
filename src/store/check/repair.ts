/** Writes again what a check found wrong among derived records: catalog rows, counters, indexes. Touches nothing else. */
import type { TenantId } from "../../model/flows/flow.ts";
import { joinBytes } from "../../base/bytes.ts";
import { MAX_BLOCK_ROWS } from "../catalog/rows/row.ts";
import type { Committer, Entry, GroupRider } from "../committer.ts";
import { rowGroupKey } from "../keys.ts";
import type { Mutation } from "../store.ts";
import type { CheckContext } from "./context.ts";

const MUTATIONS_PER_ENTRY = 200;

/** What was written. */
export interface Repaired {
  readonly rows: number;
  readonly otherRecords: number;
}

/**
 * Writes the repairs of a check, in several commits: an interrupted repair is completed by the next one. The rows become
 * unsealed rows, which hide sealed ones. The committer must not have been started.
 */
export async function repairDerived(context: CheckContext, committer: Committer): Promise<Repaired> {
  committer.addRider(new RowWriter());
  await committer.start();
  const { repairs, rows } = context;
  for (let at = 0; at < repairs.length; at += MUTATIONS_PER_ENTRY) {
    await committer.commit({ mutations: repairs.slice(at, at + MUTATIONS_PER_ENTRY) });
  }
  for (const own of Map.groupBy(rows, ({ tenant }) => tenant).values()) {
    for (let at = 0; at < own.length; at += MAX_BLOCK_ROWS) {
      await committer.commit({ mutations: [], facts: { rows: own.slice(at, at + MAX_BLOCK_ROWS) } });
    }
  }
  return { rows: rows.length, otherRecords: repairs.length };
}

/** Stores the rows of each commit as one group of its tenant. */
class RowWriter implements GroupRider {
  contribute(entries: readonly Entry[], seq: number): ReturnType<GroupRider["contribute"]> {
    const rows = entries.flatMap(({ facts }) => facts?.rows ?? []);
    const mutations = [...Map.groupBy(rows, ({ tenant }) => tenant)].map(([tenant, own]) =>
      groupMutation(tenant, seq, own.map(({ row }) => row))
    );
    return { mutations, messages: [] };
  }

  committed(): void {
    // Nothing is kept in memory.
  }

  refused(): void {
    // Nothing is kept in memory.
  }
}

function groupMutation(tenant: TenantId, seq: number, rows: readonly Uint8Array[]): Mutation {
  return { type: "set", key: rowGroupKey(tenant, seq), value: joinBytes(rows) };
}
