/** Messages of the PostgreSQL protocol are found in chunks of any size. */
import { assertEquals } from "@std/assert";
import { Buffer } from "node:buffer";
import { WireRows } from "../../../src/integrations/jdbc/postgresql/wire_rows.ts";

function message(code: string, content: string): Buffer {
  const bytes = Buffer.alloc(5 + content.length);
  bytes.write(code, 0);
  bytes.writeInt32BE(4 + content.length, 1);
  bytes.write(content, 5);
  return bytes;
}

const MESSAGES = [
  ["T", "columns"],
  ["D", "first"],
  ["D", ""],
  ["D", "a longer row of 30 characters."],
  ["N", "Mnotice\0\0"],
  ["d", "copied"],
  ["C", "SELECT 3"],
] as const;
const STREAM = Buffer.concat(MESSAGES.map(([code, content]) => message(code, content)));
const EXPECTED = MESSAGES.map(([code, content]) => `${code} ${content}`);

for (const size of [1, 2, 7, 40, STREAM.length]) {
  Deno.test(`WireRows.receive() finds the messages in chunks of ${size} bytes, and releases the chunks`, () => {
    const found: string[] = [];
    const text = (bytes: Buffer, start: number, length: number) =>
      bytes.toString("utf8", start, start + length);
    const rows = new WireRows({
      row: (bytes, start, length) => void found.push(`D ${text(bytes, start, length)}`),
      copied: (bytes, start, length) => void found.push(`d ${text(bytes, start, length)}`),
      others: (bytes) => {
        for (let at = 0; at < bytes.length; at += 1 + bytes.readInt32BE(at + 1)) {
          const length = bytes.readInt32BE(at + 1) - 4;
          found.push(`${String.fromCharCode(bytes[at] ?? 0)} ${text(bytes, at + 5, length)}`);
        }
      },
    });
    const chunks: Buffer[] = [];
    for (let at = 0; at < STREAM.length; at += size) {
      // A buffer of its own, as sockets give it.
      const part = STREAM.subarray(at, at + size);
      const bytes = new Uint8Array(part);
      chunks.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
      rows.receive(chunks.at(-1) ?? Buffer.alloc(0));
    }
    assertEquals(found, EXPECTED);
    assertEquals(chunks.reduce((sum, { length }) => sum + length, 0), 0);
  });
}
