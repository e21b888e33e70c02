/** `core.storage.PurgeCurrentExecutionFiles`: deletes the files of this execution. */
import type { PlannedTaskType } from "../../model/task_catalog.ts";
import { uriList } from "./storage_properties.ts";

/** Output: `uris`. */
export const purgeCurrentExecutionFilesTask: PlannedTaskType = {
  form: "planned",
  type: "core.storage.PurgeCurrentExecutionFiles",
  aliases: ["core.storage.PurgeExecution", "core.tasks.storages.PurgeExecution"],
  description: "Deletes all files of this execution: inputs, outputs and files of triggers.",
  properties: {},
  outputs: { uris: uriList("Storage URIs of the files that were deleted.") },
};
