/** An attempt that was given up may end long after: that is never the end of the attempt that has taken its place. */
import { assertEquals } from "@std/assert";
import type { AttemptOutcome } from "../../../src/model/tasks/task_catalog.ts";
import { settle } from "../../support/fakes/fake_clock.ts";
import { type Fault, FaultyStore } from "../../support/fakes/faulty_store.ts";
import { EFFECT_TYPE, Harness, statesOf } from "../../support/harness.ts";

const FLOW = `
id: late
namespace: demo
sla: [{id: s, type: MAX_DURATION, duration: PT5S, behavior: FAIL}]
tasks: [{id: a, type: ${EFFECT_TYPE}}]
`;

/** When the late end comes, after the restart was asked for. */
const MOMENTS = [
  "before its commit",
  "while its commit is tried again",
  "while the next attempt runs",
] as const;

for (const moment of MOMENTS) {
  Deno.test(`restart: the end of a former attempt ${moment} is left out`, async () => {
    const ends: PromiseWithResolvers<AttemptOutcome>[] = [];
    let fault: Fault = "none";
    await using app = await Harness.start({
      wrap: (store) => new FaultyStore(store, () => fault),
      effect: () => {
        const end = Promise.withResolvers<AttemptOutcome>();
        ends.push(end);
        return end.promise; // It does not hear that it is to stop.
      },
    });
    const end = (attempt: number) => ends[attempt]?.resolve({ state: "SUCCESS", outputs: { by: attempt } });
    const { id } = await app.run(FLOW);
    await app.advance(5_000);
    assertEquals(statesOf(await app.execution(id)), "CREATED RUNNING FAILED");

    if (moment === "while its commit is tried again") fault = "fail_before";
    const restarted = app.request("POST", `/executions/${id}/restart`);
    if (moment === "before its commit") end(0);
    await settle();
    if (moment === "while its commit is tried again") end(0);
    await settle();
    fault = "none";
    await app.advance(2_000);
    await (await restarted).body?.cancel();
    if (moment === "while the next attempt runs") end(0);
    await settle();
    end(1);
    await settle();
    const execution = await app.execution(id);
    assertEquals(
      [statesOf(execution), execution.taskRunList[0]?.outputs, ends.length],
      ["CREATED RUNNING FAILED RESTARTED RUNNING SUCCESS", { by: 1 }, 2],
    );
  });
}
