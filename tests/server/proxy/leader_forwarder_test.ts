/** What passes through a follower, and what a client learns when the leader does not respond. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { freePort } from "../../support/processes/free_port.ts";
import { RawClient } from "../../support/processes/raw_client.ts";
import { SELF_SIGNED_CERT, SELF_SIGNED_KEY } from "../../support/processes/self_signed.ts";
import { FollowerProcess, type LeaderHandler, LeaderProcess } from "./proxied_pair.ts";

function pairOf(handler: LeaderHandler) {
  const leader = new LeaderProcess(handler);
  const follower = new FollowerProcess({ remoteAddress: "192.0.2.7" });
  follower.view.set(1, leader.url);
  return {
    leader,
    follower,
    async [Symbol.asyncDispose]() {
      await follower[Symbol.asyncDispose]();
      await leader[Symbol.asyncDispose]();
    },
  };
}

Deno.test("forward() passes method, target, headers and body, and the facts of the client", async () => {
  await using pair = pairOf(async (request, env) => {
    const { method, url, headers } = request;
    const names = ["authorization", "via", "x-request-id", "x-sluice-client", "x-dropped", "te", "host"];
    const shown = names.map((name) => headers.get(name));
    return Response.json([method, url, ...shown, await request.text(), env.remoteAddr.hostname]);
  });
  using client = await RawClient.connect(pair.follower.server.addr);
  await client.send(
    "PUT /a/../b%2F?q=%20%41 HTTP/1.1\r\nhost: sluice.example:8080\r\nauthorization: Basic eDp5\r\n" +
      "connection: close, x-dropped\r\nx-dropped: 1\r\nte: trailers\r\nx-request-id: of-client\r\n" +
      "x-sluice-client: forged\r\nvia: 1.0 first\r\ncontent-length: 5\r\n\r\nhello",
  );
  const text = await client.readAll();
  assertEquals(JSON.parse(text.slice(text.indexOf("["), text.lastIndexOf("]") + 1)), [
    ...["PUT", "http://sluice.example:8080/a/../b%2F?q=%20%41", "Basic eDp5", "1.0 first, 1.1 sluice"],
    ...["of-client", null, null, null, "sluice.example:8080", "hello", "192.0.2.7"],
  ]);
});

Deno.test("forward() passes status, redirects, cookies and encoded bodies as they are", async () => {
  const packed = new Uint8Array([31, 139, 8, 0, 1, 2, 3]);
  await using pair = pairOf(({ url, method }) => {
    if (url.endsWith("/empty")) return new Response(null, { status: 204 });
    if (url.endsWith("/moved")) return new Response(null, { status: 303, headers: { location: "/ui" } });
    if (method === "HEAD") return new Response(null, { headers: { "content-length": "1234" } });
    const headers = new Headers({ "content-encoding": "gzip", "content-type": "text/plain" });
    headers.append("set-cookie", "a=1");
    headers.append("set-cookie", "b=2");
    return new Response(packed, { status: 418, headers });
  });
  using client = await RawClient.connect(pair.follower.server.addr);
  await client.send("GET / HTTP/1.1\r\nhost: x\r\naccept-encoding: gzip\r\nconnection: close\r\n\r\n");
  const text = await client.readAll();
  assertStringIncludes(text, "HTTP/1.1 418");
  for (const line of ["content-encoding: gzip", "set-cookie: a=1", "set-cookie: b=2", "content-length: 7"]) {
    assertStringIncludes(text, `${line}\r\n`);
  }
  const moved = await pair.follower.fetch("/moved");
  assertEquals([moved.status, moved.headers.get("location"), await moved.text()], [303, "/ui", ""]);
  assertEquals((await pair.follower.fetch("/empty")).status, 204);
  const head = await pair.follower.fetch("/", { method: "HEAD" });
  assertEquals([head.headers.get("content-length"), await head.text()], ["1234", ""]);
});

Deno.test("forward() streams uploads and downloads in both directions at once", async () => {
  await using pair = pairOf((request) => new Response(request.body));
  const parts = new TransformStream<Uint8Array<ArrayBuffer>>();
  const writer = parts.writable.getWriter();
  const sent = writer.write(new Uint8Array([1]));
  const response = await pair.follower.fetch("/echo", { method: "POST", body: parts.readable });
  const reader = (response.body ?? new ReadableStream()).getReader();
  await sent;
  assertEquals([...(await reader.read()).value ?? []], [1]);
  await writer.write(new Uint8Array([2, 3]));
  assertEquals([...(await reader.read()).value ?? []], [2, 3]);
  await writer.close();
  assertEquals((await reader.read()).done, true);
});

Deno.test("forward() passes the stated size of a body, also of an empty one", async () => {
  await using pair = pairOf(async (request) =>
    Response.json([request.headers.get("content-length"), await request.text()])
  );
  for (const [body, size] of [["", "0"], ["input", "5"]] as const) {
    using client = await RawClient.connect(pair.follower.server.addr);
    await client.send(
      `POST / HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: ${size}\r\n\r\n${body}`,
    );
    assertStringIncludes(await client.readAll(), JSON.stringify([size, body]));
  }
});

Deno.test("forward() passes a large body without loss", async () => {
  await using pair = pairOf(async (request) => new Response(await request.bytes()));
  const bytes = Uint8Array.from({ length: 3_000_000 }, (_, n) => n * 7 % 251);
  const response = await pair.follower.fetch("/echo", { method: "POST", body: bytes });
  assertEquals((await response.bytes()).every((byte, n) => byte === n * 7 % 251), true);
});

Deno.test("forward() tells the leader that the client has gone", async () => {
  const gone = Promise.withResolvers<void>();
  await using pair = pairOf(() =>
    new Response(
      new ReadableStream({
        start: (controller) => controller.enqueue(new TextEncoder().encode("data: 1\n\n")),
        cancel: () => gone.resolve(),
      }),
      { headers: { "content-type": "text/event-stream" } },
    )
  );
  const response = await pair.follower.fetch("/follow");
  const reader = (response.body ?? new ReadableStream()).getReader();
  assertEquals(new TextDecoder().decode((await reader.read()).value), "data: 1\n\n");
  await reader.cancel();
  await gone.promise;
});

Deno.test("forward() ends a body early when the leader refuses it before its end", async () => {
  await using pair = pairOf(() => new Response("too large", { status: 413 }));
  using client = await RawClient.connect(pair.follower.server.addr);
  await client.send("POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1000000\r\n\r\nstart");
  assertStringIncludes(await client.readTo("too large"), "HTTP/1.1 413");
});

/** The response to a request for which no new leader comes in time. */
async function withoutNewLeader(
  follower: FollowerProcess,
  path: string,
  init: RequestInit,
): Promise<Response> {
  const response = follower.fetch(path, init);
  await waiting(follower);
  // At once: a connection takes real time, in which a clock that runs would have it tried several times.
  follower.clock.jump(10_000);
  await follower.clock.advance(0);
  return await response;
}

/** Resolves once a request waits for a leader. */
async function waiting(follower: FollowerProcess): Promise<void> {
  while (follower.view.listenerCount < 2) await new Promise((resolve) => setTimeout(resolve, 1));
}

Deno.test("forward() gives 503 when nothing has begun and no new leader comes", async () => {
  await using follower = new FollowerProcess();
  const none = await withoutNewLeader(follower, "/api/v1/main/executions/a/b", { method: "POST" });
  assertEquals([none.status, none.headers.get("retry-after")], [503, "1"]);
  assertStringIncludes((await none.json()).message, "no server leads now");
  follower.view.set(1, `http://127.0.0.1:${freePort()}`);
  const refused = await withoutNewLeader(follower, "/api/v1/main/executions/a/b", { method: "POST" });
  assertEquals([refused.status, refused.headers.get("x-request-id")], [503, "ababababab-2"]);
  assertStringIncludes((await refused.json()).message, "connection was refused");
  follower.view.set(2);
  const unaddressed = await withoutNewLeader(follower, "/x", { method: "POST" });
  assertStringIncludes((await unaddressed.json()).message, "no address");
});

Deno.test("forward() sends nothing to a leader whose certificate is not trusted", async () => {
  let count = 0;
  await using leader = Deno.serve({
    ...{ hostname: "127.0.0.1", port: 0, cert: SELF_SIGNED_CERT, key: SELF_SIGNED_KEY, onListen: () => {} },
    handler: () => new Response(String(++count)),
  });
  await using follower = new FollowerProcess();
  follower.view.set(1, `https://127.0.0.1:${leader.addr.port}`);
  const init = { method: "POST", body: "secret" };
  const response = await withoutNewLeader(follower, "/api/v1/main/flows", init);
  assertEquals([response.status, count], [503, 0]);
  assertStringIncludes(await response.text(), "certificate");
});

Deno.test("forward() sends a request to the next leader that a former leader has not handled", async () => {
  await using pair = pairOf(() => new Response("handled"));
  pair.leader.epoch = undefined;
  const headers = { "content-type": "text/plain" };
  for (const body of [undefined, "x", "y".repeat(100_000)]) {
    pair.follower.view.set(1, pair.leader.url);
    const response = pair.follower.fetch("/x", { method: "POST", headers, body });
    await waiting(pair.follower);
    await using next = new LeaderProcess(async (request) => new Response(await request.text()), { epoch: 2 });
    pair.follower.view.set(2, next.url);
    assertEquals([(await response).status, await (await response).text()], [200, body ?? ""]);
  }
});

Deno.test("forward() refuses a request that no leader has handled when its body was not kept", async () => {
  await using pair = pairOf(() => new Response("handled"));
  pair.leader.epoch = undefined;
  const response = await pair.follower.fetch("/x", { method: "POST", body: new Uint8Array(2_000_000) });
  assertEquals(response.status, 503);
  assertStringIncludes(await response.text(), "does not lead any more");
});

Deno.test("forward() sends a request to the next leader that could not be sent to a dead one", async () => {
  await using follower = new FollowerProcess();
  follower.view.set(1, `http://127.0.0.1:${freePort()}`);
  const response = follower.fetch("/api/v1/main/flows", { method: "POST", body: "flow" });
  await waiting(follower);
  await using next = new LeaderProcess(async (request) => new Response(await request.text()), { epoch: 2 });
  follower.view.set(2, next.url);
  assertEquals([(await response).status, await (await response).text()], [200, "flow"]);
});

/** A leader whose connections close after the request was received. */
function crashingLeader() {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const serving = (async () => {
    for await (const connection of listener) {
      await connection.read(new Uint8Array(65_536));
      connection.close();
    }
  })();
  return {
    url: `http://127.0.0.1:${listener.addr.port}`,
    async [Symbol.asyncDispose]() {
      listener.close();
      await serving;
    },
  };
}

Deno.test("forward() gives 504 when the leader may have begun", async () => {
  await using leader = crashingLeader();
  await using follower = new FollowerProcess();
  follower.view.set(1, leader.url);
  for (
    const [method, path] of [["POST", "/api/v1/main/flows"], ["GET", "/api/v1/executions/webhook/a/b/key"]]
  ) {
    const response = await follower.fetch(path ?? "", { method });
    const body = await response.json();
    assertEquals([response.status, body.title], [504, "Outcome unknown"]);
    assertEquals(JSON.stringify(body).includes("key"), false);
  }
});

const REPEATED: readonly (readonly [string, RequestInit])[] = [
  ["/api/v1/main/flows/search", {}],
  ["/api/v1/main/executions/a/b", { method: "POST", headers: { "idempotency-key": "k" }, body: "input" }],
  ["/api/v1/executions/webhook/a/b/c", {
    method: "POST",
    headers: { "idempotency-key": "k" },
    body: "input",
  }],
];

Deno.test("forward() repeats safe and idempotent requests at a new leader", async () => {
  await using crashing = crashingLeader();
  await using next = new LeaderProcess(async (request) => new Response(await request.text()), { epoch: 2 });
  await using follower = new FollowerProcess();
  for (const [path, init] of REPEATED) {
    follower.view.set(1, crashing.url);
    const response = follower.fetch(path, init);
    await waiting(follower);
    follower.view.set();
    follower.view.set(2, next.url);
    assertEquals([(await response).status, await (await response).text()], [200, init.body ?? ""]);
  }
});

Deno.test("forward() waits ten seconds for a new leader", async () => {
  await using follower = new FollowerProcess();
  const response = await withoutNewLeader(follower, "/api/v1/main/flows/search", {});
  assertEquals([response.status, follower.view.listenerCount], [503, 1]);
  await response.body?.cancel();
});

Deno.test("forward() waits for a new leader until a long lease has ended", async () => {
  await using follower = new FollowerProcess({ leaseTtlMs: 10_000 });
  const response = follower.fetch("/x", { method: "POST" });
  await waiting(follower);
  await follower.clock.advance(12_000);
  await using next = new LeaderProcess(() => new Response("handled"), { clock: follower.clock });
  follower.view.set(1, next.url);
  assertEquals([(await response).status, await (await response).text()], [200, "handled"]);
});

Deno.test("forward() cuts requests at a former leader some seconds after a take-over", async () => {
  const received = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  await using pair = pairOf(async () => {
    received.resolve();
    await released.promise;
    return new Response();
  });
  const response = pair.follower.fetch("/x", { method: "POST" });
  await received.promise;
  pair.follower.view.set(2, "http://127.0.0.1:1");
  await pair.follower.clock.advance(5_000);
  assertEquals((await response).status, 504);
  assertStringIncludes(await (await response).text(), "another server has taken over");
  released.resolve();
});

Deno.test("forward() refuses a malformed host and methods that cannot be passed on", async () => {
  await using pair = pairOf(() => new Response("handled"));
  for (const head of ["GET / HTTP/1.1\r\nhost: a/b", "TRACE / HTTP/1.1\r\nhost: a"]) {
    using client = await RawClient.connect(pair.follower.server.addr);
    await client.send(`${head}\r\nconnection: close\r\n\r\n`);
    assertStringIncludes(await client.readAll(), "HTTP/1.1 400");
  }
});
