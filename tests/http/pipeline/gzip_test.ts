import { assertEquals } from "@std/assert";
import { Hono } from "hono";
import type { AppEnv } from "../../../src/http/env.ts";
import { eventStream } from "../../../src/http/streams/sse.ts";
import { settle } from "../../support/fakes/fake_clock.ts";
import { startApp } from "../app_under_test.ts";

const LONG = "x".repeat(5_000);

function startGzipApp() {
  const routes = new Hono<AppEnv>();
  const answer = (path: string, body: string, headers: Record<string, string>) =>
    routes.on(["GET", "POST"], path, () => new Response(body, { headers }));
  answer("/json", JSON.stringify({ LONG }), { "content-type": "application/json", etag: '"v1"' });
  answer("/short", "{}", { "content-type": "application/json", vary: "origin" });
  answer("/text", LONG, { "content-type": "text/plain; charset=utf-8" });
  answer("/binary", LONG, { "content-type": "application/octet-stream" });
  answer("/encoded", LONG, { "content-type": "text/plain", "content-encoding": "br" });
  answer("/part", LONG, { "content-type": "text/plain", "content-range": "bytes 0-1/2" });
  answer("/verbatim", LONG, { "content-type": "text/plain", "cache-control": "no-store, no-transform" });
  routes.get("/chunks", (c) => {
    c.header("content-type", "text/csv");
    return c.body(
      ReadableStream.from(["a".repeat(700), "b".repeat(700), "c"]).pipeThrough(new TextEncoderStream()),
    );
  });
  routes.get("/events", (c) => eventStream(c, (writer) => writer.send({ data: LONG })));
  routes.get("/empty", (c) => c.body(null, 204));
  return startApp({ tenantRoutes: [{ path: "/flows", routes }] });
}

const CASES: [path: string, method: string, accept: string, isZipped: boolean][] = [
  ["json", "GET", "gzip", true],
  ["json", "GET", "br, GZIP;q=0.5", true],
  ["json", "GET", "deflate, gzip, br", true],
  ["json", "GET", "gzip;q=0", false],
  ["json", "GET", "br", false],
  ["json", "GET", "x-gzipped", false],
  ["json", "POST", "gzip", false],
  ["short", "GET", "gzip", false],
  ["text", "GET", "gzip", true],
  ["binary", "GET", "gzip", false],
  ["part", "GET", "gzip", false],
  ["verbatim", "GET", "gzip", false],
  ["chunks", "GET", "gzip", true],
  ["events", "GET", "gzip", false],
  ["empty", "GET", "gzip", false],
];

Deno.test("gzipResponse() compresses long texts for callers that accept gzip", async () => {
  await using server = await startGzipApp();
  for (const [path, method, accept, isZipped] of CASES) {
    const label = `${method} ${path} ${accept}`;
    const plain = await (await server.send(`/api/v1/flows/${path}`, { method })).text();
    const response = await server.send(`/api/v1/flows/${path}`, {
      method,
      headers: { "accept-encoding": accept },
    });
    assertEquals(response.headers.get("content-encoding"), isZipped ? "gzip" : null, label);
    assertEquals(await textOf(response), plain, label);
  }
});

async function textOf(response: Response): Promise<string> {
  if (response.headers.get("content-encoding") !== "gzip") return await response.text();
  return await new Response(response.body?.pipeThrough(new DecompressionStream("gzip"))).text();
}

Deno.test("gzipResponse() sets Vary: Accept-Encoding, and weakens the ETag", async () => {
  await using server = await startGzipApp();
  const headers = { "accept-encoding": "gzip" };
  const long = await server.send("/api/v1/flows/json", { headers });
  assertEquals([long.headers.get("vary"), long.headers.get("etag")], ["accept-encoding", 'W/"v1"']);
  await textOf(long);
  const short = await server.send("/api/v1/flows/short", { headers });
  assertEquals([await short.text(), short.headers.get("vary")], ["{}", "origin, accept-encoding"]);
  const encoded = await server.send("/api/v1/flows/encoded", { headers });
  assertEquals([await encoded.text(), encoded.headers.get("content-encoding")], [LONG, "br"]);
});

Deno.test("gzipResponse() passes a reader's end on to the producer", async () => {
  let isCancelled = false;
  const routes = new Hono<AppEnv>();
  routes.get("/endless", (c) => {
    c.header("content-type", "text/plain");
    const chunk = new TextEncoder().encode(LONG);
    return c.body(
      new ReadableStream({
        pull: (controller) => controller.enqueue(chunk),
        cancel: () => void (isCancelled = true),
      }),
    );
  });
  await using server = await startApp({ tenantRoutes: [{ path: "/flows", routes }] });
  const response = await server.send("/api/v1/flows/endless", { headers: { "accept-encoding": "gzip" } });
  await response.body?.cancel();
  await settle();
  assertEquals(isCancelled, true);
});
