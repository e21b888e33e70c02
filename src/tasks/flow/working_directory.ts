/** `core.flow.WorkingDirectory`: tasks that share one directory. */
import type { JsonObject } from "../../base/json.ts";
import type { PropertySchemas } from "../../model/flows/schema.ts";
import type { RunContext } from "../../model/ports/run_context.ts";
import type { FlowableTaskType } from "../../model/tasks/task_catalog.ts";
import { FILE_PROPERTIES, OUTPUT_FILES, textList } from "../file_properties.ts";
import { copyNamespaceFiles, createFiles, storeFiles } from "../local_files.ts";
import { cacheOf, restoreCache, saveCache } from "./directory_cache.ts";
import { HANDLER_PROPERTIES } from "./flowable_properties.ts";

const CACHE: PropertySchemas = Object.freeze({
  patterns: textList("Globs of the files to cache.", { required: true }),
  ttl: { type: "duration", dynamic: true, description: "How long the cache is valid; default is forever." },
});

/** Output: `outputFiles`. */
export const workingDirectoryTask: FlowableTaskType = {
  form: "flowable",
  type: "core.flow.WorkingDirectory",
  aliases: ["core.tasks.flows.WorkingDirectory", "core.tasks.flows.Worker"],
  description: "Runs its tasks one after the other in one directory, so that they share files.",
  properties: {
    tasks: {
      type: "tasks",
      required: true,
      description: "Tasks to run, in this order; each must be a runnable task.",
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
  hooks: { before, after, release },
};

async function before(properties: JsonObject, context: RunContext): Promise<void> {
  const directory = await context.ports.workingDirectories.make(context.taskRunId);
  await restoreCache({ context, directory }, cacheOf(properties));
  await copyNamespaceFiles({ context, directory }, properties.namespaceFiles);
  await createFiles({ context, directory }, properties.inputFiles);
}

async function after(properties: JsonObject, context: RunContext): Promise<JsonObject> {
  const directory = context.ports.workingDirectories.pathOf(context.taskRunId);
  await saveCache({ context, directory }, cacheOf(properties));
  const files = await storeFiles({ context, directory }, properties.outputFiles);
  return Object.keys(files).length > 0 ? { outputFiles: files } : {};
}

async function release(context: RunContext): Promise<void> {
  await context.ports.workingDirectories.remove(context.taskRunId);
}
