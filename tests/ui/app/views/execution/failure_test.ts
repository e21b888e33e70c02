import { assertEquals } from "@std/assert";
import { compileTemplate, renderValue } from "../../../../../src/expr/mod.ts";
import {
  failureOf,
  loopValues,
  outputsPath,
  titleInLoops,
} from "../../../../../src/ui/app/views/execution/failure.ts";
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

const LOOPS = [
  taskRun("regions"),
  taskRun("numbers", { parentTaskRunId: "regions", value: "eu" }),
  taskRun("steps", { parentTaskRunId: "numbers", value: "1" }),
  taskRun("leaf", { parentTaskRunId: "steps" }),
];

Deno.test("loopValues() gives those of all loops around a task run, the outermost first", () => {
  const valuesOf = loopValues(LOOPS);
  assertEquals(LOOPS.map((each) => titleInLoops(each.taskId, valuesOf(each))), [
    "regions",
    "numbers (eu)",
    "steps (eu, 1)",
    "leaf (eu, 1)",
  ]);
  assertEquals(valuesOf(undefined), []);
});

const VALUES = ["eu", "1", "a b", "it's", "", "ü", "and", "is", "true", "length", "a-b", "{{x}}"];

for (const value of VALUES) {
  Deno.test(`outputsPath() is read by the expressions of the server with the value ${JSON.stringify(value)}`, () => {
    const outputs = { "my-task": { [value]: { "1": { found: true } } } };
    const scope = {
      variable: (name: string) => name === "outputs" ? outputs : undefined,
      functions: new Map(),
      now: 0,
      timeZone: "UTC",
      random: () => 0,
    };
    const template = compileTemplate(`{{ ${outputsPath("my-task", [value, "1"])} }}`);
    assertEquals(renderValue(template, scope), { found: true });
  });
}
