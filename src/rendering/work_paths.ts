/** The directory that a task run works in: its own, or that of its WorkingDirectory. */
import { taskRunId } from "../base/id.ts";
import type { FlowPlan } from "../engine/plan.ts";
import { type JsonObject, ownProperty, setOwnProperty } from "../base/json.ts";
import { ancestorsOf } from "../engine/tree.ts";
import type { Task } from "../model/flows/flow.ts";
import type { Execution, TaskRun } from "../model/executions/execution.ts";

/** The path of a directory, by name. */
export type PathOf = (name: string) => string;

const SHARING = "core.flow.WorkingDirectory";

/** Paths of one execution. */
export class WorkPaths {
  readonly #plan: FlowPlan;
  readonly #execution: Execution;
  readonly #pathOf: PathOf;

  constructor(plan: FlowPlan, execution: Execution, pathOf: PathOf) {
    this.#plan = plan;
    this.#execution = execution;
    this.#pathOf = pathOf;
  }

  /** The directory that the task run works in. */
  workingDir(taskRun: TaskRun): string {
    return this.sharedDir(taskRun) ?? this.ownDir(taskRun);
  }

  /** The directory for files to keep. */
  outputDir(taskRun: TaskRun): string {
    return `${this.workingDir(taskRun)}/.output-${taskRunId(this.#execution.id, taskRun.ordinal)}`;
  }

  /** The paths of declared output files by name, as SQL and scripts write them; without the globs among the declared ones. */
  outputFiles({ task, taskRun }: { readonly task: Task; readonly taskRun: TaskRun }): JsonObject | undefined {
    const declared = ownProperty(task.properties, "outputFiles");
    if (!Array.isArray(declared)) return undefined;
    const paths: JsonObject = {};
    for (const name of declared) {
      if (typeof name === "string" && !/[*?{}[\]]/.test(name)) {
        setOwnProperty(paths, name, `${this.workingDir(taskRun)}/${name}`);
      }
    }
    return paths;
  }

  /** The path that SQL names to read the declared input file. */
  inputFile({ task, taskRun }: { readonly task: Task; readonly taskRun: TaskRun }): string | undefined {
    const declared = ownProperty(task.properties, "inputFile");
    return typeof declared === "string" ? `${this.workingDir(taskRun)}/input` : undefined;
  }

  /** The directory of the current attempt. */
  ownDir(taskRun: TaskRun): string {
    return this.#pathOf(ownDirName(this.#execution, taskRun));
  }

  /** The directory of its WorkingDirectory; `undefined` if it does not exist. */
  sharedDir(taskRun: TaskRun): string | undefined {
    const sharing = this.sharingTaskRun(taskRun);
    return sharing && this.#pathOf(sharedDirName(this.#execution, sharing));
  }

  /** The task run of its WorkingDirectory; `undefined` if it does not exist. */
  sharingTaskRun(taskRun: TaskRun): TaskRun | undefined {
    return ancestorsOf(this.#execution, taskRun)
      .find(({ taskId }) => this.#plan.places.get(taskId)?.task.kind === SHARING);
  }
}

/** Directory name of an attempt; each has its own, because one that timed out may still run when the next begins. */
function ownDirName({ id }: Execution, { ordinal, attempts }: TaskRun): string {
  return `${taskRunId(id, ordinal)}-${attempts.length}`;
}

/** Directory name of the task run of a WorkingDirectory. */
function sharedDirName({ id }: Execution, { ordinal }: TaskRun): string {
  return taskRunId(id, ordinal);
}
