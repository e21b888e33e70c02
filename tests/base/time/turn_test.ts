import { assertEquals, assertLess } from "@std/assert";
import { letOthersRun, Turns } from "../../../src/base/time/turn.ts";
import { FakeClock } from "../../support/fakes/fake_clock.ts";

/** With `setImmediate` ten connections wait for 580 turns, with it for 11 to 16. */
const MAX_TURNS = 100;

Deno.test("letOthersRun() lets a connection in after few turns", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  let turns = 0;
  for (let round = 0; round < 10; round++) {
    const accepted = listener.accept();
    let isAccepted = false;
    void accepted.then(() => isAccepted = true);
    const connecting = Deno.connect({ hostname: "127.0.0.1", port });
    for (; !isAccepted; turns++) await letOthersRun();
    for (const connection of await Promise.all([accepted, connecting])) connection.close();
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
