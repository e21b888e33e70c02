/** What expressions see: `inputs`, `outputs`, `trigger`, `flow`, `execution`, `task`, `taskrun`, `vars`, `labels`, … */
import { toIso } from "../base/clock.ts";
import { taskRunId } from "../base/id.ts";
import { isJsonObject, type JsonObject, type JsonValue, ownProperty, setOwnProperty } from "../base/json.ts";
import type { Execution, TaskRun } from "../model/execution.ts";
import type { Flow, Task } from "../model/flow.ts";
import type { Label } from "../model/label.ts";
import { currentState, isEnded, startedAt } from "../model/state.ts";

/** Variables that are the same for every execution of this server. */
export interface ServerVariables {
  /** Environment variables that flows may read, by lower-case name without prefix. */
  readonly envs: JsonObject;
}

/** The task run that an expression belongs to. */
export interface TaskScope {
  readonly task: Task;
  readonly taskRun: TaskRun;
}

/** Variables of one execution; built when asked for, outputs as task runs end. */
export class ExecutionVariables {
  readonly #flow: Flow;
  readonly #execution: Execution;
  readonly #server: ServerVariables;
  readonly #outputs: JsonObject = {};
  readonly #tasks: JsonObject = {};
  #counted = 0;

  constructor(flow: Flow, execution: Execution, server: ServerVariables) {
    this.#flow = flow;
    this.#execution = execution;
    this.#server = server;
  }

  /** The root variable of that name, as seen from `scope`; `undefined` when there is none. */
  get(name: string, scope?: TaskScope): JsonValue | undefined {
    const build = ROOTS.get(name);
    return build ? build(this, scope) : undefined;
  }

  /** Of the flow: `id`, `namespace`, `revision`, `tenantId`. */
  get flow(): JsonObject {
    const { id, namespace, revision, tenant } = this.#flow;
    return { id, namespace, revision, tenantId: tenant };
  }

  /** Of the execution: `id`, `startDate`, `state`, `originalId`. */
  get execution(): JsonObject {
    const { id, history, originalId, outputs } = this.#execution;
    const view: JsonObject = {
      id,
      startDate: toIso(startedAt(history)),
      state: currentState(history),
      originalId,
    };
    if (outputs) view.outputs = outputs;
    return view;
  }

  /** Inputs as converted when the execution was started. */
  get inputs(): JsonObject {
    return this.#execution.inputs ?? {};
  }

  /** Variables of the flow, overlaid with those that tasks have set. */
  get vars(): JsonObject {
    return { ...this.#flow.variables, ...this.#execution.variables };
  }

  /** Trigger variables; `undefined` for an execution that no trigger started. */
  get trigger(): JsonObject | undefined {
    return this.#execution.trigger?.variables;
  }

  /** Labels as a tree: `system.correlationId` is `labels.system.correlationId`. */
  get labels(): JsonObject {
    return nestLabels(this.#execution.labels);
  }

  /** Server environment. */
  get envs(): JsonObject {
    return this.#server.envs;
  }

  /** Outputs of ended task runs by task id; task runs without outputs are absent. */
  get outputs(): JsonObject {
    this.#count();
    return this.#outputs;
  }

  /** State of ended task runs by task id. */
  get tasks(): JsonObject {
    this.#count();
    return this.#tasks;
  }

  /** Takes in task runs that have ended since the last time. */
  #count(): void {
    const { taskRuns } = this.#execution;
    for (; this.#counted < taskRuns.length; this.#counted++) {
      const taskRun = taskRuns[this.#counted] as TaskRun;
      if (!isEnded(taskRun.history)) return;
      setOwnProperty(this.#tasks, taskRun.taskId, { state: currentState(taskRun.history) });
      if (taskRun.outputs && Object.keys(taskRun.outputs).length > 0) {
        setOwnProperty(this.#outputs, taskRun.taskId, taskRun.outputs);
      }
    }
  }

  /** Of the task run: `id`, `startDate`, `attemptsCount`, `value`, `iteration`. */
  taskRunView({ taskRun }: TaskScope): JsonObject {
    const view: JsonObject = {
      id: taskRunId(this.#execution.id, taskRun.ordinal),
      startDate: toIso(startedAt(taskRun.history)),
      attemptsCount: Math.max(0, taskRun.attempts.length - 1),
    };
    if (taskRun.value !== undefined) view.value = taskRun.value;
    if (taskRun.iteration !== undefined) view.iteration = taskRun.iteration;
    return view;
  }
}

type RootBuilder = (variables: ExecutionVariables, scope?: TaskScope) => JsonValue | undefined;

const ROOTS: ReadonlyMap<string, RootBuilder> = new Map<string, RootBuilder>([
  ["flow", (variables) => variables.flow],
  ["execution", (variables) => variables.execution],
  ["inputs", (variables) => variables.inputs],
  ["vars", (variables) => variables.vars],
  ["trigger", (variables) => variables.trigger],
  ["labels", (variables) => variables.labels],
  ["envs", (variables) => variables.envs],
  ["outputs", (variables) => variables.outputs],
  ["tasks", (variables) => variables.tasks],
  ["task", (_variables, scope) => scope && { id: scope.task.id, type: scope.task.type }],
  ["taskrun", (variables, scope) => scope && variables.taskRunView(scope)],
]);

function nestLabels(labels: readonly Label[]): JsonObject {
  const tree: JsonObject = {};
  for (const { key, value } of labels) {
    const parts = key.split(".");
    let node = tree;
    for (const part of parts.slice(0, -1)) {
      const next = ownProperty(node, part);
      const child: JsonObject = isJsonObject(next) ? next : {};
      setOwnProperty(node, part, child);
      node = child;
    }
    setOwnProperty(node, parts[parts.length - 1] as string, value);
  }
  return tree;
}
