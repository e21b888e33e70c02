/** Messages of Protocol Buffers in a file, each after its length. */
import { createReadStream } from "node:fs";

/** The bytes of one message after the other. */
export type Delimiting = AsyncGenerator<Uint8Array>;

/** A length of 32 bits has five bytes at most. */
const MAX_LENGTH_BYTES = 5;

/** The messages of a file, without reading the whole file. @throws Error a message is too large, or incomplete */
export async function* delimitedMessages(
  path: string,
  { maxBytes }: { readonly maxBytes: number },
): Delimiting {
  let pieces: Uint8Array[] = [];
  // Bytes that are there, and those of the next message with its length.
  let size = 0, needed = 1;
  for await (const piece of createReadStream(path) as AsyncIterable<Uint8Array>) {
    pieces.push(piece);
    size += piece.length;
    if (size < needed) continue;
    let rest = joined(pieces, size);
    for (;;) {
      const head = lengthAt(rest);
      if (head && head.length > maxBytes) {
        throw new Error(`A message has ${head.length} bytes, and ${maxBytes} are allowed`);
      }
      needed = head ? head.size + head.length : rest.length + 1;
      if (!head || rest.length < needed) break;
      yield rest.slice(head.size, needed);
      rest = rest.subarray(needed);
    }
    pieces = [rest];
    size = rest.length;
  }
  if (size > 0) throw new Error("Cannot read the file: its last message is incomplete");
}

function joined(pieces: readonly Uint8Array[], size: number): Uint8Array {
  const all = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

/** The varint at the beginning; `undefined` if it is not complete. @throws Error it is no length */
function lengthAt(bytes: Uint8Array): { readonly length: number; readonly size: number } | undefined {
  let length = 0;
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index] ?? 0;
    if (index >= MAX_LENGTH_BYTES) {
      throw new Error("Cannot read the file: it has no length where a message begins");
    }
    length += (byte & 0x7f) * 2 ** (7 * index);
    if (byte < 0x80) return { length, size: index + 1 };
  }
  return undefined;
}
