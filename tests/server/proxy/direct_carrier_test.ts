/** What becomes of a request whose head the leader cannot have received. */
import { assertEquals, assertInstanceOf } from "@std/assert";
import { type CarriedRequest, ForwardError } from "../../../src/server/proxy/carrier.ts";
import { FollowerProcess } from "./proxied_pair.ts";

/** More than the buffers of both sides of a connection hold: it is written only as far as the other side reads. */
const HEAD_CHARS = 32 * 1024 * 1024;
const OK = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

function startOf(headers: CarriedRequest["headers"]): CarriedRequest {
  return {
    method: "POST",
    target: "/api/v1/main/executions/a/b",
    headers,
    body: undefined,
    client: { host: "sluice.example", scheme: "http" },
    signal: new AbortController().signal,
  };
}

const LARGE = startOf([["x-large", "x".repeat(HEAD_CHARS)]]);
const SMALL = startOf([]);

/** Reads the start of a request and closes the connection, so that the rest cannot be written. */
async function cutHead(connection: Deno.TcpConn): Promise<void> {
  await connection.read(new Uint8Array(1_024));
  connection.close();
}

/** Reads the head of a request to its end, and responds. */
async function respond(connection: Deno.TcpConn, response = OK): Promise<void> {
  const buffer = new Uint8Array(1_048_576);
  for (let end = ""; !end.endsWith("\r\n\r\n");) {
    const count = await connection.read(buffer) ?? 0;
    if (count === 0) throw new Error("the head is not complete");
    end = (end + new TextDecoder().decode(buffer.subarray(Math.max(0, count - 4), count))).slice(-4);
  }
  await connection.write(new TextEncoder().encode(response));
}

/** What the follower gets for each request, one after the other: a status, or an error. */
async function sendAll(
  requests: readonly CarriedRequest[],
  serve: (listener: Deno.TcpListener) => Promise<void>,
): Promise<(number | ForwardError)[]> {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  await using follower = new FollowerProcess();
  const leader = { epoch: 1, holder: "h", url: `http://127.0.0.1:${listener.addr.port}`, version: "1" };
  const serving = serve(listener);
  const results: (number | ForwardError)[] = [];
  for (const request of requests) {
    const result = await follower.direct.send(request, leader).catch((error: ForwardError) => error);
    results.push(result instanceof Response ? result.status : result);
    if (result instanceof Response) await result.text();
  }
  // A leader that still waits for a connection fails.
  listener.close();
  await serving;
  return results;
}

for (
  const [name, request, hasBegun] of [
    ["has not begun whose head could not be written", LARGE, false],
    ["may have begun whose head was written", SMALL, true],
  ] as const
) {
  Deno.test(`send() says that a request ${name}`, async () => {
    const [error] = await sendAll([request], async (listener) => await cutHead(await listener.accept()));
    assertInstanceOf(error, ForwardError);
    assertEquals(error.hasBegun, hasBegun);
  });
}

Deno.test("send() passes the bytes of response headers on as they are", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  await using follower = new FollowerProcess();
  const leader = { epoch: 1, holder: "h", url: `http://127.0.0.1:${listener.addr.port}`, version: "1" };
  const sent = follower.direct.send(SMALL, leader);
  using connection = await listener.accept();
  await respond(connection, OK.replace("content-length", "x-name: ł\r\ncontent-length"));
  const response = await sent;
  assertEquals([await response.text(), response.headers.get("x-name")], ["ok", "\u00c5\u0082"]);
});

Deno.test("send() sends a start again on a new connection when its head could not be written on an old one", async () => {
  const results = await sendAll([SMALL, LARGE], async (listener) => {
    const kept = await listener.accept();
    await respond(kept);
    await cutHead(kept);
    using fresh = await listener.accept();
    await respond(fresh);
  });
  assertEquals(results, [200, 200]);
});
