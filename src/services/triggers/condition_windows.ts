/** Conditions that several executions meet within a time window: stores the parts met so far, decides when all are met. */
import type { Instant } from "../../base/time/clock.ts";
import { isJsonObject, ownProperty } from "../../base/json.ts";
import { canonicalType, type TenantId, type Trigger, type TriggerKey } from "../../model/flows/flow.ts";
import type {
  ConditionScope,
  ConditionWindow,
  TriggerCatalog,
  UpstreamOutputs,
} from "../../model/triggers/trigger_catalog.ts";
import { ownStates } from "../../model/triggers/reacted_states.ts";
import type { Mutation } from "../../store/store.ts";
import type { MetPart, TriggerRecords, WindowResults } from "../../store/records/trigger_records.ts";
import type { Conditions } from "../../rendering/conditions.ts";

interface WindowRequest {
  readonly tenant: TenantId;
  readonly key: TriggerKey;
  readonly trigger: Trigger;
  /** The execution that may meet parts, and the time of its state. */
  readonly executionId: string;
  readonly at: Instant;
  readonly timeZone: string;
  readonly scope: ConditionScope;
  /** Why nothing may be started now though all conditions are met. */
  readonly hindrance: () => Promise<string | undefined>;
}

/** Result of evaluating the conditions of a trigger; with a `refusal` nothing starts. The mutations are stored in any case. */
export interface Verdict {
  readonly refusal?: string;
  readonly mutations: readonly Mutation[];
  /** Executions whose outputs are read, in the order in which they met their parts. */
  readonly met?: readonly MetExecution[];
}

interface MetExecution {
  readonly executionId: string;
  readonly outputs: UpstreamOutputs;
}

/** Key in the stored results for the time at which a window fired; no part has this name. */
const FIRED = "fired";

interface Outcome {
  readonly window: ConditionWindow;
  readonly results: WindowResults;
  /** The execution meets a part. */
  readonly isTouched: boolean;
  readonly isMet: boolean;
  /** It fired already and must not fire again. */
  readonly isOver: boolean;
}

interface ConditionWindowsDeps {
  readonly catalog: TriggerCatalog;
  readonly conditions: Conditions;
  readonly records: TriggerRecords;
}

/** Evaluates the windows of triggers. */
export class ConditionWindows {
  readonly #deps: ConditionWindowsDeps;

  constructor(deps: ConditionWindowsDeps) {
    this.#deps = deps;
  }

  /** Adds the parts that an execution meets; no refusal if all windows of the trigger are met then and it meets a part of one. */
  async evaluate(request: WindowRequest): Promise<Verdict> {
    const { tenant, key, at } = request;
    const outcomes: Outcome[] = [];
    for (const window of this.#windowsOf(request.trigger)) outcomes.push(await this.#meet(window, request));
    const refusal = refusalOf(outcomes) ?? await request.hindrance();
    const mutations = outcomes.map(({ window, results }) => {
      const stored = refusal === undefined ? afterStart(window, results, at) : results;
      return this.#deps.records.saveWindow(tenant, key, window.id, stored);
    });
    const met = outcomes.flatMap(({ window: { outputs }, results }) =>
      outputs ? executionsIn(results).map((executionId) => ({ executionId, outputs })) : []
    );
    return { refusal, mutations, met };
  }

  /** Adds the parts that this execution meets. The window is met if enough parts are. */
  async #meet(window: ConditionWindow, request: WindowRequest): Promise<Outcome> {
    const { tenant, key, at, executionId, timeZone, scope } = request;
    const known = await this.#deps.records.window(tenant, key, window.id);
    const from = window.from(at, timeZone);
    // The flow may have been saved without a part since.
    const isCounted = (name: string) => name === FIRED || window.parts.has(name);
    const results = new Map(
      [...known].filter(([name, met]) => from !== undefined && met.at >= from && isCounted(name)),
    );
    const isOver = window.isOnce === true && results.has(FIRED);
    if (from === undefined) return { window, results, isTouched: false, isMet: false, isOver };
    let isTouched = false;
    for (const [name, part] of window.parts) {
      if (!await part(scope)) continue;
      results.set(name, window.outputs ? { at, executionId } : { at });
      isTouched = true;
    }
    const count = [...window.parts.keys()].filter((name) => results.has(name)).length;
    return { window, results, isTouched, isMet: count >= (window.needed ?? window.parts.size), isOver };
  }

  #windowsOf(trigger: Trigger): ConditionWindow[] {
    const { properties } = trigger;
    const { catalog, conditions } = this.#deps;
    const windows = conditions.declared(trigger).windows.flatMap((condition) => {
      const type = catalog.findCondition(canonicalType(String(ownProperty(condition, "type"))));
      return type?.form === "window" ? [type.windowOf(condition)] : [];
    });
    const preconditions = ownProperty(properties, "preconditions");
    if (isJsonObject(preconditions)) {
      windows.push(catalog.preconditionsOf(preconditions, ownStates(properties)));
    }
    const dependencies = ownProperty(properties, "dependsOn");
    const isDependent = Array.isArray(dependencies) && dependencies.length > 0;
    if (isDependent) windows.push(catalog.dependenciesOf(properties));
    return windows;
  }
}

function afterStart(window: ConditionWindow, results: WindowResults, at: Instant): WindowResults {
  if (window.resetOnSuccess) return new Map();
  return window.isOnce ? new Map<string, MetPart>([...results, [FIRED, { at }]]) : results;
}

function refusalOf(outcomes: readonly Outcome[]): string | undefined {
  const open = outcomes.find(({ isMet }) => !isMet);
  if (open) return `Not all conditions of "${open.window.id}" are met yet`;
  const over = outcomes.find(({ isOver }) => isOver);
  if (over) return `It has fired in this window of "${over.window.id}" already`;
  const isTouched = outcomes.length === 0 || outcomes.some(({ isTouched }) => isTouched);
  return isTouched ? undefined : "All conditions are met, but none by this execution";
}

function executionsIn(results: WindowResults): string[] {
  const met = [...results.values()].sort((a, b) => a.at - b.at);
  return [...new Set(met.flatMap(({ executionId }) => executionId === undefined ? [] : [executionId]))];
}
