/** What is known of triggers at once, without a read: which listen to executions, and which are switched off. */
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from "../../base/json.ts";
import type { FlowPlan } from "../../engine/plan.ts";
import type { Announcement } from "../../model/triggers/announcement.ts";
import type { Execution } from "../../model/executions/execution.ts";
import {
  canonicalType,
  type FlowKey,
  type TenantId,
  type Trigger,
  type TriggerKey,
} from "../../model/flows/flow.ts";
import { DEPENDENCY_STATES, type TriggerCatalog } from "../../model/triggers/trigger_catalog.ts";
import { type State, TERMINAL_STATES } from "../../model/executions/state.ts";
import { triggerName, type TriggerState } from "../../model/triggers/trigger_state.ts";

interface Listener {
  readonly trigger: TriggerKey;
  /** States that it reacts to. */
  readonly states: ReadonlySet<string>;
  /** The one flow whose executions can matter, when it names one. */
  readonly only?: FlowKey;
}

/** The listeners of a tenant: those of one flow, and those of any. */
class Listeners {
  readonly #byFlow = new Map<string, Map<string, Listener>>();
  readonly #ofAny = new Map<string, Listener>();

  get isEmpty(): boolean {
    return this.#byFlow.size === 0 && this.#ofAny.size === 0;
  }

  set(name: string, listener: Listener): void {
    this.delete(name);
    if (!listener.only) return void this.#ofAny.set(name, listener);
    const flow = flowName(listener.only.namespace, listener.only.id);
    const listeners = this.#byFlow.get(flow) ?? new Map<string, Listener>();
    this.#byFlow.set(flow, listeners.set(name, listener));
  }

  delete(name: string): void {
    if (this.#ofAny.delete(name)) return;
    for (const [flow, listeners] of this.#byFlow) {
      if (listeners.delete(name) && listeners.size === 0) this.#byFlow.delete(flow);
    }
  }

  *of({ namespace, flowId }: Execution): Iterable<Listener> {
    yield* this.#ofAny.values();
    yield* this.#byFlow.get(flowName(namespace, flowId))?.values() ?? [];
  }
}

function flowName(namespace: string, id: string): string {
  return `${namespace}/${id}`;
}

/** Triggers by tenant. Changed when what it says is durable. */
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

  /** Takes note of a trigger that listens, as its flow declares it. */
  listen(tenant: TenantId, flow: FlowKey, trigger: Trigger): void {
    let listeners = this.#listeners.get(tenant);
    if (!listeners) this.#listeners.set(tenant, listeners = new Listeners());
    const key = { namespace: flow.namespace, flowId: flow.id, triggerId: trigger.id };
    listeners.set(triggerName(tenant, key), {
      trigger: key,
      states: statesOf(trigger),
      only: onlyFlowOf(trigger),
    });
  }

  /** Takes note of whether a trigger is switched off. */
  setDisabled(tenant: TenantId, trigger: TriggerKey, isDisabled: boolean): void {
    let disabled = this.#disabled.get(tenant);
    if (!disabled) this.#disabled.set(tenant, disabled = new Set());
    if (isDisabled) disabled.add(triggerName(tenant, trigger));
    else if (disabled.size > 0) disabled.delete(triggerName(tenant, trigger));
  }

  /** Forgets a trigger. */
  remove(tenant: TenantId, state: TriggerState): void {
    this.#listeners.get(tenant)?.delete(triggerName(tenant, state));
    this.#disabled.get(tenant)?.delete(triggerName(tenant, state));
  }

  /** Forgets a tenant that was deleted. */
  forget(tenant: TenantId): void {
    this.#listeners.delete(tenant);
    this.#disabled.delete(tenant);
  }

  /** True for a trigger that is switched off, whatever its declaration says. */
  isDisabled(tenant: TenantId, trigger: TriggerKey): boolean {
    return this.#disabled.get(tenant)?.has(triggerName(tenant, trigger)) ?? false;
  }

  /** What the states of an execution from that one on mean to triggers. */
  announcementsOf(execution: Execution, plan: FlowPlan, from: number): readonly Announcement[] {
    const listeners = this.#listeners.get(execution.tenant);
    const own = ownTrigger(execution, plan);
    if (!own && (!listeners || listeners.isEmpty)) return NONE;
    const announcements: Announcement[] = [];
    for (let index = from; index < execution.history.length; index++) {
      this.#addState(announcements, { execution, own, index });
    }
    return announcements;
  }

  #addState(
    announcements: Announcement[],
    { execution, own, index }: {
      readonly execution: Execution;
      readonly own: Trigger | undefined;
      readonly index: number;
    },
  ): void {
    const { tenant, id: executionId, namespace, flowId, history } = execution;
    const entry = history[index];
    if (!entry) return;
    const { state, at } = entry;
    const about = { tenant, executionId, index, state, at };
    for (const listener of this.#listeners.get(tenant)?.of(execution) ?? []) {
      if (!mayReact(listener, execution, state)) continue;
      announcements.push({ ...about, trigger: listener.trigger, isOwn: false });
    }
    if (own && stopStates(own).has(state)) {
      const trigger = { namespace, flowId, triggerId: own.id };
      announcements.push({ ...about, trigger, isOwn: true });
    }
  }
}

const NONE: readonly Announcement[] = [];

/** Never to executions of its own flow, which would start each other without end, nor to those that only try a flow out. */
function mayReact(
  { trigger, states }: Listener,
  { namespace, flowId, kind }: Execution,
  state: State,
): boolean {
  const isOwn = trigger.namespace === namespace && trigger.flowId === flowId;
  return kind === "NORMAL" && states.has(state) && !isOwn;
}

/** The trigger that has started the execution, when its end may stop it. */
function ownTrigger({ trigger }: Execution, { flow }: FlowPlan): Trigger | undefined {
  if (!trigger) return undefined;
  const own = flow.triggers.find(({ id, type }) => id === trigger.id && type === trigger.type);
  return own && Object.hasOwn(own.properties, "stopAfter") ? own : undefined;
}

/** States of an execution that stop the trigger which started it. */
export function stopStates({ properties }: Trigger): ReadonlySet<string> {
  const states = ownProperty(properties, "stopAfter");
  return new Set(Array.isArray(states) ? states.map(String) : []);
}

function statesOf({ properties }: Trigger): ReadonlySet<string> {
  const states = ownProperty(properties, "states") ?? dependencyStates(properties);
  return Array.isArray(states)
    ? new Set(states.map(String).filter((state) => state !== "CREATED"))
    : TERMINAL_STATES;
}

/** States that some entry of `dependsOn` counts. */
function dependencyStates(properties: JsonObject): readonly JsonValue[] | undefined {
  const entries = dependenciesIn(properties);
  if (entries.length === 0) return undefined;
  return entries.flatMap((entry) => {
    const states = ownProperty(entry, "states");
    return Array.isArray(states) ? states : [...DEPENDENCY_STATES];
  });
}

function dependenciesIn(properties: JsonObject): JsonObject[] {
  const entries = ownProperty(properties, "dependsOn");
  return Array.isArray(entries) ? entries.filter(isJsonObject) : [];
}

/** The flow that a condition names outright, or the only dependency; it spares most executions a look at the others. */
function onlyFlowOf({ properties }: Trigger): FlowKey | undefined {
  const [dependency, ...further] = dependenciesIn(properties);
  if (dependency && further.length === 0) {
    const namespace = literalOf(dependency, "namespace"), id = literalOf(dependency, "flowId");
    if (namespace !== undefined && id !== undefined) return { namespace, id };
  }
  const conditions = ownProperty(properties, "conditions");
  for (const condition of Array.isArray(conditions) ? conditions : []) {
    if (!isJsonObject(condition) || !isFlowCondition(condition)) continue;
    const namespace = literalOf(condition, "namespace"), id = literalOf(condition, "flowId");
    if (namespace !== undefined && id !== undefined) return { namespace, id };
  }
  return undefined;
}

function isFlowCondition(condition: JsonObject): boolean {
  const name = canonicalType(String(ownProperty(condition, "type") ?? "")).split(".").at(-1);
  return name === "ExecutionFlow" || name === "ExecutionFlowCondition";
}

function literalOf(object: JsonObject, name: string): string | undefined {
  const value: JsonValue = ownProperty(object, name) ?? null;
  return typeof value === "string" && !value.includes("{") ? value : undefined;
}
