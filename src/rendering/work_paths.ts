/** Which directory of this machine a task run works in: its own, or that of the WorkingDirectory around it. */
import { taskRunId } from "../base/id.ts";
import type { FlowPlan } from "../engine/plan.ts";
import { type Execution, type TaskRun, taskRunOf } from "../model/executions/execution.ts";

/** The path of the directory of a name. */
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

  /** Where it puts files that are to be kept. */
  outputDir(taskRun: TaskRun): string {
    return `${this.workingDir(taskRun)}/.output-${taskRunId(this.#execution.id, taskRun.ordinal)}`;
  }

  /** The directory of the attempt under way. */
  ownDir(taskRun: TaskRun): string {
    return this.#pathOf(ownDirName(this.#execution, taskRun));
  }

  /** The directory of the WorkingDirectory around it; `undefined` where there is none. */
  sharedDir(taskRun: TaskRun): string | undefined {
    const sharing = this.sharingTaskRun(taskRun);
    return sharing && this.#pathOf(sharedDirName(this.#execution, sharing));
  }

  /** The task run of the WorkingDirectory around it; `undefined` where there is none. */
  sharingTaskRun(taskRun: TaskRun): TaskRun | undefined {
    for (let parent = this.#parentOf(taskRun); parent; parent = this.#parentOf(parent)) {
      if (this.#plan.places.get(parent.taskId)?.task.kind === SHARING) return parent;
    }
    return undefined;
  }

  #parentOf({ parent }: TaskRun): TaskRun | undefined {
    return parent === undefined ? undefined : taskRunOf(this.#execution, parent);
  }
}

/** Name of the directory of an attempt: one that was timed out may still be at work when the next one begins. */
function ownDirName({ id }: Execution, { ordinal, attempts }: TaskRun): string {
  return `${taskRunId(id, ordinal)}-${attempts.length}`;
}

/** Name of the directory of a WorkingDirectory's task run. */
function sharedDirName({ id }: Execution, { ordinal }: TaskRun): string {
  return taskRunId(id, ordinal);
}
