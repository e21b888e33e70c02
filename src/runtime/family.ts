/**
 * The executions that one commit creates run their first slice before it, with the one that asks for them: a Subflow
 * that does nothing outside costs its parent no commit of its own. What a crash repeats nobody has seen.
 */
import { taskRunOf } from "../model/execution.ts";
import { isEnded } from "../model/state.ts";
import type { LiveExecution } from "./live_execution.ts";
import type { Message } from "./messages.ts";
import { runSlice, type SliceDeps } from "./slice.ts";
import { SliceBudget } from "./slice_budget.ts";
import type { Slots } from "./slots.ts";

/** What it needs. */
export interface FamilyDeps extends SliceDeps {
  readonly slots: Slots;
}

/** Runs a slice of an execution and of those that its next commit creates, until nothing more can happen or a budget is used up. */
export function runFamily(live: LiveExecution, deps: FamilyDeps, budget = new SliceBudget(deps.clock)): void {
  runSlice(live, deps, budget);
  // What a child tells may make the execution ask for further ones.
  for (let index = 0; index < live.births.length && !budget.isUsed(); index++) {
    const born = live.births[index] as LiveExecution;
    if (born.events.length === 0) continue;
    runFamily(born, deps, budget);
    if (isEnded(born.execution.history)) endWithin(born, live, deps);
    runSlice(live, deps, budget);
  }
}

/** An execution has ended before the commit that creates it: what it tells its parent needs no message, and its slot is free. */
function endWithin(born: LiveExecution, parent: LiveExecution, { slots }: FamilyDeps): void {
  if (born.plan.flow.concurrency) slots.release(born.execution);
  const isTold = (message: Message) => isFor(message, parent);
  parent.events.push(...born.messages.filter(isTold).map(({ event }) => event));
  born.messages = born.messages.filter((message) => !isTold(message));
}

/** Older `outputs` of a Subflow task are rendered from the stored execution: its end is told once it is stored. */
function isFor({ targetId, event }: Message, { execution, plan }: LiveExecution): boolean {
  if (targetId !== execution.id || event.type !== "child_ended") return false;
  const taskRun = taskRunOf(execution, event.taskRun);
  const task = taskRun && plan.places.get(taskRun.taskId)?.task;
  return task?.properties.outputs === undefined;
}

/** Gives up executions that were never stored, and those that they would have created. */
export function forgetFamily(unborn: readonly LiveExecution[], slots: Slots): void {
  for (const member of unborn.flatMap((each) => each.family())) {
    member.isDropped = true; // A value that it still waits for must not bring it back.
    if (member.plan.flow.concurrency) slots.release(member.execution);
  }
}
