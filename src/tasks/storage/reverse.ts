/** `core.storage.Reverse`: the lines of a file, last first. */
import { joinBytes } from "../../base/bytes.ts";
import { dynamicText } from "../../model/flows/schema.ts";
import type { RunnableTaskType } from "../../model/tasks/task_catalog.ts";
import { inOwnDirectory } from "../attempt_directory.ts";
import { requiredTextOf, textOf } from "../property_values.ts";
import { ended, gathered, isSeparatedAt, MAX_LINE_BYTES, type Piece, separatorBytes } from "./pieces.ts";
import { extensionOf, FROM, openFile, WRITTEN_URI } from "./stored_file.ts";

const BLOCK_BYTES = 256 * 1024;

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
    separator: dynamicText("Text that ends a line, of at most 1,024 bytes.", { default: "\n" }),
    charset: dynamicText("Character set of the file.", { default: "UTF-8" }),
  },
  outputs: { uri: WRITTEN_URI },
  async run(properties, context) {
    const from = requiredTextOf(properties, "from");
    const charset = textOf(properties, "charset") || "UTF-8";
    if (!CHARSETS.has(charset.toLowerCase())) {
      throw new Error(`Unsupported charset "${charset}": it must be one of ${[...CHARSETS].join(", ")}`);
    }
    const separator = separatorBytes(textOf(properties, "separator") ?? "");
    return await inOwnDirectory(context, async (directory) => {
      const path = `${directory}/lines`;
      await Deno.writeFile(path, (await openFile(context, from)).content);
      const lines = gathered(reversedLines(path, separator));
      const { uri } = await context.ports.storage.write(context, extensionOf(from), lines);
      return { state: "SUCCESS", outputs: { uri } };
    });
  },
};

/** The lines, last first; each ends with the separator. @throws Error a line is longer than {@link MAX_LINE_BYTES} */
async function* reversedLines(path: string, separator: Uint8Array): AsyncGenerator<Piece> {
  using file = await Deno.open(path, { read: true });
  // The end of a line that begins in an earlier block.
  let rest: Uint8Array = new Uint8Array();
  for (let end = (await file.stat()).size; end > 0;) {
    const start = Math.max(0, end - BLOCK_BYTES);
    const block = await readBlock(file, start, end - start);
    const bytes = joinBytes([block, rest]);
    let lineEnd = bytes.length;
    for (
      let at = lastLineStart(bytes, separator, lineEnd);
      at > 0;
      at = lastLineStart(bytes, separator, at)
    ) {
      yield ended(bytes.subarray(at, lineEnd), separator);
      lineEnd = at;
    }
    rest = bytes.slice(0, lineEnd);
    if (rest.length > MAX_LINE_BYTES) {
      throw new Error(`Cannot reverse the file: a line has more than ${MAX_LINE_BYTES} bytes`);
    }
    end = start;
  }
  if (rest.length > 0) yield ended(rest, separator);
}

/** Start of the line that ends at `end`; 0 if it may begin before these bytes. */
function lastLineStart(bytes: Uint8Array, separator: Uint8Array, end: number): number {
  const last = separator[separator.length - 1] as number;
  const ownEnd = isSeparatedAt(bytes, separator, end) ? separator.length : 0;
  let from = end - ownEnd - 1;
  // A negative index would count from the end of the bytes.
  while (from >= 0) {
    const at = bytes.lastIndexOf(last, from);
    if (at < 0) return 0;
    if (isSeparatedAt(bytes, separator, at + 1)) return at + 1;
    from = at - 1;
  }
  return 0;
}

async function readBlock(file: Deno.FsFile, start: number, length: number): Promise<Uint8Array> {
  await file.seek(start, Deno.SeekMode.Start);
  const block = new Uint8Array(length);
  for (let filled = 0; filled < length;) {
    const count = await file.read(block.subarray(filled));
    if (count === null) return block.subarray(0, filled);
    filled += count;
  }
  return block;
}
