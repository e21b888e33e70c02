/** `Deno.serve` where connections cannot be limited. */
import { assertEquals } from "@std/assert";
import { silentLogger } from "../../../src/base/log.ts";
import { PlatformServer } from "../../../src/machine/http_server/platform_server.ts";
import { watchTransfer } from "../../../src/model/http/transfer_watch.ts";
import { FakeClock } from "../../support/fakes/fake_clock.ts";

Deno.test("PlatformServer serves requests, watches their bodies and stops", async () => {
  const clock = new FakeClock();
  let stalls = 0;
  const server = new PlatformServer({
    ...{ hostname: "127.0.0.1", port: 0, clock, logger: silentLogger(clock) },
    handler: (request, { remoteAddr }) => {
      watchTransfer(request, 30, () => stalls++)?.wait();
      return new Response(remoteAddr.hostname);
    },
    limits: { maxConnections: 1, maxConnectionsPerAddress: 1, idleMs: 1_000 },
  });
  const response = await fetch(`http://127.0.0.1:${server.addr.port}`);
  assertEquals(await response.text(), "127.0.0.1");
  await clock.advance(30_000);
  assertEquals(stalls, 1);
  await server.shutdown();
  assertEquals(clock.timerCount, 0);
});

Deno.test("PlatformServer listens again on the same port after the system had no file descriptor left", async () => {
  const clock = new FakeClock();
  const failure = Promise.withResolvers<void>();
  const ports: (number | undefined)[] = [];
  const addr: Deno.NetAddr = { transport: "tcp", hostname: "127.0.0.1", port: 4_321 };
  const server = new PlatformServer({
    ...{ hostname: "127.0.0.1", port: 0, clock, logger: silentLogger(clock) },
    handler: () => new Response(),
    limits: { maxConnections: 1, maxConnectionsPerAddress: 1, idleMs: 1_000 },
  }, ({ port }) => {
    ports.push(port);
    if (ports.length === 2) throw new Error("Too many open files (os error 24)");
    const finished = ports.length === 1 ? failure.promise : new Promise<void>(() => {});
    return { addr, finished, shutdown: () => Promise.resolve() } as Deno.HttpServer<Deno.NetAddr>;
  });
  failure.reject(new Error("Too many open files (os error 24)"));
  await clock.advance(200);
  assertEquals(ports, [0, 4_321, 4_321]);
  await server.shutdown();
  assertEquals(clock.timerCount, 0);
});
