/** `core.storage.PurgeStorage`: deletes files of old executions. */
import { dynamicFlag, dynamicProperty, dynamicText } from "../../model/flows/schema.ts";
import type { RunnableTaskType } from "../../model/tasks/task_catalog.ts";
import { oldExecutionsOf } from "../execution/execution_properties.ts";
import { flagOf } from "../property_values.ts";

/** Outputs: `scannedCount`, `purgedCount` and `deletedFilesCount`. */
export const purgeStorageTask: RunnableTaskType = {
  form: "runnable",
  pure: false,
  type: "core.storage.PurgeStorage",
  aliases: [],
  description:
    "Deletes the files of old executions and keeps the executions. By default it only counts them. Files of " +
    "deleted executions need no purge: this server deletes them with their execution. Files of executions that " +
    "another one still awaits are kept.",
  properties: {
    namespace: dynamicText("Namespace of the executions, with those below it; default is all."),
    flowId: dynamicText("Flow of the executions; requires `namespace`."),
    startDate: dynamicProperty("dateTime", "Only files of executions that started at this time or later."),
    endDate: dynamicProperty("dateTime", "Only files of executions that ended before this time.", {
      required: true,
    }),
    dryRun: dynamicFlag(true, "Whether files are only counted and not deleted."),
  },
  outputs: {
    scannedCount: { type: "integer", description: "Number of executions found." },
    purgedCount: { type: "integer", description: "Number of these that have files." },
    deletedFilesCount: { type: "integer", description: "Number of files deleted; 0 if `dryRun` is true." },
  },
  async run(properties, context) {
    const selection = oldExecutionsOf(properties);
    const isDryRun = flagOf(properties, "dryRun", true);
    const { scanned, purged, deleted } = await context.ports.executions.purgeFiles(context, selection, {
      isDryRun,
    });
    context.metric({ name: "scanned", type: "counter", value: scanned });
    context.metric({ name: "purged", type: "counter", value: purged });
    context.metric({ name: "deleted.files", type: "counter", value: deleted });
    return {
      state: "SUCCESS",
      outputs: { scannedCount: scanned, purgedCount: purged, deletedFilesCount: deleted },
    };
  },
};
