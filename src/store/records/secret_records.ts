/** Stored secrets: ciphertext and public metadata. Has no access to the encryption key. */
import type { Instant } from "../../base/time/clock.ts";
import type { TenantId } from "../../model/flows/flow.ts";
import { decodeJson } from "../codec.ts";
import type { Committer } from "../committer.ts";
import { secretKey, secretsOf, secretsOfTenant } from "../keys.ts";
import type { Mutation, Store, StoredEntry } from "../store.ts";
import { deleteKey, readEntries, readEntry, setJson } from "../stored_entries.ts";

/** Names a secret within its tenant. */
export interface SecretId {
  readonly namespace: string;
  readonly name: string;
}

/** A tag of a secret. */
export interface SecretTag {
  readonly key: string;
  readonly value: string;
}

/** When a flow read the value of a secret, and which one: `<namespace>.<flow>`. */
export interface SecretUse {
  readonly at: Instant;
  readonly by: string;
}

/** The public metadata of a secret. */
export interface SecretInfo extends SecretId {
  readonly description?: string;
  readonly tags: readonly SecretTag[];
  readonly updatedAt: Instant;
  readonly lastUse?: SecretUse;
}

/** A secret as stored. */
export interface StoredSecret extends SecretInfo {
  readonly sealed: Uint8Array;
}

/** Reads and writes secrets. */
export class SecretRecords {
  readonly #store: Store;
  readonly #committer: Committer;

  constructor(store: Store, committer: Committer) {
    this.#store = store;
    this.#committer = committer;
  }

  /** The secret, or `undefined`. */
  get(tenant: TenantId, { namespace, name }: SecretId): Promise<StoredSecret | undefined> {
    return readEntry(this.#store, secretKey(tenant, namespace, name), decodeSecret);
  }

  /** Writes the secret; resolves once durable. */
  async put(tenant: TenantId, secret: StoredSecret): Promise<void> {
    await this.#committer.commit({ mutations: [secretMutation(tenant, secret)] });
  }

  /** Removes the secret; resolves once durable. */
  async delete(tenant: TenantId, { namespace, name }: SecretId): Promise<void> {
    await this.#committer.commit({ mutations: [deleteKey(secretKey(tenant, namespace, name))] });
  }

  /** The secrets of a namespace, ordered by name; without `namespace` those of all namespaces. */
  list(tenant: TenantId, namespace?: string): Promise<SecretInfo[]> {
    const selector = namespace === undefined ? secretsOfTenant(tenant) : secretsOf(tenant, namespace);
    return Array.fromAsync(readEntries(this.#store, selector, decodeInfo));
  }
}

type PackedSecret = [
  sealed: string,
  updatedAt: Instant,
  description: string | null,
  tags: [string, string][],
  /** Absent before the first use. */
  lastUsedAt?: Instant,
  lastUsedBy?: string,
];

/** Writes a secret. */
export function secretMutation(tenant: TenantId, secret: StoredSecret): Mutation {
  const { namespace, name, sealed, updatedAt, description, lastUse } = secret;
  const tags = secret.tags.map(({ key, value }) => [key, value]);
  const use = lastUse ? [lastUse.at, lastUse.by] : [];
  const value = [sealed.toBase64(), updatedAt, description ?? null, tags, ...use];
  return setJson(secretKey(tenant, namespace, name), value);
}

/** A stored secret. */
export function decodeSecret({ key, value }: StoredEntry): StoredSecret {
  const [sealed, updatedAt, description, tags, at, by] = decodeJson(value) as PackedSecret;
  return {
    namespace: String(key[2]),
    name: String(key[3]),
    ...(description !== null && { description }),
    tags: tags.map(([tagKey, tagValue]) => ({ key: tagKey, value: tagValue })),
    updatedAt,
    ...(at !== undefined && by !== undefined && { lastUse: { at, by } }),
    sealed: Uint8Array.fromBase64(sealed),
  };
}

function decodeInfo(entry: StoredEntry): SecretInfo {
  const { sealed: _, ...info } = decodeSecret(entry);
  return info;
}
