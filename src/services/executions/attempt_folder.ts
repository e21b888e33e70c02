/** Where the files of a task run are kept. */
import type { AttemptIdentity } from "../../model/executions/attempt_identity.ts";

/** Folder below an execution, with a slash at its end: `tasks/<task>/<task run>/`; the task in lower case with hyphens. */
export function attemptFolder({ taskId, taskRunId }: AttemptIdentity): string {
  return `tasks/${taskId.toLowerCase().replaceAll("_", "-")}/${taskRunId}/`;
}
