/** Reactions of triggers to states of executions: Flow triggers start executions, `stopAfter` disables a trigger. */
import { sizeOf } from "../../base/json_size.ts";
import type { Clock } from "../../base/time/clock.ts";
import type { FlowPlan } from "../../engine/plan.ts";
import type { Announcement } from "../../model/triggers/announcement.ts";
import type { Evaluation } from "../../model/triggers/evaluations.ts";
import type { Execution } from "../../model/executions/execution.ts";
import type { Flow, Trigger, TriggerKey } from "../../model/flows/flow.ts";
import { CORRELATION_LABEL } from "../../model/flows/label.ts";
import type { TriggerCatalog } from "../../model/triggers/trigger_catalog.ts";
import {
  afterUnstorable,
  flowOf,
  type TriggerState,
  withEvaluation,
} from "../../model/triggers/trigger_state.ts";
import type { Committer } from "../../store/committer.ts";
import type { ExecutionRecords, StoredExecution } from "../../store/records/executions/execution_records.ts";
import type { TriggerRecords } from "../../store/records/trigger_records.ts";
import { announcementKey } from "../../store/keys.ts";
import type { Mutation } from "../../store/store.ts";
import { ConditionWindows, type Verdict } from "./condition_windows.ts";
import type { Conditions } from "../../rendering/conditions.ts";
import type { Executor } from "../../runtime/executor.ts";
import type { Quotas } from "../access/quotas.ts";
import type { Flows } from "../flows/flows.ts";
import type { InputCipher } from "../starts/input_cipher.ts";
import { isTooLarge, throwDatabaseFault, undefinedIfMissing } from "../../model/errors.ts";
import { SharedLoads } from "./shared_loads.ts";
import { stopStates } from "./trigger_index.ts";
import { type Giver, type HandedOutputs, handedOutputs } from "./handed_outputs.ts";
import type { TriggerStart, TriggerStarts } from "./trigger_starts.ts";
import type { TriggerStates } from "./trigger_states.ts";
import {
  conditionVariables,
  type ExecutionView,
  type MetUpstream,
  observed,
  startVariables,
  triggerVariables,
  type Upstream,
} from "../../rendering/upstream_variables.ts";

interface FlowReactionsDeps {
  readonly clock: Clock;
  readonly flows: Flows;
  readonly states: TriggerStates;
  readonly committer: Pick<Committer, "frozen">;
  readonly starts: TriggerStarts;
  readonly inputCipher: Pick<InputCipher, "handOver">;
  readonly conditions: Conditions;
  readonly catalog: TriggerCatalog;
  readonly executor: Pick<Executor, "begin">;
  readonly records: Pick<ExecutionRecords, "load">;
  /** The variables of an execution for a trigger of `flow`. */
  readonly viewOf: (flow: Flow, execution: Execution) => ExecutionView;
  readonly timeZone: string;
  readonly triggerRecords: TriggerRecords;
  readonly quotas?: Pick<Quotas, "refusalOf">;
}

interface Reaction extends Upstream {
  readonly state: TriggerState;
  readonly plan: FlowPlan;
  readonly trigger: Trigger;
}

/** Executions in memory for reactions, each of which may have 10,000 task runs or hundreds of MB of outputs. */
const MAX_LOADED = 32;

/** Characters of the outputs that a start gets: they are one value of its execution. */
const MAX_MET_OUTPUTS = 16 * 1024 * 1024;
const TOO_MANY_OUTPUTS =
  "Cannot start: the outputs of the executions that met the conditions of the trigger " +
  "have more than 16 MiB; let the flows store large values as files";

/** The use cases of triggers that react to executions. */
export class FlowReactions {
  readonly #deps: FlowReactionsDeps;
  readonly #windows: ConditionWindows;
  readonly #loads = new SharedLoads<StoredExecution | undefined>(MAX_LOADED);

  constructor(deps: FlowReactionsDeps) {
    this.#deps = deps;
    this.#windows = new ConditionWindows({ ...deps, records: deps.triggerRecords });
  }

  /** Reacts to a state; resolves once the result is durable. The same commit deletes the announcement. */
  async react(announced: Announcement): Promise<void> {
    const announcement = await this.#redirected(announced);
    const { tenant, trigger } = announcement;
    await this.#deps.states.exclusively(tenant, flowOf(trigger), async () => {
      this.#deps.committer.frozen.checkOpen(tenant, trigger.namespace);
      const state = await this.#deps.states.get(tenant, trigger);
      const handled = state &&
        await (announcement.isOwn ? this.#stop(announcement, state) : this.#listen(announcement, state))
          .catch((error: Error) => this.#giveUp(announcement, state, error));
      if (!handled) await this.#deps.states.commit({ mutations: [removalOf(announcement)] });
    });
  }

  /** Notes a failure if the database would refuse the reaction again and again. */
  async #giveUp(announcement: Announcement, state: TriggerState, error: Error): Promise<boolean> {
    if (!isTooLarge(error)) throw error;
    const failed = afterUnstorable(state, this.#deps.clock.now(), error.message);
    const next = announcement.isOwn ? stopped(failed) : failed;
    const change = { tenant: announcement.tenant, previous: state, next };
    await this.#deps.states.save(change, [removalOf(announcement)]);
    return true;
  }

  /** The announcement as one to the trigger in its present namespace, if that was renamed since. */
  async #redirected(announcement: Announcement): Promise<Redirected> {
    const { tenant, trigger } = announcement;
    const namespace = this.#deps.flows.renamedTo(tenant, trigger.namespace);
    if (namespace === undefined || await this.#deps.states.get(tenant, trigger)) return announcement;
    return { ...announcement, trigger: { ...trigger, namespace }, announcedTo: trigger };
  }

  /** Disables the trigger: an execution that it started ended in a state of its `stopAfter`. */
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
    const next = withEvaluation(stopped({ ...state, updatedAt: now }), evaluation);
    const change = { tenant, previous: state, next };
    await this.#deps.states.save(change, [removalOf(announcement)]);
    return true;
  }

  async #listen(announcement: Announcement, state: TriggerState): Promise<boolean> {
    const declared = await this.#find(announcement);
    const isOff = !declared || state.disabled || declared.trigger.disabled || declared.plan.flow.disabled;
    if (isOff) return false;
    const { tenant, executionId, index } = announcement;
    const load = () => this.#deps.records.load(tenant, executionId);
    return await this.#loads.use(`${tenant}/${executionId}/${index}`, load, async (stored) => {
      if (!stored) return false;
      const { execution } = stored;
      const view = this.#deps.viewOf(declared.plan.flow, execution);
      await this.#act({ announcement, state, ...declared, execution, view });
      return true;
    });
  }

  async #act(reaction: Reaction): Promise<void> {
    const verdict = await this.#evaluate(reaction);
    if (verdict.refusal === undefined) await this.#fire(reaction, verdict);
    else await this.#refuse(reaction, verdict.refusal, verdict.mutations);
  }

  async #find(
    { tenant, trigger }: Announcement,
  ): Promise<{ readonly plan: FlowPlan; readonly trigger: Trigger } | undefined> {
    const plan = await undefinedIfMissing(() => this.#deps.flows.plan(tenant, flowOf(trigger)));
    const found = plan?.flow.triggers.find(({ id }) => id === trigger.triggerId);
    return plan && found && { plan, trigger: found };
  }

  async #fire(reaction: Reaction, verdict: Verdict): Promise<void> {
    const { announcement, state, plan, trigger, execution: cause } = reaction;
    const { tenant } = announcement;
    const labels = cause.labels.filter(({ key }) => key === CORRELATION_LABEL);
    const upstream = await this.#upstream(reaction, verdict);
    const variables = await this.#variables(reaction, upstream);
    const start = { plan, trigger, ...variables, rootVariables: startVariables(reaction), labels };
    const { execution, error } = upstream
      ? await this.#deps.starts.createOrFail(start)
      : { execution: this.#deps.starts.fail(start, TOO_MANY_OUTPUTS), error: TOO_MANY_OUTPUTS };
    const now = this.#deps.clock.now();
    const outcome = error === undefined ? "STARTED" : "FAILED";
    const evaluated = withEvaluation(state, { at: now, outcome, reason: error, executionId: execution.id });
    const next = { ...evaluated, date: now, executionId: execution.id, updatedAt: now };
    const change = { tenant, previous: state, next };
    const mutations = [
      removalOf(announcement),
      ...verdict.mutations,
      ...this.#deps.states.mutationsOf(change),
    ];
    await this.#deps.executor.begin(execution, plan, mutations);
    this.#deps.states.applied(change);
  }

  /** The variable `trigger` of a start, and as it is stored. */
  async #variables(
    reaction: Reaction,
    upstream: readonly MetUpstream[] = [],
  ): Promise<Pick<TriggerStart, "variables" | "storedVariables" | "secrets">> {
    const handed = new Map<Giver, HandedOutputs>();
    for (const execution of [reaction.execution, ...upstream.map(({ execution }) => execution)]) {
      const outputs = await handedOutputs(execution, reaction.plan.flow, this.#deps);
      if (outputs) handed.set(execution, outputs);
    }
    if (handed.size === 0) return { variables: triggerVariables(reaction, upstream) };
    const variablesOf = (form: "clear" | "encrypted") => {
      const given = <T extends Giver>(execution: T): T => {
        return { ...execution, outputs: handed.get(execution)?.[form] ?? execution.outputs };
      };
      const others = upstream.map((other) => ({ ...other, execution: given(other.execution) }));
      return triggerVariables({ ...reaction, execution: given(reaction.execution) }, others);
    };
    const secrets = [...handed.values()].flatMap((outputs) => outputs.secrets);
    return { variables: variablesOf("clear"), storedVariables: variablesOf("encrypted"), secrets };
  }

  async #refuse(reaction: Reaction, reason: string, mutations: readonly Mutation[]): Promise<void> {
    const { announcement, state } = reaction;
    const evaluation = { at: this.#deps.clock.now(), outcome: "SKIPPED", reason } as const;
    const next = { ...state, evaluations: state.evaluations.withRefusal(evaluation) };
    const change = { tenant: announcement.tenant, previous: state, next };
    await this.#deps.states.save(change, [removalOf(announcement), ...mutations]);
  }

  /** Windows are evaluated only if the conditions on this one execution hold. */
  async #evaluate(reaction: Reaction): Promise<Verdict> {
    const { plan: { flow }, trigger, announcement: { tenant, trigger: key, executionId, at } } = reaction;
    const { conditions, timeZone } = this.#deps;
    const read = conditions.has(trigger) ? conditionVariables(reaction) : {};
    const variables = { ...read, trigger: triggerVariables(reaction) };
    const facts = { flow, date: at, timeZone, variables, execution: observed(reaction) };
    try {
      const refusal = await conditions.refusal(trigger, facts);
      if (refusal !== undefined) return { refusal, mutations: [] };
      const scope = conditions.scope(facts);
      const hindrance = async () => await this.#deps.quotas?.refusalOf(tenant, "executions");
      return await this.#windows.evaluate({
        tenant,
        key,
        trigger,
        executionId,
        at,
        timeZone,
        scope,
        hindrance,
      });
    } catch (error) {
      throwDatabaseFault(error);
      return { refusal: (error as Error).message, mutations: [] };
    }
  }

  /** The executions that met parts of windows; deleted ones are left out. `undefined` if their outputs are too large. */
  async #upstream(
    { announcement, execution }: Reaction,
    { met = [] }: Verdict,
  ): Promise<MetUpstream[] | undefined> {
    const found: MetUpstream[] = [];
    let size = 0;
    for (const { executionId, outputs } of met) {
      const isLast = executionId === execution.id;
      const stored = isLast ? { execution } : await this.#deps.records.load(announcement.tenant, executionId);
      if (!stored) continue;
      // Its task runs are not kept while the others are read.
      const { namespace, flowId, flowRevision, outputs: given } = stored.execution;
      found.push({ execution: { namespace, flowId, flowRevision, outputs: given }, outputs });
      size += sizeOf(given ?? null, MAX_MET_OUTPUTS);
      if (size > MAX_MET_OUTPUTS) return undefined;
    }
    return found;
  }
}

function stopped(state: TriggerState): TriggerState {
  return { ...state, disabled: true, dueAt: undefined, nextDate: undefined };
}

/** An announcement that may be stored under an earlier name of its trigger. */
interface Redirected extends Announcement {
  readonly announcedTo?: TriggerKey;
}

function removalOf({ announcedTo, ...announcement }: Redirected): Mutation {
  const trigger = announcedTo ?? announcement.trigger;
  return { type: "delete", key: announcementKey({ ...announcement, trigger }) };
}
