/** The executions in memory: at most one object per id, and none while the execution is being deleted. */
import { LIVE_EXECUTIONS_OF_TENANT, MAX_LIVE_EXECUTIONS } from "../../model/limits.ts";
import { type LiveExecution, liveKey } from "./live_execution.ts";

interface Loading {
  /** Its deletion began: the result must not be used. */
  isVoid: boolean;
  result: Promise<LiveExecution | undefined>;
}

/** Reads an execution; `undefined` if it does not exist. */
type LoadExecution = (tenant: string, id: string) => Promise<LiveExecution | undefined>;

/** Loads, keeps and unloads executions. */
export class LiveExecutions {
  readonly #load: LoadExecution;
  readonly #byKey = new Map<string, LiveExecution>();
  readonly #loading = new Map<string, Loading>();
  /** Executions being deleted, and whether the manifests listed each. */
  readonly #deleting = new Map<string, boolean>();

  constructor(load: LoadExecution) {
    this.#load = load;
  }

  /** Number of executions in memory. */
  get size(): number {
    return this.#byKey.size;
  }

  /** Whether a tenant may start no more; `coming` will be in memory soon. */
  isFullFor(tenant: string, coming: number): boolean {
    return this.size + coming >= MAX_LIVE_EXECUTIONS &&
      this.ofTenant(tenant).length >= LIVE_EXECUTIONS_OF_TENANT;
  }

  /** The executions of one tenant. */
  ofTenant(tenant: string): LiveExecution[] {
    return [...this.#byKey.values()].filter(({ execution }) => execution.tenant === tenant);
  }

  /** Interrupts all running attempts: an endless one would keep its execution busy. */
  interruptAll(): void {
    for (const live of this.#byKey.values()) live.interruptAll();
  }

  /** The execution in memory. */
  get(tenant: string, id: string): LiveExecution | undefined {
    return this.#byKey.get(liveKey(tenant, id));
  }

  /** Whether it is in memory. */
  has(tenant: string, id: string): boolean {
    return this.#byKey.has(liveKey(tenant, id));
  }

  /** Whether its deletion is being committed. */
  isDeleting(tenant: string, id: string): boolean {
    return this.#deleting.has(liveKey(tenant, id));
  }

  /** Whether this object is the one in memory. */
  isCurrent(live: LiveExecution): boolean {
    return live.isKept && this.#byKey.get(live.key) === live;
  }

  /** The execution in memory, if it has no work and nothing to commit. */
  idle(tenant: string, id: string): LiveExecution | undefined {
    const live = this.get(tenant, id);
    return live && !live.isDriven && !live.isDirty && !live.isLive ? live : undefined;
  }

  /** The execution in memory, else as stored; `undefined` if it does not exist or is being deleted. */
  async find(tenant: string, id: string): Promise<LiveExecution | undefined> {
    const key = liveKey(tenant, id);
    const live = this.#byKey.get(key);
    if (live || this.#deleting.has(key)) return live;
    return await (this.#loading.get(key) ?? this.#startLoading(key, tenant, id)).result;
  }

  /** Puts back an execution that was unloaded and has not changed since, unless it was loaded again. */
  putBack(live: LiveExecution): void {
    const { key } = live;
    const isFree = !this.#byKey.has(key) && !this.#loading.has(key) && !this.#deleting.has(key);
    if (isFree && !live.isDropped) this.#set(key, live);
  }

  /** Keeps it until it is unloaded or deleted. */
  keep(live: LiveExecution): void {
    if (!live.isDropped) this.#set(live.key, live);
  }

  /** Removes it from memory; the next access loads it. */
  unload(live: LiveExecution): void {
    if (this.isCurrent(live)) this.#byKey.delete(live.key);
  }

  /** Begins a deletion: the execution cannot be found until it {@link endDeletion ends}. Returns the object in memory. */
  beginDeletion(tenant: string, id: string): LiveExecution | undefined {
    const key = liveKey(tenant, id);
    const live = this.#byKey.get(key);
    const loading = this.#loading.get(key);
    if (loading) loading.isVoid = true;
    this.#loading.delete(key);
    this.#byKey.delete(key);
    this.#deleting.set(key, live?.isListed ?? false);
    return live;
  }

  /** Ends a deletion, committed or refused; true if the manifests listed the execution. */
  endDeletion(tenant: string, id: string): boolean {
    const key = liveKey(tenant, id);
    const wasListed = this.#deleting.get(key) ?? false;
    this.#deleting.delete(key);
    return wasListed;
  }

  #set(key: string, live: LiveExecution): void {
    live.isKept = true;
    this.#byKey.set(key, live);
  }

  #startLoading(key: string, tenant: string, id: string): Loading {
    const loading: Loading = { isVoid: false, result: Promise.resolve(undefined) };
    loading.result = this.#load(tenant, id).then((live) => {
      if (loading.isVoid) return this.find(tenant, id); // The deletion may have been refused since.
      if (!live) return undefined;
      this.#set(key, live);
      return live;
    }).finally(() => {
      if (this.#loading.get(key) === loading) this.#loading.delete(key);
    });
    this.#loading.set(key, loading);
    return loading;
  }
}
