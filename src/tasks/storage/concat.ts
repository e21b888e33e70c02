/** `core.storage.Concat`: joins files. */
import { dynamicProperty, dynamicText } from "../../model/flows/schema.ts";
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
    files: dynamicProperty("list", "Storage URIs of the files, in this order.", {
      required: true,
      mayBeEmpty: true,
      orText: true,
      items: { type: "string", description: "Storage URI of a file." },
    }),
    separator: dynamicText("Text that is appended to each file."),
    extension: dynamicText("Extension of the new file.", { default: ".tmp" }),
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
