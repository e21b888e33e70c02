/** `core.storage.Split`: splits a file into files. */
import { dynamicProperty, dynamicText } from "../../model/flows/schema.ts";
import type { RunnableTaskType } from "../../model/tasks/task_catalog.ts";
import { requiredTextOf } from "../property_values.ts";
import { readSplitRule, separatorOf, splitFile } from "./split_file.ts";
import { FROM, uriList } from "./stored_file.ts";

/** Output: `uris`. */
export const splitTask: RunnableTaskType = {
  form: "runnable",
  pure: false,
  type: "core.storage.Split",
  aliases: ["core.tasks.storages.Split"],
  description:
    "Splits a file into several files: by one of `bytes`, `partitions`, `rows` and `regexPattern`.",
  properties: {
    from: FROM,
    bytes: dynamicText("Size of each file, such as `10MB`."),
    partitions: dynamicProperty("integer", "Number of files.", { minimum: 1 }),
    rows: dynamicProperty("integer", "Lines in each file.", { minimum: 1 }),
    regexPattern: dynamicText(
      "Regular expression with a group: all lines in which the group matches the same text become one file.",
    ),
    separator: dynamicText("Text that ends a line, of at most 1,024 bytes.", { default: "\n" }),
  },
  outputs: { uris: uriList("Storage URIs of the new files.") },
  async run(properties, context) {
    const rule = readSplitRule(properties);
    if (!rule) throw new Error("Cannot split a file: give one of bytes, partitions, rows and regexPattern");
    const from = requiredTextOf(properties, "from");
    const uris = await splitFile(context, from, { rule, separator: separatorOf(properties) });
    return { state: "SUCCESS", outputs: { uris } };
  },
};
