/** Restarts and replays of executions with very many task runs take linear time. */
import { assert, assertEquals } from "@std/assert";
import { createExecution } from "../../../src/engine/create.ts";
import { replayExecution } from "../../../src/engine/requests/replay.ts";
import { step } from "../../../src/engine/step.ts";
import { ExecutionTree } from "../../../src/engine/tree.ts";
import type { Execution, TaskRun } from "../../../src/model/executions/execution.ts";
import { currentState, type History, type State } from "../../../src/model/executions/state.ts";
import { plan, returns } from "../../support/flows/flows.ts";
import { flowable, RUN_ID } from "../run_plan.ts";

/** How often the parent of each task run may be read; with quadratic time it is as often as there are task runs. */
const MAX_READS = 50;
const VALUES = Array.from({ length: 2_000 }, (_, index) => `v${index}`);
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

/** Counts how often the parents of the task runs are read. */
function countReads({ taskRuns }: Execution): { reads: number } {
  const counted = { reads: 0 };
  for (const taskRun of taskRuns) {
    const { parent } = taskRun;
    Object.defineProperty(taskRun, "parent", { get: () => (counted.reads++, parent), enumerable: true });
  }
  return counted;
}

Deno.test("restarted: reads each of thousands of task runs a few times", () => {
  const execution = ended();
  const tree = new ExecutionTree(PLAN, execution);
  const counted = countReads(execution);
  step(tree, { type: "restarted" }, 2_000);
  assert(counted.reads < MAX_READS * execution.taskRuns.length, `${counted.reads} reads`);
  const states = execution.taskRuns.filter(({ taskId }) => taskId === "b").map((run) =>
    currentState(run.history)
  );
  assertEquals(new Set(states), new Set(["RESTARTED"]));
});

Deno.test("replayExecution() reads each of thousands of task runs a few times", () => {
  const source = ended();
  const counted = countReads(source);
  const copy = replayExecution(PLAN, source, { id: RUN_ID, now: 2_000, taskRun: 1 });
  assert(counted.reads < MAX_READS * source.taskRuns.length, `${counted.reads} reads`);
  assertEquals(copy.taskRuns.map(({ taskId }) => taskId), ["each", "allow"]);
});
