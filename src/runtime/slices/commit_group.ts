/**
 * Executions that share one commit: the leader, the executions that it creates, and the one that takes over its slot. Each
 * runs its first slice before the commit, so a Subflow without side effects needs no commit of its own, and a queue of such
 * executions takes one commit for many. A crash repeats only unacknowledged work.
 */
import { DomainError } from "../../model/errors.ts";
import { taskRunOf } from "../../model/executions/execution.ts";
import { isEnded } from "../../model/executions/state.ts";
import { handedOver } from "../children/child_outputs.ts";
import type { LiveExecution } from "../live/live_execution.ts";
import type { LiveExecutions } from "../live/live_executions.ts";
import type { Message } from "../live/messages.ts";
import { releaseDropped } from "./flowable_hooks.ts";
import { runSlice, type SliceDeps } from "./slice.ts";
import { SliceBudget } from "./slice_budget.ts";
import type { Slots } from "../live/slots.ts";

/** Slices, slots and the executions in memory. */
export interface CommitGroupDeps extends SliceDeps {
  readonly slots: Slots;
  readonly live: LiveExecutions;
}

/** Runs slices of an execution and of the members of its commit group until no event is left or the budget is used up. */
export function runCommitGroup(
  live: LiveExecution,
  deps: CommitGroupDeps,
  budget = new SliceBudget(deps.clock),
): void {
  runSlice(live, deps, budget);
  if (live.members.length === 0 && !live.plan.flow.concurrency) return;
  // The end of a member may make the leader create further ones.
  for (let index = 0; !budget.isUsed(); index++) {
    const member = live.members[index] ?? addSuccessor(live, deps);
    if (!member) return;
    if (member.events.length === 0 || member.isDropped) continue;
    runCommitGroup(member, deps, budget);
    if (member.isBeforeFirstCommit && isEnded(member.execution.history)) {
      settleEndedMember(member, live, deps);
    }
    runSlice(live, deps, budget);
  }
}

/** Adds the oldest queued execution to the group of an ended one: it takes over the slot. */
function addSuccessor(
  live: LiveExecution,
  { slots, live: executions }: CommitGroupDeps,
): LiveExecution | undefined {
  const { execution, plan: { flow: { concurrency } } } = live;
  if (!concurrency || live.hasNoSuccessor || !isEnded(execution.history)) return undefined;
  const next = slots.successor(execution, concurrency.limit);
  const successor = next === undefined ? undefined : executions.idle(execution.tenant, next);
  if (!successor) return undefined;
  slots.transfer(execution, successor.execution);
  successor.isDriven = true;
  successor.leader = live;
  successor.events.push({ type: "started" });
  live.members.push(successor);
  return successor;
}

/** Removes those that take over a slot from the commit group of an execution, for a smaller commit; false if there are none. */
export function detachSuccessors(
  live: LiveExecution,
  deps: Pick<CommitGroupDeps, "slots" | "live" | "work">,
): boolean {
  const successors = live.commitGroup().filter(({ leader }) => leader !== undefined);
  for (const successor of successors) {
    const { leader } = successor;
    if (!leader) continue; // Given up with its own leader.
    leader.members = leader.members.filter((member) => member !== successor);
    leader.hasNoSuccessor = true;
    giveUp(successor, deps);
  }
  return successors.length > 0;
}

/** A member that ended before its creating commit needs no message to its parent and no slot. */
function settleEndedMember(child: LiveExecution, parent: LiveExecution, { slots }: CommitGroupDeps): void {
  if (child.plan.flow.concurrency) slots.release(child.execution);
  const isForParent = (message: Message) => endsChildOf(parent, message);
  const ends = child.messages.filter(isForParent);
  parent.events.push(...ends.map(({ event }) => handedOver(event, { child, parent })));
  child.messages = child.messages.filter((message) => !isForParent(message));
}

/** Older `outputs` of a Subflow and `breakWhen` of a Loop are rendered from the stored child: its end must be a stored message. */
function endsChildOf({ execution, plan }: LiveExecution, { targetId, event }: Message): boolean {
  if (targetId !== execution.id || event.type !== "child_ended") return false;
  const taskRun = taskRunOf(execution, event.taskRun);
  const task = taskRun && plan.places.get(taskRun.taskId)?.task;
  return task?.properties.outputs === undefined && task?.properties.breakWhen === undefined;
}

/**
 * Discards the uncommitted changes of an execution. Executions that it would have created are discarded with it; a member
 * that has taken over its slot is queued again, as stored.
 */
export function giveUp(
  live: LiveExecution,
  deps: Pick<CommitGroupDeps, "slots" | "live" | "work">,
): void {
  for (const member of live.members.splice(0)) giveUp(member, deps);
  const { leader, isBeforeFirstCommit, execution, plan: { flow: { concurrency } } } = live;
  if (leader) deps.slots.undoTransfer(leader.execution, execution);
  else if (isBeforeFirstCommit && concurrency) deps.slots.release(execution);
  live.isDropped = true; // A pending promise must not bring it back.
  live.leader = undefined;
  live.events.length = 0;
  for (const files of live.files.splice(0)) void files.discard();
  live.refuse(new DomainError("unavailable", "Cannot change the execution: it is as it was stored last"));
  deps.live.unload(live);
  releaseDropped(live, deps);
}
