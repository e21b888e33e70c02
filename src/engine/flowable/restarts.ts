/** What a restart does with the executions that a flowable task has started. */
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import type { Task } from "../../model/flows/flow.ts";

/** True for a task that starts new executions instead of restarting the failed ones. */
export function startsNew({ properties }: Task): boolean {
  return String(properties.restartBehavior ?? "RETRY_FAILED") === "NEW_EXECUTION";
}

/** The counts of its own executions; `undefined` for those of an execution that this one is a copy of. */
export function ownChildren({ children, restarts }: JsonObject, executionId: string): JsonObject | undefined {
  const numbers = children ?? restarts;
  return isJsonObject(numbers) && numbers.executionId === executionId ? numbers : undefined;
}
