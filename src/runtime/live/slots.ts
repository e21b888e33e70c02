/**
 * Concurrency limits of flows: which executions hold a slot, and which are queued, oldest first. The stored keys change in
 * the commits of the transitions; the memory is ahead of them only by commits in progress.
 */
import type { ConcurrencyLimit, FlowKey } from "../../model/flows/flow.ts";
import type { Execution } from "../../model/executions/execution.ts";
import { currentState, isEnded } from "../../model/executions/state.ts";
import { queuedKey, queuedOf, slotKey, slotsOf } from "../../store/keys.ts";
import type { Key, Mutation, Store } from "../../store/store.ts";

/** The flow of an execution. */
type SlotFlow = Pick<Execution, "tenant" | "namespace" | "flowId">;

/** What an execution holds of its flow's limit. */
type Hold = "slot" | "place in the queue";

const HOLDS: readonly Hold[] = ["slot", "place in the queue"];

/** A change of what an execution holds. */
interface SlotChange {
  readonly mutations: readonly Mutation[];
  /** To be called once it is durable. */
  readonly committed: () => void;
}

interface FlowSlots {
  readonly taken: Set<string>;
  /** In order of creation. */
  queued: Set<string>;
  /** As stored. */
  readonly stored: Map<string, Hold>;
  /** The limit of the latest revision, once known: it applies to executions of earlier revisions too. */
  limit?: number;
}

/** Value of the stored keys. Earlier versions stored 1, and stored slots for executions that waited for their date, too. */
const MARK = new Uint8Array([2]);
/** Executions that are read at a time. */
const READS_AT_ONCE = 100;
/** Of a flow that is not known; never changed. */
const NOTHING: FlowSlots = { taken: new Set(), queued: new Set(), stored: new Map() };

/** The slots of all flows with a limit. Of a flow whose limit is not known nothing is kept while no execution holds anything. */
export class Slots {
  readonly #flows = new Map<string, FlowSlots>();

  /**
   * Reads the stored slots and queues of a tenant. A slot that an earlier version stored is not taken if `isScheduled` is true
   * of its execution; the next commit of that execution removes it.
   */
  async load(store: Store, tenant: string, isScheduled: (id: string) => Promise<boolean>): Promise<void> {
    const older: { readonly id: string; readonly taken: Set<string> }[] = [];
    for await (const { key, value } of store.list(slotsOf(tenant))) {
      const { taken, stored } = this.#flowOf(tenant, flowOf(key));
      const id = String(key[4]);
      if (value[0] === MARK[0]) taken.add(id);
      else older.push({ id, taken });
      stored.set(id, "slot");
    }
    for (let at = 0; at < older.length; at += READS_AT_ONCE) {
      const some = older.slice(at, at + READS_AT_ONCE);
      const scheduled = await Promise.all(some.map(({ id }) => isScheduled(id)));
      for (const [index, { id, taken }] of some.entries()) if (!scheduled[index]) taken.add(id);
    }
    for await (const { key } of store.list(queuedOf(tenant))) {
      const { queued, stored } = this.#flowOf(tenant, flowOf(key));
      queued.add(String(key[4]));
      stored.set(String(key[4]), "place in the queue");
    }
  }

  /** Sets the limit of the latest revision of a flow; false if the flow has no slots and no queue. */
  setLimit(flow: SlotFlow, limit: number | undefined): boolean {
    if (limit === undefined && !this.#flows.has(nameIn(flow))) return false;
    this.#of(flow).limit = limit ?? Infinity;
    return true;
  }

  /** Drops the limit of a deleted flow; executions of it have that of their own revision. */
  forgetLimit(flow: SlotFlow): void {
    const known = this.#flows.get(nameIn(flow));
    if (!known) return;
    known.limit = undefined;
    this.#dropIfEmpty(nameIn(flow), known);
  }

  /** Drops the flows of a removed tenant. */
  forgetTenant(tenant: string): void {
    for (const name of [...this.#flows.keys()]) if (name.startsWith(`${tenant}/`)) this.#flows.delete(name);
  }

  /** Takes a slot for an execution that starts; `undefined` if it may run, else the state that the limit gives it. */
  admit(
    execution: Execution,
    { limit, behavior }: ConcurrencyLimit,
  ): "QUEUED" | "CANCELLED" | "FAILED" | undefined {
    const { taken, queued, limit: latest = limit } = this.#of(execution);
    if (taken.has(execution.id)) return undefined; // It was paused and has kept its slot.
    if (taken.size < latest && queued.size === 0) {
      taken.add(execution.id);
      return undefined;
    }
    if (behavior === "CANCEL") return "CANCELLED";
    if (behavior === "FAIL") return "FAILED";
    queued.add(execution.id);
    return "QUEUED";
  }

  /** Takes a slot regardless of the limit. */
  force(execution: Execution): void {
    const { taken, queued } = this.#of(execution);
    queued.delete(execution.id);
    taken.add(execution.id);
  }

  /** Lets an execution start that replaces one whose slot the same commit releases; others that wait come first. */
  replace(execution: Execution, { id }: Execution): void {
    const { taken, queued } = this.#find(execution);
    if (taken.has(execution.id) && queued.size === 0) taken.add(id);
  }

  /** Whether an execution has a slot. */
  holds(execution: SlotFlow & Pick<Execution, "id">): boolean {
    return this.#find(execution).taken.has(execution.id);
  }

  /** What the next commit of an execution must store; `undefined` if nothing changes. */
  changeOf(execution: Execution): SlotChange | undefined {
    const flow = this.#find(execution);
    const { id, tenant } = execution;
    const wanted = holdOf(execution, flow);
    const stored = flow.stored.get(id);
    const isHeld = flow.taken.has(id) || flow.queued.has(id);
    if (wanted === stored && (wanted !== undefined || !isHeld)) return undefined;
    const key = { namespace: execution.namespace, id: execution.flowId };
    const mutations: Mutation[] = [];
    if (stored) mutations.push({ type: "delete", key: keyOf(stored, tenant, key, id) });
    if (wanted) mutations.push({ type: "set", key: keyOf(wanted, tenant, key, id), value: MARK });
    const committed = () => {
      if (wanted) this.#of(execution).stored.set(id, wanted);
      else this.release(execution);
    };
    return { mutations, committed };
  }

  /**
   * What the deletion of an execution must store; `undefined` if its flow has had no limit. Removes both keys: a commit in
   * progress may replace one by the other.
   */
  removalOf(execution: Execution): SlotChange | undefined {
    const { tenant, namespace, flowId, id } = execution;
    if (!this.#flows.has(nameIn(execution))) return undefined;
    const key = { namespace, id: flowId };
    const mutations: Mutation[] = HOLDS.map((hold) => ({
      type: "delete",
      key: keyOf(hold, tenant, key, id),
    }));
    return { mutations, committed: () => this.release(execution) };
  }

  /** Releases what an execution holds that has ended, or was never stored. */
  release(execution: SlotFlow & Pick<Execution, "id">): void {
    const flow = this.#find(execution);
    flow.taken.delete(execution.id);
    flow.queued.delete(execution.id);
    flow.stored.delete(execution.id);
    this.#dropIfEmpty(nameIn(execution), flow);
  }

  /** Gives free slots to the oldest queued executions; their ids. */
  grant(execution: SlotFlow, limit: number): string[] {
    const { taken, queued, stored, limit: latest = limit } = this.#find(execution);
    const granted: string[] = [];
    for (const id of queued) {
      if (taken.size >= latest) break;
      if (!stored.has(id)) continue; // It cannot be loaded before it is durable; its commit grants slots again.
      queued.delete(id);
      taken.add(id);
      granted.push(id);
    }
    return granted;
  }

  /** The next queued execution when an execution releases its slot; `undefined` if the slot is not to be passed on. */
  successor(execution: Execution, limit: number): string | undefined {
    const { taken, queued, stored, limit: latest = limit } = this.#find(execution);
    if (!taken.has(execution.id) || taken.size > latest) return undefined;
    const { value: next } = queued.values().next();
    return next !== undefined && stored.has(next) ? next : undefined; // It cannot be loaded before it is durable.
  }

  /** Transfers the slot of an ended execution to its successor; their commit stores it. */
  transfer(execution: Execution, { id }: Execution): void {
    const { taken, queued } = this.#of(execution);
    taken.delete(execution.id);
    queued.delete(id);
    taken.add(id);
  }

  /** Undoes {@link transfer}, which was not stored. */
  undoTransfer(execution: Execution, { id }: Execution): void {
    const flow = this.#of(execution);
    flow.taken.delete(id);
    flow.queued = new Set([id, ...flow.queued]);
    if (flow.stored.get(execution.id) === "slot") flow.taken.add(execution.id);
  }

  /** Ids of the next queued executions that are durable. */
  *next(execution: SlotFlow, count: number): Iterable<string> {
    const { queued, stored } = this.#find(execution);
    for (const id of queued.values().take(count)) if (stored.has(id)) yield id;
  }

  /** Number of executions with a slot, and number of those ahead of an execution in the queue (-1: it is not queued). */
  usageOf(
    execution: SlotFlow & Pick<Execution, "id">,
  ): { readonly running: number; readonly ahead: number } {
    const { taken, queued } = this.#find(execution);
    return { running: taken.size, ahead: [...queued].indexOf(execution.id) };
  }

  /** Flows with queued executions. */
  *waitingFlows(): Iterable<{ readonly tenant: string } & FlowKey> {
    for (const [key, { queued }] of this.#flows) {
      const [tenant = "", namespace = "", id = ""] = key.split("/");
      if (queued.size > 0) yield { tenant, namespace, id };
    }
  }

  #dropIfEmpty(name: string, { taken, queued, stored, limit }: FlowSlots): void {
    if (limit === undefined && taken.size + queued.size + stored.size === 0) this.#flows.delete(name);
  }

  #find(flow: SlotFlow): FlowSlots {
    return this.#flows.get(nameIn(flow)) ?? NOTHING;
  }

  #of({ tenant, namespace, flowId }: SlotFlow): FlowSlots {
    return this.#flowOf(tenant, { namespace, id: flowId });
  }

  #flowOf(tenant: string, flowKey: FlowKey): FlowSlots {
    const key = nameOf(tenant, flowKey);
    let flow = this.#flows.get(key);
    if (!flow) this.#flows.set(key, flow = { taken: new Set(), queued: new Set(), stored: new Map() });
    return flow;
  }
}

function holdOf({ id, history }: Execution, { taken, queued }: FlowSlots): Hold | undefined {
  if (isEnded(history)) return undefined;
  const state = currentState(history);
  if (state === "QUEUED") return "place in the queue";
  // One that waits for its date has asked for nothing, and one that was refused may be stored before it is queued.
  if ((state !== "CREATED" && state !== "RESTARTED") || taken.has(id)) return "slot";
  return queued.has(id) ? "place in the queue" : undefined;
}

function nameOf(tenant: string, { namespace, id }: FlowKey): string {
  return `${tenant}/${namespace}/${id}`;
}

function nameIn({ tenant, namespace, flowId: id }: SlotFlow): string {
  return nameOf(tenant, { namespace, id });
}

function keyOf(hold: Hold, tenant: string, flow: FlowKey, id: string): Key {
  return hold === "slot" ? slotKey(tenant, flow, id) : queuedKey(tenant, flow, id);
}

function flowOf(key: Key): FlowKey {
  return { namespace: String(key[2]), id: String(key[3]) };
}

/** True if it holds no slot; waiters must be rechecked. */
export function holdsNoSlot({ history }: Execution): boolean {
  return isEnded(history) || currentState(history) === "QUEUED";
}
