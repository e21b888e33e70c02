/** Requests that ask for an upgrade, as bytes over loopback. */
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { Logger } from "../../../src/base/log.ts";
import { startCompatServer } from "../../../src/machine/http_server/compat_server.ts";
import type { HttpHandler } from "../../../src/machine/http_server/connection.ts";
import { watchTransfer } from "../../../src/model/http/transfer_watch.ts";
import { FakeClock } from "../../support/fakes/fake_clock.ts";
import { until } from "../../support/processes/machine_processes.ts";
import { RawClient } from "../../support/processes/raw_client.ts";

/** What `java.net.http.HttpClient` sends with each request. */
const UPGRADE = "Connection: Upgrade, HTTP2-Settings\r\nHost: localhost\r\n" +
  "HTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA\r\nUpgrade: h2c\r\n";

/** Sends a request and reads of its response what has arrived first. */
async function ask(connection: Deno.Conn): Promise<void> {
  await connection.write(new TextEncoder().encode("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n"));
  await connection.read(new Uint8Array(1_024));
}

function descriptorsOf(pid: number): number {
  return [...Deno.readDirSync(`/proc/${pid}/fd`)].length;
}

/** Limit of a process that opens a third of them at its start. */
const DESCRIPTORS = 60;

async function start(handler: HttpHandler, maxConnections = 100) {
  const clock = new FakeClock();
  const lines: string[] = [];
  const logger = new Logger({ level: "info", format: "text", clock, write: (line) => lines.push(line) });
  const server = await startCompatServer({
    ...{ hostname: "127.0.0.1", port: 0, clock, logger, handler },
    limits: { maxConnections, maxConnectionsPerAddress: maxConnections, idleMs: 75_000 },
  });
  return { server, clock, lines, [Symbol.asyncDispose]: () => server.shutdown() };
}

/** Returns method, path, body and the headers that belong to the connection. */
const echo: HttpHandler = async (request, { remoteAddr }) => {
  const { method, url, headers } = request;
  const dropped = ["connection", "upgrade", "http2-settings"].filter((name) => headers.has(name));
  const body = [method, new URL(url).pathname, await request.text(), ...dropped, remoteAddr.hostname];
  return new Response(`<${body.join(" ")}>`, { headers: [["set-cookie", "a=1"], ["set-cookie", "b=2"]] });
};

const REQUESTS: readonly (readonly [name: string, request: string, response: string])[] = [
  ["a body", `POST /a HTTP/1.1\r\n${UPGRADE}Content-Length: 2\r\n\r\nhi`, "<POST /a hi 127.0.0.1>"],
  ["an empty body", `POST /b HTTP/1.1\r\n${UPGRADE}Content-Length: 0\r\n\r\n`, "<POST /b  127.0.0.1>"],
  [
    "a body in chunks",
    `PUT /c HTTP/1.1\r\n${UPGRADE}Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n`,
    "<PUT /c hi 127.0.0.1>",
  ],
  ["no body", `GET /d HTTP/1.1\r\n${UPGRADE}\r\n`, "<GET /d  127.0.0.1>"],
];
Deno.test("startCompatServer() serves requests that ask for an upgrade, one after the other on a connection", async () => {
  await using started = await start(echo);
  using client = await RawClient.connect(started.server.addr);
  for (const [name, request, response] of REQUESTS) {
    await client.send(request);
    const received = await client.readTo("0\r\n\r\n");
    assertMatch(received, /^HTTP\/1\.1 200 OK\r\n/, name);
    assertStringIncludes(received, response, name);
    assertStringIncludes(received, "set-cookie: a=1\r\nset-cookie: b=2\r\n", name);
  }
});

for (const headers of ["host:\r\n", "host: \r\n"]) {
  Deno.test(`startCompatServer() takes no host from the path for ${JSON.stringify(headers)}`, async () => {
    const paths: string[] = [];
    await using started = await start((request) => {
      paths.push(new URL(request.url).pathname);
      return new Response("done");
    });
    using client = await RawClient.connect(started.server.addr);
    await client.send(`GET /one/two HTTP/1.1\r\n${headers}\r\n`);
    await client.readTo("done");
    assertEquals(paths, ["/one/two"]);
  });
}

for (const [line, reason] of [["GET *", "malformed"], ["TRACE /", "TRACE is not served"]] as const) {
  Deno.test(`startCompatServer() refuses ${line} with 400`, async () => {
    await using started = await start(echo);
    using client = await RawClient.connect(started.server.addr);
    await client.send(`${line} HTTP/1.1\r\nhost: localhost\r\n\r\n`);
    assertMatch(await client.readTo(reason), /^HTTP\/1\.1 400 [^]*^x-content-type-options: nosniff\r$/m);
    assertEquals(started.lines, []);
  });
}

Deno.test("startCompatServer() sends a stream as it is produced, and aborts the request when the client leaves", async () => {
  const aborted = Promise.withResolvers<void>();
  const cancelled = Promise.withResolvers<void>();
  await using started = await start(({ signal }) => {
    signal.addEventListener("abort", () => aborted.resolve());
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode("data: 1\n\n")),
      cancel: () => cancelled.resolve(),
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  });
  using client = await RawClient.connect(started.server.addr);
  await client.send("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n");
  assertStringIncludes(await client.readTo("data: 1"), "text/event-stream");
  client[Symbol.dispose]();
  await aborted.promise;
  await cancelled.promise;
  await new Promise((resolve) => setTimeout(resolve, 0));
  assertEquals(started.lines, [], "a client that leaves is no error");
});

Deno.test("startCompatServer() returns 500 where the handler fails, and serves the next request", async () => {
  let count = 0;
  await using started = await start(() => {
    if (count++ === 0) throw new Error("broken");
    return new Response("fine");
  });
  using client = await RawClient.connect(started.server.addr);
  await client.send("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n");
  assertMatch(await client.readTo("0\r\n\r\n"), /^HTTP\/1\.1 500 [^]*^x-content-type-options: nosniff\r$/m);
  await client.send("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n");
  assertMatch(await client.readTo("0\r\n\r\n"), /^HTTP\/1\.1 200 [^]*fine/);
});

Deno.test("startCompatServer() closes connections without a request, and watches bodies", async () => {
  let stalls = 0;
  const release = Promise.withResolvers<void>();
  await using started = await start(async (request) => {
    watchTransfer(request, 10, () => {
      stalls++;
      release.resolve();
    })?.wait();
    await release.promise;
    return new Response();
  });
  using silent = await RawClient.connect(started.server.addr);
  await silent.send("GET / HTTP/1.1\r\nhost: ");
  using busy = await RawClient.connect(started.server.addr);
  await busy.send("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n");
  const answered = busy.readTo("\r\n\r\n");
  while (stalls === 0) {
    await started.clock.advance(1_000);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  assertMatch(await answered, /^HTTP\/1\.1 200 /);
  await started.clock.advance(31_000);
  assertEquals([await silent.readAll(), stalls], ["", 1]);
});

Deno.test("startCompatServer() refuses connections beyond the limit with 503 while all are busy", async () => {
  const release = Promise.withResolvers<Response>();
  const arrived = Promise.withResolvers<void>();
  await using started = await start(() => {
    arrived.resolve();
    return release.promise;
  }, 1);
  using busy = await RawClient.connect(started.server.addr);
  await busy.send("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n");
  await arrived.promise;
  using refused = await RawClient.connect(started.server.addr);
  assertMatch(await refused.readAll(), /^HTTP\/1\.1 503 [^]*^X-Content-Type-Options: nosniff\r$/m);
  release.resolve(new Response("late"));
  assertStringIncludes(await busy.readTo("late"), "200 OK");
});

Deno.test("shutdown() of the compat server lets requests under way end and closes idle connections", async () => {
  const release = Promise.withResolvers<Response>();
  const arrived = Promise.withResolvers<void>();
  const { server, clock } = await start(() => {
    arrived.resolve();
    return release.promise;
  });
  using idle = await RawClient.connect(server.addr);
  using busy = await RawClient.connect(server.addr);
  await busy.send("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n");
  await arrived.promise;
  const stopped = server.shutdown();
  release.resolve(new Response("last"));
  assertMatch(await busy.readAll(), /connection: close\r\n[^]*last/i);
  assertEquals(await idle.readAll(), "");
  await stopped;
  assertEquals(clock.timerCount, 0);
});

Deno.test("startCompatServer() serves again after its process had no file descriptors left", async () => {
  const program = new URL("./compat_process.ts", import.meta.url).pathname;
  const command = `ulimit -n ${DESCRIPTORS}; exec "$0" run -A --no-check "$1"`;
  const args = ["-c", command, Deno.execPath(), program];
  await using child = new Deno.Command("/bin/sh", { args, stdout: "piped", stdin: "null" }).spawn();
  const reader = child.stdout.getReader();
  const port = Number(new TextDecoder().decode((await reader.read()).value));
  const connections: Deno.Conn[] = [];
  const open = async () => connections[connections.push(await Deno.connect({ port })) - 1] as Deno.Conn;
  // One that is not accepted is reset when the server listens again: files that are open for a moment count too.
  while (descriptorsOf(child.pid) < DESCRIPTORS) await ask(await open()).catch(() => {});
  await open();
  await ask(connections[0] as Deno.Conn);
  for (const connection of connections) connection.close();
  const get = async () => await (await fetch(`http://127.0.0.1:${port}/`)).text();
  let served: string | undefined;
  await until(async () => (served = await get().catch(() => undefined)) !== undefined);
  assertEquals(served, "served");
  child.kill("SIGKILL");
  await reader.cancel();
});
