/** In-memory index of triggers: which listen to executions, and which are disabled. */
import { ownProperty } from "../../base/json.ts";
import type { FlowPlan } from "../../engine/plan.ts";
import type { AnyAnnouncement } from "../../model/triggers/announcement.ts";
import type { Execution } from "../../model/executions/execution.ts";
import type { FlowKey, TenantId, Trigger, TriggerKey } from "../../model/flows/flow.ts";
import { PatternIndex } from "../../model/triggers/flow_patterns.ts";
import { reactedFlows } from "../../model/triggers/reacted_flows.ts";
import { reactedStates } from "../../model/triggers/reacted_states.ts";
import type { TriggerCatalog } from "../../model/triggers/trigger_catalog.ts";
import type { State } from "../../model/executions/state.ts";
import { triggerName, type TriggerState } from "../../model/triggers/trigger_state.ts";

interface Listener {
  /** Of the trigger, unique in its tenant and others. */
  readonly name: string;
  readonly trigger: TriggerKey;
  /** States that it reacts to. */
  readonly states: ReadonlySet<string>;
  /** Patterns of the flows whose executions it reacts to. */
  readonly flows: readonly string[];
}

type FlowOfExecution = Pick<Execution, "namespace" | "flowId">;

/** The listeners of a tenant, by the flows they listen to. */
class Listeners {
  readonly #byName = new Map<string, Listener>();
  readonly #byFlow = new PatternIndex<Listener>();

  get isEmpty(): boolean {
    return this.#byName.size === 0;
  }

  set(listener: Listener): void {
    this.delete(listener.name);
    this.#byName.set(listener.name, listener);
    this.#byFlow.add(listener.flows, listener);
  }

  delete(name: string): void {
    const listener = this.#byName.get(name);
    if (!listener) return;
    this.#byName.delete(name);
    this.#byFlow.delete(listener.flows, listener);
  }

  of({ namespace, flowId: id }: FlowOfExecution): Iterable<Listener> {
    return this.#byFlow.of({ namespace, id });
  }
}

/** Triggers by tenant. Updated after the commit of a change. */
export class TriggerIndex {
  readonly #catalog: TriggerCatalog;
  readonly #listeners = new Map<TenantId, Listeners>();
  readonly #disabled = new Map<TenantId, Set<string>>();

  constructor(catalog: TriggerCatalog) {
    this.#catalog = catalog;
  }

  /** True for a trigger that reacts to executions. */
  isListening(kind: string): boolean {
    return this.#catalog.find(kind)?.form === "flow";
  }

  /** Adds or replaces a listening trigger, as its flow declares it. */
  listen(tenant: TenantId, flow: FlowKey, trigger: Trigger): void {
    let listeners = this.#listeners.get(tenant);
    if (!listeners) this.#listeners.set(tenant, listeners = new Listeners());
    const key = { namespace: flow.namespace, flowId: flow.id, triggerId: trigger.id };
    listeners.set({
      name: triggerName(tenant, key),
      trigger: key,
      states: reactedStates(trigger.properties),
      flows: reactedFlows(trigger.properties, this.#catalog),
    });
  }

  /** Sets whether a trigger is disabled by its state. */
  setDisabled(tenant: TenantId, trigger: TriggerKey, isDisabled: boolean): void {
    let disabled = this.#disabled.get(tenant);
    if (!disabled) this.#disabled.set(tenant, disabled = new Set());
    if (isDisabled) disabled.add(triggerName(tenant, trigger));
    else if (disabled.size > 0) disabled.delete(triggerName(tenant, trigger));
  }

  /** Removes a trigger. */
  remove(tenant: TenantId, state: TriggerState): void {
    this.#listeners.get(tenant)?.delete(triggerName(tenant, state));
    this.#disabled.get(tenant)?.delete(triggerName(tenant, state));
  }

  /** Removes all triggers of a tenant. */
  forget(tenant: TenantId): void {
    this.#listeners.delete(tenant);
    this.#disabled.delete(tenant);
  }

  /** True for a trigger that is disabled by its state; its declaration is not considered. */
  isDisabled(tenant: TenantId, trigger: TriggerKey): boolean {
    return this.#disabled.get(tenant)?.has(triggerName(tenant, trigger)) ?? false;
  }

  /** The announcements to triggers for the states of an execution from index `from` on. */
  announcementsOf(execution: Execution, plan: FlowPlan, from: number): readonly AnyAnnouncement[] {
    const { tenant, id: executionId, namespace, flowId, history, kind } = execution;
    const own = ownTrigger(execution, plan);
    if (!own && (this.#listeners.get(tenant)?.isEmpty ?? true)) return NONE;
    // Only NORMAL executions count.
    const reached = history.slice(from).map(({ state, at }, offset) => ({
      announced: { tenant, executionId, index: from + offset, state, at },
      reacting: kind === "NORMAL" ? this.listeningTo(tenant, execution, state) : [],
    }));
    const count = reached.reduce((sum, { reacting }) => sum + reacting.length, 0);
    return reached.flatMap(({ announced, reacting }): AnyAnnouncement[] => [
      ...count > MAX_ANNOUNCEMENTS && reacting.length > 0
        ? [{ ...announced, namespace, flowId }]
        : reacting.map((trigger) => ({ ...announced, trigger, isOwn: false })),
      ...own && stopStates(own).has(announced.state)
        ? [{ ...announced, trigger: { namespace, flowId, triggerId: own.id }, isOwn: true }]
        : [],
    ]);
  }

  /** The triggers that react to that state of executions of a flow; not those of the flow itself, which would start it without end. */
  listeningTo(tenant: TenantId, flow: FlowOfExecution, state: State): TriggerKey[] {
    return Array.from(this.#listenersTo(tenant, flow, state), ({ trigger }) => trigger);
  }

  /** As {@link listeningTo}, the first `count` of those whose names come after one, in the order of names. */
  nextListening(
    tenant: TenantId,
    flow: FlowOfExecution,
    state: State,
    { after, count }: { readonly after: string; readonly count: number },
  ): readonly Listener[] {
    const next: Listener[] = [];
    for (const listener of this.#listenersTo(tenant, flow, state)) {
      const last = next.length < count ? undefined : next.at(-1);
      if (listener.name <= after || last && listener.name > last.name) continue;
      const at = next.findIndex(({ name }) => name > listener.name);
      next.splice(at < 0 ? next.length : at, 0, listener);
      if (last) next.pop();
    }
    return next;
  }

  *#listenersTo(tenant: TenantId, flow: FlowOfExecution, state: State): Generator<Listener> {
    for (const listener of this.#listeners.get(tenant)?.of(flow) ?? []) {
      const { trigger, states } = listener;
      const isOwn = trigger.namespace === flow.namespace && trigger.flowId === flow.flowId;
      if (states.has(state) && !isOwn) yield listener;
    }
  }
}

const NONE: readonly AnyAnnouncement[] = [];

/** Most announcements to single triggers in a commit, which has limits of changes and of bytes in keys. */
const MAX_ANNOUNCEMENTS = 32;

/** The trigger that started the execution, if it has `stopAfter`. */
function ownTrigger({ trigger }: Execution, { flow }: FlowPlan): Trigger | undefined {
  if (!trigger) return undefined;
  const own = flow.triggers.find(({ id, type }) => id === trigger.id && type === trigger.type);
  return own && Object.hasOwn(own.properties, "stopAfter") ? own : undefined;
}

/** States of an execution that disable the trigger which started it. */
export function stopStates({ properties }: Trigger): ReadonlySet<string> {
  const states = ownProperty(properties, "stopAfter");
  return new Set(Array.isArray(states) ? states.map(String) : []);
}
