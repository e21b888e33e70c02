import { assertEquals, assertRejects } from "@std/assert";
import { ServerApi } from "../../src/worker/server_api.ts";
import { FakeClock } from "../support/fakes/fake_clock.ts";

/** Answers no request; a request that is aborted fails as `fetch` has it. */
async function silence({ signal, body }: Request): Promise<Response> {
  const { promise, reject } = Promise.withResolvers<Response>();
  signal.addEventListener("abort", () => {
    void body?.cancel();
    reject(signal.reason);
  });
  return await promise;
}

function uploadOf({ content = new Blob(["content"]).stream(), send = silence }: {
  readonly content?: ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly send?: (request: Request) => Promise<Response>;
}) {
  const clock = new FakeClock();
  const stop = new AbortController();
  const api = new ServerApi({ url: "http://127.0.0.1:8080", version: "1", send, clock });
  return { upload: () => api.upload("l1", { name: "a.txt", content, signal: stop.signal }), clock, stop };
}

Deno.test("ServerApi.upload() gives up when nothing of the file has been taken for a minute", async () => {
  const { upload, clock } = uploadOf({});
  const result = assertRejects(upload, Error);
  await clock.advance(60_000);
  await result;
  assertEquals(clock.timerCount, 0);
});

Deno.test("ServerApi.upload() goes on while parts of the file are taken", async () => {
  const parts = 5;
  const { upload, clock } = uploadOf({
    content: ReadableStream.from(Array.from({ length: parts }, () => new Uint8Array(200_000))),
    async send(request) {
      let size = 0;
      for await (const { length } of request.body ?? []) {
        size += length;
        if (request.signal.aborted) throw request.signal.reason;
        await clock.advance(50_000);
      }
      return new Response(String(size));
    },
  });
  await upload();
  assertEquals(clock.timerCount, 0);
});

Deno.test("ServerApi.upload() ends when the attempt is given up", async () => {
  const { upload, stop } = uploadOf({});
  const result = assertRejects(upload, Error);
  stop.abort();
  await result;
});
