/** The next possible actions in a simulation. */
import { UNQUEUED_STATES } from "../../src/engine/events.ts";
import type { Event, TimerName } from "../../src/engine/events.ts";
import { replayExecution, restartAnew } from "../../src/engine/requests/replay.ts";
import { canRestart, isAtRest } from "../../src/engine/requests/restart.ts";
import { hasSettled, phaseOf } from "../../src/engine/tree.ts";
import { type Execution, type TaskRun, taskRunOf } from "../../src/model/executions/execution.ts";
import { currentState, isEnded, type State } from "../../src/model/executions/state.ts";
import type { Simulation } from "./simulation.ts";

/** Something that happens. */
export type Action = (simulation: Simulation) => void;

type Weighted = readonly [weight: number, action: Action];

/** All that may happen now; what goes on by itself comes first. */
export function actionsNow(simulation: Simulation): Weighted[] {
  return [
    ...progress(simulation),
    ...requests(simulation),
    ...(simulation.isCalm ? [] : disturbances(simulation)),
  ];
}

/** What happens without anybody. */
function progress(simulation: Simulation): Weighted[] {
  const { pending, attempts, execution, tree } = simulation;
  const actions: Weighted[] = [];
  if (pending.length > 0) actions.push([60, (at) => at.apply(at.pending.shift() as Event)]);
  if (pending.length > 1) actions.push([6, answerAny]);
  if (attempts.isWaiting) actions.push([40, (at) => at.save()]);
  // One that is to stop takes its time.
  if (attempts.isUnderWay) actions.push([hasSettled(tree) ? 2 : 25, (at) => at.endAttempt()]);
  if ([...tree.open].some(isWaitingForChild)) actions.push([12, endChild]);
  if (simulation.batches.waiting(tree).length > 0) actions.push([12, endBatch]);
  if (execution.timers.size > 0) actions.push([14, fireTimer]);
  if (currentState(execution.history) === "QUEUED") actions.push([10, (at) => at.apply({ type: "started" })]);
  return actions;
}

/** Requests without which the execution would wait for ever. */
function requests({ execution, tree, pending, successor }: Simulation): Weighted[] {
  const actions: Weighted[] = [];
  const state = currentState(execution.history);
  if (state === "PAUSED" || tree.count("paused") > 0) actions.push([6, resume]);
  if (state === "BREAKPOINT") actions.push([6, passBreakpoint]);
  if (successor && hasSettled(tree) && pending.length === 0) actions.push([50, goOnWithSuccessor]);
  return actions;
}

function disturbances(simulation: Simulation): Weighted[] {
  const { execution, tree, isLive } = simulation;
  const actions: Weighted[] = [
    [6, (at) => at.save()],
    [3, (at) => at.crash()],
    [2, (at) => void (at.now += at.choices.pick([3_600_000, -3_600_000]))],
  ];
  if (!isLive) actions.push([3, (at) => at.reload()]);
  if (hasSettled(tree)) return [...actions, ...requestsAtRest(simulation)];
  actions.push([2, (at) => at.apply({ type: "kill_asked" })]);
  // In most states it is refused, which must change nothing.
  actions.push([1, (at) => at.apply({ type: "pause_asked" })], [1, (at) => at.apply({ type: "run_forced" })]);
  if (currentState(execution.history) === "QUEUED") {
    actions.push([1, (at) => at.apply({ type: "unqueued", state: at.choices.pick(UNQUEUED_STATES) })]);
  }
  if (currentState(execution.history) === "PAUSED") actions.push(...requestsAtRest(simulation));
  return actions;
}

/** Requests on executions that have ended or are paused. */
function requestsAtRest(simulation: Simulation): Weighted[] {
  const { execution, plan } = simulation;
  const actions: Weighted[] = [];
  if (canRestart(plan, execution)) actions.push([8, restart]);
  if (failedOnes(simulation).length > 0) actions.push([2, setTaskState]);
  if (execution.taskRuns.length > 0 && isAtRest(execution)) actions.push([2, replay]);
  if (canRestart(plan, execution) && isAtRest(execution)) actions.push([1, restartInCopy]);
  if (!isEnded(execution.history)) return actions;
  actions.push([1, setState], [
    1,
    (at) => at.apply({ type: "labels_set", labels: [{ key: "a", value: "b" }] }),
  ]);
  return actions;
}

function answerAny(simulation: Simulation): void {
  const [event] = simulation.pending.splice(simulation.choices.below(simulation.pending.length), 1);
  simulation.apply(event as Event);
}

function isWaitingForChild({ decision, history }: TaskRun): boolean {
  return typeof decision?.executionId === "string" && currentState(history) === "RUNNING";
}

const CHILD_ENDS: readonly (readonly [number, State])[] = [
  [70, "SUCCESS"],
  [15, "FAILED"],
  [7, "WARNING"],
  [5, "KILLED"],
  [3, "CANCELLED"],
];

function endChild(simulation: Simulation): void {
  const { choices, tree, isCalm } = simulation;
  const { ordinal, decision } = choices.pick([...tree.open].filter(isWaitingForChild));
  const state = isCalm ? "SUCCESS" : choices.weighted(CHILD_ENDS);
  const executionId = String(decision?.executionId);
  simulation.apply({ type: "child_ended", taskRun: ordinal, executionId, state, outputs: { y: 1 } });
}

function endBatch(simulation: Simulation): void {
  const { choices, tree, isCalm, batches } = simulation;
  const { taskRun, executionId } = choices.pick(batches.waiting(tree));
  const isRepeated = batches.formerEndOf(executionId) !== undefined && choices.happens(10);
  const state = isRepeated ? "RETRIED" : isCalm ? "SUCCESS" : choices.weighted(CHILD_ENDS);
  const replaces = batches.tell(executionId, state);
  const breaks = !isRepeated && simulation.plan.bodies.has(taskRun.taskId) && choices.happens(15);
  simulation.apply({ type: "child_ended", taskRun: taskRun.ordinal, executionId, state, replaces, breaks });
}

function fireTimer(simulation: Simulation): void {
  const timer = nextTimer(simulation.execution);
  if (!timer) return;
  simulation.now = Math.max(simulation.now, timer.dueAt);
  simulation.apply(
    timer.name === "start" ? simulation.slotAnswer() : { type: "timer_due", timer: timer.name },
  );
}

function resume(simulation: Simulation): void {
  const { tree, choices, execution: { isHeld } } = simulation;
  const paused = [...tree.open].filter(({ history }) => currentState(history) === "PAUSED");
  const taskRun = paused.length > 0 && (!isHeld || choices.happens(40))
    ? choices.pick(paused).ordinal
    : undefined;
  simulation.apply({ type: "resumed", taskRun, inputs: choices.happens(30) ? { a: 1 } : undefined });
}

function passBreakpoint(simulation: Simulation): void {
  const next = simulation.choices.happens(20)
    ? [simulation.choices.pick([...simulation.plan.places.keys()])]
    : undefined;
  simulation.apply({ type: "breakpoint_passed", breakpoints: simulation.isCalm ? [] : next });
}

function restart(simulation: Simulation): void {
  simulation.markChanged();
  simulation.apply({ type: "restarted" });
}

function setState(simulation: Simulation): void {
  simulation.markChanged();
  simulation.apply({ type: "state_set", state: simulation.choices.pick(["SUCCESS", "FAILED", "WARNING"]) });
}

function setTaskState(simulation: Simulation): void {
  simulation.markChanged();
  const { ordinal } = simulation.choices.pick(failedOnes(simulation));
  const state = simulation.choices.pick(["SUCCESS", "FAILED", "WARNING"] as const);
  simulation.apply({ type: "task_state_set", taskRun: ordinal, state });
}

/** Task runs of `tasks` that failed, were stopped or are paused. */
function failedOnes({ execution, plan }: Simulation): TaskRun[] {
  const isInTasks = (taskRun: TaskRun): boolean => {
    const place = plan.places.get(taskRun.taskId);
    const parent = taskRun.parent === undefined ? undefined : taskRunOf(execution, taskRun.parent);
    return place !== undefined && phaseOf(place) === "tasks" && (!parent || isInTasks(parent));
  };
  return execution.taskRuns.filter((taskRun) =>
    FAILED.has(currentState(taskRun.history)) && isInTasks(taskRun)
  );
}

const FAILED: ReadonlySet<State> = new Set(["FAILED", "PAUSED", "KILLED", "CANCELLED"]);

function replay(simulation: Simulation): void {
  const { choices, execution, plan, now } = simulation;
  const taskRun = choices.happens(20) ? undefined : choices.pick(execution.taskRuns).ordinal;
  simulation.replaceBy(replayExecution(plan, execution, { id: simulation.nextId(), now, taskRun }));
}

function restartInCopy(simulation: Simulation): void {
  const { execution, plan, now } = simulation;
  simulation.replaceBy(restartAnew(plan, execution, { id: simulation.nextId(), now }));
}

function goOnWithSuccessor(simulation: Simulation): void {
  if (simulation.successor) simulation.replaceBy(simulation.successor);
}

/** The name of a timer that is due first, and when. */
function nextTimer(
  { timers }: Execution,
): { readonly name: TimerName; readonly dueAt: number } | undefined {
  const [first] = [...timers].sort((a, b) => a[1] - b[1]);
  return first && { name: first[0] as TimerName, dueAt: first[1] };
}
