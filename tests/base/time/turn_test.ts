import { assertEquals, assertLess } from "@std/assert";
import { letOthersRun, Turns } from "../../../src/base/time/turn.ts";
import { FakeClock } from "../../support/fakes/fake_clock.ts";

const ROUNDS = 10;
/** With `setImmediate` it takes some 580 turns until all have arrived, with digests alone 10 to 20, and 200 to 1,300 on a busy machine. */
const MAX_TURNS = 100;

Deno.test("letOthersRun() lets what a connection receives arrive after few turns", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  using client = await Deno.connect({ hostname: "127.0.0.1", port });
  using server = await listener.accept();
  let turns = 0;
  for (let round = 0; round < ROUNDS; round++) {
    let isReceived = false;
    const received = server.read(new Uint8Array(1)).then(() => isReceived = true);
    await client.write(new Uint8Array(1));
    for (; !isReceived; turns++) await letOthersRun();
    await received;
  }
  assertLess(turns, MAX_TURNS);
});

Deno.test("Turns.next() waits once a turn", async () => {
  const clock = new FakeClock();
  const turns = new Turns(clock, 4);
  let waits = 0;
  const next = async () => {
    let isOver = false;
    const waiting = turns.next().then(() => isOver = true);
    await Promise.resolve();
    await Promise.resolve();
    if (!isOver) waits++;
    await waiting;
  };
  for (let part = 0; part < 12; part++) {
    await next();
    clock.jump(1);
  }
  assertEquals(waits, 2);
});
