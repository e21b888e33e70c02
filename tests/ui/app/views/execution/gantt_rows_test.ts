import { assertEquals } from "@std/assert";
import {
  ganttRows,
  openedFor,
  segmentsOf,
  spanOf,
  ticksOf,
} from "../../../../../src/ui/app/views/execution/gantt_rows.ts";
import { execution, stateInfo, taskRun } from "./task_run_infos.ts";

const shown = (rows: ReturnType<typeof ganttRows>) =>
  rows.map(({ taskRun: { id }, depth }) => `${"-".repeat(depth)}${id}`);

Deno.test("ganttRows() puts task runs below their parents, those of one pass of a loop together", () => {
  const of = (id: string, iteration: number) => taskRun(id, { parentTaskRunId: "loop", iteration });
  const taskRuns = [taskRun("loop"), of("a0", 0), of("a1", 1), of("b0", 0), of("b1", 1), taskRun("last")];
  const rows = ganttRows(execution("SUCCESS", taskRuns));
  assertEquals(shown(rows), ["loop", "-a0", "-b0", "-a1", "-b1", "last"]);
});

const loopOf = (count: number) => {
  const of = (index: number) => taskRun(`i${index}`, { parentTaskRunId: "loop" });
  return execution("RUNNING", [taskRun("loop"), ...Array.from({ length: count }, (_, index) => of(index))]);
};

Deno.test("ganttRows() closes large loops at first; a choice wins", () => {
  const source = loopOf(10_000);
  assertEquals(ganttRows(source).length, 1);
  assertEquals(ganttRows(source, { choices: new Map([["loop", true]]) }).length, 10_001);
  assertEquals(ganttRows(source, { choices: openedFor(source, "i9999") }).length, 10_001);
  assertEquals(ganttRows(source, { choices: openedFor(source, "loop") }).length, 1);
});

Deno.test("ganttRows() neither closes nor opens a loop that grows", () => {
  const defaults = new Map<string, boolean>();
  for (const count of [0, 1, 100, 101, 500]) {
    assertEquals(ganttRows(loopOf(count), { defaults }).length, count + 1, "open from the start");
    const choices = new Map([["loop", false]]);
    assertEquals(ganttRows(loopOf(count), { choices }).length, 1, "closed by hand");
  }
  const selected = openedFor(loopOf(3), "i2");
  assertEquals(ganttRows(loopOf(101), { choices: selected }).length, 102, "around the selected row");
});

Deno.test("ganttRows() gives the values of all loops around a task run, not those of another execution", () => {
  const taskRuns = [
    taskRun("outer"),
    taskRun("inner", { parentTaskRunId: "outer", value: "eu" }),
    taskRun("call", { parentTaskRunId: "inner", value: "1" }),
  ];
  const children = new Map([["call", { id: "child", taskRunList: [taskRun("leaf", { value: "x" })] }]]);
  const rows = ganttRows(execution("SUCCESS", taskRuns), { children });
  assertEquals(rows.map(({ values }) => values), [[], ["eu"], ["eu", "1"], ["x"]]);
});

Deno.test("ganttRows() shows a child execution within the task run that started it", () => {
  const children = new Map([["call", { id: "child", taskRunList: [taskRun("inner")] }]]);
  const rows = ganttRows(execution("SUCCESS", [taskRun("call"), taskRun("next")]), { children });
  assertEquals(shown(rows), ["call", "-inner", "next"]);
  assertEquals(rows[1]?.executionId, "child");
});

const SPAN = { from: 0, to: 10_000 };

Deno.test("segmentsOf() separates waiting from running, and shows each attempt", () => {
  const retried = taskRun("t", {
    state: stateInfo([["CREATED", 0], ["RUNNING", 2], ["RETRYING", 4], ["RUNNING", 6], ["SUCCESS", 8]]),
    attempts: [
      { state: stateInfo([["CREATED", 2], ["RUNNING", 2], ["FAILED", 4]]) },
      { state: stateInfo([["CREATED", 6], ["RUNNING", 6], ["SUCCESS", 8]]) },
    ],
  });
  const segments = segmentsOf(retried, SPAN, 0);
  assertEquals(segments.map(({ kind, left, width, state }) => [kind, left, width, state]), [
    ["queued", 0, 20, "SUCCESS"],
    ["queued", 40, 20, "SUCCESS"],
    ["run", 20, 20, "FAILED"],
    ["run", 60, 20, "SUCCESS"],
  ]);
});

Deno.test("segmentsOf() extends a task run that still runs up to now, and leaves out what is not shown", () => {
  const open = taskRun("t", { state: stateInfo([["CREATED", 1], ["RUNNING", 1]], true) });
  assertEquals(segmentsOf(open, SPAN, 5_000).map(({ left, width }) => [left, width]), [[10, 40]]);
  assertEquals(segmentsOf(open, { from: 6_000, to: 9_000 }, 5_000), []);
});

Deno.test("spanOf() covers task runs that end after their execution", () => {
  const late = taskRun("t", { state: stateInfo([["RUNNING", 0], ["SUCCESS", 7]]) });
  assertEquals(spanOf(stateInfo([["CREATED", 0], ["SUCCESS", 3]]), [late], 0), { from: 0, to: 7_000 });
});

Deno.test("ticksOf() gives round steps within the range", () => {
  assertEquals(ticksOf(0, { from: 0, to: 1_660 }, 6), [0, 500, 1_000, 1_500]);
  assertEquals(ticksOf(1_000, { from: 2_500, to: 4_500 }, 4), [1_500, 2_000, 2_500, 3_000, 3_500]);
});
