/** Where a task stands in its flow. */
import type { Task } from "../model/flows/flow.ts";

/** A task of a flow with its surroundings. */
export interface TaskPlace {
  readonly task: Task;
  /** The task that it is nested in. */
  readonly parent?: TaskPlace;
  /** Name of the list that holds it: `tasks`, `errors`, `then`, `cases.yes`, … */
  readonly block: string;
  /** Position in that list. */
  readonly index: number;
  /** The list. */
  readonly siblings: readonly TaskPlace[];
  /** What is nested in it, by name of the list. */
  readonly blocks: ReadonlyMap<string, readonly TaskPlace[]>;
}
