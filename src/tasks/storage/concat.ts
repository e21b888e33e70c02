/** `core.storage.Concat`: joins files. */
import type { RunContext } from "../../model/ports/run_context.ts";
import type { RunnableTaskType } from "../../model/tasks/task_catalog.ts";
import { readTexts } from "../local_files.ts";
import { textOf } from "../property_values.ts";
import { nameEnding, openFile, WRITTEN_URI } from "./stored_file.ts";

/** Output: `uri`. */
export const concatTask: RunnableTaskType = {
  form: "runnable",
  pure: false,
  type: "core.storage.Concat",
  aliases: ["core.tasks.storages.Concat"],
  description: "Joins files into one file.",
  properties: {
    files: {
      type: "list",
      required: true,
      dynamic: true,
      orText: true,
      items: { type: "string", description: "Storage URI of a file." },
      description: "Storage URIs of the files, in this order.",
    },
    separator: { type: "string", dynamic: true, description: "Text that is appended to each file." },
    extension: {
      type: "string",
      dynamic: true,
      default: ".tmp",
      description: "Extension of the new file.",
    },
  },
  outputs: { uri: WRITTEN_URI },
  async run(properties, context) {
    const files = readTexts(properties.files, "Files to join");
    const separator = new TextEncoder().encode(textOf(properties, "separator") ?? "");
    const name = nameEnding(textOf(properties, "extension"));
    const { uri } = await context.ports.storage.write(context, name, joined(context, files, separator));
    return { state: "SUCCESS", outputs: { uri } };
  },
};

async function* joined(
  context: RunContext,
  files: readonly string[],
  separator: Uint8Array,
): AsyncGenerator<Uint8Array> {
  for (const file of files) {
    yield* (await openFile(context, file)).content;
    if (separator.length > 0) yield separator;
  }
}
