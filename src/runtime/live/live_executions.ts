/** The executions in memory: never two objects of one, and none of one that is being deleted. */
import type { LiveExecution } from "./live_execution.ts";

interface Loading {
  /** It was deleted meanwhile: what is read must not be worked on. */
  isVoid: boolean;
  result: Promise<LiveExecution | undefined>;
}

/** Reads an execution; `undefined` when there is none. */
type LoadExecution = (tenant: string, id: string) => Promise<LiveExecution | undefined>;

/** Finds, keeps and lets go of executions. */
export class LiveExecutions {
  readonly #load: LoadExecution;
  readonly #byKey = new Map<string, LiveExecution>();
  readonly #loading = new Map<string, Loading>();
  /** Whether the manifests listed each when its deletion began. */
  readonly #deleting = new Map<string, boolean>();

  constructor(load: LoadExecution) {
    this.#load = load;
  }

  /** Number of executions in memory. */
  get size(): number {
    return this.#byKey.size;
  }

  /** Those of one tenant. */
  ofTenant(tenant: string): LiveExecution[] {
    return [...this.#byKey.values()].filter(({ execution }) => execution.tenant === tenant);
  }

  /** Asks every attempt under way to stop: one that writes without end would keep its execution busy. */
  interruptAll(): void {
    for (const live of this.#byKey.values()) live.interruptAll();
  }

  /** Whether it is in memory. */
  has(tenant: string, id: string): boolean {
    return this.#byKey.has(keyOf(tenant, id));
  }

  /** Whether its deletion is being committed. */
  isDeleting(tenant: string, id: string): boolean {
    return this.#deleting.has(keyOf(tenant, id));
  }

  /** Whether it is that object that stands for the execution. */
  isCurrent(live: LiveExecution): boolean {
    return this.#byKey.get(live.key) === live;
  }

  /** The one in memory when nothing is under way with it. */
  idle(tenant: string, id: string): LiveExecution | undefined {
    const live = this.#byKey.get(keyOf(tenant, id));
    return live && !live.isDriven && !live.isDirty && !live.isLive ? live : undefined;
  }

  /** The one in memory, else as stored; `undefined` for one that does not exist or is being deleted. */
  async find(tenant: string, id: string): Promise<LiveExecution | undefined> {
    const key = keyOf(tenant, id);
    const live = this.#byKey.get(key);
    if (live || this.#deleting.has(key)) return live;
    return await (this.#loading.get(key) ?? this.#startLoading(key, tenant, id)).result;
  }

  /** Keeps it until it is let go of, or deleted. */
  keep(live: LiveExecution): void {
    if (!live.isDropped) this.#byKey.set(live.key, live);
  }

  /** Forgets it: nothing is under way, and whoever wants it next reads it. */
  letGo(live: LiveExecution): void {
    if (this.isCurrent(live)) this.#byKey.delete(live.key);
  }

  /** Begins a deletion: until it {@link endDeletion ends} nobody finds it. Gives what was in memory. */
  beginDeletion(tenant: string, id: string): LiveExecution | undefined {
    const key = keyOf(tenant, id);
    const live = this.#byKey.get(key);
    const loading = this.#loading.get(key);
    if (loading) loading.isVoid = true;
    this.#loading.delete(key);
    this.#byKey.delete(key);
    this.#deleting.set(key, live?.isListed ?? false);
    return live;
  }

  /** Ends a deletion, done or refused; true when the manifests listed it. */
  endDeletion(tenant: string, id: string): boolean {
    const key = keyOf(tenant, id);
    const wasListed = this.#deleting.get(key) ?? false;
    this.#deleting.delete(key);
    return wasListed;
  }

  #startLoading(key: string, tenant: string, id: string): Loading {
    const loading: Loading = { isVoid: false, result: Promise.resolve(undefined) };
    loading.result = this.#load(tenant, id).then((live) => {
      if (!live || loading.isVoid) return undefined;
      this.#byKey.set(key, live);
      return live;
    }).finally(() => {
      if (this.#loading.get(key) === loading) this.#loading.delete(key);
    });
    this.#loading.set(key, loading);
    return loading;
  }
}

function keyOf(tenant: string, id: string): string {
  return `${tenant}/${id}`;
}
