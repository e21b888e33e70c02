/** Cached outputs of tasks with `taskCache`: stored by rendered properties, and used instead of running the task again. */
import type { Clock, Instant } from "../../base/time/clock.ts";
import { readDuration } from "../../base/time/duration.ts";
import { isJsonObject, type JsonObject, ownProperty, stringifyJson } from "../../base/json.ts";
import type { FileKeeper } from "../../model/executions/attempt_identity.ts";
import type { Execution } from "../../model/executions/execution.ts";
import type { Task, TenantId } from "../../model/flows/flow.ts";
import type { AttemptOutcome } from "../../model/tasks/task_catalog.ts";
import { decodeJson, encodeJson } from "../../store/codec.ts";
import type { Committer } from "../../store/committer.ts";
import { cachedOutputsKey, cacheExpiriesBefore, cacheExpiryKey } from "../../store/keys.ts";
import type { Key, Mutation, Store } from "../../store/store.ts";
import { type CachedFilesDeps, withOwnFiles } from "./cached_files.ts";

interface TaskCacheDeps {
  readonly store: Store;
  readonly committer: Committer;
  readonly clock: Clock;
  readonly files: CachedFilesDeps;
  /** The tenants whose expired outputs are swept. */
  readonly tenants: () => Iterable<TenantId>;
}

/** How long outputs are cached; without a limit if `ttlMs` is absent. */
export interface CachePolicy {
  readonly ttlMs?: number;
}

/** Where the outputs of an attempt are cached. */
export interface CachePlace extends CachePolicy {
  readonly key: Key;
  readonly executionId: string;
}

/** `[expires at, or 0; outputs; id of the execution that made them]`. Records of older versions have no id and are not used. */
type StoredOutputs = [expiresAt: Instant | 0, outputs: JsonObject, madeBy?: string];

/** Larger outputs are not cached: they would not fit one value of the store. */
const MAX_CACHED_BYTES = 60_000;
/** Expired outputs per tenant that one sweep removes. */
const SWEEP_LIMIT = 400;

/** The cache policy of a task; `undefined` if it has none. */
export function cachePolicyOf({ properties }: Pick<Task, "properties">): CachePolicy | undefined {
  const declared = ownProperty(properties, "taskCache");
  if (!isJsonObject(declared) || String(declared.enabled) !== "true") return undefined;
  return { ttlMs: readDuration(declared.ttl) };
}

/** Finds cached outputs, and prepares the mutations that cache them. */
export class TaskCache {
  readonly #deps: TaskCacheDeps;

  constructor(deps: TaskCacheDeps) {
    this.#deps = deps;
  }

  /** Where the outputs of a task with these rendered properties are cached. */
  async placeOf(
    { tenant, namespace, flowId, id: executionId }: Execution,
    { id, kind }: Task,
    { policy, properties }: { readonly policy: CachePolicy; readonly properties: JsonObject },
  ): Promise<CachePlace> {
    const text = new TextEncoder().encode(stringifyJson([kind, properties]));
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", text));
    const key = cachedOutputsKey(tenant, { namespace, id: flowId }, id, digest.toHex());
    return { ...policy, key, executionId };
  }

  /**
   * The cached outputs, with copies of their files that belong to the attempt; `undefined` if there are none, they have
   * expired, or a file of theirs does not exist any more. @throws DomainError as the storage port
   */
  async find({ key }: CachePlace, keeper: FileKeeper): Promise<JsonObject | undefined> {
    const stored = await this.#read(key);
    if (!stored || stored[0] !== 0 && stored[0] <= this.#deps.clock.now()) return undefined;
    const [, outputs, madeBy] = stored;
    if (madeBy === undefined) return undefined;
    return await withOwnFiles(this.#deps.files, keeper, { outputs, madeBy });
  }

  /** Caches the outputs of an attempt: only of a success without effects on its execution, and only if small enough. */
  mutationsFor(
    { key, ttlMs, executionId }: CachePlace,
    { state, outputs = {}, effects }: AttemptOutcome,
  ): Mutation[] {
    if (state !== "SUCCESS" || effects) return [];
    const expiresAt = ttlMs === undefined ? 0 : this.#deps.clock.now() + ttlMs;
    const stored: StoredOutputs = [expiresAt, outputs, executionId];
    const value = encodeJson(stored);
    if (value.length > MAX_CACHED_BYTES) return [];
    const mutations: Mutation[] = [{ type: "set", key, value }];
    if (expiresAt !== 0) {
      mutations.push({ type: "set", key: cacheExpiryKey(expiresAt, key), value: encodeJson(null) });
    }
    return mutations;
  }

  /** Removes expired outputs; returns how many were due, a bounded number: a loop calls this. */
  async sweepExpired(): Promise<number> {
    let swept = 0;
    for (const tenant of this.#deps.tenants()) swept += await this.#sweep(tenant);
    return swept;
  }

  async #sweep(tenant: TenantId): Promise<number> {
    const { store, committer, clock } = this.#deps;
    const now = clock.now();
    const mutations: Mutation[] = [];
    let swept = 0;
    for await (const { key } of store.list(cacheExpiriesBefore(tenant, now), { limit: SWEEP_LIMIT })) {
      const [, , , namespace, flowId, taskId, hash] = key.map(String);
      const flow = { namespace: namespace ?? "", id: flowId ?? "" };
      const cached = cachedOutputsKey(tenant, flow, taskId ?? "", hash ?? "");
      const stored = await this.#read(cached);
      mutations.push({ type: "delete", key });
      // It may have been cached again since.
      if (stored && stored[0] !== 0 && stored[0] <= now) mutations.push({ type: "delete", key: cached });
      swept++;
    }
    if (mutations.length > 0) await committer.commit({ mutations, bulk: true });
    return swept;
  }

  async #read(key: Key): Promise<StoredOutputs | undefined> {
    const entry = await this.#deps.store.get(key);
    return entry === null ? undefined : decodeJson(entry.value) as unknown as StoredOutputs;
  }
}
