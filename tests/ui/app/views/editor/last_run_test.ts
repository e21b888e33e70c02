import { assertEquals } from "@std/assert";
import type { State } from "../../../../../src/model/executions/state.ts";
import { summaryOf } from "../../../../../src/ui/app/views/editor/last_run.ts";

function taskRun(current: State, duration: number) {
  return { id: current, taskId: "a", state: { current, duration, histories: [], startDate: "" } };
}

Deno.test("summaryOf() gives the most severe state, and the duration of the first task run", () => {
  assertEquals(summaryOf([]), undefined);
  assertEquals(summaryOf([taskRun("SUCCESS", 2)]), { state: "SUCCESS", count: 1, seconds: 2 });
  const several = [taskRun("SUCCESS", 2), taskRun("WARNING", 1), taskRun("RUNNING", 3)];
  assertEquals(summaryOf(several), { state: "WARNING", count: 3, seconds: 2 });
});
