/** Lines of a file that hold an item each, and expressions that look into them. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { parseIon } from "../../languages/ion/mod.ts";
import type { RunContext } from "../../model/ports/run_context.ts";
import { ended, type Piece, piecesOf } from "./pieces.ts";
import { openFile } from "./stored_file.ts";

const NEW_LINE = new Uint8Array([0x0a]);

/** A line with its end. */
export type ItemLine = Piece;

/** The lines of a file that are not blank. */
export async function* itemLines(context: RunContext, uri: string): AsyncGenerator<ItemLine> {
  for await (const piece of piecesOf((await openFile(context, uri)).content, NEW_LINE)) {
    if (context.signal.aborted) throw new Error("The attempt was interrupted");
    if (piece.some((byte) => byte > 0x20)) yield ended(piece, NEW_LINE);
  }
}

/** The value of an expression for an item: the members of the item are its variables. @throws Error the line is no item, or the expression cannot be rendered */
export async function renderItem(context: RunContext, template: string, line: ItemLine): Promise<JsonValue> {
  const { value } = parseIon(new TextDecoder().decode(line), { isProseAllowed: false });
  const variables: JsonObject = isJsonObject(value) ? value : { item: value };
  return await context.render(template, variables);
}
