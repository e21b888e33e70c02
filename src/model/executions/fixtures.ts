/** Fixtures of a test: ends that are given for tasks, which are then not run. They are stored with the execution. */
import type { JsonObject } from "../../base/json.ts";

/** States in which a fixture may end a task. */
export const FIXTURE_STATES = ["SUCCESS", "WARNING", "FAILED"] as const;

/** The end of a task that is not run. */
export interface TaskFixture {
  /** Of the task. */
  readonly id: string;
  /** Only the task run with this item of a loop; absent: every task run of the task. */
  readonly value?: string;
  readonly state: typeof FIXTURE_STATES[number];
  /** Its texts are templates, rendered when the task would begin; a member that is a single print keeps its type. */
  readonly outputs?: JsonObject;
}

/** The fixtures of one execution. */
export interface Fixtures {
  readonly tasks: readonly TaskFixture[];
}

/** The fixture for a task run; one for its item is preferred. */
export function fixtureOf(
  { tasks }: Fixtures,
  { taskId, value }: { readonly taskId: string; readonly value?: string },
): TaskFixture | undefined {
  const ofTask = tasks.filter(({ id }) => id === taskId);
  return ofTask.find((fixture) => fixture.value !== undefined && fixture.value === value) ??
    ofTask.find((fixture) => fixture.value === undefined);
}
