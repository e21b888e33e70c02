/** Secrets in the store: ciphertext with what may be shown of them. Knows no key. */
import type { Instant } from "../../base/clock.ts";
import type { JsonValue } from "../../base/json.ts";
import type { TenantId } from "../../model/flows/flow.ts";
import { decodeJson, encodeJson } from "../codec.ts";
import type { Committer } from "../committer.ts";
import { secretKey, secretsOf, secretsOfTenant } from "../namespace_keys.ts";
import type { Store, StoredEntry } from "../store.ts";

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

/** What may be shown of a secret. */
export interface SecretInfo extends SecretId {
  readonly description?: string;
  readonly tags: readonly SecretTag[];
  readonly updatedAt: Instant;
}

/** A secret as stored. */
interface StoredSecret extends SecretInfo {
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
  async get(tenant: TenantId, { namespace, name }: SecretId): Promise<StoredSecret | undefined> {
    const entry = await this.#store.get(secretKey(tenant, namespace, name));
    return entry === null ? undefined : decodeSecret(entry);
  }

  /** Writes the secret; resolves once durable. */
  async put(tenant: TenantId, secret: StoredSecret): Promise<void> {
    const tags = secret.tags.map(({ key, value }) => [key, value]);
    const sealed = secret.sealed.toBase64();
    const value = encodeJson([sealed, secret.updatedAt, secret.description ?? null, tags]);
    const key = secretKey(tenant, secret.namespace, secret.name);
    await this.#committer.commit({ mutations: [{ type: "set", key, value }] });
  }

  /** Removes the secret; resolves once durable. */
  async delete(tenant: TenantId, { namespace, name }: SecretId): Promise<void> {
    await this.#committer.commit({
      mutations: [{ type: "delete", key: secretKey(tenant, namespace, name) }],
    });
  }

  /** The secrets of a namespace in order of their names, or those of all namespaces. */
  async list(tenant: TenantId, namespace?: string): Promise<SecretInfo[]> {
    const selector = namespace === undefined ? secretsOfTenant(tenant) : secretsOf(tenant, namespace);
    const secrets: SecretInfo[] = [];
    for await (const entry of this.#store.list(selector)) {
      const { sealed: _, ...info } = decodeSecret(entry);
      secrets.push(info);
    }
    return secrets;
  }
}

function decodeSecret({ key, value }: StoredEntry): StoredSecret {
  const [sealed, updatedAt, description, tags] = decodeJson(value) as [
    string,
    number,
    string | null,
    JsonValue[],
  ];
  return {
    namespace: String(key[2]),
    name: String(key[3]),
    ...(description !== null && { description }),
    tags: (tags as [string, string][]).map(([tagKey, tagValue]) => ({ key: tagKey, value: tagValue })),
    updatedAt,
    sealed: Uint8Array.fromBase64(sealed),
  };
}
