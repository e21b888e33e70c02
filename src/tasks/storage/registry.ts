/** The task types that work on stored files. */
import type { TaskType } from "../../model/tasks/task_catalog.ts";
import { concatTask } from "./concat.ts";
import { deduplicateItemsTask } from "./deduplicate_items.ts";
import { deleteFileTask } from "./delete.ts";
import { filterItemsTask } from "./filter_items.ts";
import { localFilesTask } from "./local_files.ts";
import { purgeCurrentExecutionFilesTask } from "./purge_current_execution_files.ts";
import { purgeStorageTask } from "./purge_storage.ts";
import { reverseTask } from "./reverse.ts";
import { sizeTask } from "./size.ts";
import { splitTask } from "./split.ts";
import { writeTask } from "./write.ts";

/** Types below `core.storage.`. */
export const STORAGE_TASKS: readonly TaskType[] = Object.freeze([
  concatTask,
  deduplicateItemsTask,
  deleteFileTask,
  filterItemsTask,
  localFilesTask,
  purgeCurrentExecutionFilesTask,
  purgeStorageTask,
  reverseTask,
  sizeTask,
  splitTask,
  writeTask,
]);
