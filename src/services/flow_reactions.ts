/** What triggers do when an execution reaches a state: Flow triggers start executions, others stop themselves. */
import type { Clock } from "../base/clock.ts";
import { isJsonObject, type JsonObject, ownProperty } from "../base/json.ts";
import type { FlowPlan } from "../engine/plan.ts";
import type { Announcement } from "../model/announcement.ts";
import { DomainError } from "../model/errors.ts";
import type { Execution } from "../model/execution.ts";
import type { Trigger } from "../model/flow.ts";
import { CORRELATION_LABEL } from "../model/label.ts";
import type {
  ConditionScope,
  ConditionWindow,
  ObservedExecution,
  TriggerCatalog,
} from "../model/trigger_catalog.ts";
import { canonicalType } from "../model/flow.ts";
import { type Evaluation, flowOf, type TriggerState, withEvaluation } from "../model/trigger_state.ts";
import type { ExecutionRecords } from "../store/execution_records.ts";
import { announcementKey } from "../store/keys.ts";
import type { Mutation } from "../store/store.ts";
import type { Conditions } from "./conditions.ts";
import type { ExecutorPort } from "./executor_port.ts";
import type { Flows } from "./flows.ts";
import { stopStates } from "./trigger_index.ts";
import type { TriggerStarts } from "./trigger_starts.ts";
import type { TriggerStates } from "./trigger_states.ts";

/** What reactions work with. */
export interface FlowReactionsDeps {
  readonly clock: Clock;
  readonly flows: Flows;
  readonly states: TriggerStates;
  readonly starts: TriggerStarts;
  readonly conditions: Conditions;
  readonly catalog: TriggerCatalog;
  readonly executor: Pick<ExecutorPort, "begin">;
  readonly records: Pick<ExecutionRecords, "load">;
  readonly timeZone: string;
}

/** A trigger about to react. */
interface Reaction {
  readonly announcement: Announcement;
  readonly state: TriggerState;
  readonly plan: FlowPlan;
  readonly trigger: Trigger;
  readonly execution: Execution;
}

/** Why nothing is started, if so, and what is stored in either case. */
interface Verdict {
  readonly refusal?: string;
  readonly mutations: readonly Mutation[];
}

/** The use cases of triggers that react to executions. */
export class FlowReactions {
  readonly #deps: FlowReactionsDeps;

  constructor(deps: FlowReactionsDeps) {
    this.#deps = deps;
  }

  /** Reacts to a state; resolves once that is durable, and the announcement with it gone. */
  async react(announcement: Announcement): Promise<void> {
    const { tenant, trigger } = announcement;
    await this.#deps.states.alone(tenant, flowOf(trigger), async () => {
      const state = await this.#deps.states.get(tenant, trigger);
      const handled = state &&
        await (announcement.isOwn ? this.#stop(announcement, state) : this.#listen(announcement, state));
      if (!handled) await this.#deps.states.commit({ mutations: [removalOf(announcement)] });
    });
  }

  /** The trigger has started an execution that ended so: it starts no more. */
  async #stop(announcement: Announcement, state: TriggerState): Promise<boolean> {
    const { tenant, state: ended, executionId } = announcement;
    const declared = await this.#find(announcement);
    if (!declared || !stopStates(declared.trigger).has(ended)) return false;
    const now = this.#deps.clock.now();
    const evaluation: Evaluation = {
      at: now,
      outcome: "SKIPPED",
      reason: `It is disabled: execution "${executionId}" ended ${ended}`,
    };
    const stopped = { ...state, disabled: true, dueAt: undefined, nextDate: undefined, updatedAt: now };
    const change = { tenant, previous: state, next: withEvaluation(stopped, evaluation) };
    await this.#deps.states.save(change, [removalOf(announcement)]);
    return true;
  }

  async #listen(announcement: Announcement, state: TriggerState): Promise<boolean> {
    const declared = await this.#find(announcement);
    const isOff = !declared || state.disabled || declared.trigger.disabled || declared.plan.flow.disabled;
    if (isOff) return false;
    const stored = await this.#deps.records.load(announcement.tenant, announcement.executionId);
    if (!stored) return false;
    const reaction = { announcement, state, ...declared, execution: stored.execution };
    const { refusal, mutations } = await this.#judge(reaction);
    if (refusal === undefined) await this.#fire(reaction, mutations);
    else await this.#refuse(reaction, refusal, mutations);
    return true;
  }

  async #find(
    { tenant, trigger }: Announcement,
  ): Promise<{ readonly plan: FlowPlan; readonly trigger: Trigger } | undefined> {
    try {
      const plan = await this.#deps.flows.plan(tenant, flowOf(trigger));
      const found = plan.flow.triggers.find(({ id }) => id === trigger.triggerId);
      return found && { plan, trigger: found };
    } catch (error) {
      if (error instanceof DomainError && error.code === "not_found") return undefined;
      throw error;
    }
  }

  async #fire(reaction: Reaction, mutations: readonly Mutation[]): Promise<void> {
    const { announcement, state, plan, trigger, execution: observed } = reaction;
    const { tenant } = announcement;
    const labels = observed.labels.filter(({ key }) => key === CORRELATION_LABEL);
    const start = { plan, trigger, variables: variablesOf(reaction), labels };
    const { execution, error } = await this.#deps.starts.makeOrFail(start);
    const now = this.#deps.clock.now();
    const outcome = error === undefined ? "STARTED" : "FAILED";
    const evaluated = withEvaluation(state, { at: now, outcome, reason: error, executionId: execution.id });
    const next = { ...evaluated, date: now, executionId: execution.id, updatedAt: now };
    const change = { tenant, previous: state, next };
    const beside = [removalOf(announcement), ...mutations, ...this.#deps.states.mutationsOf(change)];
    await this.#deps.executor.begin(execution, plan, beside);
    this.#deps.states.applied(change);
  }

  async #refuse(reaction: Reaction, reason: string, mutations: readonly Mutation[]): Promise<void> {
    const { announcement, state } = reaction;
    const evaluation = { at: this.#deps.clock.now(), outcome: "SKIPPED", reason } as const;
    const change = { tenant: announcement.tenant, previous: state, next: withEvaluation(state, evaluation) };
    await this.#deps.states.save(change, [removalOf(announcement), ...mutations]);
  }

  /** Conditions that one execution decides on come first; only then those that remember several are looked at. */
  async #judge(reaction: Reaction): Promise<Verdict> {
    const { plan: { flow }, trigger, announcement } = reaction;
    const facts = {
      flow,
      date: announcement.at,
      timeZone: this.#deps.timeZone,
      variables: { trigger: variablesOf(reaction) },
      execution: observedOf(reaction),
    };
    try {
      const refusal = await this.#deps.conditions.refusal(trigger, facts);
      if (refusal !== undefined) return { refusal, mutations: [] };
      return await this.#judgeWindows(reaction, this.#deps.conditions.scope(facts));
    } catch (error) {
      return { refusal: (error as Error).message, mutations: [] };
    }
  }

  async #judgeWindows(reaction: Reaction, scope: ConditionScope): Promise<Verdict> {
    const windows = this.#windowsOf(reaction.trigger);
    const outcomes = [];
    for (const window of windows) outcomes.push({ window, ...await this.#meet(reaction, window, scope) });
    const isFired = outcomes.every(({ isMet }) => isMet);
    const { tenant, trigger } = reaction.announcement;
    const mutations = outcomes.map(({ window, results }) => {
      const kept = isFired && window.resetOnSuccess ? new Map() : results;
      return this.#deps.states.saveWindow(tenant, trigger, window.id, kept);
    });
    const open = outcomes.find(({ isMet }) => !isMet);
    return { refusal: open && `Not all conditions of "${open.window.id}" are met yet`, mutations };
  }

  /** What is met of a window with this execution; it is met when each part is, one of them by this execution. */
  async #meet(
    { announcement: { tenant, trigger, at } }: Reaction,
    window: ConditionWindow,
    scope: ConditionScope,
  ): Promise<{ readonly isMet: boolean; readonly results: ReadonlyMap<string, number> }> {
    const known = await this.#deps.states.window(tenant, trigger, window.id);
    const from = window.from(at, this.#deps.timeZone);
    const results = new Map([...known].filter(([, metAt]) => from !== undefined && metAt >= from));
    if (from === undefined) return { isMet: false, results };
    let isTouched = false;
    for (const [name, part] of window.parts) {
      if (!await part(scope)) continue;
      results.set(name, at);
      isTouched = true;
    }
    return { isMet: isTouched && [...window.parts.keys()].every((name) => results.has(name)), results };
  }

  #windowsOf(trigger: Trigger): ConditionWindow[] {
    const preconditions = ownProperty(trigger.properties, "preconditions");
    const declared = this.#deps.conditions.declared(trigger).windows.flatMap((condition) => {
      const type = this.#deps.catalog.findCondition(canonicalType(String(ownProperty(condition, "type"))));
      return type?.form === "window" ? [type.windowOf(condition)] : [];
    });
    return isJsonObject(preconditions)
      ? [...declared, this.#deps.catalog.preconditionsOf(preconditions)]
      : declared;
  }
}

function removalOf(announcement: Announcement): Mutation {
  return { type: "delete", key: announcementKey(announcement) };
}

/** What expressions read as `trigger`. */
function variablesOf({ announcement, execution }: Pick<Reaction, "announcement" | "execution">): JsonObject {
  const { id: executionId, namespace, flowId, flowRevision, outputs } = execution;
  const variables: JsonObject = { executionId, namespace, flowId, flowRevision, state: announcement.state };
  return { ...variables, outputs: outputs ?? {} };
}

function observedOf({ announcement, execution }: Reaction): ObservedExecution {
  const { id: executionId, namespace, flowId: id, labels, taskRuns } = execution;
  const attemptCounts = taskRuns.map(({ attempts }) => attempts.length);
  return { executionId, namespace, id, state: announcement.state, labels, attemptCounts };
}
