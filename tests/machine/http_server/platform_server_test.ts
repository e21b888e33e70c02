/** `Deno.serve` where connections cannot be limited. */
import { assertEquals } from "@std/assert";
import { silentLogger } from "../../../src/base/log.ts";
import { PlatformServer } from "../../../src/machine/http_server/platform_server.ts";
import { watchTransfer } from "../../../src/model/http/transfer_watch.ts";
import { FakeClock } from "../../support/fake_clock.ts";

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
