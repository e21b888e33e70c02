/** Previews are produced while they are read. Which files are shown how: tests/http/routes/executions/execution_files_test.ts. */
import { assertEquals } from "@std/assert";
import { previewOf } from "../../../src/services/files/file_preview.ts";

const OPTIONS = { maxRows: 100, encoding: "UTF-8" };
const CHUNK_BYTES = 65_536;

async function contentOf(name: string, chunks: readonly Uint8Array[]): Promise<unknown> {
  const size = chunks.reduce((sum, { length }) => sum + length, 0);
  const pieces = await previewOf({ name, size, open: () => ReadableStream.from(chunks) }, OPTIONS);
  return JSON.parse((await Array.fromAsync(pieces)).join("")).content;
}

Deno.test("previewOf() reads an image only as far as its text is taken", async () => {
  let chunks = 0, isCancelled = false;
  const file = {
    name: "a.png",
    size: 100 * CHUNK_BYTES,
    open: () =>
      new ReadableStream<Uint8Array>({
        pull: (controller) => controller.enqueue(new Uint8Array(CHUNK_BYTES).fill(chunks++)),
        cancel: () => void (isCancelled = true),
      }, { highWaterMark: 0 }),
  };
  const pieces = await previewOf(file, OPTIONS);
  assertEquals(chunks, 0);
  for (let length = 0; length < 5 * CHUNK_BYTES;) length += (await pieces.next()).value?.length ?? 0;
  assertEquals(chunks, 4, "Base64 has four thirds of the bytes");
  await pieces.return(undefined);
  assertEquals(isCancelled, true);
});

Deno.test("previewOf() encodes an image as one, whatever the chunks are that it is read in", async () => {
  const bytes = Uint8Array.from({ length: 40 }, (_, i) => 7 * i);
  for (const lengths of [[40], [0, 40, 0], [1, 1, 1, 37], [2, 2, 36], [5, 4, 31], [3, 3, 34]]) {
    let at = 0;
    const chunks = lengths.map((length) => bytes.subarray(at, at += length));
    assertEquals(await contentOf("a.png", chunks), bytes.toBase64(), lengths.join());
  }
  assertEquals(await contentOf("a.png", []), "");
});

Deno.test("previewOf() gives a long text in pieces, and each character once", async () => {
  const text = `x${"😀\u0001".repeat(300_000)}`;
  const bytes = new TextEncoder().encode(text);
  assertEquals(await contentOf("a.txt", [bytes]), text);
  const file = { name: "a.txt", size: bytes.length, open: () => ReadableStream.from([bytes]) };
  let longest = 0;
  for await (const { length } of await previewOf(file, OPTIONS)) longest = Math.max(longest, length);
  assertEquals(longest < text.length, true);
});
