/** Root variables of the templates of one execution: those of every template, `execution`, `inputs`, `outputs`, `task`, … */
import { toIso } from "../base/time/clock.ts";
import { taskRunId } from "../base/id.ts";
import { isJsonObject, type JsonObject, type JsonValue, ownProperty, setOwnProperty } from "../base/json.ts";
import { ancestorsOf } from "../engine/tree.ts";
import { iterationsPath, OWN_ITERATION } from "../expr/mod.ts";
import type { Execution, TaskRun } from "../model/executions/execution.ts";
import { canonicalType, type Flow, type Task } from "../model/flows/flow.ts";
import { itemView } from "../model/executions/loop_run.ts";
import { changedAt, currentState, isEnded, startedAt } from "../model/executions/state.ts";
import { merged, type OuterContext } from "./loop_contexts.ts";
import { nestLabels, type RootSource, rootVariable, type ServerRoots } from "./scope.ts";
import { type Decryption, SecretInputs } from "./secret_inputs.ts";
import { TaskRunViews } from "./task_run_views.ts";
import type { PathOf, WorkPaths } from "./work_paths.ts";

/** What the server provides to the variables of executions. */
export interface ServerVariables extends ServerRoots, Decryption {
  /** Paths of working directories. */
  readonly pathOf?: PathOf;
}

/** The task run that an expression belongs to. */
export interface TaskScope {
  readonly task: Task;
  readonly taskRun: TaskRun;
  /** Storage URI of the batch of a child execution. */
  readonly items?: string;
}

/** Variables of one execution; each is built when it is read, outputs as task runs end. */
export class ExecutionVariables {
  readonly #execution: Execution;
  readonly #roots: RootSource;
  readonly #inputs: SecretInputs;
  /** `outputs`, `tasks` and `parents`. */
  #views: TaskRunViews | undefined;
  #outerOutputs: JsonObject | undefined;
  /** For a pass of a Loop. */
  outer: OuterContext | undefined;
  /** Absent where no tasks run. */
  readonly workPaths: WorkPaths | undefined;

  constructor(flow: Flow, execution: Execution, server: ServerVariables, workPaths?: WorkPaths) {
    this.#execution = execution;
    this.#roots = { flow, server, execution };
    this.workPaths = workPaths;
    this.#inputs = new SecretInputs(flow, execution, server);
  }

  /** Created when a template first reads another task run. */
  get views(): TaskRunViews {
    return this.#views ??= new TaskRunViews(
      this.#execution,
      (outputs) => this.#inputs.openOutputs(outputs),
    );
  }

  /** Marks task runs as changed, before the execution clears its set of changed ones. */
  note(touched: Iterable<number>): void {
    this.#views?.note(touched);
  }

  /** The root variable of that name, as seen from `scope`; `undefined` if it does not exist. */
  get(name: string, scope?: TaskScope): JsonValue | undefined {
    const build = ROOTS.get(name);
    if (build) return build(this, scope);
    const value = rootVariable(name, this.#roots);
    if (value !== undefined) return value;
    const path = iterationsPath(name);
    return path && this.views.iterations(path);
  }

  /** `id`, `startDate`, `state`, `originalId`, `outputs`, and `endDate` once it has ended. */
  get execution(): JsonObject {
    const { id, history, originalId, outputs } = this.#execution;
    const view: JsonObject = {
      id,
      startDate: toIso(startedAt(history)),
      state: currentState(history),
      originalId,
    };
    if (isEnded(history)) view.endDate = toIso(changedAt(history));
    if (outputs) view.outputs = outputs;
    return view;
  }

  /** Converted inputs, those of type SECRET decrypted. @throws ExpressionError `host`: one cannot be decrypted */
  get inputs(): JsonObject {
    return this.#inputs.inputs;
  }

  /** The decrypted inputs of type SECRET, for masking. */
  get inputSecrets(): readonly string[] {
    return this.#inputs.values;
  }

  /** Trigger variables, decrypted; `undefined` for an execution that no trigger started. */
  get trigger(): JsonObject | undefined {
    const variables = this.outer ? this.outer.trigger : this.#execution.trigger?.variables;
    return variables && this.#inputs.openOutputs(variables, 3);
  }

  /** The trigger variables under their older name, if a Schedule has started the execution. */
  get schedule(): JsonObject | undefined {
    return SCHEDULES.has(canonicalType(this.#execution.trigger?.type ?? "")) ? this.trigger : undefined;
  }

  /** As {@link nestLabels} gives them. */
  get labels(): JsonObject {
    return nestLabels(this.#execution.labels);
  }

  /** The item of a pass of a Loop; `undefined` for other executions. */
  get item(): JsonObject | undefined {
    const { loop } = this.#execution;
    return loop && itemView(loop);
  }

  /** Outputs of task runs; in a pass of a Loop also those of its outer executions. */
  get outputs(): JsonObject {
    const { outputs } = this.views;
    if (!this.outer) return outputs;
    this.#outerOutputs ??= this.#opened(this.outer.outputs);
    return merged(this.#outerOutputs, outputs);
  }

  /** Outputs of other executions, decrypted at any depth. */
  #opened(outputs: JsonObject): JsonObject {
    const opened = this.#inputs.openOutputs(outputs);
    const copy: JsonObject = {};
    for (const name of Object.keys(opened)) {
      const value = ownProperty(opened, name) ?? null;
      setOwnProperty(copy, name, isJsonObject(value) ? this.#opened(value) : value);
    }
    return copy;
  }

  /** Of the task run: `id`, `startDate`, `attemptsCount`, `parentId`, `value`, `iteration`, `items`. */
  taskRunView({ taskRun, items }: TaskScope): JsonObject {
    const view: JsonObject = {
      id: taskRunId(this.#execution.id, taskRun.ordinal),
      startDate: toIso(startedAt(taskRun.history)),
      attemptsCount: earlierAttempts(taskRun),
    };
    if (taskRun.parent !== undefined) view.parentId = taskRunId(this.#execution.id, taskRun.parent);
    const { value, iteration } = this.#loopMark(taskRun);
    if (value !== undefined) view.value = value;
    if (iteration !== undefined) view.iteration = iteration;
    if (items !== undefined) view.items = items;
    return view;
  }

  /** The task run with the value of the loop: a task of a WorkingDirectory shares that of the loop it is in. */
  #loopMark(taskRun: TaskRun): Pick<TaskRun, "value" | "iteration"> {
    if (taskRun.value !== undefined || taskRun.iteration !== undefined) return taskRun;
    const sharing = this.workPaths?.sharingTaskRun(taskRun);
    const around = sharing ? [sharing, ...ancestorsOf(this.#execution, sharing)] : [];
    return around.find(({ value }) => value !== undefined) ?? taskRun;
  }

  /** The view of the task run of its WorkingDirectory. */
  workerTaskRunView({ task, taskRun }: TaskScope): JsonObject | undefined {
    const sharing = this.workPaths?.sharingTaskRun(taskRun);
    return sharing && this.taskRunView({ task, taskRun: sharing });
  }
}

const SCHEDULES: ReadonlySet<string> = new Set([
  "core.trigger.Schedule",
  "core.models.triggers.types.Schedule",
]);

type RootBuilder = (variables: ExecutionVariables, scope?: TaskScope) => JsonValue | undefined;

/** Number of attempts before the current one, or before the next one that a restart begins; all when the task run has ended. */
function earlierAttempts({ history, attempts: { length } }: TaskRun): number {
  const isOver = isEnded(history) || currentState(history) === "RESTARTED";
  return isOver ? length : Math.max(0, length - 1);
}

const ROOTS: ReadonlyMap<string, RootBuilder> = new Map<string, RootBuilder>([
  ["execution", (variables) => variables.execution],
  ["inputs", ({ inputs }) => Object.keys(inputs).length > 0 ? inputs : undefined],
  ["trigger", (variables) => variables.trigger],
  ["schedule", (variables) => variables.schedule],
  ["outputs", (variables) => variables.outputs],
  ["item", (variables) => variables.item],
  ["tasks", ({ views }) => views.states],
  ["task", (_variables, scope) => scope && { id: scope.task.id, type: scope.task.type }],
  ["taskrun", (variables, scope) => scope && variables.taskRunView(scope)],
  ["workerTaskrun", (variables, scope) => scope && variables.workerTaskRunView(scope)],
  ["workingDir", (variables, scope) => scope && variables.workPaths?.workingDir(scope.taskRun)],
  ["outputFiles", (variables, scope) => scope && variables.workPaths?.outputFiles(scope)],
  ["inputFile", (variables, scope) => scope && variables.workPaths?.inputFile(scope)],
  ["outputDir", (variables, scope) => scope && variables.workPaths?.outputDir(scope.taskRun)],
  ["parents", (variables, scope) => scope && variables.views.parents(scope.taskRun)],
  ["parent", (variables, scope) => scope && variables.views.parents(scope.taskRun)[0]],
  [OWN_ITERATION, (variables, scope) => scope && variables.views.ownIteration(scope.taskRun)],
]);
