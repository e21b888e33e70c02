/** One slice: pure tasks run in it, side effects wait for its commit, a used-up budget ends it. */
import { assertEquals } from "@std/assert";
import { silentLogger } from "../../../src/base/log.ts";
import type { Refusal } from "../../../src/engine/events.ts";
import { currentState } from "../../../src/model/executions/state.ts";
import type { TaskType } from "../../../src/model/tasks/task_catalog.ts";
import { BackgroundWork } from "../../../src/runtime/live/background_work.ts";
import { KeptShapes } from "../../../src/runtime/live/kept_shapes.ts";
import type { LiveExecution, Receipt } from "../../../src/runtime/live/live_execution.ts";
import { runSlice, type SliceDeps } from "../../../src/runtime/slices/slice.ts";
import { SliceBudget } from "../../../src/runtime/slices/slice_budget.ts";
import type { Mutation } from "../../../src/store/store.ts";
import { FakeClock, settle } from "../../support/fakes/fake_clock.ts";
import { task } from "../../support/flows/flows.ts";
import { liveExecution, runnable } from "../live_support.ts";

const clock = new FakeClock();
const ran: string[] = [];
const TYPES: Readonly<Record<string, TaskType>> = {
  pure: runnable((_properties, { taskId }) => {
    ran.push(taskId);
    return { state: "SUCCESS", outputs: {} };
  }, true),
  later: runnable((_properties, { taskId }) => {
    ran.push(taskId);
    return Promise.resolve({ state: "SUCCESS", outputs: {} });
  }, true),
  effect: runnable(() => ({ state: "SUCCESS", outputs: {} })),
};

/** Runs one slice with that event; the ids of the tasks that ran in it, and how often it was woken. */
function slice(live: LiveExecution, event: LiveExecution["events"][number], budget = new SliceBudget(clock)) {
  ran.length = 0;
  let wakes = 0;
  const deps = {
    clock,
    catalog: { find: (kind: string) => TYPES[kind] },
    shapes: new KeptShapes(),
    work: new BackgroundWork(silentLogger(clock)),
    wake: () => void wakes++,
  };
  live.events.push(event);
  runSlice(live, deps as unknown as SliceDeps, budget);
  return { ran: [...ran], wakes: () => wakes, shapes: deps.shapes };
}

function stateOf({ execution }: LiveExecution): string {
  return currentState(execution.history);
}

Deno.test("runSlice() runs pure tasks to the end of the execution", () => {
  const live = liveExecution({ tasks: [task("a", "pure"), task("b", "pure")] });
  const { ran, shapes } = slice(live, { type: "started" });
  assertEquals([ran, stateOf(live), live.isDirty, live.isLive], [["a", "b"], "SUCCESS", true, false]);
  assertEquals(shapes.get("transition") !== undefined, true);
});

Deno.test("runSlice() defers a task with side effects until the slice is durable", () => {
  const live = liveExecution({ tasks: [task("a", "pure"), task("b", "effect"), task("c", "pure")] });
  const { ran } = slice(live, { type: "started" });
  assertEquals([ran, stateOf(live)], [["a"], "RUNNING"]);
  assertEquals(live.deferred.map((command) => command.task.id), ["b"]);
});

Deno.test("runSlice() adds the end of a task that returns a promise outside the slice, and wakes the execution", async () => {
  const live = liveExecution({ tasks: [task("a", "later")] });
  const { wakes } = slice(live, { type: "started" });
  assertEquals([stateOf(live), live.awaiting, live.isLive], ["RUNNING", 1, true]);
  await settle();
  assertEquals([live.awaiting, live.events.map(({ type }) => type), wakes()], [0, ["attempt_ended"], 1]);
});

Deno.test("runSlice() stops when the budget is used up; pure tasks are deferred then", () => {
  const live = liveExecution({ tasks: [task("a", "pure"), task("b", "pure")] });
  const budget = { add: () => {}, isUsed: () => true } as unknown as SliceBudget;
  const { ran } = slice(live, { type: "started" }, budget);
  assertEquals([ran, live.deferred.map((command) => command.task.id)], [[], ["a"]]);
});

Deno.test("runSlice() interrupts a deferred attempt: it ends KILLED without having started", () => {
  const live = liveExecution({ tasks: [task("a", "effect")] });
  slice(live, { type: "started" });
  slice(live, { type: "kill_asked" });
  assertEquals([stateOf(live), live.deferred, live.isLive], ["KILLED", [], false]);
});

/** Requests to an execution that has ended, and what becomes of what was sent with them. */
const RECEIPTS = [
  { request: { type: "pause_asked" }, code: "invalid_argument", stored: 0, isDirty: false },
  {
    request: { type: "labels_set", labels: [{ key: "a", value: "b" }] },
    code: undefined,
    stored: 1,
    isDirty: true,
  },
] as const;

for (const { request, code, stored, isDirty } of RECEIPTS) {
  Deno.test(`runSlice() settles the receipt of ${request.type}: ${code ?? "applied"}`, () => {
    const live = liveExecution({ tasks: [task("a", "pure")] });
    slice(live, { type: "started" });
    live.isDirty = false;
    const settled: (Refusal | undefined)[] = [];
    const mutations: Mutation[] = [{ type: "delete", key: ["main", "file"] }];
    const receipt: Receipt = { mutations, onSettled: (_execution, refusal) => settled.push(refusal) };
    live.receipts = new Map([[request, receipt]]);
    slice(live, request);
    assertEquals(settled.map((refusal) => refusal?.code), [code]);
    assertEquals([live.extras.length, live.isDirty, live.receipts.size], [stored, isDirty, 0]);
  });
}

Deno.test("runSlice() deletes the message of an event that came too late", () => {
  const live = liveExecution({ tasks: [task("a", "pure")] });
  slice(live, { type: "started" });
  live.isDirty = false;
  const event = { type: "pause_asked" } as const;
  live.receipts = new Map([[event, { key: ["main", "message"] }]]);
  slice(live, event);
  assertEquals([live.receivedKeys, live.isDirty], [[["main", "message"]], true]);
});
