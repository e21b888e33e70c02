/** `core.storage.Size`: the size of a file. */
import type { RunnableTaskType } from "../../model/tasks/task_catalog.ts";
import { requiredTextOf } from "../property_values.ts";
import { FROM } from "./stored_file.ts";

/** Output: `size`. */
export const sizeTask: RunnableTaskType = {
  form: "runnable",
  pure: false,
  type: "core.storage.Size",
  aliases: ["core.tasks.storages.Size"],
  description: "Returns the size of a file.",
  properties: { uri: FROM },
  outputs: { size: { type: "integer", description: "Size of the file in bytes." } },
  async run(properties, context) {
    const uri = requiredTextOf(properties, "uri");
    const size = await context.ports.storage.size(context, uri);
    if (size === undefined) throw new Error(`Cannot find "${uri}": there is no such file`);
    return { state: "SUCCESS", outputs: { size } };
  },
};
