/** Real connections over loopback; the time is that of a fake clock. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { Logger } from "../../../src/base/log.ts";
import { AcceptingServer } from "../../../src/machine/http_server/accepting_server.ts";
import type { HttpHandler } from "../../../src/machine/http_server/connection.ts";
import {
  findServeConnection,
  type ServeConnection,
} from "../../../src/machine/http_server/serve_connection.ts";
import { FakeClock } from "../../support/fakes/fake_clock.ts";
import { RawClient } from "../../support/processes/raw_client.ts";
import { until } from "../../support/processes/machine_processes.ts";

const GET = "GET / HTTP/1.1\r\nhost: localhost\r\n\r\n";

interface Setup {
  readonly handler?: HttpHandler;
  readonly maxConnections?: number;
  readonly listener?: (real: Deno.TcpListener) => Pick<Deno.TcpListener, "accept" | "close" | "addr">;
}

function startServer({ handler, maxConnections = 100, listener = (real) => real }: Setup = {}) {
  const clock = new FakeClock();
  const lines: string[] = [];
  const logger = new Logger({ level: "warn", format: "text", clock, write: (line) => lines.push(line) });
  const real = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const server = new AcceptingServer(listener(real), findServeConnection() as ServeConnection, {
    ...{ hostname: "127.0.0.1", port: 0, clock, logger },
    handler: handler ?? (() => new Response("hello")),
    limits: { maxConnections, maxConnectionsPerAddress: maxConnections, idleMs: 75_000 },
  });
  return { server, clock, lines, [Symbol.asyncDispose]: () => server.shutdown() };
}

/** Waits until the server has so many connections. */
async function untilCount(server: AcceptingServer, count: number): Promise<void> {
  while (server.connectionCount !== count) await new Promise((resolve) => setTimeout(resolve, 1));
}

Deno.test("findServeConnection() finds the function of this version of Deno", () => {
  assertEquals(typeof findServeConnection(), "function");
});

Deno.test("AcceptingServer serves several requests on a connection, and passes the address of the client", async () => {
  await using started = startServer({
    handler: (request, { remoteAddr }) => Response.json([new URL(request.url).pathname, remoteAddr.hostname]),
  });
  const url = `http://127.0.0.1:${started.server.addr.port}`;
  for (const path of ["/a", "/b"]) {
    assertEquals(await (await fetch(url + path)).json(), [path, "127.0.0.1"]);
  }
  assertEquals(started.server.connectionCount, 1);
});

Deno.test("AcceptingServer closes a connection that sends half a head after 30 s", async () => {
  await using started = startServer();
  using client = await RawClient.connect(started.server.addr);
  await client.send("GET / HTTP/1.1\r\nhost: ");
  await untilCount(started.server, 1);
  await started.clock.advance(31_000);
  assertEquals([await client.readAll(), started.server.connectionCount], ["", 0]);
});

Deno.test("AcceptingServer closes a connection that sends half a head after a response", async () => {
  await using started = startServer();
  using client = await RawClient.connect(started.server.addr);
  await client.send(GET + "GET / HT");
  assertStringIncludes(await client.readTo("hello"), "200 OK");
  await started.clock.advance(90_000);
  assertEquals([await client.readAll(), started.server.connectionCount], ["", 0]);
});

Deno.test("AcceptingServer keeps a request open as long as its handler works", async () => {
  const response = Promise.withResolvers<Response>();
  const arrived = Promise.withResolvers<void>();
  await using started = startServer({
    handler: () => {
      arrived.resolve();
      return response.promise;
    },
  });
  using client = await RawClient.connect(started.server.addr);
  await client.send(GET);
  await arrived.promise;
  await started.clock.advance(3_600_000);
  response.resolve(new Response("late"));
  assertStringIncludes(await client.readTo("late"), "200 OK");
});

Deno.test("AcceptingServer keeps a response open as long as it is streamed", async () => {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  await using started = startServer({ handler: () => new Response(readable) });
  using client = await RawClient.connect(started.server.addr);
  await client.send(GET);
  await writer.write(new TextEncoder().encode("first"));
  await client.readTo("first");
  await started.clock.advance(3_600_000);
  await writer.write(new TextEncoder().encode("second"));
  assertStringIncludes(await client.readTo("second"), "second");
  await writer.close();
  await client.readTo("0\r\n\r\n");
  await started.clock.advance(90_000);
  assertEquals(await client.readAll(), "");
});

Deno.test("AcceptingServer responds with 503 with Retry-After when all its connections are busy", async () => {
  const response = Promise.withResolvers<Response>();
  const arrived = Promise.withResolvers<void>();
  await using started = startServer({
    maxConnections: 1,
    handler: () => {
      arrived.resolve();
      return response.promise;
    },
  });
  using busy = await RawClient.connect(started.server.addr);
  await busy.send(GET);
  await arrived.promise;
  using refused = await RawClient.connect(started.server.addr);
  const text = await refused.readAll();
  assertStringIncludes(text, "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\n");
  assertStringIncludes(text, "X-Content-Type-Options: nosniff\r\n");
  assertStringIncludes(started.lines.join(), "--max-connections");
  response.resolve(new Response("done"));
  await busy.readTo("done");
});

Deno.test("AcceptingServer serves others while hundreds of connections send nothing", async () => {
  await using started = startServer({ maxConnections: 50 });
  const idle: RawClient[] = [];
  for (let count = 0; count < 300; count++) idle.push(await RawClient.connect(started.server.addr));
  using client = await RawClient.connect(started.server.addr);
  await client.send(GET);
  assertStringIncludes(await client.readTo("hello"), "200 OK");
  assertEquals(started.server.connectionCount <= 50, true);
  for (const each of idle) each[Symbol.dispose]();
});

Deno.test("AcceptingServer accepts again after the system had no file descriptor left", async () => {
  const refusals = [
    new Error("Too many open files (os error 24)"),
    new Error("Too many open files in system"),
  ];
  await using started = startServer({
    listener: (real) => ({
      addr: real.addr,
      accept: () => {
        const refusal = refusals.shift();
        return refusal ? Promise.reject(refusal) : real.accept();
      },
      close: () => real.close(),
    }),
  });
  using client = await RawClient.connect(started.server.addr);
  await client.send(GET);
  await started.clock.advance(200);
  assertStringIncludes(await client.readTo("hello"), "200 OK");
  assertEquals([refusals.length, started.lines.length], [0, 1]);
  assertStringIncludes(started.lines[0] ?? "", "Too many open files");
});

Deno.test("AcceptingServer.shutdown() lets a request end, closes idle connections and accepts no more", async () => {
  const response = Promise.withResolvers<Response>();
  const arrived = Promise.withResolvers<void>();
  const { server } = startServer({
    handler: () => {
      arrived.resolve();
      return response.promise;
    },
  });
  using idle = await RawClient.connect(server.addr);
  using half = await RawClient.connect(server.addr);
  using busy = await RawClient.connect(server.addr);
  await half.send("GET / HT");
  await busy.send(GET);
  await arrived.promise;
  await untilCount(server, 3);
  const stopped = server.shutdown();
  assertEquals([await idle.readAll(), await half.readAll()], ["", ""]);
  // What another thread has just started holds all sockets of this process until it runs its own program.
  await until(() =>
    RawClient.connect(server.addr).then(
      (client) => (client[Symbol.dispose](), false),
      (error) => error instanceof Deno.errors.ConnectionRefused,
    )
  );
  response.resolve(new Response("done"));
  assertStringIncludes(await busy.readAll(), "done");
  await stopped;
  assertEquals(server.connectionCount, 0);
});

Deno.test("AcceptingServer continues when a connection that is closing already reaches its time limit", async () => {
  const length = 20_000_000;
  const { server, clock } = startServer({ handler: () => new Response(new Uint8Array(length)) });
  using client = await RawClient.connect(server.addr);
  await client.send(GET);
  await client.readTo("\r\n\r\n");
  // It waits until the client has read the response.
  const stopped = server.shutdown();
  await clock.advance(76_000);
  await client.readAll();
  await stopped;
  assertEquals(server.connectionCount, 0);
});

Deno.test("AcceptingServer.shutdown() ends the wait after a failed accept", async () => {
  const { server } = startServer({
    listener: (real) => ({
      addr: real.addr,
      accept: () => Promise.reject(new Error("Too many open files (os error 24)")),
      close: () => real.close(),
    }),
  });
  await server.shutdown();
});

Deno.test("AcceptingServer logs the error of a handler and responds with 500", async () => {
  await using started = startServer({
    handler: () => {
      throw new Error("broken");
    },
  });
  using client = await RawClient.connect(started.server.addr);
  await client.send(GET);
  const text = await client.readTo("Error");
  assertEquals([text.includes(" 500 "), text.includes("broken")], [true, false]);
  assertStringIncludes(started.lines.join(), "broken");
});
