/** `core.storage.Split`: cuts a file into files. */
import type { PlannedTaskType } from "../../model/task_catalog.ts";
import { FROM, uriList } from "./storage_properties.ts";

/** Output: `uris`. */
export const splitTask: PlannedTaskType = {
  form: "planned",
  type: "core.storage.Split",
  aliases: ["core.tasks.storages.Split"],
  description: "Cuts a file into several files: by one of `bytes`, `partitions` and `rows`.",
  properties: {
    from: FROM,
    bytes: { type: "string", dynamic: true, description: "Size of each file, such as `10MB`." },
    partitions: { type: "integer", dynamic: true, minimum: 1, description: "Number of files." },
    rows: { type: "integer", dynamic: true, minimum: 1, description: "Lines in each file." },
    separator: { type: "string", dynamic: true, default: "\n", description: "Text that ends a line." },
  },
  outputs: { uris: uriList("Storage URIs of the new files.") },
};
