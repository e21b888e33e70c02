/** The format of the database and the fingerprint of its encryption key. The server does not open data that it cannot read. */
import { decodeJson, encodeJson } from "./codec.ts";
import { META_KEY } from "./keys.ts";
import type { Store } from "./store.ts";

/** The format that this version writes. */
const DATA_FORMAT = 1;

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

/** Checks the format and the key; writes both to a new database. Must be the first write. @throws DataMismatchError */
export async function checkData(store: Store, key: string): Promise<void> {
  const entry = await store.get(META_KEY);
  if (!entry) {
    const meta: Meta = { format: DATA_FORMAT, minReader: DATA_FORMAT, key };
    await store.commit({
      checks: [{ key: META_KEY, versionstamp: null }],
      mutations: [{ type: "set", key: META_KEY, value: encodeJson(meta) }],
      messages: [],
    });
    return;
  }
  const meta = decodeJson(entry.value) as unknown as Meta;
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
}
