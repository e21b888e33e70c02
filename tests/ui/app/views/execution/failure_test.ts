import { assertEquals } from "@std/assert";
import { failureOf } from "../../../../../src/ui/app/views/execution/failure.ts";
import { execution, failedRun, taskRun } from "./task_run_infos.ts";

const CASES = [
  {
    name: "the task that failed, not the flowable tasks around it",
    taskRuns: [failedRun("loop", 2), failedRun("item", 2, { parentTaskRunId: "loop" })],
    expected: "item",
  },
  {
    name: "the first of several, so not a failed task of `errors`",
    taskRuns: [taskRun("ok"), failedRun("cause", 2), failedRun("handler", 5)],
    expected: "cause",
    others: ["handler"],
  },
  {
    name: "the one that failed first, in whatever order they were created",
    taskRuns: [failedRun("slow", 9), failedRun("fast", 3)],
    expected: "fast",
    others: ["slow"],
  },
];

for (const { name, taskRuns, expected, others = [] } of CASES) {
  Deno.test(`failureOf() ${name}`, () => {
    const failure = failureOf(execution("FAILED", taskRuns));
    assertEquals(failure?.taskRun.id, expected);
    assertEquals(failure?.others.map(({ id }) => id), others);
  });
}

Deno.test("failureOf() gives nothing when no task run failed", () => {
  assertEquals(failureOf(execution("FAILED", [taskRun("ok")])), undefined);
});
