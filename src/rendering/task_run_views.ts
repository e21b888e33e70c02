/** `outputs` and `tasks` as templates see them: by task id, then by the values of the loops a task run is in. */
import { isJsonObject, type JsonObject, type JsonValue, ownProperty, setOwnProperty } from "../base/json.ts";
import { ancestorsOf } from "../engine/tree.ts";
import { type Execution, type TaskRun, taskRunOf } from "../model/executions/execution.ts";
import { currentState, type State } from "../model/executions/state.ts";

/** A task run as it was last read. */
interface Seen {
  readonly path: readonly string[];
  readonly state: State;
  readonly outputs: JsonObject | undefined;
}

type OpenOutputs = (outputs: JsonObject) => JsonObject;

/** Updated from changed task runs only: no render reads all of them. */
export class TaskRunViews {
  readonly #execution: Execution;
  readonly #open: OpenOutputs;
  readonly #outputs: JsonObject = {};
  readonly #states: JsonObject = {};
  readonly #seen = new Map<number, Seen>();
  /** Ordinals that changed in earlier commits and were not read since. */
  readonly #stale = new Set<number>();
  /** Ordinals of loops by path: another loop may ask for those of one that has ended long before. */
  #loops: Map<string, number> | undefined;

  /** `open` decrypts the outputs of a task run. */
  constructor(execution: Execution, open: OpenOutputs = (outputs) => outputs) {
    this.#execution = execution;
    this.#open = open;
    for (const { ordinal } of execution.taskRuns) this.#stale.add(ordinal);
  }

  /** Marks task runs as changed, before the execution clears its set of changed ones. */
  note(touched: Iterable<number>): void {
    for (const ordinal of touched) this.#stale.add(ordinal);
  }

  /** Outputs by task id; task runs without outputs are absent. */
  get outputs(): JsonObject {
    this.#refresh();
    return this.#outputs;
  }

  /** `{state}` by task id. */
  get states(): JsonObject {
    this.#refresh();
    return this.#states;
  }

  /** The ancestors that have a value or outputs, the nearest first. */
  parents(taskRun: TaskRun): JsonObject[] {
    return ancestorsOf(this.#execution, taskRun).flatMap(({ value, outputs }) => {
      if (value === undefined && outputs === undefined) return [];
      const view: JsonObject = {};
      if (value !== undefined) view.taskrun = { value };
      if (outputs !== undefined) view.outputs = this.#open(outputs);
      return [view];
    });
  }

  /** The iteration of the nearest loop around a task run. */
  ownIteration(taskRun: TaskRun): number | undefined {
    return withValue(this.#execution, taskRun).at(-1)?.iteration;
  }

  /** The values of a loop by iteration. `path`: the id of a task in it, and the values of the loops around it. */
  iterations(path: readonly string[]): JsonValue | undefined {
    const loops = this.#loops ??= new Map();
    const key = JSON.stringify(path);
    let loop = taskRunOf(this.#execution, loops.get(key) ?? -1);
    if (!loop) {
      loop = findLoop(this.#execution, path);
      if (loop) loops.set(key, loop.ordinal);
    }
    return loop?.decision?.values;
  }

  #refresh(): void {
    for (const ordinal of this.#stale) this.#takeIn(ordinal);
    this.#stale.clear();
    for (const ordinal of this.#execution.touched) this.#takeIn(ordinal);
  }

  #takeIn(ordinal: number): void {
    const taskRun = taskRunOf(this.#execution, ordinal);
    const seen = this.#seen.get(ordinal);
    if (!taskRun) {
      if (seen) this.#forget(ordinal, seen);
      return;
    }
    const state = currentState(taskRun.history);
    if (seen?.state === state && seen.outputs === taskRun.outputs) return;
    const path = seen?.path ?? pathOf(this.#execution, taskRun);
    this.#seen.set(ordinal, { path, state, outputs: taskRun.outputs });
    place(this.#states, path, { state });
    if (taskRun.outputs && Object.keys(taskRun.outputs).length > 0) {
      place(this.#outputs, path, this.#open(taskRun.outputs));
    } else if (seen?.outputs) remove(this.#outputs, path);
  }

  #forget(ordinal: number, { path }: Seen): void {
    this.#seen.delete(ordinal);
    remove(this.#states, path);
    remove(this.#outputs, path);
  }
}

/** Its task id, the values of its loops, the outermost first, and its own value. */
function pathOf(execution: Execution, taskRun: TaskRun): string[] {
  return [taskRun.taskId, ...withValue(execution, taskRun).map(({ value }) => value as string)];
}

/** Those of a task run and its ancestors that have a value, the outermost first. */
function withValue(execution: Execution, taskRun: TaskRun): TaskRun[] {
  const outer = taskRun.parent === undefined ? [] : ancestorsOf(execution, taskRun).reverse();
  return [...outer, taskRun].filter(({ value }) => value !== undefined);
}

/** The task run of a loop. Mostly the task or one of its siblings asks, so that one of its last runs tells. */
function findLoop(execution: Execution, [taskId, ...values]: readonly string[]): TaskRun | undefined {
  const { taskRuns } = execution;
  for (let i = taskRuns.length - 1; i >= 0; i--) {
    const taskRun = taskRuns[i] as TaskRun;
    if (taskRun.taskId !== taskId) continue;
    const around = withValue(execution, taskRun);
    const { parent } = around[values.length] ?? {};
    const isWithin = values.every((value, level) => around[level]?.value === value);
    if (parent !== undefined && isWithin) return taskRunOf(execution, parent);
  }
  return undefined;
}

function place(root: JsonObject, path: readonly string[], value: JsonObject): void {
  let node = root;
  for (const name of path.slice(0, -1)) {
    const next = ownProperty(node, name);
    const child: JsonObject = isJsonObject(next) ? next : {};
    if (child !== next) setOwnProperty(node, name, child);
    node = child;
  }
  setOwnProperty(node, path[path.length - 1] as string, value);
}

function remove(root: JsonObject, path: readonly string[]): void {
  let node: JsonObject | undefined = root;
  for (const name of path.slice(0, -1)) {
    const next: unknown = node && ownProperty(node, name);
    node = isJsonObject(next) ? next : undefined;
  }
  if (node) delete node[path[path.length - 1] as string];
}
