/** Random responses to commands of the engine: conditions, decisions, outcomes of attempts. */
import type { JsonObject } from "../../src/base/json.ts";
import type { Command, Event } from "../../src/engine/events.ts";
import type { AttemptOutcome } from "../../src/model/tasks/task_catalog.ts";
import type { Choices } from "./choices.ts";
import { SLEEP } from "./random_flow.ts";

type Ask<T extends Command["type"]> = Extract<Command, { type: T }>;

const VALUES: readonly (readonly string[])[] = [["x", "y"], ["x"], ["x", "y", "z"], [], ["x", "x", "y"]];
const MANY = Array.from({ length: 20 }, (_, n) => `v${n}`);

/** The result of the conditions of a listener and of `runIf`. */
export function conditionOf(choices: Choices, { taskRun, task }: Ask<"render_condition">): Event {
  if (choices.happens(4)) return { type: "condition_rendered", taskRun, holds: false, error: "no x" };
  if (task.conditions && choices.happens(50)) {
    return { type: "condition_rendered", taskRun, holds: false, isListenerOff: true };
  }
  return { type: "condition_rendered", taskRun, holds: !choices.happens(35) };
}

/** The rendered properties that a flowable task decides by. */
export function decisionOf(
  choices: Choices,
  { taskRun, task, properties: names }: Ask<"render_decision">,
): Event {
  const error = choices.happens(3) ? "no x" : undefined;
  const isLimited = names.includes("timeout") && task.timeout !== undefined;
  const limit: JsonObject = isLimited ? { timeout: limitTextOf(choices) } : {};
  const properties = { ...limit, ...PROPERTIES.get(task.kind)?.(choices) };
  return { type: "decision_rendered", taskRun, properties, error };
}

function limitTextOf(choices: Choices): string {
  return choices.pick(["PT10S", "PT0.001S", "PT1H", "soon"]);
}

const PROPERTIES: ReadonlyMap<string, (choices: Choices) => JsonObject> = new Map([
  ["core.flow.Parallel", besideOf],
  ["core.flow.Dag", besideOf],
  ["core.flow.If", (choices) => ({ condition: String(!choices.happens(40)) })],
  ["core.flow.Switch", (choices) => ({ value: choices.pick(["a", "b", "other"]) })],
  ["core.flow.ForEach", (choices) => ({ values: valuesOf(choices), concurrencyLimit: limitOf(choices) })],
  ["core.flow.EachSequential", (choices) => ({ value: valuesOf(choices) })],
  ["core.flow.EachParallel", (choices) => ({ value: valuesOf(choices), concurrent: limitOf(choices) })],
  ["core.flow.Pause", pauseOf],
  ["core.flow.LoopUntil", (choices) => ({
    checkFrequency: {
      interval: choices.pick(["PT0S", "PT1S", "PT1M"]),
      maxIterations: 1 + choices.below(3),
      ...(choices.happens(10) ? { maxDuration: "PT2S" } : {}),
    },
    failOnMaxReached: choices.happens(30),
    condition: String(!choices.happens(60)),
  })],
]);

function besideOf(choices: Choices): JsonObject {
  const onChildFailure = choices.pick(["FAILED", "CANCELLED", "CONTINUE"]);
  return { concurrent: limitOf(choices), onChildFailure };
}

function limitOf(choices: Choices): number {
  return choices.pick([0, 1, 2]);
}

function valuesOf(choices: Choices): JsonObject[string] {
  if (choices.happens(4)) return choices.pick<JsonObject[string]>([["x", null], "no list", 7]);
  return choices.happens(6) ? MANY : [...choices.pick(VALUES)];
}

function pauseOf(choices: Choices): JsonObject {
  const behavior = choices.pick(["RESUME", "WARN", "FAIL", "CANCEL"]);
  return choices.happens(60)
    ? { pauseDuration: choices.pick(["PT5S", "PT0S", "PT1H"]), behavior }
    : choices.happens(15)
    ? { timeout: "PT10S" }
    : {};
}

/** The outcome of an attempt; a success if `isCalm`. */
export function outcomeOf(choices: Choices, taskRun: number, isCalm: boolean): Event {
  if (isCalm) return { type: "attempt_ended", taskRun, outcome: { state: "SUCCESS", outputs: { value: 1 } } };
  const state = choices.weighted<AttemptOutcome["state"]>([[70, "SUCCESS"], [22, "FAILED"], [8, "WARNING"]]);
  const exit = choices.happens(2)
    ? choices.pick(["SUCCESS", "WARNING", "FAILED", "KILLED", "CANCELLED"] as const)
    : undefined;
  const effects = exit ? { exit } : choices.happens(3) ? { variables: { x: 1 } } : undefined;
  return { type: "attempt_ended", taskRun, outcome: { state, outputs: { value: 1 }, effects } };
}

/** The wait of a waiting task, or its failure. */
export function waitOf(choices: Choices, { taskRun }: Ask<"run_attempt">, now: number): Event {
  if (choices.happens(10)) {
    return { type: "attempt_ended", taskRun, outcome: { state: "FAILED" }, message: "no time" };
  }
  const dueAt = now + choices.pick([1_000, 0, 60_000]);
  return { type: "wait_begun", taskRun, dueAt, failure: choices.happens(15) ? "Timeout" : undefined };
}

/** The outcome of collecting the outputs of a Loop. */
export function collectedOf(choices: Choices, { taskRun, attempt, state }: Ask<"collect_outputs">): Event {
  const ended = { type: "attempt_ended", taskRun, attempt } as const;
  if (!choices.happens(8)) return { ...ended, outcome: { state, outputs: { x: 1 } } };
  return { ...ended, outcome: { state: "FAILED" }, message: "too large" };
}

/** True for a task whose attempts respond with `wait_begun`. */
export function isWaitingKind(kind: string): boolean {
  return kind === SLEEP;
}

/** The creation of the execution of a Subflow task, or its failure. */
export function childStartOf(
  choices: Choices,
  { taskRun, restarts }: Ask<"start_child">,
  { executionId, attempt }: { readonly executionId: string; readonly attempt?: number },
): Event {
  if (restarts !== undefined && choices.happens(60)) {
    return { type: "child_started", taskRun, attempt, executionId: restarts, waits: true, restarts };
  }
  if (choices.happens(8)) {
    return { type: "attempt_ended", taskRun, attempt, outcome: { state: "FAILED" }, message: "no such flow" };
  }
  return { type: "child_started", taskRun, attempt, executionId, waits: !choices.happens(20) };
}
