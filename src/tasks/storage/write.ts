/** `core.storage.Write`: stores a text as a file. */
import { dynamicContent, dynamicText } from "../../model/flows/schema.ts";
import type { RunnableTaskType } from "../../model/tasks/task_catalog.ts";
import { textOf } from "../property_values.ts";
import { nameEnding, WRITTEN_URI } from "./stored_file.ts";

/** Output: `uri`. */
export const writeTask: RunnableTaskType = {
  form: "runnable",
  pure: false,
  type: "core.storage.Write",
  aliases: [],
  description: "Stores a text as a file.",
  properties: {
    content: dynamicContent("Content of the file.", { required: true }),
    extension: dynamicText("Extension of its name, such as `.json`."),
  },
  outputs: { uri: WRITTEN_URI },
  async run(properties, context) {
    const content = ReadableStream.from([new TextEncoder().encode(textOf(properties, "content") ?? "")]);
    const name = nameEnding(textOf(properties, "extension"));
    const { uri } = await context.ports.storage.write(context, name, content);
    return { state: "SUCCESS", outputs: { uri } };
  },
};
