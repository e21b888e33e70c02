/** The format of the database and the fingerprint of its encryption key. The server does not open data that it cannot read. */
import { decodeJson, encodeJson } from "./codec.ts";
import { META_KEY } from "./keys.ts";
import type { Store } from "./store.ts";

/**
 * The format that this version writes, and the oldest that reads it. 1: executions are plain JSON. 2: executions with inline
 * task runs leave out what follows from other members. 3: blocks of the catalog have other keys. 4: so have the chain and the
 * manifests. 5: passes of a Loop refer to inputs of other executions; pages and headers of executions may have several parts.
 */
const DATA_FORMAT = 5;

/** The data was written by a newer version, or with another encryption key. */
export class DataMismatchError extends Error {
  override readonly name = "DataMismatchError";
}

interface Meta {
  readonly format: number;
  /** The oldest format version that can read the data. */
  readonly minReader: number;
  readonly key: string;
}

/** Identifies a key without revealing it: 16 hex digits of a hash. */
export async function keyFingerprint(encryptionKey: Uint8Array<ArrayBuffer>): Promise<string> {
  const label = new TextEncoder().encode("sluice encryption key ");
  const hash = await crypto.subtle.digest("SHA-256", new Uint8Array([...label, ...encryptionKey]));
  return new Uint8Array(hash, 0, 8).toHex();
}

interface StoredMeta {
  readonly meta: Meta;
  readonly versionstamp: string;
}

async function readMeta(store: Store): Promise<StoredMeta | undefined> {
  const entry = await store.get(META_KEY);
  return entry
    ? { meta: decodeJson(entry.value) as unknown as Meta, versionstamp: entry.versionstamp }
    : undefined;
}

/** Another process may write its own at the same time: the one that is stored counts. */
async function createMeta(store: Store, key: string): Promise<StoredMeta> {
  const meta: Meta = { format: DATA_FORMAT, minReader: DATA_FORMAT, key };
  const writing = store.commit({
    checks: [{ key: META_KEY, versionstamp: null }],
    mutations: [{ type: "set", key: META_KEY, value: encodeJson(meta) }],
    messages: [],
  });
  const [outcome] = await Promise.allSettled([writing]);
  const stored = await readMeta(store);
  if (stored) return stored;
  throw outcome.status === "rejected" ? outcome.reason : new Error("Cannot write the format of the data");
}

/**
 * Checks the format and the key; writes both to a new database. Must be the first write. Gives the versionstamp of what was
 * checked. @throws DataMismatchError
 */
export async function checkData(store: Store, key: string): Promise<string> {
  const { meta, versionstamp } = await readMeta(store) ?? await createMeta(store, key);
  if (meta.minReader > DATA_FORMAT) {
    throw new DataMismatchError(
      `the data was written by a newer version (format ${meta.format}; this version reads up to ${DATA_FORMAT})`,
    );
  }
  if (meta.key !== key) {
    throw new DataMismatchError(
      "its secrets are encrypted with another key; give that key (--encryption-key, or the file encryption.key)",
    );
  }
  return versionstamp;
}

/**
 * As {@link checkData}; also raises the stored format to that of this version, so that no older version opens the data.
 * Called before the first write to the data. @throws DataMismatchError
 */
export async function prepareData(store: Store, key: string): Promise<string> {
  for (;;) {
    const versionstamp = await checkData(store, key);
    const stored = await readMeta(store);
    if (stored?.versionstamp !== versionstamp) continue;
    if (stored.meta.format >= DATA_FORMAT) return versionstamp;
    // Another process may raise it at the same time: the next round reads what is stored.
    await raise(store, stored);
  }
}

/** Raises the stored format, if there is one, as {@link prepareData} does; for data whose key is not known. No other process writes. */
export async function raiseFormat(store: Store): Promise<void> {
  const stored = await readMeta(store);
  if (stored && stored.meta.format < DATA_FORMAT) await raise(store, stored);
}

async function raise(store: Store, { meta: stored, versionstamp }: StoredMeta): Promise<void> {
  const meta: Meta = { ...stored, format: DATA_FORMAT, minReader: DATA_FORMAT };
  await store.commit({
    checks: [{ key: META_KEY, versionstamp }],
    mutations: [{ type: "set", key: META_KEY, value: encodeJson(meta) }],
    messages: [],
  });
}
