/** The engine as tables: order of tasks and histories, for any order of events. */
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { createExecution } from "../../src/engine/create.ts";
import type { Command, Event } from "../../src/engine/events.ts";
import type { FlowPlan } from "../../src/engine/plan.ts";
import { step } from "../../src/engine/step.ts";
import { ExecutionTree } from "../../src/engine/tree.ts";
import type { Execution } from "../../src/model/executions/execution.ts";
import type { RetryPolicy, Task } from "../../src/model/flows/flow.ts";
import { canMove, currentState, isEnded, type State } from "../../src/model/executions/state.ts";
import type { AttemptOutcome } from "../../src/model/tasks/task_catalog.ts";
import { plan, returns, task } from "../support/flows/flows.ts";
import { Driver } from "./driver.ts";
import { flowable } from "./run_plan.ts";

const ID = "AVbbB83o000xXUY4wsF0c8";

function create(flowPlan: FlowPlan): Execution {
  return createExecution(flowPlan.flow, { id: ID, labels: [], kind: "NORMAL" }, 1_000);
}

/** Ends of the attempts by task id; SUCCESS unless said. `skip` names tasks whose `runIf` is false. */
interface Script {
  readonly ends?: Readonly<Record<string, AttemptOutcome["state"]>>;
  readonly skip?: readonly string[];
}

/** Runs to the end, one millisecond a step; returns the execution. */
function run(flowPlan: FlowPlan, script: Script = {}): Execution {
  const execution = create(flowPlan);
  const tree = new ExecutionTree(flowPlan, execution);
  const events: Event[] = [{ type: "started" }];
  for (let now = 1_001; events.length > 0; now++) {
    for (const command of step(tree, events.shift() as Event, now).commands) {
      const event = answer(command, script);
      if (event) events.push(event);
    }
  }
  return execution;
}

function answer(command: Command, { ends = {}, skip = [] }: Script): Event | undefined {
  switch (command.type) {
    case "run_attempt":
      return {
        type: "attempt_ended",
        taskRun: command.taskRun,
        outcome: { state: ends[command.task.id] ?? "SUCCESS" },
      };
    case "render_condition":
      return { type: "condition_rendered", taskRun: command.taskRun, holds: !skip.includes(command.task.id) };
    case "render_outputs":
      return { type: "outputs_rendered", outputs: { done: true } };
    default:
      return undefined;
  }
}

function states(execution: Execution): State[] {
  return execution.history.map(({ state }) => state);
}

function taskRuns(execution: Execution): string[] {
  return execution.taskRuns.map(({ taskId, history }) =>
    `${taskId}: ${history.map(({ state }) => state).join(" ")}`
  );
}

interface Row {
  readonly rule: string;
  readonly tasks: readonly Task[];
  readonly errors?: readonly Task[];
  readonly finally?: readonly Task[];
  readonly script?: Script;
  readonly execution: string;
  readonly taskRuns: readonly string[];
}

const PLAIN = "CREATED RUNNING SUCCESS";
const ROWS: readonly Row[] = [
  {
    rule: "tasks run in order",
    tasks: [returns("a"), returns("b")],
    execution: PLAIN,
    taskRuns: [`a: ${PLAIN}`, `b: ${PLAIN}`],
  },
  {
    rule: "a disabled task has no task run",
    tasks: [returns("a"), returns("b", "b", { disabled: true }), returns("c")],
    execution: PLAIN,
    taskRuns: [`a: ${PLAIN}`, `c: ${PLAIN}`],
  },
  {
    rule: "a flow of disabled tasks succeeds",
    tasks: [returns("a", "a", { disabled: true })],
    execution: PLAIN,
    taskRuns: [],
  },
  {
    rule: "runIf false skips and goes on",
    tasks: [returns("a", "a", { runIf: "false" }), returns("b")],
    script: { skip: ["a"] },
    execution: PLAIN,
    taskRuns: ["a: CREATED SKIPPED", `b: ${PLAIN}`],
  },
  {
    rule: "a failure stops the sequence",
    tasks: [returns("a"), returns("b")],
    script: { ends: { a: "FAILED" } },
    execution: "CREATED RUNNING FAILED",
    taskRuns: ["a: CREATED RUNNING FAILED"],
  },
  {
    rule: "an allowed failure is a warning and goes on",
    tasks: [returns("a", "a", { allowFailure: true }), returns("b")],
    script: { ends: { a: "FAILED" } },
    execution: "CREATED RUNNING WARNING",
    taskRuns: ["a: CREATED RUNNING WARNING", `b: ${PLAIN}`],
  },
  {
    rule: "an allowed failure and an allowed warning are a success",
    tasks: [returns("a", "a", { allowFailure: true, allowWarning: true })],
    script: { ends: { a: "FAILED" } },
    execution: PLAIN,
    taskRuns: [`a: ${PLAIN}`],
  },
  {
    rule: "a warning makes the execution a warning",
    tasks: [returns("a"), returns("b")],
    script: { ends: { a: "WARNING" } },
    execution: "CREATED RUNNING WARNING",
    taskRuns: ["a: CREATED RUNNING WARNING", `b: ${PLAIN}`],
  },
  {
    rule: "errors run after a failure and do not repair it, finally runs last",
    tasks: [returns("a"), returns("b")],
    errors: [returns("e1"), returns("e2")],
    finally: [returns("f")],
    script: { ends: { a: "FAILED" } },
    execution: "CREATED RUNNING FAILED",
    taskRuns: ["a: CREATED RUNNING FAILED", `e1: ${PLAIN}`, `e2: ${PLAIN}`, `f: ${PLAIN}`],
  },
  {
    rule: "a failure in errors stops them, and finally runs all the same",
    tasks: [returns("a")],
    errors: [returns("e1"), returns("e2")],
    finally: [returns("f")],
    script: { ends: { a: "FAILED", e1: "FAILED" } },
    execution: "CREATED RUNNING FAILED",
    taskRuns: ["a: CREATED RUNNING FAILED", "e1: CREATED RUNNING FAILED", `f: ${PLAIN}`],
  },
  {
    rule: "errors are left out after a success",
    tasks: [returns("a")],
    errors: [returns("e")],
    finally: [returns("f")],
    execution: PLAIN,
    taskRuns: [`a: ${PLAIN}`, `f: ${PLAIN}`],
  },
  {
    rule: "a failure in finally fails the execution",
    tasks: [returns("a")],
    finally: [returns("f"), returns("g")],
    script: { ends: { f: "FAILED" } },
    execution: "CREATED RUNNING FAILED",
    taskRuns: [`a: ${PLAIN}`, "f: CREATED RUNNING FAILED"],
  },
];

for (const row of ROWS) {
  Deno.test(`step() ${row.rule}`, () => {
    const { tasks, errors = [], finally: last = [] } = row;
    const execution = run(plan({ tasks, errors, finally: last }), row.script);
    assertEquals(states(execution).join(" "), row.execution);
    assertEquals(taskRuns(execution), row.taskRuns);
  });
}

Deno.test("step() gives an attempt CREATED and RUNNING at the same instant", () => {
  const [first] = run(plan()).taskRuns;
  assertEquals(first?.attempts.length, 1);
  const [created, running, success] = first?.attempts[0]?.history ?? [];
  assertEquals(created?.at, running?.at);
  assertEquals([created?.state, running?.state, success?.state], ["CREATED", "RUNNING", "SUCCESS"]);
});

Deno.test("step() renders the flow's outputs once everything has run; an error there fails the execution", () => {
  const flowPlan = plan({ outputs: [{ id: "o", value: "{{ x }}", required: true }] });
  assertEquals(run(flowPlan).outputs, { done: true });
  const execution = create(flowPlan);
  const tree = new ExecutionTree(flowPlan, execution);
  step(tree, { type: "started" }, 1);
  step(tree, { type: "attempt_ended", taskRun: 0, outcome: { state: "SUCCESS" } }, 2);
  step(tree, { type: "outputs_rendered", error: "no x" }, 3);
  assertEquals(states(execution), ["CREATED", "RUNNING", "FAILED"]);
  assertEquals(execution.newLogs.map(({ level, message }) => [level, message]), [[
    "ERROR",
    "Failed to render output values: no x",
  ]]);
});

Deno.test("step() kill: a running attempt is interrupted, nothing new starts, and the execution ends KILLED", () => {
  const flowPlan = plan({ tasks: [returns("a"), returns("b")], finally: [returns("f")] });
  const execution = create(flowPlan);
  const tree = new ExecutionTree(flowPlan, execution);
  step(tree, { type: "started" }, 1_001);
  const { commands } = step(tree, { type: "kill_asked" }, 1_002);
  assert(commands.some((command) => command.type === "interrupt_attempt" && command.taskRun === 0));
  assertEquals(states(execution), ["CREATED", "RUNNING", "KILLING"]);
  step(tree, { type: "attempt_ended", taskRun: 0, outcome: { state: "SUCCESS" } }, 1_003);
  assertEquals(states(execution), ["CREATED", "RUNNING", "KILLING", "KILLED"]);
  assertEquals(taskRuns(execution), ["a: CREATED RUNNING KILLING KILLED"]);
});

Deno.test("step() kill of an execution that waits for its schedule date ends it at once", () => {
  const flowPlan = plan();
  const execution = create(flowPlan);
  const tree = new ExecutionTree(flowPlan, execution);
  step(tree, { type: "kill_asked" }, 1_002);
  assertEquals(states(execution), ["CREATED", "KILLING", "KILLED"]);
  assertEquals(step(tree, { type: "started" }, 1_003).commands, []);
});

Deno.test("step() Exit with KILLED kills the executions that tasks wait for, and interrupts the other attempts", () => {
  const subflow = task("s", "io.svc.plugin.core.flow.Subflow");
  const tasks = [flowable("p", "Parallel", [subflow, returns("a"), returns("x")])];
  const driver = new Driver(plan({ tasks }));
  driver.apply({ type: "started" });
  driver.apply({
    type: "child_started",
    taskRun: driver.run("s").ordinal,
    executionId: "child",
    waits: true,
  });
  const commands = driver.end("x", { state: "SUCCESS", effects: { exit: "KILLED" } });
  const stops = commands.filter(({ type }) => type === "kill_child" || type === "interrupt_attempt");
  assertEquals(stops, [
    { type: "kill_child", executionId: "child" },
    { type: "interrupt_attempt", taskRun: driver.run("a").ordinal },
  ]);
  assertEquals(driver.runs, ["p RUNNING", "s KILLED", "a KILLING", "x SUCCESS"]);
  driver.apply({ type: "kill_asked" });
  assertEquals(driver.run("a").history.at(-1)?.state, "KILLING", "a kill does not end it before its attempt");
  driver.reload();
  driver.apply({ type: "recovered", isGivenUp: false });
  assertEquals(driver.states, "CREATED RUNNING KILLING KILLED");
});

for (const exit of ["SUCCESS", "FAILED", "KILLED"] as const) {
  Deno.test(`step() Exit with ${exit} runs afterExecution to its end when a pause was asked for meanwhile`, () => {
    const tasks = [flowable("p", "Parallel", [returns("a"), returns("x")])];
    const driver = new Driver(plan({ tasks, afterExecution: [returns("e1"), returns("e2")] }));
    driver.apply({ type: "started" });
    driver.end("x", { state: "SUCCESS", effects: { exit } });
    driver.apply({ type: "pause_asked" });
    driver.end("a");
    driver.end("e1");
    driver.end("e2");
    assertEquals(driver.runs.slice(-2), ["e1 SUCCESS", "e2 SUCCESS"]);
    assertEquals([currentState(driver.execution.history), driver.tree.open.size], [exit, 0]);
  });
}

Deno.test("step() refuses a pause during afterExecution, which goes on to its end", () => {
  const driver = new Driver(plan({ afterExecution: [returns("e1"), returns("e2")] }));
  driver.apply({ type: "started" });
  driver.end("a");
  const { refusal } = step(driver.tree, { type: "pause_asked" }, driver.now);
  assertEquals(refusal?.code, "invalid_argument");
  driver.end("e1");
  driver.end("e2");
  assertEquals(driver.runs, ["a SUCCESS", "e1 SUCCESS", "e2 SUCCESS"]);
  assertEquals([driver.states, driver.tree.open.size], ["CREATED RUNNING SUCCESS", 0]);
});

for (const behavior of ["CREATE_NEW_EXECUTION", "RETRY_FAILED_TASK"] as const) {
  Deno.test(`step() retries no task that fails after Exit: ${behavior}`, () => {
    const retry = {
      type: "constant",
      intervalMs: 0,
      delayFactor: 1,
      behavior,
      warningOnRetry: false,
    } as const;
    const tasks = [flowable("p", "Parallel", [returns("a"), returns("x")])];
    const driver = new Driver(plan({ tasks, retry }));
    driver.apply({ type: "started" });
    driver.end("x", { state: "SUCCESS", effects: { exit: "SUCCESS" } });
    driver.end("a", { state: "FAILED" });
    assertEquals(driver.states, "CREATED RUNNING SUCCESS");
    assertEquals(driver.runs, ["p SUCCESS", "a FAILED", "x SUCCESS"]);
  });
}

Deno.test("step() after a crash resubmits the interrupted attempt", () => {
  const flowPlan = plan();
  const execution = create(flowPlan);
  const tree = new ExecutionTree(flowPlan, execution);
  step(tree, { type: "started" }, 1_001);
  const { commands } = step(tree, { type: "recovered", isGivenUp: false }, 1_500);
  assertEquals(commands.map(({ type }) => type), ["run_attempt"]);
  step(tree, { type: "attempt_ended", taskRun: 0, outcome: { state: "SUCCESS" } }, 1_501);
  const attempts = execution.taskRuns[0]?.attempts.map(({ history }) => history[history.length - 1]?.state);
  assertEquals(attempts, ["RESUBMITTED", "SUCCESS"]);
  assertEquals(states(execution), ["CREATED", "RUNNING", "SUCCESS"]);
});

Deno.test("step() fails an execution that was live in too many crashes, and logs it", () => {
  const flowPlan = plan();
  const execution = create(flowPlan);
  const tree = new ExecutionTree(flowPlan, execution);
  step(tree, { type: "started" }, 1_001);
  execution.crashes = 3;
  step(tree, { type: "recovered", isGivenUp: true }, 1_500);
  assertEquals(states(execution), ["CREATED", "RUNNING", "FAILED"]);
  assertEquals(taskRuns(execution), ["a: CREATED RUNNING FAILED"]);
  assertEquals(execution.newLogs.map(({ level }) => level), ["ERROR"]);
});

Deno.test("step() never lets a clock that goes back make a history go back", () => {
  const flowPlan = plan();
  const execution = create(flowPlan);
  const tree = new ExecutionTree(flowPlan, execution);
  step(tree, { type: "started" }, 500);
  step(tree, { type: "attempt_ended", taskRun: 0, outcome: { state: "SUCCESS" } }, 100);
  const times = execution.history.map(({ at }) => at);
  assertEquals(times, [...times].sort((a, b) => a - b));
});

const EVENTS: fc.Arbitrary<Event> = fc.oneof(
  fc.constant<Event>({ type: "started" }),
  fc.record({
    type: fc.constant("attempt_ended" as const),
    taskRun: fc.nat(4),
    outcome: fc.record({ state: fc.constantFrom("SUCCESS" as const, "FAILED" as const, "WARNING" as const) }),
  }),
  fc.record({ type: fc.constant("condition_rendered" as const), taskRun: fc.nat(4), holds: fc.boolean() }),
  fc.constant<Event>({ type: "kill_asked" }),
  fc.record({ type: fc.constant("recovered" as const), isGivenUp: fc.constant(false) }),
  fc.constant<Event>({ type: "given_up", reason: "It exceeds a limit" }),
  fc.record({ type: fc.constant("timer_due" as const), timer: fc.nat(4).map((n) => `task/${n}` as const) }),
  fc.constant<Event>({ type: "outputs_rendered", outputs: {} }),
);

Deno.test("step() keeps every history legal, whatever events come in whatever order", () => {
  const flowPlan = plan({
    tasks: [returns("a", "a", { runIf: "x" }), returns("b", "b", { allowFailure: true }), returns("c")],
    errors: [returns("e")],
    finally: [returns("f")],
  });
  fc.assert(
    fc.property(fc.array(EVENTS, { maxLength: 30 }), (events) => {
      const execution = create(flowPlan);
      const tree = new ExecutionTree(flowPlan, execution);
      let now = 1_000;
      for (const event of events) {
        const wasEnded = isEnded(execution.history);
        const before = JSON.stringify(execution.history);
        const { commands } = step(tree, event, ++now);
        if (wasEnded) assertEquals([commands, JSON.stringify(execution.history)], [[], before]);
        checkHistories(execution);
      }
    }),
    { numRuns: 2_000 },
  );
});

function checkHistories(execution: Execution): void {
  for (
    const [owner, history] of [
      ["execution", execution.history] as const,
      ...execution.taskRuns.map((taskRun) => ["task_run", taskRun.history] as const),
    ]
  ) {
    for (let i = 1; i < history.length; i++) {
      const [from, to] = [history[i - 1], history[i]];
      assert(from && to && canMove(owner, from.state, to.state) && from.at <= to.at, JSON.stringify(history));
    }
  }
  if (isEnded(execution.history)) {
    assert(
      execution.taskRuns.every(({ history }) => isEnded(history)),
      "an open task run in an ended execution",
    );
  }
}

for (const behavior of ["RETRY_FAILED_TASK", "CREATE_NEW_EXECUTION"] as const) {
  Deno.test(`step() retries a task of afterExecution, but does not start over: ${behavior}`, () => {
    const retry: RetryPolicy = {
      type: "constant",
      intervalMs: 1_000,
      maxAttempts: 2,
      delayFactor: 1,
      warningOnRetry: false,
      behavior,
    };
    const driver = new Driver(
      plan({ tasks: [returns("a")], afterExecution: [{ ...returns("x"), retry }, returns("y")] }),
    );
    driver.apply({ type: "started" });
    driver.end("a");
    driver.end("x", { state: "FAILED" });
    if (behavior === "RETRY_FAILED_TASK") {
      assertEquals(driver.runs, ["a SUCCESS", "x RETRYING"]);
      driver.apply({ type: "timer_due", timer: `task/${driver.run("x").ordinal}` });
      driver.end("x");
      assertEquals(driver.runs, ["a SUCCESS", "x SUCCESS", "y RUNNING"]);
    } else assertEquals(driver.runs, ["a SUCCESS", "x FAILED"]);
    assertEquals(driver.states, "CREATED RUNNING SUCCESS");
  });
}
