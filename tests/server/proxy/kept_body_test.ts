import { assertEquals, assertRejects } from "@std/assert";
import { KeptBody } from "../../../src/server/proxy/kept_body.ts";

function bodyOf(parts: readonly Uint8Array<ArrayBuffer>[], size?: number): KeptBody {
  return new KeptBody(ReadableStream.from(parts), size);
}

async function sizesOf(body: KeptBody): Promise<number[]> {
  return (await Array.fromAsync(body.open())).map(({ length }) => length);
}

const PARTS = [3, 2, 1].map((length) => new Uint8Array(length));

Deno.test("KeptBody gives what was read again, and then the rest", async () => {
  const body = bodyOf(PARTS);
  const first = body.open().getReader();
  assertEquals([(await first.read()).value?.length, (await first.read()).value?.length], [3, 2]);
  await first.cancel();
  assertEquals([await sizesOf(body), await sizesOf(body), body.canOpen], [[3, 2, 1], [3, 2, 1], true]);
});

Deno.test("KeptBody gives a part to the next stream whose read was under way when the first one was given up", async () => {
  const part = Promise.withResolvers<Uint8Array<ArrayBuffer>>();
  const body = new KeptBody(
    new ReadableStream({
      async pull(controller) {
        controller.enqueue(await part.promise);
        controller.close();
      },
    }),
    undefined,
  );
  const first = body.open().getReader();
  const reading = first.read();
  await first.cancel();
  assertEquals((await reading).done, true);
  const again = sizesOf(body);
  part.resolve(new Uint8Array(7));
  assertEquals(await again, [7]);
});

Deno.test("KeptBody keeps at most a megabyte, and nothing of a body whose stated size is larger", async () => {
  const million = new Uint8Array(1_000_000);
  const large = bodyOf([million, million, million]);
  assertEquals([await sizesOf(large), large.canOpen], [[1_000_000, 1_000_000, 1_000_000], false]);
  const stated = bodyOf([new Uint8Array(1), million], 2_000_000);
  const reader = stated.open().getReader();
  assertEquals(stated.canOpen, true);
  await reader.read();
  assertEquals(stated.canOpen, false);
});

Deno.test("KeptBody fails as often as it is read when the client breaks off", async () => {
  const body = new KeptBody(
    new ReadableStream({ pull: (controller) => controller.error(new Error("gone")) }),
    1,
  );
  for (let n = 0; n < 2; n++) await assertRejects(() => sizesOf(body), Error, "gone");
});

Deno.test("KeptBody ends the body of the client when it is discarded, also during a read", async () => {
  const cancelled = Promise.withResolvers<void>();
  const body = new KeptBody(new ReadableStream({ cancel: () => cancelled.resolve() }), undefined);
  const reading = sizesOf(body);
  body.discard();
  await cancelled.promise;
  assertEquals(await reading, []);
});
