/** The task types that act on executions. */
import type { TaskType } from "../../model/tasks/task_catalog.ts";
import { assertTask } from "./assert.ts";
import { countTask } from "./count.ts";
import { exitTask } from "./exit.ts";
import { failTask } from "./fail.ts";
import { labelsTask } from "./labels.ts";
import { purgeExecutionsTask } from "./purge_executions.ts";
import { resumeTask } from "./resume.ts";
import { setVariablesTask } from "./set_variables.ts";
import { unsetVariablesTask } from "./unset_variables.ts";

/** Types below `core.execution.`. */
export const EXECUTION_TASKS: readonly TaskType[] = Object.freeze([
  assertTask,
  countTask,
  exitTask,
  failTask,
  labelsTask,
  purgeExecutionsTask,
  resumeTask,
  setVariablesTask,
  unsetVariablesTask,
]);
