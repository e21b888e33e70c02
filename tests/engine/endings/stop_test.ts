/** Early ends of executions with more open task runs than one transition stops. */
import { assertEquals } from "@std/assert";
import type { Command, Event } from "../../../src/engine/events.ts";
import type { Sla } from "../../../src/model/flows/flow.ts";
import { hasWork } from "../../../src/engine/recover.ts";
import type { TaskRun } from "../../../src/model/executions/execution.ts";
import { currentState, type State } from "../../../src/model/executions/state.ts";
import { plan, returns, task } from "../../support/flows/flows.ts";
import { Driver } from "../driver.ts";
import { flowable } from "../run_plan.ts";

const COUNT = 40;
const names = (prefix: string) => Array.from({ length: COUNT }, (_, n) => `${prefix}${n}`);

const SLA: Sla = { id: "s", type: "MAX_DURATION", behavior: "CANCEL", labels: [], durationMs: 60_000 };
const OTHER_SLA: Sla = { ...SLA, id: "t", behavior: "FAIL" };

/** An execution with so many open Subflows and, each in a flowable task of its own, as many attempts; one more is beside them. */
function opened(): Driver {
  const subflows = names("s").map((id) => task(id, "io.svc.plugin.core.flow.Subflow"));
  const within = names("w").map((id) => flowable(id, "Sequential", [returns(`a-${id}`)]));
  const driver = new Driver(
    plan({
      tasks: [flowable("all", "Parallel", [...subflows, ...within, returns("x")])],
      sla: [SLA, OTHER_SLA],
    }),
  );
  driver.apply({ type: "started" });
  for (const id of names("s")) {
    driver.apply({
      type: "child_started",
      taskRun: driver.run(id).ordinal,
      executionId: `of-${id}`,
      waits: true,
    });
  }
  return driver;
}

/** Applies the event and what follows from it until attempts are awaited; the commands of each transition. */
function applied(driver: Driver, event: Event, after: () => void = () => {}): Command[][] {
  const transitions: Command[][] = [];
  for (let next: Event | undefined = event; next;) {
    const commands = driver.step(next);
    transitions.push(commands);
    after();
    const more = commands.find(({ type }) => type === "continue_stop");
    next = more && { ...more, type: "stop_continued" } as Event;
  }
  return transitions;
}

function numberOf(transitions: readonly Command[][], wanted: Command["type"]): number {
  return transitions.flat().filter(({ type }) => type === wanted).length;
}

/** Ends the interrupted attempts; the states of the execution and of its task runs. */
function ended(driver: Driver): [string, Set<string>] {
  for (const taskRun of [...driver.tree.open].filter(({ history }) => currentState(history) === "KILLING")) {
    const outcome = { state: "KILLED" } as const;
    applied(driver, { type: "attempt_ended", taskRun: taskRun.ordinal, outcome });
  }
  return [driver.states, new Set(driver.runs.map((run) => run.split(" ")[1] ?? ""))];
}

Deno.test("a kill stops a few task runs in each transition, each with its execution", () => {
  const driver = opened();
  const transitions = applied(driver, { type: "kill_asked" });
  const numbers = transitions.map((commands) => commands.filter(({ type }) => STOPS.has(type)).length);
  assertEquals(numbers, [16, 16, 16, 16, 16, 1]);
  assertEquals([numberOf(transitions, "kill_child"), numberOf(transitions, "interrupt_attempt")], [
    COUNT,
    COUNT + 1,
  ]);
  assertEquals(ended(driver), ["CREATED RUNNING KILLING KILLED", new Set(["KILLED"])]);
});

const STOPS: ReadonlySet<Command["type"]> = new Set(["kill_child", "interrupt_attempt"]);

Deno.test("a kill that spares the executions of Subflows spares them in each transition", () => {
  const transitions = applied(opened(), { type: "kill_asked", sparesChildren: true });
  assertEquals([numberOf(transitions, "kill_child"), numberOf(transitions, "interrupt_attempt")], [
    0,
    COUNT + 1,
  ]);
});

Deno.test("a kill goes on after a crash between its transitions", () => {
  const driver = opened();
  const first = [driver.step({ type: "kill_asked" })];
  driver.reload();
  assertEquals(hasWork(driver.tree), true);
  const transitions = [...first, ...applied(driver, { type: "recovered", isGivenUp: false })];
  assertEquals(numberOf(transitions, "kill_child"), COUNT);
  assertEquals(ended(driver), ["CREATED RUNNING KILLING KILLED", new Set(["KILLED"])]);
});

Deno.test("an Exit with KILLED stops what it would stop at once", () => {
  const driver = opened();
  const { ordinal } = driver.run("x");
  const outcome = { state: "SUCCESS", effects: { exit: "KILLED" } } as const;
  applied(driver, { type: "attempt_ended", taskRun: ordinal, outcome });
  assertEquals(ended(driver), ["CREATED RUNNING KILLING KILLED", new Set(["KILLED", "SUCCESS"])]);
});

/** The longest duration that an SLA allows is over. */
const OVERDUE = { type: "timer_due", timer: "sla/0" } as const;

function endsIn(taskRuns: readonly TaskRun[], state: State): number {
  return taskRuns.filter(({ history }) => currentState(history) === state).length;
}

Deno.test("an SLA ends a few task runs in each transition, the innermost first, with their attempts and executions", () => {
  const driver = opened();
  const { taskRuns } = driver.execution;
  const ends: number[] = [];
  const transitions = applied(driver, OVERDUE, () => ends.push(endsIn(taskRuns, "CANCELLED")));
  assertEquals(ends, [16, 32, 48, 64, 80, 96, 112, 3 * COUNT + 2]);
  assertEquals([numberOf(transitions, "kill_child"), numberOf(transitions, "interrupt_attempt")], [
    COUNT,
    2 * COUNT + 1,
  ]);
  assertEquals(driver.states, "CREATED RUNNING CANCELLED");
  assertEquals([driver.execution.exitState, driver.execution.isAborting], [undefined, undefined]);
});

Deno.test("an SLA goes on after a crash between its transitions: no attempt is repeated", () => {
  const driver = opened();
  const first = [driver.step(OVERDUE)];
  driver.reload();
  assertEquals(hasWork(driver.tree), true);
  const transitions = [...first, ...applied(driver, { type: "recovered", isGivenUp: false })];
  assertEquals([numberOf(transitions, "kill_child"), numberOf(transitions, "run_attempt")], [COUNT, 0]);
  assertEquals(driver.states, "CREATED RUNNING CANCELLED");
});

const BETWEEN: readonly (readonly [string, Event, string])[] = [
  ["another SLA", { type: "timer_due", timer: "sla/1" }, "CANCELLED"],
  ["an Exit", {
    type: "attempt_ended",
    taskRun: 1,
    outcome: { state: "SUCCESS", effects: { exit: "SUCCESS" } },
  }, "CANCELLED"],
  ["a kill", { type: "kill_asked" }, "KILLING KILLED"],
];
for (const [name, event, expected] of BETWEEN) {
  Deno.test(`${name} between the transitions of an SLA: the execution ends ${expected}`, () => {
    const driver = opened();
    driver.step(OVERDUE);
    driver.step(event);
    applied(driver, { type: "stop_continued" });
    assertEquals(driver.states, `CREATED RUNNING ${expected}`);
  });
}

Deno.test("an Exit goes on after a crash between its transitions, though all that is open waits for a person", () => {
  const pauses = names("p").map((id) => flowable(id, "Pause", [returns(`a-${id}`)]));
  const driver = new Driver(plan({ tasks: [flowable("all", "Parallel", [returns("x"), ...pauses])] }));
  driver.apply({ type: "started" });
  const outcome = { state: "SUCCESS", effects: { exit: "FAILED" } } as const;
  driver.step({ type: "attempt_ended", taskRun: driver.run("x").ordinal, outcome });
  driver.reload();
  assertEquals(hasWork(driver.tree), true);
  applied(driver, { type: "recovered", isGivenUp: false });
  assertEquals(driver.states, "CREATED RUNNING FAILED");
});
