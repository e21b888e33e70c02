/** Stored triggers: states, due times, marks, windows of conditions, and the announcements of states to triggers. */
import type { Instant } from "../../base/time/clock.ts";
import { isJsonObject } from "../../base/json.ts";
import type { AnyAnnouncement } from "../../model/triggers/announcement.ts";
import { Evaluations } from "../../model/triggers/evaluations.ts";
import type { FlowKey, TenantId, TriggerKey } from "../../model/flows/flow.ts";
import type { TriggerState } from "../../model/triggers/trigger_state.ts";
import { decodeJson, encodeJson } from "../codec.ts";
import {
  announcementKey,
  keyInNamespace,
  triggerDueKey,
  triggerKey,
  triggerMarkKey,
  triggerMarksOf,
  triggersOf,
  triggersOfFlow,
  triggerWindowKey,
  triggerWindowsOf,
} from "../keys.ts";
import type { Key, Mutation, Store, StoredEntry } from "../store.ts";
import { deleteKey, deletionsOf, readEntries, readEntry, setJson } from "../stored_entries.ts";

/** Properties of a trigger that are available without its state. */
interface TriggerMark {
  readonly trigger: TriggerKey;
  readonly isListening: boolean;
  readonly isDisabled: boolean;
}

/** The last time a part of a condition was met, and the execution that met it if there is one. */
export interface MetPart {
  readonly at: Instant;
  readonly executionId?: string;
}

/** The met parts of a condition, by name. */
export type WindowResults = ReadonlyMap<string, MetPart>;

/** Only the time if there is no execution. */
type StoredPart = number | readonly [at: number, executionId: string];

const MARK = new Uint8Array([1]);

/** Reads trigger states and builds the mutations that change them. */
export class TriggerRecords {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** The state of a trigger. */
  get(tenant: TenantId, trigger: TriggerKey): Promise<TriggerState | undefined> {
    return readEntry(this.#store, triggerKey(tenant, trigger), decodeState);
  }

  /** The states of all triggers of a flow. */
  ofFlow(tenant: TenantId, flow: FlowKey): Promise<TriggerState[]> {
    return Array.fromAsync(readEntries(this.#store, triggersOfFlow(tenant, flow), decodeState));
  }

  /** The states of all triggers of a tenant, ordered by namespace, flow and id. */
  all(tenant: TenantId): AsyncIterable<TriggerState> {
    return readEntries(this.#store, triggersOf(tenant), decodeState);
  }

  /** The marks of the triggers of a tenant. */
  marks(tenant: TenantId): AsyncIterable<TriggerMark> {
    return readEntries(this.#store, triggerMarksOf(tenant), decodeMark);
  }

  /** The parts of a condition that were met so far. */
  async window(tenant: TenantId, trigger: TriggerKey, condition: string): Promise<WindowResults> {
    const entry = await this.#store.get(triggerWindowKey(tenant, trigger, condition));
    const stored = entry ? Object.entries(decodeJson(entry.value) as Record<string, StoredPart>) : [];
    return new Map(stored.map(([name, part]) => [
      name,
      typeof part === "number" ? { at: part } : { at: part[0], executionId: part[1] },
    ]));
  }

  /** Stores a window; deletes it when no part was met. */
  saveWindow(tenant: TenantId, trigger: TriggerKey, condition: string, results: WindowResults): Mutation {
    const key = triggerWindowKey(tenant, trigger, condition);
    if (results.size === 0) return deleteKey(key);
    const stored = [...results].map(([name, { at, executionId }]): [string, StoredPart] => [
      name,
      executionId === undefined ? at : [at, executionId],
    ]);
    return setJson(key, Object.fromEntries(stored));
  }

  /** Replaces the state `previous` by `state`, including the due key and the mark. */
  save(
    tenant: TenantId,
    state: TriggerState,
    { previous, isListening }: { readonly previous?: TriggerState; readonly isListening: boolean },
  ): Mutation[] {
    const stored = { ...state, namespace: undefined, flowId: undefined, triggerId: undefined };
    const mutations = [setJson(triggerKey(tenant, state), stored)];
    if (previous?.dueAt !== undefined && previous.dueAt !== state.dueAt) {
      mutations.push(deleteKey(triggerDueKey(previous.dueAt, tenant, state)));
    }
    if (state.dueAt !== undefined && previous?.dueAt !== state.dueAt) {
      mutations.push({ type: "set", key: triggerDueKey(state.dueAt, tenant, state), value: MARK });
    }
    const isMarkStored = previous?.disabled === state.disabled && previous.kind === state.kind;
    if (!isMarkStored) mutations.push(markMutation(tenant, state, isListening));
    return mutations;
  }

  /** Writes the windows of a trigger for its flow in another namespace, too. */
  async movedWindows(tenant: TenantId, trigger: TriggerKey, namespace: string): Promise<Mutation[]> {
    const windows = readEntries(
      this.#store,
      triggerWindowsOf(tenant, trigger),
      ({ key, value }): Mutation => ({ type: "set", key: keyInNamespace(key, namespace), value }),
    );
    return await Array.fromAsync(windows);
  }

  /** Removes a trigger. */
  async remove(tenant: TenantId, state: TriggerState): Promise<Mutation[]> {
    const keys: Key[] = [triggerKey(tenant, state), triggerMarkKey(tenant, state)];
    if (state.dueAt !== undefined) keys.push(triggerDueKey(state.dueAt, tenant, state));
    return [...keys.map(deleteKey), ...await deletionsOf(this.#store, triggerWindowsOf(tenant, state))];
  }
}

/** The announcement stored under an announcement key. */
export function announcementFrom(key: Key, value: Uint8Array): AnyAnnouncement {
  const stored = decodeJson(value) as object;
  const [, tenant, executionId, index, ...trigger] = key;
  const reached = {
    ...stored,
    tenant: String(tenant),
    executionId: String(executionId),
    index: Number(index),
  };
  return (trigger.length === 0 ? reached : { ...reached, trigger: triggerKeyOf(key) }) as AnyAnnouncement;
}

/** Stores an announcement. */
export function announcementMutation(announcement: AnyAnnouncement): Mutation {
  const { tenant: _tenant, executionId: _id, index: _index, ...rest } = announcement;
  const value = "trigger" in rest ? { state: rest.state, at: rest.at, isOwn: rest.isOwn } : rest;
  return { type: "set", key: announcementKey(announcement), value: encodeJson(value) };
}

function markMutation(tenant: TenantId, state: TriggerState, isListening: boolean): Mutation {
  const key = triggerMarkKey(tenant, state);
  if (!isListening && !state.disabled) return deleteKey(key);
  return setJson(key, { listens: isListening, disabled: state.disabled });
}

function decodeMark({ key, value }: StoredEntry): TriggerMark {
  const mark = decodeJson(value);
  const has = (name: string) => isJsonObject(mark) && mark[name] === true;
  return { trigger: triggerKeyOf(key), isListening: has("listens"), isDisabled: has("disabled") };
}

/** A stored state of a trigger. */
export function decodeState({ key, value }: StoredEntry): TriggerState {
  const stored = decodeJson(value) as unknown as Omit<TriggerState, keyof TriggerKey>;
  return { ...triggerKeyOf(key), ...stored, evaluations: Evaluations.read(stored.evaluations) };
}

/** The trigger named by the last three parts of a key. */
export function triggerKeyOf(key: Key): TriggerKey {
  const [namespace, flowId, triggerId] = key.slice(-3).map(String) as [string, string, string];
  return { namespace, flowId, triggerId };
}
