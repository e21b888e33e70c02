/** When a process that leads no more may close the connections that followers keep open. */
import { assertEquals } from "@std/assert";
import { silentLogger } from "../../src/base/log.ts";
import { Forwarding } from "../../src/server/forwarding.ts";
import { CLIENT_FACTS_HEADER, ClientFactsHeader } from "../../src/server/proxy/client_facts.ts";
import { MAX_REST_MS } from "../../src/server/proxy/idle_connections.ts";
import { FakeClock } from "../support/fakes/fake_clock.ts";
import { FakeLeaderView } from "../support/fakes/leader_view.ts";
import { MemoryStore } from "../support/fakes/memory_store.ts";

const SECRET = new Uint8Array(32).fill(7);
const EPOCH = 1;
/** After this time a follower uses a connection no more, and a request that it sent before has arrived. */
const UNUSED_MS = MAX_REST_MS + 250;

function startForwarding() {
  const clock = new FakeClock();
  const options = {
    ...{ clock, store: new MemoryStore(clock), logger: silentLogger(clock), baseUrl: undefined },
    ...{
      encryptionKey: SECRET,
      process: "p",
      leaseTtlMs: 5_000,
      randomBytes: (buffer: Uint8Array) => void buffer.fill(1),
    },
  };
  const forwarding = new Forwarding(options, new FakeLeaderView(), () => EPOCH);
  const responded = Promise.withResolvers<Response>();
  const receive = forwarding.receive(() => responded.promise);
  const facts = new ClientFactsHeader(SECRET);
  return {
    clock,
    forwarding,
    respond: () => responded.resolve(new Response()),
    /** Receives a request, from a follower or from a client. */
    async receive(isForwarded: boolean): Promise<void> {
      const request = new Request("http://leader.test/x");
      const client = { epoch: EPOCH, host: "sluice.example", scheme: "http" } as const;
      const header = facts.write({ method: "GET", target: "/x" }, client, clock.now());
      if (isForwarded) request.headers.set(CLIENT_FACTS_HEADER, header);
      await receive(request, { remoteAddr: { transport: "tcp", hostname: "192.0.2.1", port: 1 } });
    },
    /** Milliseconds until no follower uses a connection, in steps of that length. */
    async untilUnusedMs(stepMs: number): Promise<number> {
      let isUnused = false;
      const waiting = forwarding.untilUnused().then(() => isUnused = true);
      let ms = 0;
      for (await clock.advance(0); !isUnused && ms < 10_000; ms += stepMs) await clock.advance(stepMs);
      await waiting;
      return ms;
    },
    [Symbol.dispose]: () => forwarding[Symbol.dispose](),
  };
}

Deno.test("untilUnused() waits until followers use no connection of the last response any more", async () => {
  using process = startForwarding();
  const receiving = process.receive(true);
  await process.clock.advance(5_000);
  process.respond();
  await receiving;
  assertEquals(await process.untilUnusedMs(50), UNUSED_MS);
});

Deno.test("untilUnused() counts from the last response to a follower, not to a client", async () => {
  using process = startForwarding();
  process.respond();
  await process.receive(true);
  await process.clock.advance(UNUSED_MS - 100);
  await process.receive(false);
  assertEquals(await process.untilUnusedMs(50), 100);
});

Deno.test("untilUnused() does not wait where no follower has sent a request", async () => {
  using process = startForwarding();
  process.respond();
  await process.receive(false);
  assertEquals(await process.untilUnusedMs(50), 0);
});
