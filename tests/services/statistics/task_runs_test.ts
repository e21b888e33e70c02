/** What daily statistics of task runs hold, and when they let other work go on. */
import { assertEquals } from "@std/assert";
import type { JsonObject } from "../../../src/base/json.ts";
import type { Actor } from "../../../src/model/access/actor.ts";
import type { State } from "../../../src/model/executions/state.ts";
import { TaskRuns } from "../../../src/services/statistics/task_runs.ts";
import { StateCells } from "../../../src/services/statistics/time_entries.ts";
import { FakeClock } from "../../support/fakes/fake_clock.ts";

const ACTOR = { tenant: "main", user: "test" };
const ALL = { conditions: { conditions: [], groups: [] } };
type TaskRunsDeps = ConstructorParameters<typeof TaskRuns>[0];

Deno.test("StateCells hold one cell for each part and state", () => {
  const cells = new StateCells();
  for (let n = 0; n < 1_000; n++) {
    cells.add(n % 2, "SUCCESS", n);
    cells.add(0, "RUNNING");
  }
  const none = { count: 0, sum: 0, min: Infinity, max: -Infinity };
  assertEquals(cells.all, [
    { at: 0, state: "SUCCESS", count: 500, durations: { count: 500, sum: 249_500, min: 0, max: 998 } },
    { at: 0, state: "RUNNING", count: 1_000, durations: none },
    { at: 1, state: "SUCCESS", count: 500, durations: { count: 500, sum: 250_000, min: 1, max: 999 } },
  ]);
});

Deno.test("TaskRuns.daily() pauses between the task runs of one execution, and counts each", async () => {
  const clock = new FakeClock();
  const start = clock.now() - 10_000;
  const historyOf = (...changes: readonly (readonly [State, number])[]) =>
    changes.map(([state, at]) => ({ state, at }));
  const taskRuns = [
    historyOf(["CREATED", start], ["SUCCESS", start + 1_000]),
    historyOf(["CREATED", start], ["SUCCESS", start + 3_000]),
    historyOf(["CREATED", start], ["RUNNING", start + 1]),
  ].map((history, ordinal) => ({ ordinal, taskId: "t", history }));
  const execution = { id: "e", namespace: "demo", flowId: "f", taskRuns };
  let pauses = 0;
  const pace = { isDue: true, pause: () => Promise.resolve(void pauses++) };
  const deps = {
    catalog: { query: () => Promise.resolve({ ids: ["e"], total: 1 }) },
    records: { open: () => Promise.resolve({ execution }) },
    queue: { run: <T>(_actor: Actor, work: (given: typeof pace) => Promise<T>) => work(pace) },
    clock,
  };
  const { entries, isExact } = await new TaskRuns(deps as unknown as TaskRunsDeps).daily(ACTOR, ALL);
  const day = entries.find(({ executionCounts }) => (executionCounts as JsonObject).SUCCESS === 2);
  assertEquals([isExact, (day?.executionCounts as JsonObject).RUNNING], [true, 1]);
  assertEquals(JSON.stringify(day?.duration), '{"min":1.0,"avg":2.0,"max":3.0,"sum":4.0,"count":3}');
  assertEquals(pauses >= taskRuns.length, true);
});
