/** Blocks of data of formats 1 and 2, which have other keys. */
import type { TenantId } from "../../../model/flows/flow.ts";
import type { Entry } from "../../committer.ts";
import { blockKey } from "../../keys.ts";
import { oldBlocksOf } from "../../old_keys.ts";
import type { Store } from "../../store.ts";
import { deleteKey } from "../../stored_entries.ts";

/** Blocks of one round: half a megabyte. */
const BLOCKS_PER_ROUND = 8;

/**
 * Moves the blocks of a tenant to the keys of this version; 10 million rows are some 560 MB. Oldest first, each by one atomic entry,
 * so that after a crash the moved blocks are those before the others. Does nothing when there are none.
 */
export async function moveOldBlocks(
  store: Store,
  tenant: TenantId,
  commit: (entry: Entry) => Promise<void>,
): Promise<void> {
  for (;;) {
    const old = await Array.fromAsync(store.list(oldBlocksOf(tenant), { limit: BLOCKS_PER_ROUND }));
    if (old.length === 0) return;
    await Promise.all(old.map(({ key, value }) =>
      commit({
        mutations: [{ type: "set", key: blockKey(tenant, String(key[2])), value }, deleteKey(key)],
        bulk: true,
      })
    ));
  }
}
