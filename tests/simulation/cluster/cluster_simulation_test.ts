import { assert, assertEquals } from "@std/assert";
import { simulateClusters } from "./run.ts";
import { World } from "./world.ts";

/** Some 40 ms each; `deno task simulate:cluster` takes others, and more. */
const SEEDS = 15;

Deno.test("simulateClusters(): one leader at a time, requests and ends of jobs once, nothing acknowledged is lost", async () => {
  const { broken, events } = await simulateClusters(SEEDS, 1);
  assertEquals(broken, []);
  for (const event of ["leader", "POST 200", "POST 503", "POST 504", "GET 200"]) {
    assert((events.get(event) ?? 0) >= SEEDS / 5, `${event}: ${events.get(event)}`);
  }
});

Deno.test("World.run() of one seed is the same each time", async () => {
  const runs = [new World(7), new World(7)];
  for (const world of runs) await world.run();
  assertEquals(runs[0]?.events, runs[1]?.events);
});
