/** The task types that arrange other tasks, the one that waits, and the one that purges revisions of flows. */
import type { TaskType } from "../../model/tasks/task_catalog.ts";
import { allowFailureTask } from "./allow_failure.ts";
import { dagTask } from "./dag.ts";
import { eachParallelTask } from "./each_parallel.ts";
import { eachSequentialTask } from "./each_sequential.ts";
import { forEachTask } from "./for_each.ts";
import { forEachItemTask } from "./for_each_item.ts";
import { ifTask } from "./if.ts";
import { loopTask } from "./loop.ts";
import { loopUntilTask } from "./loop_until.ts";
import { parallelTask } from "./parallel.ts";
import { pauseTask } from "./pause.ts";
import { purgeFlowsTask } from "./purge_flows.ts";
import { sequentialTask } from "./sequential.ts";
import { sleepTask } from "./sleep.ts";
import { subflowTask } from "./subflow.ts";
import { switchTask } from "./switch.ts";
import { templateTask } from "./template.ts";
import { workingDirectoryTask } from "./working_directory.ts";

/** Types below `core.flow.`. */
export const FLOW_TASKS: readonly TaskType[] = Object.freeze([
  allowFailureTask,
  dagTask,
  eachParallelTask,
  eachSequentialTask,
  forEachTask,
  forEachItemTask,
  ifTask,
  loopTask,
  loopUntilTask,
  parallelTask,
  pauseTask,
  purgeFlowsTask,
  sequentialTask,
  sleepTask,
  subflowTask,
  switchTask,
  templateTask,
  workingDirectoryTask,
]);
