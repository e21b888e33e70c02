/** `core.storage.PurgeCurrentExecutionFiles`: deletes the files of this execution. */
import { dynamicFlag } from "../../model/flows/schema.ts";
import type { RunnableTaskType } from "../../model/tasks/task_catalog.ts";
import { uriList } from "./stored_file.ts";

/** Output: `uris`. */
export const purgeCurrentExecutionFilesTask: RunnableTaskType = {
  form: "runnable",
  pure: false,
  type: "core.storage.PurgeCurrentExecutionFiles",
  aliases: ["core.storage.PurgeExecution", "core.tasks.storages.PurgeExecution"],
  description: "Deletes all files of this execution: inputs, outputs and files of triggers.",
  properties: {
    includeChildExecutions: dynamicFlag(false, "Whether files of child executions are deleted too.", {
      ignored: true,
    }),
    includeStates: dynamicFlag(
      false,
      "Whether files of states are deleted too; this server does not store states as files.",
      { ignored: true },
    ),
  },
  outputs: { uris: uriList("Storage URIs of the deleted files.") },
  async run(_properties, context) {
    const { storage } = context.ports;
    const uris: string[] = [];
    for (const uri of await storage.list(context)) if (await storage.delete(context, uri)) uris.push(uri);
    return { state: "SUCCESS", outputs: { uris } };
  },
};
