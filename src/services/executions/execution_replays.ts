/** New executions from older ones: replays, and restarts with another revision of the flow. */
import type { Clock } from "../../base/time/clock.ts";
import type { IdSource } from "../../base/id.ts";
import type { JsonObject } from "../../base/json.ts";
import { sizeOf } from "../../base/json_size.ts";
import { MAX_OUTPUT_BYTES } from "../../model/limits.ts";
import { type FlowPlan, planFor } from "../../engine/plan.ts";
import {
  isKept,
  movedInReplay,
  movedInRestart,
  replayExecution,
  type ReplayRequest,
  restartAnew,
} from "../../engine/requests/replay.ts";
import type { Actor } from "../../model/access/actor.ts";
import { type DomainError, illegalArgument, undefinedIfMissing } from "../../model/errors.ts";
import type { Execution, TaskRun } from "../../model/executions/execution.ts";
import { executionBody } from "../../model/executions/execution_body.ts";
import type { ExecutionFiles } from "../../store/blobs/execution_files.ts";
import type { ExecutionRecords } from "../../store/records/executions/execution_records.ts";
import type { Mutation } from "../../store/store.ts";
import { errorOf, type ExecutionActions, type Request, taskRunOfId } from "./execution_actions.ts";
import type { Quotas } from "../access/quotas.ts";
import { beginWithinQuota, checkEnabled } from "./executions.ts";
import { refusalOf, refuseUnlessAtRest } from "../../engine/requests/requests.ts";
import { REPLAYED_LABEL } from "../../model/flows/label.ts";
import type { Executor } from "../../runtime/executor.ts";
import type { Flows } from "../flows/flows.ts";
import { type ReadForm, storeFilesOf } from "../starts/given_files.ts";
import { type StartChecks, withLabels } from "../starts/start_checks.ts";

interface ExecutionReplaysDeps {
  readonly actions: ExecutionActions;
  readonly flows: Flows;
  readonly files: ExecutionFiles;
  readonly records: Pick<ExecutionRecords, "load">;
  readonly checks: StartChecks;
  readonly executor: Pick<Executor, "begin">;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly quotas?: Quotas;
}

const RESTART: Request = { type: "restarted" };
/** Marks a replayed execution. */
const MARK_REPLAYED: Request = {
  type: "labels_set",
  labels: [{ key: REPLAYED_LABEL, value: "true" }],
  isMark: true,
};

/** Which revision of the flow a new execution runs. */
type Revision = number | "latest";

/** Where a replay starts, and with what. */
export interface ReplayOptions {
  /** Where to start; absent: at the first task. */
  readonly taskRunId?: string;
  /** Absent: the revision that ran. */
  readonly revision?: Revision;
  readonly breakpoints?: readonly string[];
  /** Outputs by id of the task run, instead of those that it had; for task runs that do not run again. */
  readonly outputs?: ReadonlyMap<string, JsonObject>;
  /** Reads inputs that replace the former ones. */
  readonly readForm?: ReadForm;
  /** Without a task run the text is that after the first steps, not that of the execution as created. */
  readonly showsFirstSteps?: boolean;
}

/** A replay that is possible. */
interface PreparedReplay {
  readonly source: Execution;
  readonly plan: FlowPlan;
  readonly taskRun?: TaskRun;
}

/** The use cases of replays and restarts. */
export class ExecutionReplays {
  readonly #deps: ExecutionReplaysDeps;

  constructor(deps: ExecutionReplaysDeps) {
    this.#deps = deps;
  }

  /**
   * Runs failed and paused tasks again: in the same execution, or in a new one if another revision is requested. The text
   * of that execution in state RESTARTED.
   * @throws DomainError not_found, conflict, invalid_argument
   */
  async restart(actor: Actor, id: string, revision?: Revision): Promise<string> {
    const { actions } = this.#deps;
    const { execution, plan: olderPlan } = await actions.target(actor, id);
    const plan = await this.#otherPlanOf(execution, revision);
    if (!plan) return await actions.run(actor, id, RESTART);
    const refusal = restartRefusal(execution, plan, olderPlan);
    if (refusal) throw refusal;
    const started = restartAnew(plan, execution, this.#identity());
    const text = this.#textOf(actor, started);
    await beginWithinQuota(this.#deps, { execution: started, plan, mutations: [] });
    return text;
  }

  /** Why an execution cannot be restarted with that revision; `undefined` if it can. @throws DomainError not_found, conflict */
  async restartRefusalOf(actor: Actor, id: string, revision: Revision): Promise<DomainError | undefined> {
    const { execution, plan } = await this.#deps.actions.target(actor, id);
    return restartRefusal(execution, await this.#otherPlanOf(execution, revision) ?? plan, plan);
  }

  /** Checks that an execution can be replayed. @throws DomainError not_found, conflict */
  async refusalOf(actor: Actor, id: string, options: ReplayOptions): Promise<undefined> {
    await this.#prepare(actor, id, options);
    return undefined;
  }

  /**
   * Starts a new execution like the given one, which is marked. Its text: as created, or, from a task, as it begins, which is
   * RESTARTED. @throws DomainError not_found, conflict, invalid_argument, invalid_entity
   */
  async replay(actor: Actor, id: string, options: ReplayOptions): Promise<string> {
    const { source, plan, taskRun } = await this.#prepare(actor, id, options);
    const identity = this.#identity();
    const files: Mutation[] = [];
    const inputs = options.readForm &&
      await this.#readInputs({ source, plan }, identity.id, options.readForm, files);
    const request: ReplayRequest = {
      ...identity,
      taskRun: taskRun?.ordinal,
      breakpoints: options.breakpoints,
      inputs,
      outputs: outputsIn(source, options.outputs),
    };
    const execution = replayExecution(plan, source, request);
    refuseOutputsOfOthers(execution, request);
    if (options.readForm) {
      await this.#deps.checks.reading(
        plan.flow,
        (checks) => checks.evaluateChecks(plan.flow, execution, identity.now),
      );
    }
    const begun = this.#textOf(actor, execution);
    await beginWithinQuota(this.#deps, { execution, plan, mutations: files });
    // An execution that is deleted meanwhile needs no mark.
    await undefinedIfMissing(() => this.#deps.actions.run(actor, id, MARK_REPLAYED));
    if (taskRun || !options.showsFirstSteps) return begun;
    const stored = await this.#deps.records.load(actor.tenant, execution.id);
    return stored ? this.#textOf(actor, stored.execution) : begun;
  }

  async #prepare(actor: Actor, id: string, options: ReplayOptions): Promise<PreparedReplay> {
    const { revision, taskRunId } = options;
    const { execution: source, plan: olderPlan } = await this.#deps.actions.target(actor, id);
    const taskRun = taskRunId === undefined ? undefined : taskRunToReplay(source, taskRunId);
    const plan = await this.#planOf(source, revision);
    if (!taskRun) return { source, plan };
    const refusal = refuseUnlessAtRest("replay a task of", source);
    if (refusal) throw errorOf(refusal);
    const { revision: replayed } = plan.flow;
    const cannot = `Cannot replay from task "${taskRun.taskId}": revision ${replayed} of the flow has`;
    if (!plan.places.has(taskRun.taskId)) throw illegalArgument(`${cannot} no such task`);
    const moved = movedInReplay({ plan, olderPlan }, source, taskRun);
    if (moved !== undefined) throw illegalArgument(`${cannot} other tasks around "${moved}"`);
    return { source, plan, taskRun };
  }

  /** The plan of that revision if it is not the one that ran. @throws DomainError not_found, conflict */
  async #otherPlanOf(source: Execution, revision?: Revision): Promise<FlowPlan | undefined> {
    if (revision === undefined || revision === source.flowRevision) return undefined;
    const plan = await this.#planOf(source, revision);
    return plan.flow.revision === source.flowRevision ? undefined : plan;
  }

  /**
   * The plan that the new execution runs. The revision that ran serves also after the flow was deleted, but not after a rename of
   * its namespace: what it needs is elsewhere. @throws DomainError not_found, conflict
   */
  async #planOf(
    source: Execution,
    revision: Revision = source.flowRevision,
  ): Promise<FlowPlan> {
    const { tenant, namespace, flowId } = source;
    const allowDeleted = revision === source.flowRevision &&
      this.#deps.flows.renamedTo(tenant, namespace) === undefined;
    const wanted = revision === "latest" ? {} : { revision, allowDeleted };
    const plan = await this.#deps.flows.plan(tenant, { namespace, id: flowId }, wanted);
    return planFor(checkEnabled(plan), source);
  }

  async #readInputs(
    { source, plan }: Pick<PreparedReplay, "source" | "plan">,
    executionId: string,
    readForm: ReadForm,
    mutations: Mutation[],
  ): Promise<JsonObject | undefined> {
    const flow = withLabels(plan.flow, source.labels);
    const store = storeFilesOf(this.#deps.files, { flow, executionId, folder: "inputs", mutations });
    const given = await readForm(flow.inputs, store);
    return await this.#deps.checks.reading(flow, (checks) => checks.inputs(flow, given));
  }

  #identity(): { readonly id: string; readonly now: number } {
    const now = this.#deps.clock.now();
    return { id: this.#deps.ids.next(now), now };
  }

  #textOf({ durations }: Actor, execution: Execution): string {
    return executionBody(execution, { now: this.#deps.clock.now(), durations, taskRuns: true });
  }
}

/** Why an execution of the plan `olderPlan` cannot be restarted with another plan. */
function restartRefusal(execution: Execution, plan: FlowPlan, olderPlan: FlowPlan): DomainError | undefined {
  const refusal = refusalOf(plan, execution, RESTART);
  if (refusal) return errorOf(refusal);
  const moved = movedInRestart({ plan, olderPlan }, execution);
  const { revision } = plan.flow;
  return moved === undefined ? undefined : illegalArgument(
    `Cannot restart execution "${execution.id}": revision ${revision} of the flow has other tasks around "${moved}"`,
  );
}

/** @throws DomainError invalid_argument: the task run does not exist */
function taskRunToReplay(execution: Execution, id: string): TaskRun {
  const taskRun = taskRunOfId(execution, id);
  if (taskRun) return taskRun;
  const shown = id.slice(0, 100);
  throw illegalArgument(
    `No task found: task run "${shown}" does not exist in execution "${execution.id}"`,
  );
}

/** @throws DomainError invalid_argument: a task run does not exist, or outputs are too large */
function outputsIn(source: Execution, given: ReplayOptions["outputs"]): ReplayRequest["outputs"] {
  if (!given || given.size === 0) return undefined;
  return new Map([...given].map(([id, outputs]) => {
    const { ordinal } = taskRunToReplay(source, id);
    if (sizeOf(outputs, MAX_OUTPUT_BYTES) <= MAX_OUTPUT_BYTES) return [ordinal, outputs];
    throw illegalArgument(`The outputs of task run "${id}" are too large: at most ${MAX_OUTPUT_BYTES} bytes`);
  }));
}

/** @throws DomainError invalid_argument: outputs are given for a task run that runs again */
function refuseOutputsOfOthers(replay: Execution, { outputs, taskRun }: ReplayRequest): void {
  for (const ordinal of outputs?.keys() ?? []) {
    if (taskRun !== undefined && isKept(replay, ordinal)) continue;
    throw illegalArgument(
      "Cannot replay with other outputs: they can be given for task runs that do not run again",
    );
  }
}
