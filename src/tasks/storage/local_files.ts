/** `core.storage.LocalFiles`: creates files in a working directory and stores files from it. */
import type { JsonObject } from "../../base/json.ts";
import { dynamicProperty } from "../../model/flows/schema.ts";
import type { RunContext } from "../../model/ports/run_context.ts";
import type { AttemptOutcome, RunnableTaskType } from "../../model/tasks/task_catalog.ts";
import { textList } from "../file_properties.ts";
import { inDirectory } from "../attempt_directory.ts";
import { createFiles, storeFiles } from "../local_files.ts";

/** Output: `uris`. */
export const localFilesTask: RunnableTaskType = {
  form: "runnable",
  pure: false,
  type: "core.storage.LocalFiles",
  aliases: ["core.tasks.storages.LocalFiles"],
  description:
    "Creates files in the directory of a `core.flow.WorkingDirectory`, or stores files from there; outside of one it uses a directory of its own.",
  properties: {
    inputs: dynamicProperty(
      "map",
      "Files to create, by relative name: a storage URI is fetched, any other text is the content.",
      { orText: true },
    ),
    outputs: textList("Globs of the files to store, relative to the working directory.", { orText: true }),
  },
  outputs: {
    uris: {
      type: "map",
      items: { type: "string", description: "Storage URI of the file." },
      description: "Storage URIs of the stored files, by name.",
    },
  },
  async run(properties, context) {
    return await inDirectory(context, (directory) => runIn(directory, properties, context));
  },
};

async function runIn(
  directory: string,
  properties: JsonObject,
  context: RunContext,
): Promise<AttemptOutcome> {
  await createFiles({ context, directory }, properties.inputs);
  return {
    state: "SUCCESS",
    outputs: { uris: await storeFiles({ context, directory }, properties.outputs) },
  };
}
