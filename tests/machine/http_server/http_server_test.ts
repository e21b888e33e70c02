import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { Logger } from "../../../src/base/log.ts";
import { startHttpServers } from "../../../src/machine/http_server/http_server.ts";
import { FakeClock } from "../../support/fakes/fake_clock.ts";
import { RawClient } from "../../support/processes/raw_client.ts";

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

Deno.test("startHttpServers() gives both ports together no more connections than one server may have", async () => {
  const clock = new FakeClock();
  const lines: string[] = [];
  const release = Promise.withResolvers<void>();
  let underWay = 0;
  const handler = async () => {
    underWay++;
    await release.promise;
    return new Response("late");
  };
  const server = await startHttpServers({ ...optionsFor(clock, lines), handler }, 0);
  const compatPort = JSON.parse(lines[0] ?? "{}").port;
  const clients: RawClient[] = [];
  for (const [port, most] of [[server.addr.port, 7], [compatPort, 3]] as const) {
    const before = underWay;
    for (let n = 0; n < most; n++) {
      const client = await RawClient.connect({ ...server.addr, port });
      clients.push(client);
      await client.send("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n");
    }
    while (underWay < before + most) await new Promise((resolve) => setTimeout(resolve, 1));
    using refused = await RawClient.connect({ ...server.addr, port });
    assertMatch(await refused.readAll(), /^HTTP\/1\.1 503 /);
  }
  assertEquals(underWay, 10);
  release.resolve();
  for (const client of clients) assertMatch(await client.readTo("late"), /^HTTP\/1\.1 200 /);
  for (const client of clients) client[Symbol.dispose]();
  await server.shutdown();
});
