/** Reads lines from a stream, for messages between processes. */

/** The lines without their ends; a rest without an end is dropped. @throws RangeError a line has more than `maxChars` characters */
export async function* readLines(
  stream: ReadableStream<Uint8Array>,
  maxChars = Infinity,
): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let parts: string[] = [];
  let size = 0;
  for await (const bytes of stream) {
    const [rest = "", ...ended] = decoder.decode(bytes, { stream: true }).split("\n").reverse();
    for (const line of ended.reverse()) {
      yield [...parts, line].join("");
      parts = [];
      size = 0;
    }
    parts.push(rest);
    size += rest.length;
    if (size > maxChars) throw new RangeError(`A message has more than ${maxChars} characters`);
  }
}
