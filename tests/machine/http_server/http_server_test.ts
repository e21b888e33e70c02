import { assertEquals, assertRejects } from "@std/assert";
import { Logger } from "../../../src/base/log.ts";
import { startHttpServers } from "../../../src/machine/http_server/http_server.ts";
import { FakeClock } from "../../support/fakes/fake_clock.ts";

function optionsFor(clock: FakeClock, lines: string[] = []) {
  const logger = new Logger({ level: "info", format: "json", clock, write: (line) => lines.push(line) });
  const limits = { maxConnections: 10, maxConnectionsPerAddress: 10, idleMs: 1_000 };
  return { hostname: "127.0.0.1", port: 0, clock, logger, limits, handler: () => new Response("hello") };
}

Deno.test("startHttpServers() serves the same handler on both ports, and closes both", async () => {
  const clock = new FakeClock();
  const lines: string[] = [];
  const server = await startHttpServers(optionsFor(clock, lines), 0);
  const { port } = JSON.parse(lines[0] ?? "{}");
  for (const each of [server.addr.port, port]) {
    assertEquals(await (await fetch(`http://127.0.0.1:${each}/`)).text(), "hello");
  }
  await server.shutdown();
  assertEquals(clock.timerCount, 0);
});

Deno.test("startHttpServers() listens nowhere if the port for upgrades is in use", async () => {
  const clock = new FakeClock();
  using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  await assertRejects(() => startHttpServers(optionsFor(clock), taken.addr.port));
  assertEquals(clock.timerCount, 0);
});
