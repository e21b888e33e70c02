/**
 * A rename of a namespace that is under way, and the rows that it moves as they are: KV pairs, files, caches and large values.
 * First all of them are written under the new name, then those under the old name are deleted: whatever the moment of a crash,
 * either name has all that its records refer to, and the rename can be continued from its beginning.
 */
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import type { TenantId } from "../../model/flows/flow.ts";
import { BLOB_CHUNK_BYTES } from "../../model/limits.ts";
import type { BlobRef, Blobs } from "../blobs/blobs.ts";
import { decodeJson } from "../codec.ts";
import type { Committer } from "../committer.ts";
import {
  blobIntentsOf,
  cacheExpiryKey,
  keyInNamespace,
  keysFromNamespace,
  keysOfNamespace,
  kvExpiryKey,
  namespaceRenameKey,
  triggerDueKey,
} from "../keys.ts";
import type { Key, Mutation, Selector, Store, StoredEntry } from "../store.ts";
import { deleteKey, readEntries, readEntry, setJson } from "../stored_entries.ts";
import { decodePair } from "./kv_pair_records.ts";
import { decodeState } from "./trigger_records.ts";
import { decodeSecret, secretMutation, type StoredSecret } from "./secret_records.ts";

/** One namespace and its new name. */
export type NamespaceMove = readonly [from: string, to: string];

/** A rename that is under way. */
export interface NamespaceRename {
  readonly tenant: TenantId;
  /** The namespace, and those below it that are renamed with it. */
  readonly moves: readonly NamespaceMove[];
  /** The user who asked for it. */
  readonly author: string;
}

/** Encrypts a secret for its new name. */
export type Reseal = (secret: StoredSecret, namespace: string) => Uint8Array;

/** Rows of a kind; `indexOf` gives the key of the index that goes with one. */
interface RowKind {
  readonly kind: string;
  readonly indexOf?: (entry: StoredEntry) => Key | undefined;
}

/** What is moved as it is. */
const KINDS: readonly RowKind[] = [
  { kind: "fc" },
  { kind: "tc", indexOf: cacheIndexOf },
  { kind: "kv", indexOf: pairIndexOf },
  { kind: "nf" },
];
/** What is removed under the old name; the triggers have moved with their flows. */
const REMOVED: readonly RowKind[] = [
  ...KINDS,
  { kind: "s" },
  { kind: "tr", indexOf: dueIndexOf },
  { kind: "ti" },
  { kind: "tw" },
];
/** What a namespace can hold apart from its flows. */
const CONTENT_KINDS = ["kv", "nf", "s", "fc"];
/** Of one entry, far below the limits of a commit group. */
const MAX_MUTATIONS = 400;
const MAX_BYTES = 400_000;
const MAX_KEY_BYTES = 60_000;
/** Rows, with values of up to 64 KiB, that are read together. */
const ROWS_AT_ONCE = 16;

/** Reads and writes renames, and moves rows. */
export class RenameRecords {
  readonly #store: Store;
  readonly #committer: Committer;
  readonly #blobs: Blobs;

  constructor({ store, committer, blobs }: { store: Store; committer: Committer; blobs: Blobs }) {
    this.#store = store;
    this.#committer = committer;
    this.#blobs = blobs;
  }

  /** The rename under way in a tenant. */
  find(tenant: TenantId): Promise<NamespaceRename | undefined> {
    return readEntry(this.#store, namespaceRenameKey(tenant), decodeRename);
  }

  /** Stores the beginning of a rename: from now on it is carried out, if need be after a crash. */
  async begin({ tenant, moves, author }: NamespaceRename): Promise<void> {
    const stored = { moves: moves.map(([from, to]) => [from, to]), author };
    await this.#committer.commit({ mutations: [setJson(namespaceRenameKey(tenant), stored)] });
  }

  /** Stores the end of a rename together with other mutations. */
  async end(tenant: TenantId, mutations: readonly Mutation[], committed: () => void): Promise<void> {
    const all = [...mutations, deleteKey(namespaceRenameKey(tenant))];
    await this.#committer.commit({ mutations: all, committed, isRename: true });
  }

  /** The namespace and those below it that hold anything but flows, sorted. Skips the rows of each without reading them. */
  async contentBelow(
    tenant: TenantId,
    parent: string,
    isBelow: (namespace: string) => boolean,
  ): Promise<string[]> {
    const found = new Set<string>();
    for (const kind of CONTENT_KINDS) {
      for (let from = parent;;) {
        const [first] = await Array.fromAsync(
          this.#store.list(keysFromNamespace(tenant, kind, from), { limit: 1 }),
        );
        const namespace = first && String(first.key[2]);
        if (namespace === undefined || !namespace.startsWith(parent)) break;
        if (isBelow(namespace)) found.add(namespace);
        from = `${namespace}\0`;
      }
    }
    return [...found].sort();
  }

  /** True if a namespace holds a KV pair, a file or a secret. */
  async hasContent(tenant: TenantId, namespace: string): Promise<boolean> {
    for (const kind of ["kv", "nf", "s"]) {
      const rows = this.#store.list(keysOfNamespace(tenant, kind, namespace), { limit: 1 });
      for await (const _row of rows) return true;
    }
    return false;
  }

  /** Writes all rows under the new name; what is there already is written again. */
  async copy(tenant: TenantId, [from, to]: NamespaceMove, reseal: Reseal): Promise<void> {
    const batch = new RenameBatch(this.#committer);
    const orphans = await this.#intended(tenant, from);
    for await (const { key, value } of this.#rows(keysOfNamespace(tenant, "b", from))) {
      if (orphans.has(String(key[3]))) continue;
      await batch.add([{ type: "set", key: keyInNamespace(key, to), value }]);
    }
    for (const { kind, indexOf } of KINDS) {
      for await (const entry of this.#rows(keysOfNamespace(tenant, kind, from))) {
        const moved = { ...entry, key: keyInNamespace(entry.key, to) };
        const index = indexOf?.(moved);
        await batch.add([
          { type: "set", key: moved.key, value: entry.value },
          ...index ? [setJson(index, null)] : [],
        ]);
      }
    }
    for await (const entry of this.#rows(keysOfNamespace(tenant, "s", from))) {
      const secret = decodeSecret(entry);
      await batch.add([secretMutation(tenant, { ...secret, namespace: to, sealed: reseal(secret, to) })]);
    }
    await batch.flush();
  }

  /** Deletes all rows under the old name; values after the records that refer to them, and after those who read them. */
  async remove(tenant: TenantId, [from]: NamespaceMove): Promise<void> {
    const batch = new RenameBatch(this.#committer);
    for (const { kind, indexOf } of REMOVED) {
      // In reverse order: a file goes before its directory.
      for await (const entry of this.#rows(keysOfNamespace(tenant, kind, from), true)) {
        const index = indexOf?.(entry);
        await batch.add([entry.key, ...index ? [index] : []].map(deleteKey));
      }
    }
    // From here on a new reader of a value finds that its record is gone.
    await batch.flush();
    const orphans = await this.#intended(tenant, from);
    const read = new Map<string, BlobRef>();
    for await (const { key } of this.#rows(keysOfNamespace(tenant, "b", from), true)) {
      const blobId = String(key[3]);
      if (orphans.has(blobId) || read.has(blobId)) continue;
      // The last chunk comes first.
      if (this.#blobs.isRead(blobId)) {
        read.set(blobId, { blobId, size: (Number(key[4]) + 1) * BLOB_CHUNK_BYTES });
      } else await batch.add([deleteKey(key)]);
    }
    const owner = { tenant, owner: from };
    for (const blob of read.values()) await batch.add([this.#blobs.mark(owner, blob)]);
    await batch.flush();
    for (const blob of read.values()) await this.#blobs.removeMarked(owner, blob);
  }

  /** Commits mutations of a rename in as few entries as possible. */
  batch(): RenameBatch {
    return new RenameBatch(this.#committer);
  }

  /** Large values that no record refers to: their intents are removed with them. */
  async #intended(tenant: TenantId, owner: string): Promise<ReadonlySet<string>> {
    const ids = readEntries(this.#store, blobIntentsOf(tenant, owner), ({ key }) => String(key[3]));
    return new Set(await Array.fromAsync(ids));
  }

  #rows(selector: Selector, reverse = false): AsyncIterable<StoredEntry> {
    return this.#store.list(selector, { batchSize: ROWS_AT_ONCE, reverse });
  }
}

/** Mutations of a rename, committed in order. */
class RenameBatch {
  readonly #committer: Committer;
  #mutations: Mutation[] = [];
  #bytes = 0;
  #keyBytes = 0;

  constructor(committer: Committer) {
    this.#committer = committer;
  }

  /** Adds mutations that belong into one entry. */
  async add(mutations: readonly Mutation[]): Promise<void> {
    const bytes = sum(mutations, (mutation) => mutation.type === "set" ? mutation.value.length : 0);
    const keyBytes = sum(mutations, ({ key }) => sum(key, (part) => String(part).length * 3 + 2));
    const isFull = this.#mutations.length + mutations.length > MAX_MUTATIONS ||
      this.#bytes + bytes > MAX_BYTES || this.#keyBytes + keyBytes > MAX_KEY_BYTES;
    if (isFull) await this.flush();
    this.#mutations.push(...mutations);
    this.#bytes += bytes;
    this.#keyBytes += keyBytes;
  }

  /** Commits what was added; resolves once it is durable. */
  async flush(): Promise<void> {
    const mutations = this.#mutations;
    this.#mutations = [];
    this.#bytes = this.#keyBytes = 0;
    if (mutations.length > 0) await this.#committer.commit({ mutations, isRename: true });
  }
}

/** A stored rename. */
export function decodeRename({ key, value }: StoredEntry): NamespaceRename {
  const stored = decodeJson(value);
  const { moves, author }: JsonObject = isJsonObject(stored) ? stored : {};
  return { tenant: String(key[0]), moves: moves as unknown as NamespaceMove[], author: String(author ?? "") };
}

function pairIndexOf(entry: StoredEntry): Key | undefined {
  const { namespace, key, expiresAt } = decodePair(entry);
  return expiresAt === undefined ? undefined : kvExpiryKey(String(entry.key[0]), expiresAt, namespace, key);
}

function cacheIndexOf({ key, value }: StoredEntry): Key | undefined {
  const [expiresAt] = decodeJson(value) as [number];
  return expiresAt === 0 ? undefined : cacheExpiryKey(expiresAt, key);
}

function dueIndexOf(entry: StoredEntry): Key | undefined {
  const state = decodeState(entry);
  return state.dueAt === undefined ? undefined : triggerDueKey(state.dueAt, String(entry.key[0]), state);
}

function sum<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}
