/** Compressed batches of messages have limits. */
import { assertEquals, assertRejects } from "@std/assert";
import { gzipSync } from "node:zlib";
import { LIMITED_GZIP, ResponseLimit } from "../../../src/integrations/kafka/compressed_batches.ts";

/** A batch of messages without content: each has one byte, its length. */
function batchOf(messages: number): Uint8Array {
  return gzipSync(new Uint8Array(messages));
}

Deno.test("a batch of 200,000 messages is read, one of more is refused", async () => {
  assertEquals((await LIMITED_GZIP.decompress(batchOf(200_000))).length, 200_000);
  await assertRejects(
    () => LIMITED_GZIP.decompress(batchOf(200_001)),
    Error,
    "Cannot read a batch of messages: it has more than 200000 messages without compression",
  );
});

Deno.test("messages are counted by their lengths", async () => {
  // Length 64 in zigzag form is 128, of two bytes.
  const message = Uint8Array.of(0x80, 0x01, ...new Uint8Array(64));
  const bytes = new Uint8Array(66 * 200_000);
  for (let at = 0; at < bytes.length; at += 66) bytes.set(message, at);
  assertEquals((await LIMITED_GZIP.decompress(gzipSync(bytes))).length, bytes.length);
});

Deno.test("the batches of a response have at most 1,000,000 messages together", async () => {
  const limit = new ResponseLimit(), batch = batchOf(200_000);
  const read = async (count: number) => {
    limit.begin();
    for (let n = 0; n < count; n++) await LIMITED_GZIP.decompress(batch);
  };
  await limit.run(() => read(5));
  await limit.run(() => read(5));
  await assertRejects(
    () => limit.run(() => read(6)),
    Error,
    "Cannot read a response of messages: it has more than 1000000 messages without compression",
  );
});
