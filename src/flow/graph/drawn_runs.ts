/** The task runs of an execution, as its graph shows them. */
import type { JsonObject } from "../../base/json.ts";
import type { TaskRun } from "../../model/executions/execution.ts";

/** Where the task runs of a place are: below a task run, in one of its iterations. */
export interface RunPlace {
  /** Ordinal of the task run of the enclosing flowable task. */
  readonly parent?: number;
  readonly iteration?: number;
}

/** One value of a loop that has task runs. */
export interface DrawnValue {
  readonly iteration: number;
  readonly value: string;
}

/** Finds task runs by their place. */
export class DrawnRuns {
  /** The JSON of a task run in API responses. */
  readonly jsonOf: (taskRun: TaskRun) => JsonObject;
  readonly #children: ReadonlyMap<number | undefined, readonly TaskRun[]>;
  /** The latest of each task at each place, also of any iteration. */
  readonly #latest = new Map<string, TaskRun>();

  /** Task runs in the order of their creation. */
  constructor(taskRuns: readonly TaskRun[], jsonOf: (taskRun: TaskRun) => JsonObject) {
    this.jsonOf = jsonOf;
    this.#children = Map.groupBy(taskRuns, ({ parent }) => parent);
    for (const taskRun of taskRuns) {
      this.#latest.set(nameOf(taskRun.taskId, taskRun), taskRun);
      this.#latest.set(nameOf(taskRun.taskId, { parent: taskRun.parent }), taskRun);
    }
  }

  /** The latest task run of a task at a place. */
  find(taskId: string, place: RunPlace): TaskRun | undefined {
    return this.#latest.get(nameOf(taskId, place));
  }

  /** The values of a loop whose tasks have begun, in order. */
  valuesOf({ ordinal }: TaskRun): DrawnValue[] {
    const values = new Map<number, DrawnValue>();
    for (const { iteration, value } of this.#children.get(ordinal) ?? []) {
      if (iteration !== undefined && value !== undefined) values.set(iteration, { iteration, value });
    }
    return [...values.values()].sort((a, b) => a.iteration - b.iteration);
  }
}

function nameOf(taskId: string, { parent, iteration }: RunPlace): string {
  return `${taskId}/${parent ?? ""}/${iteration ?? ""}`;
}
