/** Bodies that stall on a real connection; the time is that of a fake clock. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { Hono } from "hono";
import { silentLogger } from "../../../src/base/log.ts";
import { readText } from "../../../src/http/bodies/body.ts";
import { readChunks } from "../../../src/http/bodies/body_reader.ts";
import type { AppEnv } from "../../../src/http/env.ts";
import { readForm } from "../../../src/http/bodies/multipart.ts";
import { startHttpServer } from "../../../src/machine/http_server/http_server.ts";
import { FakeClock } from "../../support/fakes/fake_clock.ts";
import { RawClient } from "../../support/processes/raw_client.ts";
import { startApp } from "../app_under_test.ts";

const MAX_BYTES = 1_000_000;

async function startServer() {
  const clock = new FakeClock();
  const arrived = Promise.withResolvers<void>();
  const routes = new Hono<AppEnv>();
  routes.post("/text", async (c) => {
    arrived.resolve();
    return c.text(`${(await readText(c, MAX_BYTES)).length} characters`);
  });
  routes.post("/form", async (c) => {
    arrived.resolve();
    return c.text(`${(await readForm(c.req.raw, { maxBytes: MAX_BYTES })).length} fields`);
  });
  routes.post("/buffers", async (c) => {
    let bytes = 0;
    const buffers: number[] = [];
    for await (const chunk of readChunks(c.req.raw, c.req.raw.body ?? new ReadableStream())) {
      bytes += chunk.length;
      buffers.push(chunk.buffer.byteLength);
    }
    return c.json({ bytes, buffers });
  });
  const app = await startApp({ tenantRoutes: [{ path: "/flows", routes }], clock });
  const server = startHttpServer({
    ...{ hostname: "127.0.0.1", port: 0, clock, logger: silentLogger(clock) },
    handler: (request, connection) => app.app.fetch(request, { remoteAddr: connection.remoteAddr }),
    limits: { maxConnections: 10, maxConnectionsPerAddress: 10, idleMs: 75_000 },
  });
  return {
    ...{ clock, server, arrived: arrived.promise },
    async [Symbol.asyncDispose]() {
      await server.shutdown();
      await app[Symbol.asyncDispose]();
    },
  };
}

/** The head of a request with a body of 1,000 bytes. */
function head(path: string, contentType: string): string {
  const lines = [`POST /api/v1/flows${path} HTTP/1.1`, "host: localhost", `content-type: ${contentType}`];
  return [...lines, "content-length: 1000", "", ""].join("\r\n");
}

const STALLED: readonly (readonly [what: string, path: string, contentType: string, start: string])[] = [
  ["a text of which nothing comes", "/text", "text/plain", ""],
  ["a text of which a part comes", "/text", "text/plain", "abc"],
  ["a form", "/form", "multipart/form-data; boundary=b", "--b\r\ncontent-disposition: form-data"],
  ["a url-encoded form", "/form", "application/x-www-form-urlencoded", "a=1&b"],
];
for (const [what, path, contentType, start] of STALLED) {
  Deno.test(`POST of ${what} is refused with 408 after 30 s without progress`, async () => {
    await using started = await startServer();
    using client = await RawClient.connect(started.server.addr);
    await client.send(head(path, contentType) + start);
    await started.arrived;
    await started.clock.advance(31_000);
    const response = await client.readTo("traceId");
    assertEquals(response.slice(0, 12), "HTTP/1.1 408");
    assertStringIncludes(response, "the body arrives too slowly");
  });
}

Deno.test("POST of a body that arrives slowly, but arrives, is accepted", async () => {
  await using started = await startServer();
  using client = await RawClient.connect(started.server.addr);
  await client.send(head("/text", "text/plain"));
  await started.arrived;
  for (let part = 0; part < 2; part++) {
    await started.clock.advance(14_000);
    await client.send("x".repeat(500));
  }
  assertStringIncludes(await client.readTo("characters"), "1000 characters");
});

Deno.test("a body is read into a small buffer first, and into larger ones while it fills them", async () => {
  await using started = await startServer();
  const { port } = started.server.addr as Deno.NetAddr;
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/flows/buffers`, {
    method: "POST",
    body: new Uint8Array(500_000),
  });
  const { bytes, buffers }: { bytes: number; buffers: number[] } = await response.json();
  assertEquals(bytes, 500_000);
  assertEquals([buffers[0], (buffers.at(-1) ?? 0) > 4_096], [4_096, true]);
  assertEquals(buffers, buffers.toSorted((a, b) => a - b));
});
