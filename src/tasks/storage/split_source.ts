/** The stored file that is split: its lines, and the storing of its parts. */
import type { RunContext } from "../../model/ports/run_context.ts";
import { ended, gathered, type Piece, piecesOf } from "./pieces.ts";
import { openFile } from "./stored_file.ts";

/** The file, the separator of its lines, and the extension of its parts. */
export interface SplitSource {
  readonly context: RunContext;
  readonly uri: string;
  readonly separator: Uint8Array;
  readonly ending: string;
}

/** Maximum number of parts. */
const MAX_PARTS = 50_000;

/** The lines of the file, each ending with the separator. @throws Error there is no such file */
export async function* linesOf({ context, uri, separator }: SplitSource): AsyncGenerator<Piece> {
  const { content } = await openFile(context, uri);
  for await (const piece of piecesOf(content, separator)) yield ended(piece, separator);
}

/** Stores a part; returns its storage URI. @throws Error too many parts, or the attempt was interrupted */
export async function storePart(
  { context, ending }: SplitSource,
  pieces: AsyncIterable<Piece>,
  index: number,
): Promise<string> {
  checkPart(context, index);
  return (await context.ports.storage.write(context, ending, gathered(pieces))).uri;
}

/** @throws Error as {@link storePart} */
export function checkPart({ signal }: RunContext, index: number): void {
  if (signal.aborted) throw new Error("The attempt was interrupted");
  if (index >= MAX_PARTS) {
    throw new Error(`Cannot split the file: it has more than ${MAX_PARTS} parts; make them larger`);
  }
}
