/** Restarts and other ends for task runs, by the engine alone. */
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import type { ChildNumbers } from "../../../src/engine/children/child_numbers.ts";
import { childIds, childNumbersOf } from "../../../src/engine/children/children.ts";
import { step } from "../../../src/engine/step.ts";
import { canRestart } from "../../../src/engine/requests/restart.ts";
import { ExecutionTree } from "../../../src/engine/tree.ts";
import type { Flow, Task } from "../../../src/model/flows/flow.ts";
import { currentState } from "../../../src/model/executions/state.ts";
import { plan, returns, task } from "../../support/flows/flows.ts";
import { Driver } from "../driver.ts";
import { flowable, historiesOf, runNew, runOn, type Script, statesOf } from "../run_plan.ts";

const ENDED = "CREATED RUNNING SUCCESS";
const AGAIN = "CREATED RUNNING FAILED RESTARTED RUNNING SUCCESS";
const REOPENED = "CREATED RUNNING FAILED RUNNING SUCCESS";

interface Row {
  readonly rule: string;
  readonly flow: Partial<Flow>;
  readonly script: Script;
  /** Task runs in the moment of the restart. */
  readonly restarted: readonly string[];
  /** Task runs at the end. */
  readonly taskRuns: readonly string[];
}

const FAIL_B: Script = { ends: { b: "FAILED" } };
const LOOP = (limit: number) =>
  flowable("each", "ForEach", [returns("b"), returns("c")], { values: ["x", "y"], concurrencyLimit: limit });

const ROWS: readonly Row[] = [
  {
    rule: "the failed task of a sequence runs again, and what comes after it",
    flow: { tasks: [returns("a"), returns("b"), returns("c")] },
    script: FAIL_B,
    restarted: [`a: ${ENDED}`, "b: CREATED RUNNING FAILED RESTARTED"],
    taskRuns: [`a: ${ENDED}`, `b: ${AGAIN}`, `c: ${ENDED}`],
  },
  {
    rule: "tasks of errors and finally are removed, and finally runs again",
    flow: { tasks: [returns("b")], errors: [returns("e")], finally: [returns("f")] },
    script: FAIL_B,
    restarted: ["b: CREATED RUNNING FAILED RESTARTED"],
    taskRuns: [`b: ${AGAIN}`, `f: ${ENDED}`],
  },
  {
    rule: "a failed finally runs again",
    flow: { tasks: [returns("a")], finally: [returns("b")] },
    script: FAIL_B,
    restarted: [`a: ${ENDED}`],
    taskRuns: [`a: ${ENDED}`, `b: ${ENDED}`],
  },
  {
    rule: "the ancestors of a failed task are reopened",
    flow: {
      tasks: [flowable("par", "Parallel", [returns("a"), flowable("seq", "Sequential", [returns("b")])])],
    },
    script: FAIL_B,
    restarted: [
      "par: CREATED RUNNING FAILED RUNNING",
      `a: ${ENDED}`,
      "seq: CREATED RUNNING FAILED RUNNING",
      "b: CREATED RUNNING FAILED RESTARTED",
    ],
    taskRuns: [`par: ${REOPENED}`, `a: ${ENDED}`, `seq: ${REOPENED}`, `b: ${AGAIN}`],
  },
  {
    rule: "only the values of a loop that failed run again, and those that never ran",
    flow: { tasks: [LOOP(1)] },
    script: { ends: { "b.x": "FAILED" } },
    restarted: ["each: CREATED RUNNING FAILED RUNNING", "b[x]: CREATED RUNNING FAILED RESTARTED"],
    taskRuns: [`each: ${REOPENED}`, `b[x]: ${AGAIN}`, `c[x]: ${ENDED}`, `b[y]: ${ENDED}`, `c[y]: ${ENDED}`],
  },
  {
    rule: "a WorkingDirectory restarts as a unit",
    flow: { tasks: [flowable("wd", "WorkingDirectory", [returns("a"), returns("b")])] },
    script: FAIL_B,
    restarted: ["wd: CREATED RUNNING FAILED RESTARTED"],
    taskRuns: [`wd: ${AGAIN}`, `a: ${ENDED}`, `b: ${ENDED}`],
  },
  {
    rule: "a failure that was allowed runs again too, and nothing that followed it and ended well",
    flow: {
      tasks: [
        flowable("allow", "AllowFailure", [returns("b"), returns("n")]),
        returns("a"),
        returns("c"),
        returns("d"),
      ],
    },
    script: { ends: { b: "FAILED", c: "FAILED" } },
    restarted: [
      "allow: CREATED RUNNING WARNING RUNNING",
      "b: CREATED RUNNING FAILED RESTARTED",
      `a: ${ENDED}`,
      "c: CREATED RUNNING FAILED RESTARTED",
    ],
    taskRuns: [
      ...["allow: CREATED RUNNING WARNING RUNNING SUCCESS", `b: ${AGAIN}`, `a: ${ENDED}`, `c: ${AGAIN}`],
      ...[`n: ${ENDED}`, `d: ${ENDED}`],
    ],
  },
  {
    rule: "a WorkingDirectory whose failure was allowed restarts as a unit",
    flow: {
      tasks: [
        { ...flowable("wd", "WorkingDirectory", [returns("a"), returns("b")]), allowFailure: true },
        returns("c"),
      ],
    },
    script: { ends: { b: "FAILED", c: "FAILED" } },
    restarted: ["wd: CREATED RUNNING WARNING RESTARTED", "c: CREATED RUNNING FAILED RESTARTED"],
    taskRuns: [
      ...["wd: CREATED RUNNING WARNING RESTARTED RUNNING SUCCESS", `c: ${AGAIN}`],
      ...[`a: ${ENDED}`, `b: ${ENDED}`],
    ],
  },
  {
    rule: "a failure within errors does not run again by itself",
    flow: {
      tasks: [returns("b")],
      errors: [flowable("allow", "AllowFailure", [returns("e")])],
    },
    script: { ends: { b: "FAILED", e: "FAILED" } },
    restarted: ["b: CREATED RUNNING FAILED RESTARTED"],
    taskRuns: [`b: ${AGAIN}`],
  },
];
for (const { rule, flow, script, restarted, taskRuns } of ROWS) {
  Deno.test(`restart() ${rule}`, () => {
    const flowPlan = plan(flow);
    const execution = runNew(flowPlan, script);
    assertEquals([statesOf(execution), canRestart(flowPlan, execution)], ["CREATED RUNNING FAILED", true]);
    const other = structuredClone(execution);
    step(new ExecutionTree(flowPlan, other), { type: "restarted" }, 2_000);
    assertEquals([statesOf(other), historiesOf(other)], ["CREATED RUNNING FAILED RESTARTED", restarted]);
    runOn(flowPlan, execution, { type: "restarted" });
    assertEquals(historiesOf(execution), taskRuns);
    assertEquals([execution.attemptNumber, currentState(execution.history) === "FAILED"], [2, false]);
  });
}

Deno.test("restart() of an execution whose failures were all allowed runs them again", () => {
  const flowPlan = plan({ tasks: [flowable("allow", "AllowFailure", [returns("b")]), returns("c")] });
  const execution = runNew(flowPlan, FAIL_B);
  assertEquals(statesOf(execution), "CREATED RUNNING WARNING");
  runOn(flowPlan, execution, { type: "restarted" });
  assertEquals(statesOf(execution), "CREATED RUNNING WARNING RESTARTED RUNNING SUCCESS");
  assertEquals(historiesOf(execution).slice(1), [`b: ${AGAIN}`, `c: ${ENDED}`]);
});

const ALLOWED = [flowable("allow", "AllowFailure", [returns("b")]), returns("c"), returns("d")];
const AT_ONCE = flowable("each", "ForEach", ALLOWED, { values: ["x"], concurrencyLimit: 0 });
for (const [where, tasks] of [["a sequence", ALLOWED], ["a loop without limit", [AT_ONCE]]] as const) {
  for (const crashes of [false, true]) {
    const when = crashes ? ", also after a crash" : "";
    Deno.test(`restart() in ${where} goes on once all that it runs again has ended${when}`, () => {
      const driver = new Driver(plan({ tasks }), { each: AT_ONCE.properties });
      driver.apply({ type: "started" });
      for (const id of ["b", "c"]) driver.end(id, { state: "FAILED" });
      assertEquals(driver.states, "CREATED RUNNING FAILED");
      driver.apply({ type: "restarted" });
      const isRunning = (id: string) => driver.runs.includes(`${id} RUNNING`);
      assertEquals(["allow", "b", "c"].filter(isRunning), ["allow", "b", "c"]);
      driver.end("c");
      if (crashes) driver.reload();
      assertEquals(["allow", "b", "d"].filter(isRunning), ["allow", "b"]);
      driver.end("b");
      assertEquals(["allow", "b", "d"].filter(isRunning), ["d"]);
      driver.end("d");
      const ids = driver.runs.map((run) => run.split(" ")[0]).filter((id) => id !== "each");
      assertEquals([currentState(driver.execution.history), ids], ["SUCCESS", ["allow", "b", "c", "d"]]);
    });
  }
}

const PAUSE = task("p", "io.svc.plugin.core.flow.Pause");

Deno.test("restart() of a paused execution restarts the pause", () => {
  const flowPlan = plan({
    tasks: [{ ...PAUSE, properties: { ...PAUSE.properties, pauseDuration: "PT1M" } }],
  });
  const execution = runNew(flowPlan);
  const commands = runOn(flowPlan, execution, { type: "restarted" });
  assertEquals(statesOf(execution), "CREATED RUNNING PAUSED RESTARTED RUNNING PAUSED");
  assertEquals(historiesOf(execution), ["p: CREATED RUNNING PAUSED RESTARTED RUNNING PAUSED"]);
  const timers = commands.filter(({ type }) => type.endsWith("_timer")).map(({ type }) => type);
  assertEquals(timers, ["cancel_timer", "set_timer"]);
});

Deno.test("restart() of a paused execution begins a WorkingDirectory anew after a crash before it has a slot", () => {
  const wd = flowable("wd", "WorkingDirectory", [returns("a"), returns("b")]);
  const driver = new Driver(plan({ tasks: [flowable("par", "Parallel", [wd, returns("x")])] }));
  driver.apply({ type: "started" });
  driver.end("x", { state: "FAILED" });
  driver.apply({ type: "pause_asked" });
  driver.end("a");
  driver.step({ type: "restarted" });
  assertEquals(driver.runs, ["par RUNNING", "wd RUNNING", "x RESTARTED", "a SUCCESS"]);
  driver.reload();
  driver.apply({ type: "recovered", isGivenUp: false });
  assertEquals(driver.runs, ["par RUNNING", "wd RUNNING", "x RUNNING", "a RUNNING"]);
});

Deno.test("restart() of an execution that was killed runs what was killed", () => {
  const flowPlan = plan({ tasks: [flowable("seq", "Sequential", [returns("a"), returns("b")])] });
  const execution = runNew(flowPlan, { open: ["a"] });
  runOn(flowPlan, execution, { type: "kill_asked" });
  runOn(flowPlan, execution, { type: "attempt_ended", taskRun: 1, outcome: { state: "KILLED" } });
  assertEquals(currentState(execution.history), "KILLED");
  runOn(flowPlan, execution, { type: "restarted" });
  assertEquals(currentState(execution.history), "SUCCESS");
});

for (
  const [what, script, states] of [
    ["that ended well", {}, "CREATED RUNNING SUCCESS"],
    ["that runs", { open: ["a"] }, "CREATED RUNNING"],
  ] as const
) {
  Deno.test(`restart() of an execution ${what} has nothing to restart from`, () => {
    const flowPlan = plan({ tasks: [returns("a")] });
    const execution = runNew(flowPlan, script);
    assertEquals(canRestart(flowPlan, execution), false);
    assertEquals(statesOf(execution), states);
  });
}

Deno.test("restart() does nothing while a task runs in a paused execution", () => {
  const flowPlan = plan({ tasks: [flowable("par", "Parallel", [returns("a"), returns("b")])] });
  const execution = runNew(flowPlan, { open: ["a"], ends: { b: "FAILED" } });
  runOn(flowPlan, execution, { type: "pause_asked" });
  const before = historiesOf(execution);
  runOn(flowPlan, execution, { type: "restarted" });
  assertEquals([historiesOf(execution), currentState(execution.history)], [before, "PAUSED"]);
});

Deno.test("restart() interrupts what afterExecution still does", () => {
  const flowPlan = plan({ tasks: [returns("b")], afterExecution: [returns("after")] });
  const execution = runNew(flowPlan, { ...FAIL_B, open: ["after"] });
  const commands = runOn(flowPlan, execution, { type: "restarted" });
  assert(commands.some(({ type }) => type === "interrupt_attempt"));
  assertEquals(historiesOf(execution), [`b: ${AGAIN}`, `after: ${ENDED}`]);
});

Deno.test("restart() kills the executions that a Loop of afterExecution has started", () => {
  const loop = task("l", "io.svc.plugin.core.flow.Loop");
  const driver = new Driver(plan({ tasks: [returns("b")], afterExecution: [loop] }));
  driver.apply({ type: "started" });
  driver.end("b", { state: "FAILED" });
  const taskRun = driver.run("l");
  const numbers = { total: 300, madeAt: 1_000, attempt: 1, waits: true, transmitsFailed: true };
  const passes = { values: {}, limit: 300 };
  driver.apply({
    type: "children_started",
    taskRun: taskRun.ordinal,
    from: 0,
    count: 300,
    ...numbers,
    passes,
  });
  const ids = childIds(taskRun, childNumbersOf(taskRun) as ChildNumbers);
  const commands = driver.apply({ type: "restarted" });
  assertEquals(driver.runs, ["b RUNNING"]);
  const killed = commands.flatMap((command) => command.type === "kill_child" ? [command.executionId] : []);
  assertEquals(killed, ids);
});

Deno.test("step() of a restarted execution that gets no slot waits, and can be killed", () => {
  const flowPlan = plan({ tasks: [returns("a"), returns("b")] });
  const execution = runNew(flowPlan, FAIL_B);
  const tree = new ExecutionTree(flowPlan, execution);
  step(tree, { type: "restarted" }, 2_000);
  step(tree, { type: "refused_slot", state: "QUEUED" }, 2_001);
  assertEquals(statesOf(execution), "CREATED RUNNING FAILED RESTARTED QUEUED");
  step(new ExecutionTree(flowPlan, execution), { type: "kill_asked" }, 2_002);
  assertEquals(statesOf(execution), "CREATED RUNNING FAILED RESTARTED QUEUED KILLED");
  assertEquals(historiesOf(execution)[1], "b: CREATED RUNNING FAILED RESTARTED KILLED");
});

interface TaskStateRow {
  readonly rule: string;
  readonly tasks: readonly Task[];
  readonly script: Script;
  readonly taskRun: number;
  readonly state: "SUCCESS" | "FAILED";
  readonly taskRuns: readonly string[];
  readonly execution: string;
}

const TASK_STATES: readonly TaskStateRow[] = [
  {
    rule: "a failed task that is set to SUCCESS lets what follows run",
    tasks: [returns("b"), returns("c")],
    script: FAIL_B,
    taskRun: 0,
    state: "SUCCESS",
    taskRuns: ["b: CREATED RUNNING FAILED SUCCESS", `c: ${ENDED}`],
    execution: "SUCCESS",
  },
  {
    rule: "a task within another runs nothing again that followed and ended well",
    tasks: [flowable("allow", "AllowFailure", [returns("b")]), returns("c")],
    script: FAIL_B,
    taskRun: 1,
    state: "SUCCESS",
    taskRuns: [
      ...["allow: CREATED RUNNING WARNING RUNNING SUCCESS", "b: CREATED RUNNING FAILED SUCCESS"],
      `c: ${ENDED}`,
    ],
    execution: "SUCCESS",
  },
  {
    rule: "a task that is set to FAILED fails its execution",
    tasks: [returns("a")],
    script: {},
    taskRun: 0,
    state: "FAILED",
    taskRuns: ["a: CREATED RUNNING SUCCESS FAILED"],
    execution: "FAILED",
  },
  {
    rule: "a pause that is set to FAILED fails its execution",
    tasks: [PAUSE, returns("a")],
    script: {},
    taskRun: 0,
    state: "FAILED",
    taskRuns: ["p: CREATED RUNNING PAUSED FAILED"],
    execution: "FAILED",
  },
];
for (const { rule, tasks, script, taskRun, state, taskRuns, execution: end } of TASK_STATES) {
  Deno.test(`setTaskState() ${rule}`, () => {
    const flowPlan = plan({ tasks });
    const execution = runNew(flowPlan, script);
    runOn(flowPlan, execution, { type: "task_state_set", taskRun, state });
    assertEquals([historiesOf(execution), currentState(execution.history)], [taskRuns, end]);
  });
}

/** Parts of restart units: of a WorkingDirectory, and of a Pause with `onPause`. */
const PARTS: readonly (readonly [name: string, tasks: readonly Task[]])[] = [
  ["a working directory", [flowable("wd", "WorkingDirectory", [returns("b")])]],
  ["a pause", [{ ...PAUSE, blocks: new Map([["onPause", [returns("b")]]]) }]],
];
for (const [name, tasks] of PARTS) {
  Deno.test(`setTaskState() leaves a part of ${name} as it is`, () => {
    const flowPlan = plan({ tasks });
    const execution = runNew(flowPlan, FAIL_B);
    const before = historiesOf(execution);
    assertEquals(before[1], "b: CREATED RUNNING FAILED");
    const asked = runOn(flowPlan, execution, { type: "task_state_set", taskRun: 1, state: "SUCCESS" });
    assertEquals([historiesOf(execution), asked], [before, []]);
  });
}

Deno.test("setTaskState() of a pause ends what still waits below it", () => {
  const inner = { ...PAUSE, id: "inner" };
  const flowPlan = plan({ tasks: [{ ...PAUSE, blocks: new Map([["onPause", [inner]]]) }] });
  const execution = runNew(flowPlan);
  runOn(flowPlan, execution, { type: "task_state_set", taskRun: 0, state: "SUCCESS" });
  assertEquals(historiesOf(execution), [
    "p: CREATED RUNNING PAUSED SUCCESS",
    "inner: CREATED RUNNING PAUSED CANCELLED",
  ]);
  assertEquals(currentState(execution.history), "SUCCESS");
});

Deno.test("setTaskState() changes the end of the latest attempt too", () => {
  const flowPlan = plan({ tasks: [returns("b"), returns("c")] });
  const execution = runNew(flowPlan, FAIL_B);
  runOn(flowPlan, execution, { type: "task_state_set", taskRun: 0, state: "SUCCESS" });
  assertEquals(
    execution.taskRuns.map(({ attempts }) =>
      attempts.map(({ history }) => history.map(({ state }) => state).join(" "))
    ),
    [
      ["CREATED RUNNING FAILED SUCCESS"],
      [ENDED],
    ],
  );
});

/** Trees of sequences and parallels with tasks `t0`, `t1`, … as leaves. */
const { tree: TREES } = fc.letrec<{ tree: Shape; inner: Shape }>((tie) => ({
  tree: fc.oneof({ maxDepth: 3 }, fc.constant<Shape>("leaf"), tie("inner")),
  inner: fc.record({
    kind: fc.constantFrom("Sequential", "Parallel"),
    children: fc.array(tie("tree"), { minLength: 1, maxLength: 3 }),
  }),
}));

type Shape = "leaf" | { readonly kind: string; readonly children: readonly Shape[] };

function grow(shape: Shape, ids: string[]): Task {
  const id = `t${ids.push(`t${ids.length}`) - 1}`;
  if (shape === "leaf") return returns(id);
  return flowable(id, shape.kind, shape.children.map((child) => grow(child, ids)));
}

Deno.test("restart() repeats no success and leaves no failure, whatever failed", () => {
  fc.assert(
    fc.property(TREES, fc.infiniteStream(fc.boolean()), (shape, chance) => {
      const ids: string[] = [];
      const flowPlan = plan({ tasks: [grow(shape, ids)] });
      const failing = ids.filter(() => chance.next().value);
      const execution = runNew(flowPlan, { ends: Object.fromEntries(failing.map((id) => [id, "FAILED"])) });
      if (currentState(execution.history) === "SUCCESS") return;
      const wasGood = execution.taskRuns.filter(({ history }) => currentState(history) === "SUCCESS");
      const before = new Map(wasGood.map((taskRun) => [taskRun.ordinal, taskRun.history.length]));
      runOn(flowPlan, execution, { type: "restarted" });
      assertEquals(currentState(execution.history), "SUCCESS");
      assertEquals(execution.taskRuns.map(({ taskId }) => taskId).sort(), [...ids].sort());
      for (const { ordinal, history } of execution.taskRuns) {
        assertEquals(before.get(ordinal) ?? history.length, history.length);
      }
    }),
    { numRuns: 300, seed: 7 },
  );
});
