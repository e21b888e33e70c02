/** The task types that read and write key-value pairs. */
import type { TaskType } from "../../model/tasks/task_catalog.ts";
import { kvDeleteTask } from "./delete.ts";
import { kvGetTask } from "./get.ts";
import { kvGetKeysTask } from "./get_keys.ts";
import { kvPurgeTask } from "./purge_kv.ts";
import { kvPutTask } from "./put.ts";
import { kvSetTask } from "./set.ts";

/** Types below `core.kv.`. */
export const KV_TASKS: readonly TaskType[] = Object.freeze([
  kvDeleteTask,
  kvGetTask,
  kvGetKeysTask,
  kvPurgeTask,
  kvPutTask,
  kvSetTask,
]);
