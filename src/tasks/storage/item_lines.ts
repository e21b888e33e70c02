/** Files with one item on each line: reading, writing, and expressions that read an item. */
import { isJsonObject, type JsonObject, type JsonValue, stringifyJson } from "../../base/json.ts";
import { parseIon } from "../../languages/ion/mod.ts";
import type { RunContext } from "../../model/ports/run_context.ts";
import { ended, type Piece, piecesOf } from "./pieces.ts";
import { openFile } from "./stored_file.ts";

const NEW_LINE = new Uint8Array([0x0a]);

/** A line including its line break. */
export type ItemLine = Piece;

/** The non-blank lines of a file. */
export async function* itemLines(context: RunContext, uri: string): AsyncGenerator<ItemLine> {
  for await (const piece of piecesOf((await openFile(context, uri)).content, NEW_LINE)) {
    if (context.signal.aborted) throw new Error("The attempt was interrupted");
    if (piece.some((byte) => byte > 0x20)) yield ended(piece, NEW_LINE);
  }
}

/** One line of JSON per value. JSON is a subset of Ion, the format of files with the extension `.ion`. */
export async function* jsonLines(
  values: AsyncIterable<JsonObject> | Iterable<JsonObject>,
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const value of values) yield encoder.encode(`${stringifyJson(value)}\n`);
}

/** Renders an expression with the members of an item as variables. @throws Error malformed line, or rendering failed */
export async function renderItem(context: RunContext, template: string, line: ItemLine): Promise<JsonValue> {
  const { value } = parseIon(new TextDecoder().decode(line), { isProseAllowed: false });
  const variables: JsonObject = isJsonObject(value) ? value : { item: value };
  return await context.render(template, variables);
}
