/** Restarts and replays of executions with very many task runs: they take linear time. */
import { assert, assertEquals } from "@std/assert";
import { createExecution } from "../../../src/engine/create.ts";
import { replayExecution } from "../../../src/engine/requests/replay.ts";
import { step } from "../../../src/engine/step.ts";
import { ExecutionTree } from "../../../src/engine/tree.ts";
import type { Execution, TaskRun } from "../../../src/model/executions/execution.ts";
import { currentState, type History, type State } from "../../../src/model/executions/state.ts";
import { plan, returns } from "../../support/flows/flows.ts";
import { flowable, RUN_ID, runNew, runOn } from "../run_plan.ts";

/** Milliseconds that one of them may take; with quadratic time it takes some seconds. */
const MAX_MS = 3_000;
const VALUES = Array.from({ length: 16_000 }, (_, index) => `v${index}`);
const PLAN = plan({
  tasks: [
    flowable("each", "ForEach", [flowable("allow", "AllowFailure", [returns("b")]), returns("c")], {
      values: VALUES,
      concurrencyLimit: 1,
    }),
  ],
});

function history(end: State): History {
  return [{ state: "CREATED", at: 1_000 }, { state: "RUNNING", at: 1_000 }, { state: end, at: 1_000 }];
}

/** In each pass `b` has failed, which was allowed. */
function ended(): Execution {
  const execution = createExecution(PLAN.flow, { id: RUN_ID, labels: [], kind: "NORMAL" }, 1_000);
  const add = (taskId: string, end: State, members: Partial<TaskRun>): number => {
    const ordinal = execution.nextOrdinal++;
    execution.taskRuns.push({ ordinal, taskId, history: history(end), attempts: [], ...members });
    return ordinal;
  };
  const each = add("each", "WARNING", { decision: { values: VALUES, limit: 1 } });
  for (const [iteration, value] of VALUES.entries()) {
    const pass = { parent: each, value, iteration };
    add("b", "FAILED", { parent: add("allow", "WARNING", { ...pass, decision: {} }) });
    add("c", "SUCCESS", pass);
  }
  return Object.assign(execution, { history: history("WARNING") });
}

Deno.test("restarted: 16,000 failed task runs begin again in linear time", () => {
  const execution = ended();
  const tree = new ExecutionTree(PLAN, execution);
  const before = performance.now();
  step(tree, { type: "restarted" }, 2_000);
  assert(performance.now() - before < MAX_MS);
  const states = execution.taskRuns.filter(({ taskId }) => taskId === "b").map((run) =>
    currentState(run.history)
  );
  assertEquals(new Set(states), new Set(["RESTARTED"]));
});

Deno.test("replayExecution() drops thousands of task runs in linear time", () => {
  const source = ended();
  const before = performance.now();
  const copy = replayExecution(PLAN, source, { id: RUN_ID, now: 2_000, taskRun: 1 });
  assert(performance.now() - before < MAX_MS);
  assertEquals(copy.taskRuns.map(({ taskId }) => taskId), ["each", "allow"]);
});

Deno.test("restarted: 16,000 allowed failures run again in linear time", () => {
  const execution = ended();
  const before = performance.now();
  runOn(PLAN, execution, { type: "restarted" }, { ends: { b: "FAILED" } });
  assert(performance.now() - before < MAX_MS);
  assertEquals(currentState(execution.history), "WARNING");
});

Deno.test("replayExecution() in a loop with 16,000 later values that are ready runs in linear time", () => {
  const tasks = [returns("a"), returns("b")];
  const flowPlan = plan({
    tasks: [flowable("each", "ForEach", tasks, { values: VALUES, concurrencyLimit: 2 })],
  });
  const source = runNew(flowPlan);
  const taskRun = source.taskRuns.find(({ taskId }) => taskId === "b")?.ordinal;
  const copy = replayExecution(flowPlan, source, { id: RUN_ID, now: 2_000, taskRun });
  const before = performance.now();
  runOn(flowPlan, copy, { type: "started" });
  assert(performance.now() - before < MAX_MS);
  assertEquals([currentState(copy.history), copy.taskRuns.length], ["SUCCESS", source.taskRuns.length]);
});
