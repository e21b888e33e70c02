/**
 * Simulates one execution: responds to the commands of the engine in any order and disturbs it by kills, holds, pauses,
 * restarts, crashes and jumps of the clock. Everything follows from the choices.
 */
import { hasOpenAttempt } from "../../src/engine/attempts.ts";
import { createExecution } from "../../src/engine/create.ts";
import type { Command, Event } from "../../src/engine/events.ts";
import type { FlowPlan } from "../../src/engine/plan.ts";
import { hasWork } from "../../src/engine/recover.ts";
import { replayExecution } from "../../src/engine/requests/replay.ts";
import { step } from "../../src/engine/step.ts";
import { ExecutionTree, hasSettled } from "../../src/engine/tree.ts";
import { type Execution, taskRunOf } from "../../src/model/executions/execution.ts";
import { FIXTURE_STATES, type Fixtures } from "../../src/model/executions/fixtures.ts";
import { MAX_CRASHES_OF_EXECUTION } from "../../src/model/limits.ts";
import { currentState, isEnded } from "../../src/model/executions/state.ts";
import { type Action, actionsNow } from "./actions.ts";
import { type Attempt, Attempts } from "./attempts.ts";
import { outcomeOf } from "./responses.ts";
import { Batches } from "./batches.ts";
import type { Choices } from "./choices.ts";
import { answerTo } from "./commands.ts";
import { type Around, findViolation } from "./invariants.ts";
import { readExecution, storeExecution } from "./stored_form.ts";

/** Thrown when an invariant does not hold. */
export class Violation extends Error {
  override readonly name = "Violation";
}

/** Steps after which nothing disturbs the execution any more, and all goes well. */
const MAX_DISTURBED_STEPS = 120;
/** It has not ended by then: it never does. */
const MAX_STEPS = 3_000;
const START = Date.UTC(2026, 0, 1);

interface Snapshot {
  readonly bytes: Uint8Array;
  readonly isLive: boolean;
  readonly announced: number;
  readonly batches: Batches;
  readonly isChanged: boolean;
}

/** A further invariant: what does not hold. */
export type Invariant = (simulation: Simulation) => string | undefined;

/** The simulated environment of one execution. */
export class Simulation {
  readonly choices: Choices;
  readonly plan: FlowPlan;
  /** What happened, a line each. */
  readonly trace: string[] = [];
  tree: ExecutionTree;
  now = START;
  /** Pending responses, the oldest first. */
  readonly pending: Event[] = [];
  readonly attempts = new Attempts();
  /** Executions of ForEachItem tasks. */
  batches = new Batches();
  /** An execution that takes the place of this one. */
  #successor: Execution | undefined;
  #snapshot: Snapshot;
  #announced = 0;
  #steps = 0;
  #ids = 0;
  #isChanged = false;
  readonly #invariant: Invariant;

  constructor(plan: FlowPlan, choices: Choices, invariant: Invariant = () => undefined) {
    this.choices = choices;
    this.plan = plan;
    this.#invariant = invariant;
    const created = createExecution(this.plan.flow, { id: "e0", labels: [], kind: "NORMAL" }, this.now);
    const execution = choices.happens(10) ? { ...created, fixtures: this.#fixtures() } : created;
    if (choices.happens(10)) execution.breakpoints = [choices.pick([...this.plan.places.keys()])];
    this.tree = new ExecutionTree(this.plan, execution);
    if (choices.happens(10)) execution.timers.set("start", this.now + 1_000);
    else this.pending.push(this.slotAnswer());
    this.#snapshot = this.#snapshotNow();
  }

  #fixtures(): Fixtures {
    const { choices } = this;
    const ids = new Set([0, 1, 2].map(() => choices.pick([...this.plan.places.keys()])));
    return { tasks: [...ids].map((id) => ({ id, state: choices.pick(FIXTURE_STATES) })) };
  }

  /** The execution. */
  get execution(): Execution {
    return this.tree.execution;
  }

  /** Nothing disturbs it any more. */
  get isCalm(): boolean {
    return this.#steps > MAX_DISTURBED_STEPS;
  }

  /** Something is under way that the server must see through. */
  get isLive(): boolean {
    return this.pending.length > 0 || this.attempts.isLive;
  }

  /** Runs to the end. @throws Violation an invariant does not hold */
  run(): void {
    while (!this.#isOver()) {
      const action = this.#pick();
      if (++this.#steps > MAX_STEPS) throw new Violation("It never ends");
      if (!action) throw new Violation(`Stuck ${currentState(this.execution.history)}`);
      action(this);
    }
    this.#checkEnd();
  }

  /** The engine takes in an event. */
  apply(event: Event): void {
    this.now += this.choices.pick([1, 0, 30]);
    const { execution } = this;
    if (event.type === "attempt_ended" && event.outcome.effects?.exit) this.markChanged();
    if (event.type === "timer_due") execution.timers.delete(event.timer);
    if (event.type === "started" || event.type === "refused_slot") execution.timers.delete("start");
    const wasEnded = isEnded(execution.history);
    const isLetGo = event.type === "breakpoint_passed" || event.type === "resumed" ||
      event.type === "run_forced" || event.type === "unqueued";
    const wasHeld = execution.isHeld === true && !isLetGo || execution.exitState !== undefined ||
      currentState(execution.history) === "KILLING";
    const around: Around = {
      firstNew: execution.nextOrdinal,
      wasHeld,
      hasPending: false,
      isChanged: this.#isChanged,
    };
    const commands = this.#step(event);
    this.trace.push(`${lineOf(event)} → ${stateLine(this.tree)}`);
    for (const command of commands) this.#perform(command);
    if (wasEnded && !isEnded(execution.history)) this.#announced = 0;
    const problem = findViolation(this.tree, { ...around, hasPending: this.pending.length > 0 }) ??
      this.batches.problem(this.tree) ?? this.#invariant(this);
    if (problem) throw new Violation(problem);
  }

  /** Whether the limit of the flow lets it run. */
  slotAnswer(): Event {
    const state = this.choices.weighted(
      [
        [96, undefined],
        [2, "QUEUED"],
        [1, "CANCELLED"],
        [1, "FAILED"],
      ] as const,
    );
    return state && !this.isCalm ? { type: "refused_slot", state } : { type: "started" };
  }

  /** An attempt ends; one that another has taken the place of must not end that. */
  endAttempt(): void {
    const { taskRun: ordinal, attemptNumber, isLate } = this.attempts.end(this.choices);
    const isLost = !this.isCalm && this.choices.happens(5);
    const event: Event = isLost
      ? {
        type: "attempt_lost",
        taskRun: ordinal,
        attempt: attemptNumber,
        isStopped: this.choices.happens(30),
      }
      : outcomeOf(this.choices, ordinal, this.isCalm);
    if (isLate) return void this.trace.push(`late ${lineOf(event)}`);
    const taskRun = taskRunOf(this.execution, ordinal);
    const isWorking = taskRun !== undefined && /^(RUNNING|KILLING)$/.test(currentState(taskRun.history));
    if (isWorking && taskRun.attempts.length !== attemptNumber) {
      throw new Violation(`Attempt ${attemptNumber} ends in place of ${taskRun.attempts.length}`);
    }
    this.apply(event);
  }

  /** Marks changes by requests: some invariants hold only without them. */
  markChanged(): void {
    this.#isChanged = true;
  }

  /** What is stored now is what a crash leaves; attempts that waited for that begin. */
  save(): void {
    this.#snapshot = this.#snapshotNow();
    this.attempts.start();
  }

  /** Everything in memory is gone; the last stored form is read again. */
  crash(): void {
    const { bytes, isLive, announced, batches, isChanged } = this.#snapshot;
    this.batches = batches.copy();
    this.pending.length = 0;
    const underWay = this.attempts.clear();
    this.#announced = announced;
    this.#isChanged = isChanged;
    this.#successor = undefined;
    this.#load(readExecution(bytes, this.execution));
    this.trace.push(`crash → ${stateLine(this.tree)}`);
    if (!isLive || hasSettled(this.tree)) return;
    const kept = underWay.filter((each) => this.choices.happens(25) && this.#isOpen(each))
      .map(({ taskRun }) => taskRun);
    const isInterrupted = hasWork(this.tree, kept);
    const crashes = isInterrupted ? ++this.execution.crashes : 0;
    this.apply({ type: "recovered", isGivenUp: crashes >= MAX_CRASHES_OF_EXECUTION, kept });
  }

  /** Whether the stored form has the attempt, so that a worker may still run it. */
  #isOpen({ taskRun: ordinal, attemptNumber }: Attempt): boolean {
    const taskRun = taskRunOf(this.execution, ordinal);
    return taskRun !== undefined && hasOpenAttempt(taskRun) && taskRun.attempts.length === attemptNumber;
  }

  /** It was let go of, and is read again when something happens to it. */
  reload(): void {
    this.#load(readExecution(storeExecution(this.execution), this.execution));
    this.trace.push("reload");
  }

  /** Another execution goes on in its place: one that is tried again, or replayed from a task run. */
  replaceBy(execution: Execution): void {
    this.#isChanged = true;
    this.#successor = undefined;
    this.#announced = 0;
    this.pending.length = 0;
    this.attempts.clear();
    this.#load(execution);
    this.trace.push(`replaced → ${stateLine(this.tree)}`);
    if (!execution.timers.has("start")) this.pending.push(this.slotAnswer());
    this.save();
  }

  /** A new id. */
  nextId(): string {
    return `e${++this.#ids}`;
  }

  /** The execution that takes the place of this one, if there is one. */
  get successor(): Execution | undefined {
    return this.#successor;
  }

  #load(execution: Execution): void {
    this.tree = new ExecutionTree(this.plan, execution);
  }

  #snapshotNow(): Snapshot {
    const bytes = storeExecution(this.execution);
    const batches = this.batches.copy();
    return { bytes, isLive: this.isLive, announced: this.#announced, batches, isChanged: this.#isChanged };
  }

  #step(event: Event): Command[] {
    const before = JSON.stringify(this.execution.history);
    try {
      const { commands, refusal } = step(this.tree, event, this.now);
      const isChanged = commands.length > 0 || JSON.stringify(this.execution.history) !== before;
      if (refusal && isChanged) throw new Error(`it changes something that it refuses: ${refusal.message}`);
      return commands;
    } catch (error) {
      this.trace.push(`${lineOf(event)} throws`);
      throw new Violation(`step() throws: ${(error as Error).message}`, { cause: error });
    }
  }

  #pick(): Action | undefined {
    const actions = actionsNow(this);
    return actions.length === 0 ? undefined : this.choices.weighted(actions);
  }

  #isOver(): boolean {
    const isAtEnd = hasSettled(this.tree) && this.pending.length === 0 && !this.attempts.isLive;
    return isAtEnd && (this.isCalm || !this.choices.happens(30));
  }

  #checkEnd(): void {
    const { execution } = this;
    if (this.#announced !== 1) throw new Violation(`Its end was announced ${this.#announced} times`);
    if (execution.timers.size > 0) throw new Violation(`It leaves timers: ${[...execution.timers.keys()]}`);
    const before = JSON.stringify(execution.history);
    const { commands } = step(this.tree, { type: "kill_asked" }, this.now);
    // Requests to a retried execution are passed on.
    if (commands.some(({ type }) => type !== "kill_child") || JSON.stringify(execution.history) !== before) {
      throw new Violation("An ended execution is not at rest");
    }
  }

  #perform(command: Command): void {
    const { timers } = this.execution;
    switch (command.type) {
      case "force_slot":
        return;
      case "set_timer":
        return void timers.set(command.timer, command.dueAt);
      case "cancel_timer":
        return void timers.delete(command.timer);
      case "announce_end":
        return void this.#announced++;
      case "start_over": {
        const request = { id: this.nextId(), now: this.now, isRetry: true, scheduleDate: command.at };
        this.#successor = replayExecution(this.plan, this.execution, request);
        return void this.#successor.timers.set("start", command.at);
      }
      default:
        return this.#answer(command);
    }
  }

  #answer(command: Command): void {
    const answer = answerTo(this, command);
    if (answer) this.pending.push(answer);
    else if (command.type === "run_attempt") this.attempts.defer(command);
  }
}

function lineOf({ type, ...event }: Event): string {
  return `${type} ${JSON.stringify(event)}`;
}

/** The states of an execution and of what is open in it, in a line. */
function stateLine({ execution, open }: ExecutionTree): string {
  const inner = [...open].map(({ ordinal, taskId, history }) =>
    `${ordinal}:${taskId} ${currentState(history)}`
  );
  return `${currentState(execution.history)}${execution.isHeld ? " held" : ""} [${inner.join(", ")}]`;
}
