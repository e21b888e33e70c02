/**
 * Executions that take part in one commit: those that an execution creates, and those that take the slot that it leaves.
 * Each runs its first slice before the commit, so a Subflow that does nothing outside costs its parent no commit of its
 * own, and a queue of such executions moves on many at a time. What a crash repeats nobody has seen.
 */
import { DomainError } from "../../model/errors.ts";
import { taskRunOf } from "../../model/executions/execution.ts";
import { isEnded } from "../../model/executions/state.ts";
import type { LiveExecution } from "../live/live_execution.ts";
import type { Message } from "../live/messages.ts";
import { runSlice, type SliceDeps } from "./slice.ts";
import { SliceBudget } from "./slice_budget.ts";
import type { Slots } from "../live/slots.ts";

/** What it needs. */
export interface CommitGroupDeps extends SliceDeps {
  readonly slots: Slots;
  /** One in memory with which nothing is under way; `undefined` when there is no such. */
  readonly idle: (tenant: string, id: string) => LiveExecution | undefined;
  /** Whoever wants it next reads it. */
  readonly forget: (live: LiveExecution) => void;
}

/** Runs slices of an execution and of those that join its next commit, until nothing more can happen or a budget is used up. */
export function runCommitGroup(
  live: LiveExecution,
  deps: CommitGroupDeps,
  budget = new SliceBudget(deps.clock),
): void {
  runSlice(live, deps, budget);
  // What a child tells may make the execution ask for further ones.
  for (let index = 0; !budget.isUsed(); index++) {
    const member = live.members[index] ?? joinSuccessor(live, deps);
    if (!member) return;
    if (member.events.length === 0 || member.isDropped) continue;
    runCommitGroup(member, deps, budget);
    if (member.isBeforeFirstCommit && isEnded(member.execution.history)) endWithin(member, live, deps);
    runSlice(live, deps, budget);
  }
}

/** The one that waits longest for the slot of an execution that has ended. */
function joinSuccessor(live: LiveExecution, { slots, idle }: CommitGroupDeps): LiveExecution | undefined {
  const { execution, plan: { flow: { concurrency } } } = live;
  if (!concurrency || !isEnded(execution.history)) return undefined;
  const next = slots.successor(execution, concurrency.limit);
  const successor = next === undefined ? undefined : idle(execution.tenant, next);
  if (!successor) return undefined;
  slots.handOn(execution, successor.execution);
  successor.isDriven = true;
  successor.leader = live;
  successor.events.push({ type: "started" });
  live.members.push(successor);
  return successor;
}

/** An execution has ended before the commit that creates it: what it tells its parent needs no message, and its slot is free. */
function endWithin(child: LiveExecution, parent: LiveExecution, { slots }: CommitGroupDeps): void {
  if (child.plan.flow.concurrency) slots.release(child.execution);
  const isTold = (message: Message) => isFor(message, parent);
  parent.events.push(...child.messages.filter(isTold).map(({ event }) => event));
  child.messages = child.messages.filter((message) => !isTold(message));
}

/** Older `outputs` of a Subflow and `breakWhen` of a Loop are rendered from the stored execution: its end is told once it is stored. */
function isFor({ targetId, event }: Message, { execution, plan }: LiveExecution): boolean {
  if (targetId !== execution.id || event.type !== "child_ended") return false;
  const taskRun = taskRunOf(execution, event.taskRun);
  const task = taskRun && plan.places.get(taskRun.taskId)?.task;
  return task?.properties.outputs === undefined && task?.properties.breakWhen === undefined;
}

/**
 * Nothing that an execution has done since its last commit is written. Those that it would have created are given up
 * with it; those that have taken its slot are as stored again, and wait for their turn.
 */
export function giveUp(live: LiveExecution, deps: Pick<CommitGroupDeps, "slots" | "forget">): void {
  for (const member of live.members.splice(0)) giveUp(member, deps);
  const { leader, isBeforeFirstCommit, execution, plan: { flow: { concurrency } } } = live;
  if (leader) deps.slots.takeBack(leader.execution, execution);
  else if (isBeforeFirstCommit && concurrency) deps.slots.release(execution);
  live.isDropped = true; // A value that it still waits for must not bring it back.
  live.leader = undefined;
  live.events.length = 0;
  for (const files of live.files.splice(0)) void files.discard();
  live.refuse(new DomainError("unavailable", "Cannot change the execution: it is as it was stored last"));
  deps.forget(live);
}
