import { assertEquals } from "@std/assert";
import { watchedStream } from "../../../src/http/streams/watched_stream.ts";
import { Transfers } from "../../../src/machine/http_server/transfers.ts";
import { attachWatcher } from "../../../src/model/http/transfer_watch.ts";

/** A stream of chunks; says whether it was cancelled. */
function source(...sizes: readonly number[]) {
  const left = [...sizes];
  const state = { isCancelled: false };
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      const size = left.shift();
      if (size === undefined) controller.close();
      else controller.enqueue(new Uint8Array(size));
    },
    cancel: () => void (state.isCancelled = true),
  }, { highWaterMark: 0 });
  return { stream, state };
}

function watched(stream: ReadableStream<Uint8Array>) {
  const transfers = new Transfers();
  const request = new Request("http://localhost/");
  attachWatcher(request, transfers);
  const pass = (seconds: number) => {
    for (let second = 0; second < seconds; second++) transfers.sweep();
  };
  return { transfers, pass, reader: watchedStream(request, stream).getReader() };
}

Deno.test("watchedStream() gives all bytes, in pieces of at most 16 KiB", async () => {
  const { reader, transfers } = watched(source(10, 0, 40_000, 5).stream);
  const sizes: number[] = [];
  for (let next = await reader.read(); !next.done; next = await reader.read()) sizes.push(next.value.length);
  assertEquals([sizes, transfers.count], [[10, 16_384, 16_384, 7_232, 5], 0]);
});

Deno.test("watchedStream() fails when nothing is read for five minutes", async () => {
  const { stream, state } = source(10, 10, 10);
  const { reader, transfers, pass } = watched(stream);
  await reader.read();
  pass(299);
  await reader.read();
  pass(299);
  assertEquals([state.isCancelled, transfers.count], [false, 1]);
  pass(1);
  assertEquals([state.isCancelled, transfers.count], [true, 0]);
  assertEquals(await reader.read().then(() => "read", (error) => error.code), "request_timeout");
});

Deno.test("watchedStream() has no time limit while its source works", async () => {
  const piece = Promise.withResolvers<void>();
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      await piece.promise;
      controller.enqueue(new Uint8Array(3));
      controller.close();
    },
  }, { highWaterMark: 0 });
  const { reader, pass } = watched(stream);
  const first = reader.read();
  pass(1_000);
  piece.resolve();
  assertEquals((await first).value?.length, 3);
});

Deno.test("watchedStream() cancels its source with its client", async () => {
  const { stream, state } = source(10, 10);
  const { reader, transfers } = watched(stream);
  await reader.read();
  await reader.cancel();
  assertEquals([state.isCancelled, transfers.count], [true, 0]);
});

Deno.test("watchedStream() fails as its source does", async () => {
  const stream = new ReadableStream<Uint8Array>({ pull: () => Promise.reject(new Error("broken")) });
  const { reader, transfers } = watched(stream);
  assertEquals([await reader.read().catch((error) => error.message), transfers.count], ["broken", 0]);
});
