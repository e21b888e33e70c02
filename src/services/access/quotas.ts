/**
 * Refuses what would exceed the quotas of a tenant. What a tenant stores is counted when a limit is checked for the first
 * time, by reading it, and then kept up to date by additions. Removals are not followed: before an addition is refused, the
 * tenant is counted again, at most once a second unless something was removed. Tenants without limits cost nothing.
 */
import type { Clock } from "../../base/time/clock.ts";
import {
  type FileQuota,
  QUOTA_KINDS,
  quotaExceeded,
  type QuotaHold,
  type QuotaKind,
  quotaLimitOf,
  type QuotaOptions,
} from "../../model/access/quota.ts";
import { DomainError, isTooLarge } from "../../model/errors.ts";
import type { TenantId } from "../../model/flows/flow.ts";

/** Counts what a tenant stores. */
type Counter = (tenant: TenantId) => number | Promise<number>;

interface QuotasDeps {
  readonly limits: QuotaOptions;
  readonly counters: Readonly<Record<QuotaKind, Counter>>;
  readonly clock: Pick<Clock, "monotonicMs">;
}

/** A quota of a tenant. */
interface QuotaUsage {
  readonly kind: QuotaKind;
  readonly used: number;
  readonly limit: number;
}

/** What a tenant stores of one kind. */
interface Usage {
  /** An upper bound of what is stored; `undefined` before it was counted. */
  stored?: number;
  /** Additions that are being stored. */
  held: number;
  countedAtMs: number;
  /** Less may be stored than `stored` says. */
  isStale: boolean;
  counting?: Promise<void>;
}

/** Between two counts of a tenant that is at its limit, if nothing was removed. */
const RECOUNT_MS = 1_000;
/** Executions are also started by others, without a check; so old counts of them are not used. */
const MAX_EXECUTION_COUNT_AGE_MS = 10_000;
/** Files are not counted before an upload while there is so much room. */
const AMPLE_BYTES = 64 * 1024 * 1024;
const FREE: QuotaHold = { end: () => {} };

/** The quotas of all tenants. */
export class Quotas implements FileQuota {
  readonly #deps: QuotasDeps;
  readonly #usages = new Map<TenantId, Map<QuotaKind, Usage>>();

  constructor(deps: QuotasDeps) {
    this.#deps = deps;
  }

  /** True if the tenant has a limit of that kind. */
  isLimited(tenant: TenantId, kind: QuotaKind): boolean {
    return quotaLimitOf(this.#deps.limits, tenant, kind) !== undefined;
  }

  /** Runs what stores `added` more. @throws DomainError quota_exceeded; whatever `work` throws */
  async within<T>(tenant: TenantId, kind: QuotaKind, added: number, work: () => Promise<T>): Promise<T> {
    const hold = await this.hold(tenant, kind, added);
    let isStored = false;
    try {
      const result = await work();
      isStored = true;
      return result;
    } finally {
      hold.end(isStored);
    }
  }

  /** Counts what will be stored. @throws DomainError quota_exceeded */
  async hold(tenant: TenantId, kind: QuotaKind, added: number): Promise<QuotaHold> {
    const limit = quotaLimitOf(this.#deps.limits, tenant, kind);
    if (limit === undefined || added <= 0) return FREE;
    const usage = this.#usageOf(tenant, kind);
    const fits = () => (usage.stored ?? Infinity) + usage.held + added <= limit;
    if (!fits() || this.#isOld(kind, usage)) await this.#count(tenant, kind, usage);
    if (!fits()) throw quotaExceeded(tenant, kind, { limit, used: (usage.stored ?? 0) + usage.held });
    return holdOf(usage, added);
  }

  /** @inheritdoc */
  holdBytes(tenant: TenantId, bytes: number): Promise<QuotaHold> {
    return this.hold(tenant, "fileBytes", bytes);
  }

  /** @inheritdoc */
  async bounded<T>(tenant: TenantId, maxBytes: number, write: (maxBytes: number) => Promise<T>): Promise<T> {
    const limit = quotaLimitOf(this.#deps.limits, tenant, "fileBytes");
    if (limit === undefined) return await write(maxBytes);
    const usage = this.#usageOf(tenant, "fileBytes");
    const room = () => limit - (usage.stored ?? Infinity) - usage.held;
    if (room() < Math.min(maxBytes, AMPLE_BYTES)) await this.#count(tenant, "fileBytes", usage);
    const left = Math.max(0, room());
    try {
      return await write(Math.min(maxBytes, left));
    } catch (error) {
      const isOver = left < maxBytes && isTooLarge(error);
      throw isOver ? quotaExceeded(tenant, "fileBytes", { limit, used: limit - left }) : error;
    }
  }

  /** Something was removed: the next check counts again. */
  removed(tenant: TenantId, kind: QuotaKind): void {
    const usage = this.#usages.get(tenant)?.get(kind);
    if (usage) usage.isStale = true;
  }

  /** The reason why one more may not be stored; otherwise it is counted as stored. Synchronous for a tenant without limit. */
  refusalOf(tenant: TenantId, kind: QuotaKind): undefined | Promise<string | undefined> {
    return this.isLimited(tenant, kind) ? this.#refusalOf(tenant, kind) : undefined;
  }

  async #refusalOf(tenant: TenantId, kind: QuotaKind): Promise<string | undefined> {
    try {
      (await this.hold(tenant, kind, 1)).end(true);
      return undefined;
    } catch (error) {
      if (error instanceof DomainError && error.code === "quota_exceeded") return error.message;
      throw error;
    }
  }

  /** The limited kinds of a tenant, counted now. */
  async usage(tenant: TenantId): Promise<QuotaUsage[]> {
    const found: QuotaUsage[] = [];
    for (const kind of QUOTA_KINDS) {
      const limit = quotaLimitOf(this.#deps.limits, tenant, kind);
      if (limit !== undefined) found.push({ kind, used: await this.#deps.counters[kind](tenant), limit });
    }
    return found;
  }

  /** Drops what is known of a removed tenant. */
  forget(tenant: TenantId): void {
    this.#usages.delete(tenant);
  }

  #usageOf(tenant: TenantId, kind: QuotaKind): Usage {
    const kinds = this.#usages.get(tenant) ?? new Map<QuotaKind, Usage>();
    this.#usages.set(tenant, kinds);
    const usage = kinds.get(kind) ?? { held: 0, countedAtMs: 0, isStale: true };
    kinds.set(kind, usage);
    return usage;
  }

  #isOld(kind: QuotaKind, { stored, countedAtMs }: Usage): boolean {
    if (stored === undefined) return true;
    return kind === "executions" &&
      this.#deps.clock.monotonicMs() - countedAtMs >= MAX_EXECUTION_COUNT_AGE_MS;
  }

  /** Counts again, unless the last count is recent and still right. */
  async #count(tenant: TenantId, kind: QuotaKind, usage: Usage): Promise<void> {
    const ageMs = this.#deps.clock.monotonicMs() - usage.countedAtMs;
    if (usage.stored !== undefined && !usage.isStale && ageMs < RECOUNT_MS) return;
    usage.counting ??= this.#countNow(tenant, kind, usage).finally(() => usage.counting = undefined);
    await usage.counting;
  }

  async #countNow(tenant: TenantId, kind: QuotaKind, usage: Usage): Promise<void> {
    usage.isStale = false;
    // Additions that end meanwhile may or may not be found: they are counted twice, and the count is stale.
    const before = usage.stored ?? 0;
    const found = await this.#deps.counters[kind](tenant);
    const ended = (usage.stored ?? 0) - before;
    usage.stored = found + ended;
    usage.countedAtMs = this.#deps.clock.monotonicMs();
    if (ended > 0 || usage.held > 0) usage.isStale = true;
  }
}

function holdOf(usage: Usage, added: number): QuotaHold {
  usage.held += added;
  let isHeld = true;
  return {
    end(isStored) {
      if (!isHeld) return;
      isHeld = false;
      usage.held -= added;
      if (isStored) usage.stored = (usage.stored ?? 0) + added;
    },
  };
}
