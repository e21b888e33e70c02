/** The connection of the fuzzer, which reads what any server may send. */
import { assertEquals, assertRejects } from "@std/assert";
import type { FuzzRequest } from "./message.ts";
import { Wire, WireEnd, WireTimeout } from "./wire.ts";

const GET: FuzzRequest = { method: "GET", target: "/", headers: [["host", "h"]] };

/** Serves one connection: each text answers one request, then the connection ends. */
async function serve(...texts: readonly string[]): Promise<{ wire: Wire } & AsyncDisposable> {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const wire = await Wire.connect((listener.addr as Deno.NetAddr).port);
  const connection = await listener.accept();
  const served = (async () => {
    const buffer = new Uint8Array(10_000);
    for (const text of texts) {
      await connection.read(buffer);
      await connection.write(new TextEncoder().encode(text));
    }
    await connection.closeWrite();
  })();
  return {
    wire,
    async [Symbol.asyncDispose]() {
      await served.catch(() => {});
      wire[Symbol.dispose]();
      connection.close();
      listener.close();
    },
  };
}

const RESPONSES: readonly (readonly [what: string, text: string, body: string, isReusable: boolean])[] = [
  ["a body of a declared length", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc", "abc", true],
  [
    "chunks",
    "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\n1;x=y\r\nc\r\n0\r\n\r\n",
    "abc",
    true,
  ],
  ["a body up to the end of the connection", "HTTP/1.1 200 OK\r\n\r\nabc", "abc", false],
  ["no body", "HTTP/1.1 204 No Content\r\n\r\n", "", true],
  [
    "an interim response first",
    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\na",
    "a",
    true,
  ],
  [
    "a connection that closes",
    "HTTP/1.1 400 Bad\r\nconnection: close\r\ncontent-length: 0\r\n\r\n",
    "",
    false,
  ],
  [
    "an event stream, unread",
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\ndata: 1\n\n",
    "",
    false,
  ],
];
for (const [what, text, body, isReusable] of RESPONSES) {
  Deno.test(`Wire reads ${what}`, async () => {
    await using server = await serve(text);
    const response = await server.wire.exchange(GET);
    assertEquals([new TextDecoder().decode(response.body), response.isReusable], [body, isReusable]);
  });
}

Deno.test("Wire sends several requests on one connection", async () => {
  const text = (status: number) => `HTTP/1.1 ${status} X\r\ncontent-length: 2\r\n\r\nok`;
  await using server = await serve(text(200), text(404));
  assertEquals((await server.wire.exchange(GET)).status, 200);
  assertEquals((await server.wire.exchange(GET)).status, 404);
});

Deno.test("Wire rejects a response that breaks off", async () => {
  for (const text of ["", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nabc"]) {
    await using server = await serve(text);
    await assertRejects(() => server.wire.exchange(GET), WireEnd);
  }
});

Deno.test("Wire tells an end by this side from one by the server", async () => {
  await using server = await serve();
  const chunk = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\n";
  await using broken = await serve(chunk);
  await assertRejects(() => broken.wire.exchange(GET), WireEnd, "within the body");
  await assertRejects(() => server.wire.exchange(GET), WireEnd, "before the response");
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const wire = await Wire.connect((listener.addr as Deno.NetAddr).port);
  const connection = await listener.accept();
  const rejected = assertRejects(() => wire.exchange(GET), WireTimeout, "took too long");
  await connection.read(new Uint8Array(1_000));
  wire[Symbol.dispose]();
  await rejected;
  connection.close();
  listener.close();
});
