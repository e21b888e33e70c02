/** `core.storage.Reverse`: the lines of a file, last first. */
import type { RunnableTaskType } from "../../model/tasks/task_catalog.ts";
import { inOwnDirectory } from "../attempt_directory.ts";
import { requiredTextOf, textOf } from "../property_values.ts";
import { gathered } from "./pieces.ts";
import { reversedLines } from "./reversed_lines.ts";
import { extensionOf, FROM, openFile, WRITTEN_URI } from "./stored_file.ts";

/** Character sets in which the bytes of a separator are unambiguous. */
const CHARSETS: ReadonlySet<string> = new Set([
  "utf-8",
  "utf8",
  "us-ascii",
  "ascii",
  "iso-8859-1",
  "iso-8859-15",
  "windows-1252",
]);

/** Output: `uri`. */
export const reverseTask: RunnableTaskType = {
  form: "runnable",
  pure: false,
  type: "core.storage.Reverse",
  aliases: ["core.tasks.storages.Reverse"],
  description: "Writes the lines of a file in the opposite order.",
  properties: {
    from: FROM,
    separator: { type: "string", dynamic: true, default: "\n", description: "Text that ends a line." },
    charset: { type: "string", dynamic: true, default: "UTF-8", description: "Character set of the file." },
  },
  outputs: { uri: WRITTEN_URI },
  async run(properties, context) {
    const from = requiredTextOf(properties, "from");
    const charset = textOf(properties, "charset") || "UTF-8";
    if (!CHARSETS.has(charset.toLowerCase())) {
      throw new Error(`Unsupported charset "${charset}": it must be one of ${[...CHARSETS].join(", ")}`);
    }
    const separator = new TextEncoder().encode(textOf(properties, "separator") || "\n");
    return await inOwnDirectory(context, async (directory) => {
      const path = `${directory}/lines`;
      await Deno.writeFile(path, (await openFile(context, from)).content);
      const lines = gathered(reversedLines(path, separator));
      const { uri } = await context.ports.storage.write(context, extensionOf(from), lines);
      return { state: "SUCCESS", outputs: { uri } };
    });
  },
};
