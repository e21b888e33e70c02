/**
 * A slice: applies events and runs pure tasks in memory until only a commit can make progress or the budget is used up. Each
 * event goes to the engine; the commands that it returns are performed here, in order. A command whose result needs no data
 * from outside adds its event synchronously, so it belongs to the same slice and needs no commit of its own. A task with
 * side effects is deferred until the slice is durable. A crash repeats only unacknowledged work.
 */
import { assertNever } from "../../base/assert_never.ts";
import { childNumbersOf } from "../../engine/children/children.ts";
import type { Command, Event, Refusal } from "../../engine/events.ts";
import { isOfFormerAttempt, step } from "../../engine/step.ts";
import { isDatabaseFault } from "../../model/errors.ts";
import { type TaskRun, taskRunOf } from "../../model/executions/execution.ts";
import { ITEM_PARTS } from "../../model/executions/for_each_item.ts";
import { LOOP } from "../../model/executions/loop_run.ts";
import { currentState, isEnded } from "../../model/executions/state.ts";
import type { TaskCatalog, TaskType } from "../../model/tasks/task_catalog.ts";
import type { Admission } from "../live/admission.ts";
import { decideOrRunHooks, releaseEnded } from "./flowable_hooks.ts";
import { type AttemptDeps, failure, runAttempt } from "../attempts/attempt.ts";
import { endReport } from "../children/end_report.ts";
import { startItems } from "../children/item_executions.ts";
import type { AttemptCommand, LiveExecution } from "../live/live_execution.ts";
import type { ManyRestarts } from "../children/many_restarts.ts";
import type { LoopPasses } from "../loops/loop_passes.ts";
import { restartMessage, restartOrStart } from "../children/child_restart.ts";
import type { BackgroundWork } from "../live/background_work.ts";
import type { LiveFactory } from "../live/live_factory.ts";
import type { Message } from "../live/messages.ts";
import { repeated } from "../live/repeated_work.ts";
import { renderAssertions, renderCondition, renderFixture, renderOutputs } from "./command_rendering.ts";
import type { SliceBudget } from "./slice_budget.ts";
import type { TaskConditions } from "../attempts/task_conditions.ts";
import { type ChildStart, type CreateChild, type StartChild, startChild } from "../children/subflow.ts";

/** Parts of the executor that slices use. */
export interface SliceDeps extends AttemptDeps {
  readonly catalog: TaskCatalog;
  readonly conditions: Pick<TaskConditions, "hold">;
  /** Schedules a slice; called after an event was added outside a slice. */
  readonly wake: (live: LiveExecution) => void;
  readonly work: BackgroundWork;
  /** Creates executions of other flows. */
  readonly createChild: CreateChild;
  /** Registers new executions; the next commit of their parent creates them. */
  readonly factory: LiveFactory;
  readonly loops: LoopPasses;
  readonly restarts: ManyRestarts;
  readonly admission: Pick<Admission, "startEvent" | "startOver" | "forceSlot">;
}

/** An event that was applied or refused; `startedBefore`: number of executions that its task run had started. */
interface AppliedEvent {
  readonly event: Event;
  readonly refusal?: Refusal;
  readonly startedBefore: number;
}

interface Slice extends SliceDeps {
  readonly isOver: () => boolean;
}

const NEVER_ABORTED = new AbortController();

/** Applies the events of an execution until none is left or the budget is used up. */
export function runSlice(live: LiveExecution, deps: SliceDeps, budget: SliceBudget): void {
  if (live.events.length === 0) return;
  budget.add(live);
  const isOver = () => budget.isUsed();
  const slice: Slice = { ...deps, isOver };
  for (let event = live.events.shift(); event; event = live.events.shift()) {
    applyEvent(live, event, slice);
    if (live.events.length > 0 && isOver()) return;
  }
}

function applyEvent(live: LiveExecution, event: Event, deps: Slice): void {
  if (event.type === "timer_due") endTimer(live, event.timer);
  if (event.type === "started" || event.type === "refused_slot") endTimer(live, "start");
  takeFiles(live, event, deps);
  const startedBefore = numbersOf(live, event)?.started ?? 0;
  const transition = step(live.tree, event, deps.clock.now());
  const { commands, refusal } = transition;
  if (!refusal) live.isDirty = true;
  if (live.receipts) settleReceipt(live, { event, startedBefore, refusal }, deps);
  if (live.resources) releaseEnded(live, deps.work);
  for (const command of commands) perform(live, command, deps);
  // At the end of a slice only: a lookup at each step shows in flows of many tasks.
  if (live.events.length === 0) deps.shapes.keep("transition", transition, live.plan);
}

/** Discards the files of an attempt whose end is ignored. */
export function discardFiles(event: Event): void {
  if (event.type === "attempt_ended") void event.outcome.files?.discard();
}

/** Adds the files of an event to the next commit, or discards them if the task run has ended or a new attempt has started. */
function takeFiles(live: LiveExecution, event: Event, deps: SliceDeps): void {
  if (
    event.type !== "attempt_ended" && event.type !== "decision_rendered" && event.type !== "children_started"
  ) {
    return;
  }
  const files = event.type === "attempt_ended" ? event.outcome.files : event.files;
  if (!files) return;
  const taskRun = taskRunOf(live.execution, event.taskRun);
  const state = taskRun && currentState(taskRun.history);
  const isWanted = !isOfFormerAttempt(live.execution, event) && (state === "RUNNING" || state === "KILLING");
  if (isWanted) live.files.push(files);
  else deps.work.track(files.discard());
}

/** Applies what was sent together with an event. */
function settleReceipt(live: LiveExecution, applied: AppliedEvent, { factory }: SliceDeps): void {
  const { event, refusal } = applied;
  const receipt = live.receipts?.get(event);
  if (!receipt) return;
  live.receipts?.delete(event);
  if (receipt.key) {
    live.receivedKeys.push(receipt.key);
    live.isDirty = true; // The message is deleted even if it came too late.
  }
  receipt.onSettled?.(live.execution, refusal);
  if (refusal) return;
  if (receipt.mutations) live.extras.push(...receipt.mutations);
  if (receipt.newExecutions && isWanted(live, applied)) {
    live.members.push(...receipt.newExecutions.map((created) => factory.register(created, live)));
  }
}

/** False if the task run that asked for new executions was killed meanwhile. */
function isWanted(live: LiveExecution, { event, startedBefore }: AppliedEvent): boolean {
  if (event.type === "child_started") {
    return taskRunOf(live.execution, event.taskRun)?.decision?.executionId === event.executionId;
  }
  if (event.type !== "children_started") return true;
  const numbers = numbersOf(live, event);
  return numbers !== undefined && numbers.attempt === event.attempt && startedBefore === event.from &&
    numbers.started === event.from + event.count;
}

/** The child numbers of the task run of a `children_started` event. */
function numbersOf({ execution }: LiveExecution, event: Event) {
  if (event.type !== "children_started") return undefined;
  const taskRun = taskRunOf(execution, event.taskRun);
  return taskRun && childNumbersOf(taskRun);
}

function perform(live: LiveExecution, command: Command, deps: Slice): void {
  switch (command.type) {
    case "run_attempt":
      return runOrDefer(live, command, deps);
    case "continue":
      return void live.events.push({ type: "continued", frame: command.frame });
    case "continue_stop":
      return void live.events.push({ ...command, type: "stop_continued" });
    case "render_condition":
      return settleRender(live, deps, () => renderCondition(live, command, deps.conditions));
    case "render_decision":
      return settleRender(live, deps, () => decideOrRunHooks(live, command, deps));
    case "render_assertions":
      return settleRender(live, deps, () => renderAssertions(live, command));
    case "render_outputs":
      return settleRender(live, deps, () => renderOutputs(live));
    case "render_fixture":
      return settleRender(live, deps, () => renderFixture(live, command));
    case "set_timer":
      live.execution.timers.set(command.timer, command.dueAt);
      live.timerChanges.push({ type: "set", name: command.timer, dueAt: command.dueAt });
      return;
    case "cancel_timer":
      return endTimer(live, command.timer);
    case "interrupt_attempt":
      return interrupt(live, command.taskRun);
    default:
      return performOnOthers(live, command, deps);
  }
}

type OtherCommand = Extract<
  Command,
  {
    type:
      | "start_child"
      | "restart_child"
      | "collect_outputs"
      | "kill_child"
      | "kill_children"
      | "kill_orphans"
      | "ask_slot"
      | "force_slot"
      | "start_over"
      | "announce_end";
  }
>;

/** Commands that concern other executions or slots. */
function performOnOthers(live: LiveExecution, command: OtherCommand, deps: Slice): void {
  switch (command.type) {
    case "start_child":
      return beginChild(live, command, deps);
    case "restart_child":
      return void live.messages.push(restartMessage(live, command));
    case "collect_outputs":
      return settle(live, deps, collectOutputs(live, command, deps));
    case "kill_child":
      return void live.messages.push({
        targetId: command.executionId,
        name: "kill",
        event: { type: "kill_asked" },
      });
    case "kill_children":
      return void live.messages.push(killOfMany(live, command));
    case "kill_orphans":
      return void live.messages.push(killOfOrphans(live, command));
    case "ask_slot":
      return void live.events.push(deps.admission.startEvent(live));
    case "force_slot":
      return deps.admission.forceSlot(live);
    case "start_over":
      return void live.members.push(deps.factory.register(deps.admission.startOver(live, command.at), live));
    case "announce_end":
      return announceEnd(live);
    default:
      return assertNever(command);
  }
}

function beginChild(
  live: LiveExecution,
  command: StartChild,
  deps: Slice,
): void {
  const taskRun = taskRunOf(live.execution, command.taskRun) as TaskRun;
  const type = deps.catalog.find(command.task.kind);
  if (!type) return settle(live, deps, failure(live, command.taskRun, `Invalid type: ${command.task.type}`));
  const attempt = taskRun.attempts.length;
  const failed = (error: unknown): ChildStart => ({ event: failure(live, command.taskRun, error) });
  const begun = ({ event: given, receipt }: ChildStart) => {
    const isOfAttempt = given.type === "attempt_ended" || given.type === "child_started";
    const event = isOfAttempt ? { ...given, attempt } : given;
    if (receipt) (live.receipts ??= new Map()).set(event, receipt);
    return event;
  };
  const start = () => startAny(live, command, { ...deps, type, taskRun }, failed);
  const isOver = () => isEnded(taskRun.history) || taskRun.attempts.length !== attempt;
  const started = repeated(start, { live, deps, isOver });
  settle(live, deps, started instanceof Promise ? started.catch(failed).then(begun) : begun(started));
}

function collectOutputs(
  live: LiveExecution,
  command: Extract<Command, { type: "collect_outputs" }>,
  deps: Slice,
): Event | Promise<Event> {
  const { taskRun: ordinal, attempt } = command;
  const { history } = taskRunOf(live.execution, ordinal) as TaskRun;
  const collect = () => deps.loops.collect(live, command);
  const collected = repeated(collect, { live, deps, isOver: () => isEnded(history) });
  const failed = (error: unknown) => ({ ...failure(live, ordinal, error), attempt });
  return collected instanceof Promise ? collected.catch(failed) : collected;
}

function startAny(
  live: LiveExecution,
  command: StartChild,
  { clock, ports: { storage }, createChild: create, factory, type, taskRun, loops, restarts }: SliceDeps & {
    readonly type: TaskType;
    readonly taskRun: TaskRun;
  },
  failed: (error: unknown) => ChildStart,
): ChildStart | Promise<ChildStart> {
  try {
    if (command.task.kind === LOOP) return loops.start(live, command, taskRun);
    if (command.task.kind === ITEM_PARTS.items) {
      return startItems(live, command, { create, storage, clock, restarts, taskRun });
    }
    const start = () => startChild(live, command, { type, create, taskRun });
    return command.restarts === undefined ? start() : restartOrStart(live, command, { factory, start });
  } catch (error) {
    return failed(error);
  }
}

/** There may be more children than one commit can kill: the execution sends itself a message to continue. */
function killOfMany(
  { execution: { id: targetId } }: LiveExecution,
  { taskRun, from, children }: Extract<Command, { type: "kill_children" }>,
): Message {
  const event: Event = { type: "children_kill_asked", taskRun, from, children };
  return { targetId, name: `kill/${taskRun}/${from}`, event };
}

/** As {@link killOfMany}, of the children of many task runs. */
function killOfOrphans(
  { execution: { id: targetId } }: LiveExecution,
  { at, from }: Extract<Command, { type: "kill_orphans" }>,
): Message {
  return { targetId, name: `kills/${at}/${from}`, event: { type: "orphans_kill_asked", at, from } };
}

/** Sends the end of an execution to the parent that awaits it. */
export function announceEnd(
  { execution, messages, form }:
    & Pick<LiveExecution, "execution" | "messages">
    & Partial<Pick<LiveExecution, "form">>,
): void {
  const { awaitedBy, originalId: executionId, attemptNumber, history } = execution;
  const state = currentState(execution.history);
  const replaces = history.slice(0, -1).findLast((entry) => isEnded([entry]))?.state;
  // The successor of a retried execution announces the end, unless this one announced an end before: that is replaced.
  if (!awaitedBy || state === "RETRIED" && replaces === undefined) return;
  messages.push({
    targetId: awaitedBy.executionId,
    name: `end/${attemptNumber}`,
    event: {
      type: "child_ended",
      taskRun: awaitedBy.taskRun,
      executionId,
      state,
      outputs: execution.loop ? undefined : execution.outputs,
      replaces,
      report: endReport(execution, form?.inlineLogs),
    },
  });
}

function endTimer(live: LiveExecution, name: string): void {
  const dueAt = live.execution.timers.get(name);
  if (dueAt === undefined) return;
  live.execution.timers.delete(name);
  live.timerChanges.push({ type: "delete", name: name as "start", dueAt });
}

/** Interrupts a running attempt; one that has not started ends at once. */
function interrupt(live: LiveExecution, taskRun: number): void {
  const controller = live.running?.get(taskRun);
  controller?.abort();
  const waiting = live.deferred.filter((command) => command.taskRun !== taskRun);
  const wasWaiting = waiting.length < live.deferred.length;
  live.deferred = waiting;
  if (controller && !wasWaiting) return;
  const attempt = taskRunOf(live.execution, taskRun)?.attempts.length;
  live.events.push({ type: "attempt_ended", taskRun, attempt, outcome: { state: "KILLED" } });
}

/** A fault of the database delays the event. */
function settleRender(live: LiveExecution, deps: SliceDeps, render: () => Event | Promise<Event>): void {
  settle(live, deps, repeated(render, { live, deps }));
}

/** Adds the event, now or once it is known. */
function settle(live: LiveExecution, deps: SliceDeps, event: Event | Promise<Event>): void {
  if (!(event instanceof Promise)) return void live.events.push(event);
  live.awaiting++;
  const add = (known?: Event) => {
    live.awaiting--;
    if (known) live.events.push(known);
    deps.wake(live);
  };
  void event.then(add, (error) => {
    add();
    if (!isDatabaseFault(error)) throw error; // Else the server stops, or the execution was dropped.
  });
}

/** Starts the attempt after the commit; the end of an abandoned earlier attempt is ignored from now on. */
function defer(live: LiveExecution, command: AttemptCommand): void {
  live.running?.delete(command.taskRun);
  live.deferred.push(command);
}

/** Log lines must not become durable without the end of their attempt: if the budget is used up, a pure task is deferred. */
function runOrDefer(live: LiveExecution, command: AttemptCommand, deps: Slice): void {
  const type = deps.catalog.find(command.task.kind);
  const isPure = type?.form !== "runnable" || type.pure && !live.renderer.hasEffect(command.task);
  if (!isPure || type?.form === "runnable" && deps.isOver()) return defer(live, command);
  settle(live, deps, runAttempt(live, command, { ...deps, type, controller: NEVER_ABORTED }));
}
