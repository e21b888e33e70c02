/** Requests to one execution, and expressions evaluated on it. The engine decides which requests are refused. */
import type { Clock } from "../../base/time/clock.ts";
import { taskRunOrdinal } from "../../base/id.ts";
import { type JsonObject, stringifyJson } from "../../base/json.ts";
import { type FlowPlan, planFor } from "../../engine/plan.ts";
import { notPaused, refusalOf, type Request, wrongState } from "../../engine/requests/requests.ts";
import type { Refusal } from "../../engine/events.ts";
import type { Actor } from "../../model/access/actor.ts";
import { DomainError, notFound } from "../../model/errors.ts";
import { type Execution, type TaskRun, taskRunOf } from "../../model/executions/execution.ts";
import { executionBody } from "../../model/executions/execution_body.ts";
import type { State } from "../../model/executions/state.ts";
import type { RenderedText } from "../../rendering/expression_renderer.ts";
import type { ExecutionRequest, Executor, PrepareRequest } from "../../runtime/executor.ts";
import type { ExecutionFiles } from "../../store/blobs/execution_files.ts";
import type { ExecutionRecords } from "../../store/records/executions/execution_records.ts";
import type { Mutation } from "../../store/store.ts";
import type { Flows } from "../flows/flows.ts";
import { measureFile, type ReadForm, type StoreFile, storeFilesOf } from "../starts/given_files.ts";
import {
  type PauseForm,
  pauseInputs,
  type PausePoint,
  pausePointOf,
  pauseReport,
} from "../starts/pause_inputs.ts";
import type { AskingExecution, StartChecks } from "../starts/start_checks.ts";

export { UNQUEUED_STATES } from "../../engine/events.ts";
export type { Request } from "../../engine/requests/requests.ts";

const ENDS = ["SUCCESS", "WARNING", "FAILED", "KILLED", "CANCELLED"] as const;
/** States that a request may assign to an ended execution. */
export const ASSIGNABLE_STATES = [...ENDS, "RETRIED", "SKIPPED"] as const;
/** States that a request may assign to a task run; RUNNING ends a pause. */
export const TASK_RUN_STATES = [...ENDS, "RUNNING"] as const;

interface ExecutionActionsDeps {
  readonly flows: Flows;
  readonly records: ExecutionRecords;
  readonly files: ExecutionFiles;
  readonly executor: Pick<Executor, "request">;
  readonly clock: Clock;
  readonly checks: StartChecks;
  /** Renders an expression in the context of the task run, or of the execution without one; masks secrets. */
  readonly evaluate: (target: ExecutionTarget, source: string) => Promise<RenderedText>;
  /** The execution as templates of the inputs of its pause see it. */
  readonly view: (target: ExecutionTarget) => Promise<AskingExecution>;
}

/** An execution, the plan that it runs, and one of its task runs. */
interface ExecutionTarget {
  readonly execution: Execution;
  readonly plan: FlowPlan;
  readonly taskRun?: TaskRun;
}

const NO_FORM: ReadForm = () => Promise.resolve(new Map());

/** The use cases of one execution. */
export class ExecutionActions {
  readonly #deps: ExecutionActionsDeps;

  constructor(deps: ExecutionActionsDeps) {
    this.#deps = deps;
  }

  /** Applies a request; the text of the execution right after it, of a kill once that is durable. @throws DomainError not_found, or the engine refuses */
  async run(actor: Actor, id: string, request: Request): Promise<string> {
    const text = await this.#run(actor, id, () => ({ request }));
    if (request.type !== "kill_asked") return text;
    const stored = await this.#deps.records.load(actor.tenant, id);
    return stored ? this.#textOf(actor, stored.execution) : text;
  }

  /** Why the request would be refused now; `undefined` if it would not. @throws DomainError not_found */
  async refusalOf(actor: Actor, id: string, request: Request): Promise<DomainError | undefined> {
    const { execution, plan } = await this.target(actor, id);
    const refusal = refusalOf(plan, execution, request);
    return refusal && errorOf(refusal);
  }

  /** Ends a pause with the values of its inputs; files are stored in the same commit. @throws DomainError not_found, conflict, invalid_entity */
  async resume(actor: Actor, id: string, readForm: ReadForm): Promise<string> {
    return await this.#run(actor, id, (target) => this.#resumption(actor, target, readForm));
  }

  /** Ends a pause with the defaults of its inputs. @throws DomainError not_found, conflict, invalid_entity */
  async resumeWithDefaults(actor: Actor, id: string): Promise<string> {
    return await this.resume(actor, id, NO_FORM);
  }

  /** Checks that a pause can be ended with the defaults of its inputs. @throws DomainError not_found, conflict, invalid_entity */
  async resumeRefusalOf(actor: Actor, id: string): Promise<undefined> {
    const target = await this.target(actor, id);
    await pauseInputs(this.#deps.checks, await this.#formOf(target, pauseOf(target)), new Map());
    return undefined;
  }

  /** Validates the values of a resume; the report as JSON text. @throws DomainError not_found, conflict */
  async validateResume(actor: Actor, id: string, readForm: ReadForm): Promise<string> {
    const target = await this.target(actor, id);
    const point = pauseOf(target);
    const given = await readForm(point.inputs, measureFile);
    return stringifyJson(await pauseReport(this.#deps.checks, await this.#formOf(target, point), given));
  }

  /**
   * Changes the state of a task run; the tasks after it run. A paused one becomes RUNNING with the defaults of its inputs; the
   * text is that of the execution before anything follows, which is RESTARTED. @throws DomainError not_found, conflict, invalid_entity
   */
  async setTaskState(actor: Actor, id: string, taskRunId: string, state: State): Promise<string> {
    let shown = (execution: Execution) => execution;
    return await this.#run(actor, id, (target) => {
      const { execution } = target;
      const { ordinal: taskRun } = knownTaskRun(execution, taskRunId);
      if (state !== "RUNNING") return { request: { type: "task_state_set", taskRun, state } };
      if (pauseOf(target).taskRun?.ordinal === taskRun) {
        shown = viewOfResumed(execution, taskRun);
        return this.#resumption(actor, target, NO_FORM);
      }
      const reason = "that task run does not wait for a resume";
      throw errorOf(wrongState("resume a task run of", execution, reason));
    }, (execution) => shown(execution));
  }

  /** Renders an expression in the context of a task run, or of the execution without one; the result as JSON text. @throws DomainError not_found */
  async evaluate(actor: Actor, id: string, taskRunId: string | undefined, source: string): Promise<string> {
    const target = await this.target(actor, id, taskRunId);
    const rendered = await this.#deps.evaluate(target, source);
    const response: JsonObject = "text" in rendered
      ? { result: rendered.text }
      : { error: rendered.error, stackTrace: rendered.error };
    return stringifyJson(response);
  }

  /** An execution as it is stored, its flow, and the task run of that id. @throws DomainError not_found */
  async target(actor: Actor, id: string, taskRunId?: string): Promise<ExecutionTarget> {
    const { records, flows } = this.#deps;
    const stored = await records.load(actor.tenant, id);
    if (!stored) throw unknownExecution(id);
    const { execution } = stored;
    const plan = await planOf(flows, execution);
    return taskRunId === undefined
      ? { execution, plan }
      : { execution, plan, taskRun: knownTaskRun(execution, taskRunId) };
  }

  async #resumption(actor: Actor, target: ExecutionTarget, readForm: ReadForm): Promise<ExecutionRequest> {
    const point = pauseOf(target);
    const mutations: Mutation[] = [];
    const given = await readForm(point.inputs, this.#fileStore(target, point, mutations));
    const inputs = await pauseInputs(this.#deps.checks, await this.#formOf(target, point), given);
    const taskRun = point.taskRun?.ordinal;
    return { request: { type: "resumed", taskRun, inputs, by: actor.user }, mutations };
  }

  async #formOf({ execution, plan }: ExecutionTarget, { inputs, taskRun }: PausePoint): Promise<PauseForm> {
    return { flow: plan.flow, inputs, asking: await this.#deps.view({ execution, plan, taskRun }) };
  }

  #fileStore(
    { execution, plan }: ExecutionTarget,
    { taskRun }: PausePoint,
    mutations: Mutation[],
  ): StoreFile {
    const folder = `onResume/${taskRun?.taskId}/${taskRun?.ordinal}`;
    return storeFilesOf(this.#deps.files, { flow: plan.flow, executionId: execution.id, folder, mutations });
  }

  async #run(
    actor: Actor,
    id: string,
    prepare: PrepareRequest,
    shown = (execution: Execution) => execution,
  ): Promise<string> {
    let text = "";
    const onApplied = (execution: Execution) => text = this.#textOf(actor, shown(execution));
    if (await this.#deps.executor.request(actor.tenant, id, prepare, onApplied)) return text;
    throw unknownExecution(id);
  }

  #textOf({ durations }: Actor, execution: Execution): string {
    return executionBody(execution, { now: this.#deps.clock.now(), durations, taskRuns: true });
  }
}

/** The pause of an execution. @throws DomainError conflict: it is not paused */
function pauseOf({ execution, plan }: ExecutionTarget): PausePoint {
  const point = pausePointOf(execution, plan);
  if (point) return point;
  throw errorOf(notPaused(execution));
}

/** Shows a paused execution, after the end of its pause, without what has followed in the same transition. */
function viewOfResumed({ history: { length }, nextOrdinal }: Execution, resumed: number) {
  return (execution: Execution): Execution => {
    const { history, taskRuns } = execution;
    const earlier = taskRuns.filter(({ ordinal }) => ordinal < nextOrdinal).map((taskRun) => {
      const end = taskRun.history.findLastIndex(({ state }) => state === "RUNNING") + 1;
      return taskRun.ordinal === resumed ? { ...taskRun, history: taskRun.history.slice(0, end) } : taskRun;
    });
    return { ...execution, history: history.slice(0, length + 1), taskRuns: earlier };
  };
}

/** The error for a refusal of the engine. */
export function errorOf({ code, message }: Refusal): DomainError {
  return new DomainError(code, message);
}

/** The plan that an execution runs, also of a deleted flow. @throws DomainError not_found */
export async function planOf(flows: Pick<Flows, "plan">, execution: Execution): Promise<FlowPlan> {
  const { tenant, namespace, flowId: id, flowRevision: revision } = execution;
  return planFor(await flows.plan(tenant, { namespace, id }, { revision, allowDeleted: true }), execution);
}

/** The task run of an execution with that id. */
export function taskRunOfId(execution: Execution, id: string): TaskRun | undefined {
  const ordinal = taskRunOrdinal(execution.id, id);
  return ordinal === undefined ? undefined : taskRunOf(execution, ordinal);
}

/** The task run of an execution with that id. @throws DomainError not_found */
function knownTaskRun(execution: Execution, id: string): TaskRun {
  const taskRun = taskRunOfId(execution, id);
  if (taskRun) return taskRun;
  throw unknownTaskRun(execution.id, id);
}

/** No task run of the execution has that id. */
export function unknownTaskRun(executionId: string, id: string): DomainError {
  return notFound(`task run "${id.slice(0, 100)}" does not exist in execution "${executionId}"`);
}

/** No execution has that id. */
export function unknownExecution(id: string): DomainError {
  return notFound(`execution "${id.slice(0, 100)}" does not exist`);
}
