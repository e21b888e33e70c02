/** Streams the content of stored files as pieces that end with a separator. */
import { joinBytes } from "../../base/bytes.ts";

/** Bytes of a file including the separator; only the last piece may lack it. */
export type Piece = Uint8Array;

/** Buffer size of {@link gathered}. */
const BUFFER_BYTES = 64 * 1024;
/** Limit of a separator: a search takes up to this number of steps a byte of the file. */
const MAX_SEPARATOR_BYTES = 1_024;
/** Maximum bytes of a line. */
export const MAX_LINE_BYTES = 32 * 1024 * 1024;

/** The bytes of a separator; an empty text means a line break. @throws Error it is too long */
export function separatorBytes(text: string): Uint8Array {
  const bytes = new TextEncoder().encode(text || "\n");
  if (bytes.length <= MAX_SEPARATOR_BYTES) return bytes;
  throw new Error(`Invalid separator: it has more than ${MAX_SEPARATOR_BYTES} bytes`);
}

/**
 * Splits a stream after each separator; an empty separator never matches.
 * @throws Error a piece is longer than {@link MAX_LINE_BYTES}
 */
export async function* piecesOf(
  content: AsyncIterable<Uint8Array>,
  separator: Uint8Array,
): AsyncGenerator<Piece> {
  let rest: Uint8Array = new Uint8Array();
  let searched = 0;
  for await (const chunk of content) {
    const bytes = rest.length === 0 ? chunk : joinBytes([rest, chunk]);
    let start = 0;
    for (let end = endOf(bytes, separator, searched); end > 0; end = endOf(bytes, separator, end)) {
      yield bytes.subarray(start, end);
      start = end;
    }
    rest = bytes.subarray(start);
    searched = Math.max(0, rest.length - separator.length + 1);
    if (rest.length > MAX_LINE_BYTES) {
      throw new Error(`Cannot read the file: a line has more than ${MAX_LINE_BYTES} bytes`);
    }
  }
  if (rest.length > 0) yield rest;
}

/** The position after the next separator at or after `from`; 0 if it does not exist. */
function endOf(bytes: Uint8Array, separator: Uint8Array, from: number): number {
  const [first] = separator;
  if (first === undefined) return 0;
  for (let at = bytes.indexOf(first, from); at >= 0; at = bytes.indexOf(first, at + 1)) {
    if (at + separator.length > bytes.length) return 0;
    if (isSeparatedAt(bytes, separator, at + separator.length)) return at + separator.length;
  }
  return 0;
}

/** Joins small pieces to chunks of at least {@link BUFFER_BYTES}. */
export async function* gathered(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let buffer: Uint8Array[] = [];
  let size = 0;
  for await (const piece of pieces) {
    buffer.push(piece);
    size += piece.length;
    if (size < BUFFER_BYTES) continue;
    yield joinBytes(buffer);
    buffer = [];
    size = 0;
  }
  if (size > 0) yield joinBytes(buffer);
}

/** The piece with a separator at its end, appended if it is missing. */
export function ended(piece: Piece, separator: Uint8Array): Piece {
  return isSeparatedAt(piece, separator, piece.length) ? piece : joinBytes([piece, separator]);
}

/** True if a separator ends at `end`. */
export function isSeparatedAt(bytes: Uint8Array, separator: Uint8Array, end: number): boolean {
  const start = end - separator.length;
  if (start < 0) return false;
  for (let index = 0; index < separator.length; index++) {
    if (bytes[start + index] !== separator[index]) return false;
  }
  return true;
}
