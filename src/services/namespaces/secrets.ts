/** Secrets of namespaces, encrypted at rest. Only {@link Secrets.valueFor} returns values. */
import type { Cipher } from "../../base/crypto/cipher.ts";
import type { Clock } from "../../base/time/clock.ts";
import { KeyedLock } from "../../base/keyed_lock.ts";
import type { Actor } from "../../model/access/actor.ts";
import { DomainError, illegalArgument, notFound } from "../../model/errors.ts";
import type { TenantId } from "../../model/flows/flow.ts";
import { filterInTurns } from "../../model/list_filter.ts";
import type { Quotas } from "../access/quotas.ts";
import { checkNamespace, parentNamespaces } from "../../model/namespaces/namespace_name.ts";
import type {
  SecretId,
  SecretInfo,
  SecretRecords,
  SecretTag,
  StoredSecret,
} from "../../store/records/secret_records.ts";
import type { EnvironmentOf } from "./environment_secrets.ts";
import { keyOf, type NotedUse, SecretUses } from "./secret_uses.ts";

export type { SecretId, SecretInfo, SecretTag } from "../../store/records/secret_records.ts";

/** Description and tags of a secret. */
export interface SecretMetadata {
  readonly description?: string;
  readonly tags?: readonly SecretTag[];
}

interface SecretsDeps {
  readonly records: SecretRecords;
  readonly cipher: Cipher;
  readonly clock: Clock;
  /** Values by name, for all namespaces of a tenant; see `environment_secrets.ts`. */
  readonly environmentOf: EnvironmentOf;
  readonly quotas?: Quotas;
}

/** UTF-8 bytes of a value: encrypted and encoded, it fits into one record. */
const MAX_SECRET_VALUE_BYTES = 32 * 1024;
const MAX_NAME_LENGTH = 256;
/** Characters of a description, and of the key and value of a tag. */
const MAX_TEXT_LENGTH = 250;
const MAX_TAGS = 10;
/** Uses that are written concurrently: the committer writes them together. */
const WRITTEN_AT_ONCE = 100;
/** In place of the namespace of a secret that belongs to all of them. */
const ENVIRONMENT = "";
const NAME = /^[a-zA-Z0-9_][a-zA-Z0-9._-]*$/;

/** Stores secrets and gives them to expressions. */
export class Secrets {
  readonly #deps: SecretsDeps;
  readonly #locks = new KeyedLock();
  readonly #uses: SecretUses;
  #writeCount = 0;

  constructor(deps: SecretsDeps) {
    this.#deps = deps;
    this.#uses = new SecretUses(deps.clock);
  }

  /** Changes with every secret of any tenant that is written or removed. */
  get writeCount(): number {
    return this.#writeCount;
  }

  /** Resolves once the changes of secrets of a namespace that run or wait now have ended. */
  settled(tenant: TenantId, namespace: string): Promise<void> {
    return this.#locks.settled(`${tenant}/${namespace}/`);
  }

  /** Called after a rename, which moves them without this service. */
  moved(): void {
    this.#writeCount++;
  }

  /** The secrets of a namespace without values, ordered by name. @throws DomainError invalid_argument */
  async list(actor: Actor, namespace: string): Promise<SecretInfo[]> {
    const stored = await this.#deps.records.list(actor.tenant, checkNamespace(namespace));
    return stored.map((info) => this.#uses.addTo(actor.tenant, info));
  }

  /** As {@link list}, followed by secrets of the tenant's environment with other names. @throws DomainError invalid_argument */
  async listAll(actor: Actor, namespace: string): Promise<SecretInfo[]> {
    const own = await this.list(actor, namespace);
    const names = new Set(own.map(({ name }) => name));
    return [...own, ...this.#ofEnvironment(actor.tenant).filter(({ name }) => !names.has(name))];
  }

  /** The matching secrets of all namespaces and of the environment. @throws DomainError invalid_filter: the tests take too long */
  async search(actor: Actor, matches: (secret: SecretInfo) => boolean): Promise<SecretInfo[]> {
    const stored = await this.#deps.records.list(actor.tenant);
    const used = stored.map((info) => this.#uses.addTo(actor.tenant, info));
    const all = [...used, ...this.#ofEnvironment(actor.tenant)];
    return await filterInTurns(all, matches, this.#deps.clock);
  }

  /** Ordered by name; `namespace` is empty, since they belong to all namespaces. */
  #ofEnvironment(tenant: TenantId): SecretInfo[] {
    const names = [...this.#deps.environmentOf(tenant).keys()].sort();
    return names.map((name) =>
      this.#uses.addTo(tenant, { namespace: ENVIRONMENT, name, tags: [], updatedAt: 0 })
    );
  }

  /** Creates or replaces a secret. @throws DomainError invalid_argument, too_large, quota_exceeded; messages never contain the value */
  async put(actor: Actor, id: SecretId, value: string, metadata: SecretMetadata = {}): Promise<SecretInfo> {
    checkId(id);
    checkMetadata(metadata);
    if (new TextEncoder().encode(value).length > MAX_SECRET_VALUE_BYTES) {
      throw new DomainError(
        "too_large",
        `Cannot store secret "${id.name}": it is larger than ${MAX_SECRET_VALUE_BYTES} bytes`,
      );
    }
    const sealed = this.#deps.cipher.encrypt(value, contextOf(actor.tenant, id));
    return await this.#exclusively(actor, id, async () => {
      const { records, quotas, clock } = this.#deps;
      const replaced = await records.get(actor.tenant, id);
      const info = {
        ...{ ...id, ...metadata, tags: metadata.tags ?? [], updatedAt: clock.now() },
        ...(replaced?.lastUse && { lastUse: replaced.lastUse }),
      };
      const put = () => records.put(actor.tenant, { ...info, sealed });
      const isCounted = quotas?.isLimited(actor.tenant, "secrets") && !replaced;
      await (quotas && isCounted ? quotas.within(actor.tenant, "secrets", 1, put) : put());
      return info;
    });
  }

  /** Replaces description and tags, each only if given. @throws DomainError not_found, invalid_argument */
  async describe(actor: Actor, id: SecretId, metadata: SecretMetadata): Promise<SecretInfo> {
    checkId(id);
    checkMetadata(metadata);
    return await this.#exclusively(actor, id, async () => {
      const { sealed, ...stored } = await this.#stored(actor.tenant, id);
      const info = {
        ...stored,
        description: metadata.description ?? stored.description,
        tags: metadata.tags ?? stored.tags,
        updatedAt: this.#deps.clock.now(),
      };
      await this.#deps.records.put(actor.tenant, { ...info, sealed });
      return info;
    });
  }

  /** Removes a secret. @throws DomainError not_found, invalid_argument */
  async delete(actor: Actor, id: SecretId): Promise<void> {
    checkId(id);
    await this.#exclusively(actor, id, async () => {
      await this.#stored(actor.tenant, id);
      await this.#deps.records.delete(actor.tenant, id);
      this.#uses.forget(actor.tenant, id);
      this.#deps.quotas?.removed(actor.tenant, "secrets");
    });
  }

  /**
   * Names of the secrets that flows of a namespace can use, by the owning namespace: itself first, then its parents.
   * Secrets of the environment count as its own.
   */
  async listUsable(actor: Actor, namespace: string): Promise<Map<string, string[]>> {
    const usable = new Map<string, string[]>();
    const environment = this.#deps.environmentOf(actor.tenant);
    for (const owner of [checkNamespace(namespace), ...parentNamespaces(namespace)]) {
      const names = (await this.#deps.records.list(actor.tenant, owner)).map((secret) => secret.name);
      const all = owner === namespace ? new Set([...names, ...environment.keys()]) : names;
      usable.set(owner, [...all].sort());
    }
    return usable;
  }

  /**
   * The value for `secret()`: of the namespace or its nearest parent that has the name, else of the environment (by the
   * name or its upper case), else `undefined`. `usedBy` is the flow that uses it, as in {@link SecretUse}.
   * @throws DomainError internal: the value cannot be decrypted; invalid_argument
   */
  async valueFor(
    tenant: TenantId,
    { namespace, name }: SecretId,
    usedBy?: string,
  ): Promise<string | undefined> {
    checkId({ namespace, name });
    for (const owner of [namespace, ...parentNamespaces(namespace)]) {
      const id = { namespace: owner, name };
      const stored = await this.#deps.records.get(tenant, id);
      if (stored === undefined) continue;
      const value = this.#deps.cipher.decrypt(stored.sealed, contextOf(tenant, id));
      if (value !== undefined) {
        if (usedBy) this.#uses.note(tenant, id, usedBy);
        return value;
      }
      throw new DomainError(
        "internal",
        `Cannot read secret "${name}" of namespace "${owner}": it was changed or encrypted with another key; store it again`,
      );
    }
    const environment = this.#deps.environmentOf(tenant);
    const found = environment.has(name) ? name : name.toUpperCase();
    const value = environment.get(found);
    if (value !== undefined && usedBy) {
      this.#uses.note(tenant, { namespace: ENVIRONMENT, name: found }, usedBy);
    }
    return value;
  }

  /**
   * Stores the newest use of each secret that was used since the last call. Until then it is in memory, where a crash loses
   * it; uses of the environment stay there. @throws DomainError of the committer: the next call tries again
   */
  async writeUses(): Promise<void> {
    const noted = this.#uses.noted().filter(({ id }) => id.namespace !== ENVIRONMENT);
    for (let start = 0; start < noted.length; start += WRITTEN_AT_ONCE) {
      await Promise.all(noted.slice(start, start + WRITTEN_AT_ONCE).map((use) => this.#writeUse(use)));
    }
  }

  async #writeUse(noted: NotedUse): Promise<void> {
    const { tenant, id, use } = noted;
    const { records } = this.#deps;
    await this.#locks.run(keyOf(tenant, id), async () => {
      const stored = await records.get(tenant, id);
      if (stored) await records.put(tenant, { ...stored, lastUse: use });
    });
    this.#uses.written(noted);
  }

  /**
   * Encrypts a stored secret for another namespace. One that cannot be decrypted stays as it is: it is as unreadable there.
   */
  reseal(tenant: TenantId, { namespace, name, sealed }: StoredSecret, to: string): Uint8Array {
    const value = this.#deps.cipher.decrypt(sealed, contextOf(tenant, { namespace, name }));
    return value === undefined
      ? sealed
      : this.#deps.cipher.encrypt(value, contextOf(tenant, { namespace: to, name }));
  }

  /** Names of the secrets of a namespace that cannot be decrypted. */
  async unreadable(tenant: TenantId, namespace: string): Promise<string[]> {
    const { records, cipher } = this.#deps;
    const names = (await records.list(tenant, namespace)).map(({ name }) => name);
    const stored = await Promise.all(names.map((name) => records.get(tenant, { namespace, name })));
    return stored.filter((each) => each && cipher.decrypt(each.sealed, contextOf(tenant, each)) === undefined)
      .map((each) => String(each?.name));
  }

  async #stored(tenant: TenantId, id: SecretId) {
    const stored = await this.#deps.records.get(tenant, id);
    if (stored) return stored;
    throw notFound(`No secret "${id.name}" in namespace "${id.namespace}"`);
  }

  async #exclusively<T>(actor: Actor, id: SecretId, work: () => Promise<T>): Promise<T> {
    return await this.#locks.run(keyOf(actor.tenant, id), work).finally(() => this.#writeCount++);
  }
}

/** Binds a ciphertext to its key, so that it cannot be copied to another name. */
function contextOf(tenant: TenantId, { namespace, name }: SecretId): string {
  return JSON.stringify(["secret", tenant, namespace, name]);
}

function checkId({ namespace, name }: SecretId): void {
  checkNamespace(namespace);
  if (name.length <= MAX_NAME_LENGTH && NAME.test(name)) return;
  // The name is not shown: a caller may have sent the value as the name.
  throw illegalArgument(
    `the name of a secret must match "[a-zA-Z0-9_][a-zA-Z0-9._-]*" and have at most ${MAX_NAME_LENGTH} characters`,
  );
}

function checkMetadata({ description = "", tags = [] }: SecretMetadata): void {
  const texts = [description, ...tags.flatMap(({ key, value }) => [key, value])];
  if (tags.length <= MAX_TAGS && texts.every((text) => text.length <= MAX_TEXT_LENGTH)) return;
  throw illegalArgument(
    `a secret has at most ${MAX_TAGS} tags, and no text of it more than ${MAX_TEXT_LENGTH} characters`,
  );
}
