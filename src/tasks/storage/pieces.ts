/** Content of stored files in pieces that end with a separator, without ever holding a whole file. */
import { joinBytes } from "../../base/bytes.ts";

/** A piece of a file: its bytes with the separator that ends it; only the last one may have none. */
export type Piece = Uint8Array;

/** Bytes that are gathered before they are handed on. */
const BUFFER_BYTES = 64 * 1024;
/** Bytes that one line may have. */
export const MAX_LINE_BYTES = 32 * 1024 * 1024;

/**
 * Cuts a stream behind each separator; an empty separator never occurs.
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

/** The position behind the next separator from `from` on, or 0. */
function endOf(bytes: Uint8Array, separator: Uint8Array, from: number): number {
  const [first] = separator;
  if (first === undefined) return 0;
  for (let at = bytes.indexOf(first, from); at >= 0; at = bytes.indexOf(first, at + 1)) {
    if (at + separator.length > bytes.length) return 0;
    if (separator.every((byte, index) => bytes[at + index] === byte)) return at + separator.length;
  }
  return 0;
}

/** Small pieces as larger ones. */
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

/** The piece with the separator at its end, whether it had one or not. */
export function ended(piece: Piece, separator: Uint8Array): Piece {
  return isSeparatedAt(piece, separator, piece.length) ? piece : joinBytes([piece, separator]);
}

/** True when a separator ends there. */
export function isSeparatedAt(bytes: Uint8Array, separator: Uint8Array, end: number): boolean {
  const start = end - separator.length;
  return start >= 0 && separator.every((byte, index) => bytes[start + index] === byte);
}
