/**
 * A slice: events are applied and pure tasks run in memory until nothing more can happen without a commit or a budget
 * is used up. A crash repeats at most a slice that nobody has seen.
 */
import { assertNever } from "../base/assert_never.ts";
import type { Instant } from "../base/clock.ts";
import { sizeOf } from "../base/json_size.ts";
import type { Command, Event } from "../engine/events.ts";
import { step } from "../engine/step.ts";
import { type TaskRun, taskRunOf } from "../model/execution.ts";
import { currentState } from "../model/state.ts";
import { SLICE_MAX_BYTES, SLICE_MAX_MS, SLICE_MAX_TASK_RUNS } from "../model/limits.ts";
import type { TaskCatalog } from "../model/task_catalog.ts";
import { type AttemptDeps, failure, runAttempt } from "./attempt.ts";
import type { AttemptCommand, LiveExecution } from "./live_execution.ts";
import { renderAssertions, renderCondition, renderDecision, renderOutputs } from "./renders.ts";
import { type ChildStart, type CreateChild, startChild } from "./subflow.ts";

/** What slices need. */
export interface SliceDeps extends AttemptDeps {
  readonly catalog: TaskCatalog;
  /** Called when an event was added outside a slice. */
  readonly wake: (live: LiveExecution) => void;
  /** Makes executions of other flows. */
  readonly createChild: CreateChild;
  /** Makes the execution that takes the place of one that is tried again; it starts then. */
  readonly startOver: (live: LiveExecution, at: Instant) => void;
}

/** A slice under way. */
interface Slice extends SliceDeps {
  readonly isOver: () => boolean;
}

const NEVER_ABORTED = new AbortController();

/** Applies events until none is left or the budget of a slice is used up. */
export function runSlice(live: LiveExecution, deps: SliceDeps): void {
  const startedMs = deps.clock.monotonicMs();
  const isOver = () => isBudgetUsed(live, deps.clock.monotonicMs() - startedMs);
  const slice: Slice = { ...deps, isOver };
  for (let event = live.events.shift(); event; event = live.events.shift()) {
    applyEvent(live, event, slice);
    if (live.events.length > 0 && isOver()) return;
  }
}

function isBudgetUsed({ execution }: LiveExecution, elapsedMs: number): boolean {
  if (execution.touched.size >= SLICE_MAX_TASK_RUNS || elapsedMs >= SLICE_MAX_MS) return true;
  if (execution.touched.size % 10 !== 0) return false;
  let bytes = 0;
  for (const line of execution.newLogs) bytes += line.message.length;
  for (const ordinal of execution.touched) {
    bytes += sizeOf(taskRunOf(execution, ordinal)?.outputs ?? null, SLICE_MAX_BYTES);
  }
  return bytes >= SLICE_MAX_BYTES;
}

function applyEvent(live: LiveExecution, event: Event, deps: Slice): void {
  live.isDirty = true;
  if (event.type === "timer_due") endTimer(live, event.timer);
  if (event.type === "started" || event.type === "refused_slot") endTimer(live, "start");
  const commands = step(live.tree, event, deps.clock.now());
  if (live.receipts) settleReceipt(live, event);
  for (const command of commands) perform(live, command, deps);
}

/** What came with an event takes effect with it. */
function settleReceipt(live: LiveExecution, event: Event): void {
  const receipt = live.receipts?.get(event);
  if (!receipt) return;
  live.receipts?.delete(event);
  receipt.onApplied?.(live.execution);
  if (receipt.key) live.receivedKeys.push(receipt.key);
  // Nobody wants the execution any more when its task run was killed meanwhile.
  const taskRun = event.type === "child_started" ? taskRunOf(live.execution, event.taskRun) : undefined;
  if (receipt.birth && taskRun?.decision?.executionId === receipt.birth.execution.id) {
    live.births.push(receipt.birth);
  }
}

function perform(live: LiveExecution, command: Command, deps: Slice): void {
  switch (command.type) {
    case "run_attempt":
      return runOrDefer(live, command, deps);
    case "continue":
      return void live.events.push({ type: "continued", frame: command.frame });
    case "render_condition":
      return settle(live, deps, renderCondition(live, command));
    case "render_decision":
      return settle(live, deps, renderDecision(live, command));
    case "render_assertions":
      return settle(live, deps, renderAssertions(live));
    case "render_outputs":
      return settle(live, deps, renderOutputs(live));
    case "set_timer":
      live.execution.timers.set(command.timer, command.dueAt);
      live.timerChanges.push({ type: "set", name: command.timer, dueAt: command.dueAt });
      return;
    case "cancel_timer":
      return endTimer(live, command.timer);
    case "interrupt_attempt":
      return interrupt(live, command.taskRun);
    default:
      return performElsewhere(live, command, deps);
  }
}

type OtherCommand = Extract<Command, { type: "start_child" | "kill_child" | "start_over" | "announce_end" }>;

/** What concerns other executions. */
function performElsewhere(live: LiveExecution, command: OtherCommand, deps: Slice): void {
  switch (command.type) {
    case "start_child":
      return beginChild(live, command, deps);
    case "kill_child":
      return void live.messages.push({
        targetId: command.executionId,
        name: "kill",
        event: { type: "kill_asked" },
      });
    case "start_over":
      return deps.startOver(live, command.at);
    case "announce_end":
      return announceEnd(live);
    default:
      return assertNever(command);
  }
}

function beginChild(
  live: LiveExecution,
  command: Extract<Command, { type: "start_child" }>,
  deps: Slice,
): void {
  const taskRun = taskRunOf(live.execution, command.taskRun) as TaskRun;
  const type = deps.catalog.find(command.task.kind);
  if (!type) return settle(live, deps, failure(live, command.taskRun, `Invalid type: ${command.task.type}`));
  live.awaiting++;
  void startChild(live, command, { type, create: deps.createChild, taskRun })
    .catch((error): ChildStart => ({ event: failure(live, command.taskRun, error) }))
    .then(({ event, receipt }) => {
      live.awaiting--;
      if (receipt) (live.receipts ??= new Map()).set(event, receipt);
      live.events.push(event);
      deps.wake(live);
    });
}

/** Whoever waits for the end is told of it. */
function announceEnd({ execution, messages }: LiveExecution): void {
  const { awaitedBy, id: executionId, attemptNumber } = execution;
  const state = currentState(execution.history);
  if (!awaitedBy || state === "RETRIED") return; // The execution that takes its place tells.
  messages.push({
    targetId: awaitedBy.executionId,
    name: `end/${attemptNumber}`,
    event: {
      type: "child_ended",
      taskRun: awaitedBy.taskRun,
      executionId,
      state,
      outputs: execution.outputs,
    },
  });
}

function endTimer(live: LiveExecution, name: string): void {
  const dueAt = live.execution.timers.get(name);
  if (dueAt === undefined) return;
  live.execution.timers.delete(name);
  live.timerChanges.push({ type: "delete", name: name as "start", dueAt });
}

/** An attempt that is not under way has nothing to report: it ends at once. */
function interrupt(live: LiveExecution, taskRun: number): void {
  const controller = live.running?.get(taskRun);
  if (controller) return controller.abort();
  live.deferred = live.deferred.filter((command) => command.taskRun !== taskRun);
  live.events.push({ type: "attempt_ended", taskRun, outcome: { state: "KILLED" } });
}

/** Adds the event, now or when it is known. */
function settle(live: LiveExecution, deps: SliceDeps, event: Event | Promise<Event>): void {
  if (!(event instanceof Promise)) return void live.events.push(event);
  live.awaiting++;
  void event.then((known) => {
    live.awaiting--;
    live.events.push(known);
    deps.wake(live);
  });
}

/** Log lines must not become durable without the end of their attempt: once the slice is over, a pure task waits for the next. */
function runOrDefer(live: LiveExecution, command: AttemptCommand, deps: Slice): void {
  const type = deps.catalog.find(command.task.kind);
  const isPure = type?.form !== "runnable" || type.pure && !live.renderer.hasEffect(command.task);
  if (!isPure || type?.form === "runnable" && deps.isOver()) return void live.deferred.push(command);
  settle(live, deps, runAttempt(live, command, { ...deps, type, controller: NEVER_ABORTED }));
}
