/**
 * What a person can do to one execution. An action is refused by what is stored, carried out by an event, and refused
 * after all when something else was faster; actions on the same execution come one after the other.
 */
import type { Clock } from "../../base/clock.ts";
import { taskRunOrdinal } from "../../base/id.ts";
import { type JsonObject, stringifyJson } from "../../base/json.ts";
import { KeyedLock } from "../../base/keyed_lock.ts";
import type { Event } from "../../engine/events.ts";
import { type FlowPlan, planFor } from "../../engine/plan.ts";
import type { Actor } from "../../model/access/actor.ts";
import { DomainError } from "../../model/errors.ts";
import { type Execution, type TaskRun, taskRunOf } from "../../model/executions/execution.ts";
import { executionBody } from "../../model/executions/execution_body.ts";
import type { Input } from "../../model/flows/flow.ts";
import type { GivenValue } from "../../model/flows/input_value.ts";
import type { State } from "../../model/executions/state.ts";
import type { Changes } from "../../store/changes.ts";
import type { Committer } from "../../store/committer.ts";
import type { ExecutionFiles } from "../../store/blobs/execution_files.ts";
import type { ExecutionRecords } from "../../store/records/execution_records.ts";
import type { Mutation } from "../../store/store.ts";
import { conflict, type ExecutionAction, resumeAction, setTaskStateAction } from "./execution_action.ts";
import type { ExecutorPort } from "../executor_port.ts";
import type { RenderedText } from "../../rendering/expression_renderer.ts";
import type { Flows } from "../flows/flows.ts";
import { measureFile, type StoreFile, storeFilesOf } from "../starts/given_files.ts";
import { pauseInputs, type PausePoint, pausePointOf, pauseReport } from "../starts/pause_inputs.ts";
import type { StartChecks } from "../starts/start_checks.ts";

/** What the service works with. */
export interface ExecutionActionsDeps {
  readonly flows: Flows;
  readonly records: ExecutionRecords;
  readonly files: ExecutionFiles;
  readonly changes: Changes;
  readonly committer: Committer;
  readonly executor: ExecutorPort;
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
  readonly #lock = new KeyedLock();

  constructor(deps: ExecutionActionsDeps) {
    this.#deps = deps;
  }

  /** Does it; the execution's text as the action left it. @throws DomainError not_found, or as the action refuses */
  async run(actor: Actor, id: string, action: ExecutionAction): Promise<string> {
    return await this.#lock.run(`${actor.tenant}/${id}`, async () => {
      const target = await this.target(actor, id);
      const refusal = action.refuse(target.execution, target.plan);
      if (refusal) throw refusal;
      return await this.#carryOut(target, action);
    });
  }

  /** Why the action cannot be done to an execution now; `undefined` when it can. @throws DomainError not_found */
  async refusalOf(actor: Actor, id: string, action: ExecutionAction): Promise<DomainError | undefined> {
    const { execution, plan } = await this.target(actor, id);
    return action.refuse(execution, plan);
  }

  /** Ends a pause with the values that it asks for. @throws DomainError not_found, conflict, invalid_entity */
  async resume(actor: Actor, id: string, readForm: ReadForm): Promise<string> {
    const { target, point } = await this.#pauseOf(actor, id);
    const mutations: Mutation[] = [];
    const given = await readForm(point.inputs, this.#fileStore(target, point, mutations));
    const inputs = await pauseInputs(this.#deps.checks, target.plan, point, given);
    if (mutations.length > 0) await this.#deps.committer.commit({ mutations });
    const taskRun = point.taskRun?.ordinal;
    return await this.run(actor, id, resumeAction({ taskRun, inputs, by: actor.user }));
  }

  /** What a resume with these values would find, as JSON text. @throws DomainError not_found, conflict */
  async validateResume(actor: Actor, id: string, readForm: ReadForm): Promise<string> {
    const { target, point } = await this.#pauseOf(actor, id);
    const given = await readForm(point.inputs, measureFile);
    return stringifyJson(await pauseReport(this.#deps.checks, target.plan, point, given));
  }

  /** The action that ends the pause of an execution with no values but the defaults. @throws DomainError not_found, conflict, invalid_entity */
  async plainResume(actor: Actor, id: string): Promise<ExecutionAction> {
    const { target, point } = await this.#pauseOf(actor, id);
    const inputs = await pauseInputs(this.#deps.checks, target.plan, point, new Map());
    return resumeAction({ taskRun: point.taskRun?.ordinal, inputs, by: actor.user });
  }

  /** Gives a task run another end; what follows it runs. @throws DomainError not_found, conflict */
  async setTaskState(actor: Actor, id: string, taskRunId: string, state: State): Promise<string> {
    const { taskRun } = await this.target(actor, id, taskRunId);
    return await this.run(actor, id, setTaskStateAction(taskRun as TaskRun, state));
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

  async #pauseOf(actor: Actor, id: string): Promise<{ target: ExecutionTarget; point: PausePoint }> {
    const target = await this.target(actor, id);
    const point = pausePointOf(target.execution, target.plan);
    if (point) return { target, point };
    throw conflict("resume", target.execution, "it is not paused");
  }

  #fileStore(
    { execution, plan }: ExecutionTarget,
    { taskRun }: PausePoint,
    mutations: Mutation[],
  ): StoreFile {
    const folder = `onResume/${taskRun?.taskId}/${taskRun?.ordinal}`;
    return storeFilesOf(this.#deps.files, { flow: plan.flow, executionId: execution.id, folder, mutations });
  }

  async #carryOut({ execution, plan }: ExecutionTarget, action: ExecutionAction): Promise<string> {
    const events = action.events(execution);
    if (events.length === 0) return this.#textOf(execution);
    let text = "", hasHappened = false;
    for (const event of events) {
      const isKnown = await this.#send(execution, event, (after) => {
        hasHappened = action.hasHappened(after, execution);
        if (hasHappened && action.takesSlot && plan.flow.concurrency) this.#deps.executor.forceSlot(after);
        text = this.#textOf(after);
      });
      if (!isKnown) throw unknownExecution(execution.id);
    }
    if (!hasHappened) throw conflict(action.verb, execution, "something else was faster; look at it again");
    return action.returnsOutcome ? await this.#outcome(execution, text) : text;
  }

  /** Resolves when the event is durable, not only when all that follows is; false for an unknown execution. */
  async #send(
    { tenant, id }: Execution,
    event: Event,
    onApplied: (after: Execution) => void,
  ): Promise<boolean> {
    let isApplied = false;
    const stored = Promise.withResolvers<void>();
    const unsubscribe = this.#deps.changes.subscribe(tenant, id, () => isApplied && stored.resolve());
    const applied = (after: Execution) => {
      isApplied = true;
      onApplied(after);
    };
    try {
      await Promise.race([this.#deps.executor.send(tenant, id, event, applied), stored.promise]);
      return isApplied;
    } finally {
      unsubscribe();
    }
  }

  async #outcome({ tenant, id }: Execution, text: string): Promise<string> {
    const stored = await this.#deps.records.load(tenant, id);
    return stored ? this.#textOf(stored.execution) : text;
  }

  #textOf(execution: Execution): string {
    return executionBody(execution, { now: this.#deps.clock.now(), taskRuns: true });
  }
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
