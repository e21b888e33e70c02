/** Checks what wakes executions: the lists of live ones, timers, messages, slots and queues of concurrency limits. */
import type { Instant } from "../../base/time/clock.ts";
import type { Execution } from "../../model/executions/execution.ts";
import { isScheduled } from "../../model/executions/execution_waiting.ts";
import { currentState, isEnded, type State } from "../../model/executions/state.ts";
import type { TenantId } from "../../model/flows/flow.ts";
import { decodeJson } from "../codec.ts";
import {
  EXECUTION_REMOVALS,
  executionKey,
  globalKeys,
  MESSAGES,
  queuedOf,
  slotsOf,
  timerKey,
} from "../keys.ts";
import type { Key } from "../store.ts";
import type { CheckContext } from "./context.ts";

/** States in which a person or a free slot wakes an execution. */
const WAITING: ReadonlySet<State> = new Set(["PAUSED", "BREAKPOINT", "QUEUED"]);

/** What is stored about waiting and live executions. Filled by {@link read}, emptied while executions are read. */
export class WakeCheck {
  readonly #context: CheckContext;
  readonly #listed = new Set<string>();
  readonly #removals = new Set<string>();
  readonly #timers = new Map<string, Key>();
  readonly #messages = new Map<string, Key>();
  readonly #slots = new Map<string, Key>();
  readonly #queued = new Map<string, Key>();
  /** Executions that another one, which has not ended, waits for or reports to. */
  readonly #awaiting = new Set<string>();
  readonly #suspects = new Map<string, Execution>();

  constructor(context: CheckContext) {
    this.#context = context;
  }

  /** Reads everything but the executions. */
  async read(tenants: readonly TenantId[]): Promise<void> {
    const context = this.#context;
    // Those of an earlier format, which no server has moved yet, are the first.
    for (const kind of ["g", "~g"]) await this.#readListed(kind);
    for await (const { key } of context.read(EXECUTION_REMOVALS, "removals in progress")) {
      this.#removals.add(nameOf(String(key[1]), String(key[2])));
    }
    for await (const { key } of context.read(globalKeys("tm"), "timers")) {
      this.#timers.set(key.join("/"), key);
    }
    for await (const entry of context.read(MESSAGES, "messages between executions")) {
      context.decode(entry, ({ value }) => decodeJson(value));
      const [, tenant, target, source] = entry.key.map(String) as [string, string, string, string];
      this.#messages.set(nameOf(tenant, target), entry.key);
      // The target may report back.
      this.#awaiting.add(nameOf(tenant, source));
    }
    for (const tenant of tenants) {
      for await (const { key } of context.read(slotsOf(tenant), "slots")) {
        this.#slots.set(nameOf(tenant, String(key[4])), key);
      }
      for await (const { key } of context.read(queuedOf(tenant), "queued executions")) {
        this.#queued.set(nameOf(tenant, String(key[4])), key);
      }
    }
  }

  async #readListed(kind: string): Promise<void> {
    for await (const entry of this.#context.read(globalKeys(kind), "lists of live executions")) {
      const names = this.#context.decode(
        entry,
        ({ value }) => (decodeJson(value) as [string, string][]).map(([tenant, id]) => nameOf(tenant, id)),
      );
      for (const name of names ?? []) this.#listed.add(name);
    }
  }

  /** True for an execution whose next transition the server makes by itself. */
  isListed(tenant: TenantId, id: string): boolean {
    return this.#listed.has(nameOf(tenant, id));
  }

  /** True for a deleted execution whose data the next start removes. */
  isBeingRemoved(tenant: TenantId, id: string): boolean {
    return this.#removals.has(nameOf(tenant, id));
  }

  /** True when the timer is stored; a timer that is never looked up belongs to no record. */
  takeTimer(tenant: TenantId, id: string, name: string, dueAt: Instant): boolean {
    return this.#timers.delete(timerKey(dueAt, tenant, id, name).join("/"));
  }

  /** Notes an execution that was read. */
  add(execution: Execution): void {
    const { tenant, id, history, awaitedBy, parentId, timers } = execution;
    const name = nameOf(tenant, id);
    const state = currentState(history);
    const hasEnded = isEnded(history);
    this.#checkSlot(this.#slots, name, hasEnded || isScheduled(execution));
    this.#checkSlot(this.#queued, name, state !== "QUEUED");
    const hasMessage = this.#messages.delete(name);
    if (hasEnded) return;
    for (const other of [awaitedBy?.executionId, parentId]) {
      if (other) this.#awaiting.add(nameOf(tenant, other));
    }
    if (this.#listed.has(name) || hasMessage || WAITING.has(state) || timers.size > 0 || execution.isHeld) {
      return;
    }
    this.#suspects.set(name, execution);
  }

  /** Reports what belongs to no execution, and executions that nothing wakes. */
  finish(): void {
    const context = this.#context;
    for (const key of this.#timers.values()) context.found("index_stray", key, "no execution has this timer");
    for (const key of this.#messages.values()) context.found("index_stray", key, "its target is not stored");
    for (const slots of [this.#slots, this.#queued]) {
      for (const name of [...slots.keys()]) this.#checkSlot(slots, name, true);
    }
    for (const [name, { tenant, id, history }] of this.#suspects) {
      if (this.#awaiting.has(name)) continue;
      context.found("nothing_wakes", executionKey(tenant, id), `it is ${currentState(history)}`);
    }
  }

  #checkSlot(slots: Map<string, Key>, name: string, isStray: boolean): void {
    const key = slots.get(name);
    if (!key) return;
    slots.delete(name);
    if (!isStray) return;
    this.#context.found("slot_stray", key);
    this.#context.repairs.push({ type: "delete", key });
  }
}

function nameOf(tenant: TenantId, id: string): string {
  return `${tenant}/${id}`;
}
