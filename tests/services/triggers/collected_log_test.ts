/** What a trigger logs fits the commit of the execution that it starts. */
import { assertEquals } from "@std/assert";
import { realtimeTypeOf, triggerTypeOf } from "../../../src/tasks/definition/trigger_type.ts";
import { CollectedLog } from "../../../src/services/triggers/collected_log.ts";
import { settle } from "../../support/fakes/fake_clock.ts";
import { Harness } from "../../support/harness.ts";
import { executionsOf, triggeredFlow } from "../../support/flows/triggers.ts";

const LEFT_OUT = "Further lines are left out: a trigger logs 1000 lines and 131072 bytes at the most";

/** Lines that are added by their number and their length, and how many are kept. */
const ADDED: readonly (readonly [count: number, length: number, kept: number])[] = [
  [10, 100, 10],
  [1_000, 10, 1_000],
  [1_100, 10, 1_001],
  [200, 1_000, 132],
  [3, 200_000, 1],
];
for (const [count, length, kept] of ADDED) {
  Deno.test(`CollectedLog.add() of ${count} lines of ${length} characters keeps ${kept}`, () => {
    const log = new CollectedLog();
    for (let n = 0; n < count; n++) log.add({ level: "INFO", at: n, message: "x".repeat(length) });
    const lines = log.take();
    assertEquals([lines.length, lines.at(-1)?.message === LEFT_OUT], [kept, kept !== count]);
    assertEquals(log.take(), []);
  });
}

Deno.test("triggers that log a MB start their executions", async () => {
  const lines = Array.from({ length: 1_000 }, () => "x".repeat(1_000));
  const typed = (name: string) => ({ type: `test.${name}`, description: "Logs much.", properties: {} });
  const poll = triggerTypeOf({
    ...typed("Poll"),
    poll: (context) => {
      for (const line of lines) context.log("INFO", line);
      return Promise.resolve({ found: 1 });
    },
  });
  const realtime = realtimeTypeOf({
    ...typed("Realtime"),
    realtime: async (context) => {
      for (const line of lines) context.log("INFO", line);
      await context.emit({ found: 1 });
      await new Promise<void>((resolve) => context.signal.addEventListener("abort", () => resolve()));
    },
  });
  await using app = await Harness.start({ extraTriggers: [poll, realtime] });
  for (const name of ["Poll", "Realtime"]) {
    await app.save(triggeredFlow(name, { type: `io.svc.plugin.test.${name}` }));
    await app.advance(1_000);
    await settle();
    assertEquals((await executionsOf(app, name)).map(({ state }) => state), ["SUCCESS"]);
  }
});
