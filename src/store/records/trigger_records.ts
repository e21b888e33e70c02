/** Triggers: their states, when they are due, what must be known of them at once, and the windows of their conditions. */
import type { Instant } from "../../base/clock.ts";
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { Evaluations } from "../../model/triggers/evaluations.ts";
import type { FlowKey, TenantId, TriggerKey } from "../../model/flows/flow.ts";
import type { TriggerState } from "../../model/triggers/trigger_state.ts";
import { decodeJson, encodeJson } from "../codec.ts";
import {
  triggerDueKey,
  triggerKey,
  triggerMarkKey,
  triggerMarksOf,
  triggersOf,
  triggersOfFlow,
  triggerWindowKey,
  triggerWindowsOf,
} from "../keys.ts";
import type { Key, Mutation, Store } from "../store.ts";

/** What must be known of a trigger without reading its state. */
interface TriggerMark {
  readonly trigger: TriggerKey;
  readonly isListening: boolean;
  readonly isDisabled: boolean;
}

/** When a part of a condition was met last, and by which execution where that matters. */
export interface MetPart {
  readonly at: Instant;
  readonly executionId?: string;
}

/** What was met of a condition, by the names of its parts. */
export type WindowResults = ReadonlyMap<string, MetPart>;

/** Stored as the time alone where no execution is named. */
type StoredPart = number | readonly [at: number, executionId: string];

const MARK = new Uint8Array([1]);

/** Reads the states of triggers, and prepares what must be written. */
export class TriggerRecords {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** The state of a trigger. */
  async get(tenant: TenantId, trigger: TriggerKey): Promise<TriggerState | undefined> {
    const entry = await this.#store.get(triggerKey(tenant, trigger));
    return entry ? stateOf(entry.key, entry.value) : undefined;
  }

  /** The states of all triggers of a flow. */
  async ofFlow(tenant: TenantId, flow: FlowKey): Promise<TriggerState[]> {
    const states: TriggerState[] = [];
    for await (const { key, value } of this.#store.list(triggersOfFlow(tenant, flow))) {
      states.push(stateOf(key, value));
    }
    return states;
  }

  /** The states of all triggers of a tenant, by namespace, flow and id. */
  async *all(tenant: TenantId): AsyncIterable<TriggerState> {
    for await (const { key, value } of this.#store.list(triggersOf(tenant))) yield stateOf(key, value);
  }

  /** What must be known at once of the triggers of a tenant. */
  async *marks(tenant: TenantId): AsyncIterable<TriggerMark> {
    for await (const { key, value } of this.#store.list(triggerMarksOf(tenant))) {
      const mark = decodeJson(value);
      const has = (name: string) => isJsonObject(mark) && mark[name] === true;
      yield { trigger: triggerKeyOf(key), isListening: has("listens"), isDisabled: has("disabled") };
    }
  }

  /** What was met so far of a condition of a trigger. */
  async window(tenant: TenantId, trigger: TriggerKey, condition: string): Promise<WindowResults> {
    const entry = await this.#store.get(triggerWindowKey(tenant, trigger, condition));
    const stored = entry ? Object.entries(decodeJson(entry.value) as Record<string, StoredPart>) : [];
    return new Map(stored.map(([name, part]) => [
      name,
      typeof part === "number" ? { at: part } : { at: part[0], executionId: part[1] },
    ]));
  }

  /** What stores a window; nothing met removes it. */
  saveWindow(tenant: TenantId, trigger: TriggerKey, condition: string, results: WindowResults): Mutation {
    const key = triggerWindowKey(tenant, trigger, condition);
    if (results.size === 0) return { type: "delete", key };
    const stored = [...results].map(([name, { at, executionId }]): [string, StoredPart] => [
      name,
      executionId === undefined ? at : [at, executionId],
    ]);
    return { type: "set", key, value: encodeJson(Object.fromEntries(stored)) };
  }

  /** What stores a state in place of `previous`: with it, when it is due, and its mark. */
  save(
    tenant: TenantId,
    state: TriggerState,
    { previous, isListening }: { readonly previous?: TriggerState; readonly isListening: boolean },
  ): Mutation[] {
    const stored = { ...state, namespace: undefined, flowId: undefined, triggerId: undefined };
    const mutations: Mutation[] = [
      { type: "set", key: triggerKey(tenant, state), value: encodeJson(stored) },
    ];
    if (previous?.dueAt !== undefined && previous.dueAt !== state.dueAt) {
      mutations.push({ type: "delete", key: triggerDueKey(previous.dueAt, tenant, state) });
    }
    if (state.dueAt !== undefined && previous?.dueAt !== state.dueAt) {
      mutations.push({ type: "set", key: triggerDueKey(state.dueAt, tenant, state), value: MARK });
    }
    const mark = markMutation(tenant, state, isListening);
    const isKnown = previous?.disabled === state.disabled && previous.kind === state.kind;
    if (!isKnown) mutations.push(mark);
    return mutations;
  }

  /** What removes a trigger. */
  async remove(tenant: TenantId, state: TriggerState): Promise<Mutation[]> {
    const keys: Key[] = [triggerKey(tenant, state), triggerMarkKey(tenant, state)];
    if (state.dueAt !== undefined) keys.push(triggerDueKey(state.dueAt, tenant, state));
    for await (const { key } of this.#store.list(triggerWindowsOf(tenant, state))) keys.push(key);
    return keys.map((key) => ({ type: "delete", key }));
  }
}

function markMutation(tenant: TenantId, state: TriggerState, isListening: boolean): Mutation {
  const key = triggerMarkKey(tenant, state);
  if (!isListening && !state.disabled) return { type: "delete", key };
  const mark: JsonObject = { listens: isListening, disabled: state.disabled };
  return { type: "set", key, value: encodeJson(mark) };
}

function stateOf(key: Key, value: Uint8Array): TriggerState {
  const stored = decodeJson(value) as unknown as Omit<TriggerState, keyof TriggerKey>;
  return { ...triggerKeyOf(key), ...stored, evaluations: Evaluations.read(stored.evaluations) };
}

/** The trigger of a key that ends with its name. */
export function triggerKeyOf(key: Key): TriggerKey {
  const [namespace, flowId, triggerId] = key.slice(-3).map(String) as [string, string, string];
  return { namespace, flowId, triggerId };
}
