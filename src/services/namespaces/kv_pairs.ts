/** KV pairs of namespaces: typed values with an optional time to live. */
import type { Clock, Instant } from "../../base/time/clock.ts";
import type { JsonValue } from "../../base/json.ts";
import { KeyedLock } from "../../base/keyed_lock.ts";
import type { Actor } from "../../model/access/actor.ts";
import { DomainError, notFound } from "../../model/errors.ts";
import type { TenantId } from "../../model/flows/flow.ts";
import { filterInTurns } from "../../model/list_filter.ts";
import {
  checkKvDescription,
  checkKvKey,
  expiryOf,
  type KvPair,
  type KvPairId,
  type KvPairInfo,
  type KvValue,
} from "../../model/namespaces/kv_pair.ts";
import type { Quotas } from "../access/quotas.ts";
import {
  checkNamespace,
  isWithinNamespace,
  parentNamespaces,
} from "../../model/namespaces/namespace_name.ts";
import type { KvPairRecords, StoredKvPair } from "../../store/records/kv_pair_records.ts";
import type { ExistingNamespaces } from "./existing_namespaces.ts";

/** An actor, or the tenant of an execution. */
type TenantScope = Pick<Actor, "tenant">;

interface PutKvOptions {
  /** ISO 8601 duration; default: the pair does not expire. */
  readonly ttl?: string;
  readonly description?: string;
}

interface KvPairsDeps {
  readonly records: KvPairRecords;
  readonly clock: Clock;
  /** The tenants whose expired pairs are removed. */
  readonly tenants: () => Iterable<TenantId>;
  readonly existing: Pick<ExistingNamespaces, "has">;
  readonly quotas?: Quotas;
}

/** An expired pair is kept for this time, so that its first read returns `expired` instead of `not_found`. */
export const KV_EXPIRED_KEPT_MS = 3_600_000;
/** Pairs of a tenant that one sweep removes. */
const SWEEP_LIMIT = 500;
/** Attempts to read a large value that is replaced meanwhile. */
const READ_ATTEMPTS = 5;

/** Reads, writes and expires KV pairs. */
export class KvPairs {
  readonly #deps: KvPairsDeps;
  readonly #locks = new KeyedLock();
  #writeCount = 0;

  constructor(deps: KvPairsDeps) {
    this.#deps = deps;
  }

  /** Changes with every pair of any tenant that is written or removed. */
  get writeCount(): number {
    return this.#writeCount;
  }

  /** Resolves once the changes of pairs of a namespace that run or wait now have ended. */
  settled(tenant: TenantId, namespace: string): Promise<void> {
    return this.#locks.settled(`${tenant}/${namespace}/`);
  }

  /** Called after a rename, which moves them without this service. */
  moved(): void {
    this.#writeCount++;
  }

  /** Creates a pair or replaces its value, description and expiry. @throws DomainError invalid_argument, quota_exceeded */
  async put(
    scope: TenantScope,
    id: KvPairId,
    value: KvValue,
    options: PutKvOptions = {},
  ): Promise<KvPairInfo> {
    checkId(id);
    const description = checkKvDescription(options.description);
    expiryOf(options.ttl, this.#deps.clock.now());
    return await this.#exclusively(scope, id, async (stored) => {
      const expiresAt = expiryOf(options.ttl, this.#deps.clock.now());
      return await this.#write(scope, stored, { ...id, ...value, expiresAt, description });
    });
  }

  /**
   * Replaces the value of a pair by what `change` makes of it, or creates the pair; description and expiry stay. An error of
   * `change` is thrown, and nothing is written. @throws DomainError invalid_argument, quota_exceeded
   */
  async update(
    scope: TenantScope,
    id: KvPairId,
    change: (value: JsonValue | undefined) => KvValue,
  ): Promise<KvPairInfo> {
    checkId(id);
    return await this.#exclusively(scope, id, async (stored) => {
      const current = stored && !isExpired(stored, this.#deps.clock.now()) ? stored : undefined;
      const present = await this.#read(scope, id, current);
      const { description, expiresAt } = present ?? {};
      return await this.#write(scope, stored, { ...id, ...change(present?.value), expiresAt, description });
    });
  }

  /** Writes the next revision. The caller holds the lock of the pair. */
  async #write(
    { tenant }: TenantScope,
    stored: StoredKvPair | undefined,
    content: KvPairId & KvValue & Pick<KvPairInfo, "expiresAt" | "description">,
  ): Promise<KvPairInfo> {
    const { records, quotas, clock } = this.#deps;
    const now = clock.now();
    const previous = stored && !isExpired(stored, now) ? stored : undefined;
    const pair: KvPair = {
      namespace: content.namespace,
      key: content.key,
      type: content.type,
      value: content.value,
      revision: (previous?.revision ?? 0) + 1,
      createdAt: previous?.createdAt ?? now,
      updatedAt: now,
      expiresAt: content.expiresAt,
      description: content.description,
    };
    const put = () => records.put(tenant, pair, stored);
    await (stored || !quotas ? put() : quotas.within(tenant, "kvPairs", 1, put));
    return pair;
  }

  /** The pair of that namespace, not of a parent. @throws DomainError not_found; expired, once: it removes the pair; invalid_argument */
  async get(scope: TenantScope, id: KvPairId): Promise<KvPair> {
    checkId(id);
    const stored = await this.#deps.records.get(scope.tenant, id);
    if (stored && isExpired(stored, this.#deps.clock.now())) {
      await this.#purge(scope, id);
      throw new DomainError(
        "expired",
        `Resource has expired: The requested value has expired: key "${id.key}" in namespace "${id.namespace}"`,
      );
    }
    const pair = await this.#read(scope, id, stored);
    if (pair) return pair;
    throw notFound(`No value found for key '${id.key}' in namespace '${id.namespace}'`);
  }

  /** Removes a pair; false if there was none. @throws DomainError invalid_argument */
  async delete(scope: TenantScope, id: KvPairId): Promise<boolean> {
    checkId(id);
    return await this.#exclusively(scope, id, async (stored) => {
      if (stored === undefined) return false;
      await this.#deps.records.delete(scope.tenant, stored);
      this.#deps.quotas?.removed(scope.tenant, "kvPairs");
      return !isExpired(stored, this.#deps.clock.now());
    });
  }

  /** Removes the pairs of these keys; returns the keys of removed ones. @throws DomainError invalid_argument: nothing is removed */
  async deleteAll(scope: TenantScope, namespace: string, keys: readonly string[]): Promise<string[]> {
    for (const key of keys) checkId({ namespace, key });
    const deleted: string[] = [];
    for (const key of new Set(keys)) if (await this.delete(scope, { namespace, key })) deleted.push(key);
    return deleted;
  }

  /** The pairs of a namespace, ordered by key. @throws DomainError invalid_argument */
  async list(scope: TenantScope, namespace: string): Promise<KvPairInfo[]> {
    return await this.#collect(scope, checkNamespace(namespace));
  }

  /** The pairs of all parent namespaces, nearest first; a key of a nearer one hides others. */
  async listInherited(scope: TenantScope, namespace: string): Promise<KvPairInfo[]> {
    const byKey = new Map<string, KvPairInfo>();
    for (const parent of parentNamespaces(checkNamespace(namespace))) {
      for (const pair of await this.#collect(scope, parent)) {
        if (!byKey.has(pair.key)) byKey.set(pair.key, pair);
      }
    }
    return [...byKey.values()];
  }

  /** The matching pairs of all namespaces, ordered by namespace and key. @throws DomainError invalid_filter: the tests take too long */
  async search(scope: TenantScope, matches: (pair: KvPairInfo) => boolean): Promise<KvPairInfo[]> {
    return await filterInTurns(await this.#collect(scope), matches, this.#deps.clock);
  }

  /**
   * The value for `kv()`: of the namespace or, unless `isExact`, of the nearest parent that has the key. Ignores expired
   * pairs.
   * @throws DomainError invalid_argument
   */
  async valueFor(
    tenant: TenantId,
    id: KvPairId,
    options: { isExact?: boolean } = {},
  ): Promise<KvValue | undefined> {
    checkId(id);
    const namespaces = options.isExact ? [id.namespace] : [id.namespace, ...parentNamespaces(id.namespace)];
    for (const namespace of namespaces) {
      const at = { namespace, key: id.key };
      const stored = await this.#deps.records.get(tenant, at);
      const pair = stored && !isExpired(stored, this.#deps.clock.now())
        ? await this.#read({ tenant }, at, stored)
        : undefined;
      if (pair) return { type: pair.type, value: pair.value };
    }
    return undefined;
  }

  /**
   * Checks the access of a flow to a namespace that its author names: one that holds no pair either has to exist, unless it is
   * `from`, the namespace of the flow, or above it. So a misspelt name does not pass for an empty namespace.
   * @throws DomainError not_found, invalid_argument
   */
  async checkAccess(tenant: TenantId, namespace: string, from: string): Promise<void> {
    if (isWithinNamespace(from, checkNamespace(namespace))) return;
    const { records, existing } = this.#deps;
    if (await records.hasAny(tenant, namespace) || await existing.has(tenant, namespace)) return;
    throw notFound(
      `Cannot access the KV store. The namespace '${namespace}' does not exist. ` +
        "Create it, or save a flow or a KV pair in it",
    );
  }

  /** Removes pairs that expired more than {@link KV_EXPIRED_KEPT_MS} ago, a bounded number per call; returns the number. */
  async sweepExpired(): Promise<number> {
    let swept = 0;
    for (const tenant of this.#deps.tenants()) {
      const before = this.#deps.clock.now() - KV_EXPIRED_KEPT_MS;
      for (const id of await this.#deps.records.expiredBefore(tenant, before, SWEEP_LIMIT)) {
        if (await this.#purge({ tenant }, id)) swept++;
      }
    }
    return swept;
  }

  /** Removes the pair if it is still expired. */
  async #purge(scope: TenantScope, id: KvPairId): Promise<boolean> {
    return await this.#exclusively(scope, id, async (stored) => {
      if (stored === undefined || !isExpired(stored, this.#deps.clock.now())) return false;
      await this.#deps.records.delete(scope.tenant, stored);
      this.#deps.quotas?.removed(scope.tenant, "kvPairs");
      return true;
    });
  }

  async #read(
    scope: TenantScope,
    id: KvPairId,
    first: StoredKvPair | undefined,
  ): Promise<KvPair | undefined> {
    let stored = first;
    for (let attempt = 0; stored !== undefined && attempt < READ_ATTEMPTS; attempt++) {
      const value = await this.#deps.records.valueOf(scope.tenant, stored);
      if (value !== undefined) return { ...infoOf(stored), type: stored.type, value };
      stored = await this.#deps.records.get(scope.tenant, id);
    }
    return undefined;
  }

  async #collect(scope: TenantScope, namespace?: string): Promise<KvPairInfo[]> {
    const now = this.#deps.clock.now();
    const pairs: KvPairInfo[] = [];
    for await (const pair of this.#deps.records.list(scope.tenant, namespace)) {
      if (!isExpired(pair, now)) pairs.push(infoOf(pair));
    }
    return pairs;
  }

  async #exclusively<T>(
    scope: TenantScope,
    id: KvPairId,
    work: (stored: StoredKvPair | undefined) => Promise<T>,
  ): Promise<T> {
    return await this.#locks.run(
      `${scope.tenant}/${id.namespace}/${id.key}`,
      async () => await work(await this.#deps.records.get(scope.tenant, id)),
    ).finally(() => this.#writeCount++);
  }
}

function checkId({ namespace, key }: KvPairId): void {
  checkNamespace(namespace);
  checkKvKey(key);
}

function isExpired(pair: KvPairInfo, now: Instant): boolean {
  return pair.expiresAt !== undefined && pair.expiresAt <= now;
}

/** The pair without its value, which lists must not keep in memory. */
function infoOf(
  { namespace, key, type, revision, description, createdAt, updatedAt, expiresAt }: KvPairInfo,
): KvPairInfo {
  return { namespace, key, type, revision, description, createdAt, updatedAt, expiresAt };
}
