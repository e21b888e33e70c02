/** `core.storage.Delete`: deletes a file. */
import { dynamicFlag } from "../../model/flows/schema.ts";
import type { RunnableTaskType } from "../../model/tasks/task_catalog.ts";
import { flagOf, requiredTextOf } from "../property_values.ts";
import { FROM } from "./stored_file.ts";

/** Outputs: `uri` and `deleted`. */
export const deleteFileTask: RunnableTaskType = {
  form: "runnable",
  pure: false,
  type: "core.storage.Delete",
  aliases: ["core.tasks.storages.Delete"],
  description: "Deletes a file of an execution.",
  properties: {
    uri: FROM,
    errorOnMissing: dynamicFlag(false, "Whether a missing file is a failure."),
  },
  outputs: {
    uri: { type: "string", description: "Storage URI of the file." },
    deleted: { type: "boolean", description: "Whether there was such a file." },
  },
  async run(properties, context) {
    const uri = requiredTextOf(properties, "uri");
    const deleted = await context.ports.storage.delete(context, uri);
    if (!deleted && flagOf(properties, "errorOnMissing", false)) {
      throw new Error(`Cannot delete "${uri}": there is no such file`);
    }
    return { state: "SUCCESS", outputs: { uri, deleted } };
  },
};
