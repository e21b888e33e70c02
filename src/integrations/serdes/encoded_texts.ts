/** Texts in the character set of a file. */

const ENCODINGS: ReadonlyMap<string, BufferEncoding> = new Map<string, BufferEncoding>([
  ["utf-8", "utf8"],
  ["utf8", "utf8"],
  ["iso-8859-1", "latin1"],
  ["latin1", "latin1"],
  ["us-ascii", "ascii"],
  ["ascii", "ascii"],
  ["utf-16le", "utf16le"],
]);

/** The encoding of a character set. @throws Error texts cannot be written in it */
export function encodingOf(charset: string): BufferEncoding {
  const encoding = ENCODINGS.get(charset.toLowerCase());
  if (encoding !== undefined) return encoding;
  throw new Error(
    `Invalid charset: "${charset}" cannot be written; possible are UTF-8, UTF-16LE, ISO-8859-1 and US-ASCII`,
  );
}

/** The texts in a character set; signs that it lacks are lost. @throws Error as {@link encodingOf} */
export async function* encodedTexts(
  texts: AsyncIterable<string>,
  charset: string,
): AsyncGenerator<string | Uint8Array> {
  const encoding = encodingOf(charset);
  if (encoding === "utf8") return yield* texts;
  const { Buffer } = await import("node:buffer");
  for await (const text of texts) yield Buffer.from(text, encoding);
}
