/** `core.flow.WorkingDirectory`: tasks that share one directory. */
import type { PropertySchemas } from "../../model/schema.ts";
import type { PlannedTaskType } from "../../model/task_catalog.ts";
import { FILE_PROPERTIES, OUTPUT_FILES, textList } from "../file_properties.ts";
import { HANDLER_PROPERTIES } from "./handlers.ts";

const CACHE: PropertySchemas = Object.freeze({
  patterns: textList("Globs of the files to cache.", { required: true }),
  ttl: { type: "duration", dynamic: true, description: "How long the cache is valid; without it for ever." },
});

/** Output: `outputFiles`. */
export const workingDirectoryTask: PlannedTaskType = {
  form: "planned",
  type: "core.flow.WorkingDirectory",
  aliases: ["core.tasks.flows.WorkingDirectory"],
  description: "Runs its tasks one after the other in one directory, so that they share files.",
  properties: {
    tasks: {
      type: "tasks",
      required: true,
      description: "Tasks to run, in this order; each must do work itself.",
    },
    ...FILE_PROPERTIES,
    cache: {
      type: "object",
      dynamic: true,
      properties: CACHE,
      description: "Files that are kept between executions of the same flow.",
    },
    ...HANDLER_PROPERTIES,
  },
  outputs: { outputFiles: OUTPUT_FILES },
};
