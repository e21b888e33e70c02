/** `core.storage.Write`: stores a text as a file. */
import type { PlannedTaskType } from "../../model/task_catalog.ts";
import { WRITTEN_URI } from "./storage_properties.ts";

/** Output: `uri`. */
export const writeTask: PlannedTaskType = {
  form: "planned",
  type: "core.storage.Write",
  aliases: [],
  description: "Stores a text as a file.",
  properties: {
    content: { type: "string", required: true, dynamic: true, description: "Content of the file." },
    extension: { type: "string", dynamic: true, description: "Ending of its name, such as `.json`." },
  },
  outputs: { uri: WRITTEN_URI },
};
