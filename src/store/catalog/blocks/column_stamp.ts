/** Stamps of a column file: which state of the database it describes, and under which conditions it is complete. */
import type { TenantId } from "../../../model/flows/flow.ts";
import { blockKey, blocksOf, catalogSnapshotKey } from "../../keys.ts";
import type { Store, StoredEntry } from "../../store.ts";

/** What changes with each sealing: the versions of the counters and of the newest block. */
type CatalogVersion = readonly string[];

/** The system run of a stamp whose file was stored completely. */
export const SYNCED = "synced";

/** The version of the sealed rows of a tenant; empty while there is no snapshot of the counters. */
export async function versionOf(store: Store, tenant: TenantId): Promise<CatalogVersion> {
  const snapshot = await store.get(catalogSnapshotKey(tenant));
  const [newest] = await Array.fromAsync(store.list(blocksOf(tenant), { reverse: true, limit: 1 }));
  return snapshot && newest ? [snapshot.versionstamp, firstIdOf(newest), newest.versionstamp] : [];
}

/** The text of a stamp; `undefined` without a version or a system run. */
export function stampOf(version: CatalogVersion, systemRun: string | undefined): string | undefined {
  return version.length > 0 && systemRun !== undefined ? [...version, systemRun].join(" ") : undefined;
}

/** The last stamps of a file that is complete and up to date. */
export function validStamps(version: CatalogVersion, systemRun: string | undefined): string[] {
  return [SYNCED, systemRun].flatMap((run) => stampOf(version, run) ?? []);
}

/** Part of the key of a stored block. */
export function firstIdOf({ key }: Pick<StoredEntry, "key">): string {
  return String(key[blockKey("", "").length - 1]);
}
