/** What people do to one execution, and expressions that they evaluate on it. The engine decides what is refused. */
import type { Clock } from "../../base/clock.ts";
import { taskRunOrdinal } from "../../base/id.ts";
import { type JsonObject, stringifyJson } from "../../base/json.ts";
import { type FlowPlan, planFor } from "../../engine/plan.ts";
import { conflict, refusalOf, type Request } from "../../engine/requests.ts";
import type { Refusal } from "../../engine/events.ts";
import type { Actor } from "../../model/access/actor.ts";
import { DomainError } from "../../model/errors.ts";
import { type Execution, type TaskRun, taskRunOf } from "../../model/executions/execution.ts";
import { executionBody } from "../../model/executions/execution_body.ts";
import type { Input } from "../../model/flows/flow.ts";
import type { GivenValue } from "../../model/flows/input_value.ts";
import type { State } from "../../model/executions/state.ts";
import type { RenderedText } from "../../rendering/expression_renderer.ts";
import type { ExecutionRequest, Executor, PrepareRequest } from "../../runtime/executor.ts";
import type { ExecutionFiles } from "../../store/blobs/execution_files.ts";
import type { ExecutionRecords } from "../../store/records/execution_records.ts";
import type { Mutation } from "../../store/store.ts";
import type { Flows } from "../flows/flows.ts";
import { measureFile, type StoreFile, storeFilesOf } from "../starts/given_files.ts";
import { pauseInputs, type PausePoint, pausePointOf, pauseReport } from "../starts/pause_inputs.ts";
import type { StartChecks } from "../starts/start_checks.ts";

export { UNQUEUED_STATES } from "../../engine/events.ts";
export type { Request } from "../../engine/requests.ts";

/** States that a person may give to what has ended. */
export const ASSIGNABLE_STATES = ["SUCCESS", "WARNING", "FAILED", "KILLED", "CANCELLED"] as const;

/** What the service works with. */
interface ExecutionActionsDeps {
  readonly flows: Flows;
  readonly records: ExecutionRecords;
  readonly files: ExecutionFiles;
  readonly executor: Pick<Executor, "request">;
  readonly clock: Clock;
  readonly checks: StartChecks;
  /** Renders an expression as a task run of the execution sees it, or the execution itself; secrets are masked. */
  readonly evaluate: (target: ExecutionTarget, source: string) => Promise<RenderedText>;
}

/** An execution, the flow revision that it runs, and one of its task runs. */
interface ExecutionTarget {
  readonly execution: Execution;
  readonly plan: FlowPlan;
  readonly taskRun?: TaskRun;
}

/** Reads what the caller sent for these inputs; files go through `store` as they arrive. */
export type ReadForm = (
  inputs: readonly Input[],
  store: StoreFile,
) => Promise<ReadonlyMap<string, GivenValue>>;

/** The use cases of what people do to one execution. */
export class ExecutionActions {
  readonly #deps: ExecutionActionsDeps;

  constructor(deps: ExecutionActionsDeps) {
    this.#deps = deps;
  }

  /** Carries out a request; the execution's text right after it, of a kill as it is once that is durable. @throws DomainError not_found, or as the engine refuses */
  async run(actor: Actor, id: string, request: Request): Promise<string> {
    const text = await this.#run(actor, id, () => ({ request }));
    if (request.type !== "kill_asked") return text;
    const stored = await this.#deps.records.load(actor.tenant, id);
    return stored ? this.#textOf(stored.execution) : text;
  }

  /** Why the request is refused now; `undefined` when it is not. @throws DomainError not_found */
  async refusalOf(actor: Actor, id: string, request: Request): Promise<DomainError | undefined> {
    const { execution, plan } = await this.target(actor, id);
    const refusal = refusalOf(plan, execution, request);
    return refusal && errorOf(refusal);
  }

  /** Ends a pause with the values that it asks for. @throws DomainError not_found, conflict, invalid_entity */
  async resume(actor: Actor, id: string, readForm: ReadForm): Promise<string> {
    return await this.#run(actor, id, (target) => this.#resumption(actor, target, readForm));
  }

  /** Ends a pause with the defaults of its inputs. @throws DomainError not_found, conflict, invalid_entity */
  async resumeWithDefaults(actor: Actor, id: string): Promise<string> {
    return await this.resume(actor, id, () => Promise.resolve(new Map()));
  }

  /** Why a pause cannot be ended with the defaults of its inputs; `undefined` when it can. @throws DomainError not_found, conflict, invalid_entity */
  async resumeRefusalOf(actor: Actor, id: string): Promise<undefined> {
    const target = await this.target(actor, id);
    await pauseInputs(this.#deps.checks, target.plan, pauseOf(target), new Map());
    return undefined;
  }

  /** What a resume with these values would find, as JSON text. @throws DomainError not_found, conflict */
  async validateResume(actor: Actor, id: string, readForm: ReadForm): Promise<string> {
    const target = await this.target(actor, id);
    const point = pauseOf(target);
    const given = await readForm(point.inputs, measureFile);
    return stringifyJson(await pauseReport(this.#deps.checks, target.plan, point, given));
  }

  /** Gives a task run another end; what follows it runs. @throws DomainError not_found, conflict */
  async setTaskState(actor: Actor, id: string, taskRunId: string, state: State): Promise<string> {
    return await this.#run(actor, id, ({ execution }) => {
      const taskRun = taskRunOfId(execution, taskRunId);
      if (!taskRun) throw unknownTaskRun(id, taskRunId);
      return { request: { type: "task_state_set", taskRun: taskRun.ordinal, state } };
    });
  }

  /** What an expression renders to as a task run sees it, as JSON text; without a task run as the execution sees it. @throws DomainError not_found */
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
    const { tenant } = actor;
    const stored = await records.load(tenant, id);
    if (!stored) throw unknownExecution(id);
    const { execution } = stored;
    const { namespace, flowId, flowRevision: revision } = execution;
    const saved = await flows.plan(tenant, { namespace, id: flowId }, { revision, allowDeleted: true });
    const plan = planFor(saved, execution);
    if (taskRunId === undefined) return { execution, plan };
    const taskRun = taskRunOfId(execution, taskRunId);
    if (taskRun) return { execution, plan, taskRun };
    throw unknownTaskRun(id, taskRunId);
  }

  async #resumption(actor: Actor, target: ExecutionTarget, readForm: ReadForm): Promise<ExecutionRequest> {
    const point = pauseOf(target);
    const mutations: Mutation[] = [];
    const given = await readForm(point.inputs, this.#fileStore(target, point, mutations));
    const inputs = await pauseInputs(this.#deps.checks, target.plan, point, given);
    const taskRun = point.taskRun?.ordinal;
    return { request: { type: "resumed", taskRun, inputs, by: actor.user }, mutations };
  }

  #fileStore(
    { execution, plan }: ExecutionTarget,
    { taskRun }: PausePoint,
    mutations: Mutation[],
  ): StoreFile {
    const folder = `onResume/${taskRun?.taskId}/${taskRun?.ordinal}`;
    return storeFilesOf(this.#deps.files, { flow: plan.flow, executionId: execution.id, folder, mutations });
  }

  async #run({ tenant }: Actor, id: string, prepare: PrepareRequest): Promise<string> {
    let text = "";
    const onApplied = (execution: Execution) => text = this.#textOf(execution);
    if (await this.#deps.executor.request(tenant, id, prepare, onApplied)) return text;
    throw unknownExecution(id);
  }

  #textOf(execution: Execution): string {
    return executionBody(execution, { now: this.#deps.clock.now(), taskRuns: true });
  }
}

/** Where the execution is paused. @throws DomainError conflict */
function pauseOf({ execution, plan }: ExecutionTarget): PausePoint {
  const point = pausePointOf(execution, plan);
  if (point) return point;
  throw errorOf(conflict("resume", execution, "it is not paused"));
}

/** A refusal of the engine as the error that callers get. */
export function errorOf({ code, message }: Refusal): DomainError {
  return new DomainError(code, message);
}

/** The task run of an execution that has that id. */
export function taskRunOfId(execution: Execution, id: string): TaskRun | undefined {
  const ordinal = taskRunOrdinal(execution.id, id);
  return ordinal === undefined ? undefined : taskRunOf(execution, ordinal);
}

/** No execution has that id. */
export function unknownExecution(id: string): DomainError {
  return new DomainError("not_found", `Not Found: execution "${id}" does not exist`);
}

/** An execution has no task run of that id. */
export function unknownTaskRun(id: string, taskRunId: string): DomainError {
  return new DomainError(
    "not_found",
    `Not Found: task run "${taskRunId.slice(0, 100)}" does not exist in execution "${id}"`,
  );
}
