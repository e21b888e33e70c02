/** New executions from older ones, by the engine alone. */
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { nextExecutionAt } from "../../../src/engine/attempts.ts";
import { replayExecution, restartAnew } from "../../../src/engine/requests/replay.ts";
import type { Execution } from "../../../src/model/executions/execution.ts";
import type { Task } from "../../../src/model/flows/flow.ts";
import { currentState } from "../../../src/model/executions/state.ts";
import { plan, returns, task } from "../../support/flows/flows.ts";
import { Driver } from "../driver.ts";
import { flowable, historiesOf, RUN_ID, runNew, runOn, type Script, statesOf } from "../run_plan.ts";

const NEW_ID = "AVbbB83o000xXUY4wsF0c9";
const REQUEST = { id: NEW_ID, now: 5_000 };
const ENDED = "CREATED RUNNING SUCCESS";
const AGAIN = `${ENDED} RESTARTED`;
const REOPENED = `${ENDED} RUNNING`;

interface Row {
  readonly rule: string;
  readonly tasks: readonly Task[];
  readonly from: string;
  readonly script?: Script;
  /** Task runs of the new execution when it begins. */
  readonly taskRuns: readonly string[];
}

const LOOP = (limit: number) =>
  flowable("each", "ForEach", [returns("a"), returns("b")], { values: ["x", "y"], concurrencyLimit: limit });
const INNER = flowable("inner", "ForEach", [returns("b"), returns("c")], {
  values: ["p", "q"],
  concurrencyLimit: 1,
});
const NESTED = flowable("outer", "ForEach", [returns("a"), INNER, returns("d")], {
  values: ["x", "y"],
  concurrencyLimit: 1,
});
const DAG = flowable("dag", "Dag", [
  returns("a"),
  { ...returns("b"), dependsOn: ["a"] },
  returns("c"),
  { ...returns("d"), dependsOn: ["b"] },
]);

const ROWS: readonly Row[] = [
  {
    rule: "keeps what came before in a sequence",
    tasks: [returns("a"), returns("b"), returns("c")],
    from: "b",
    taskRuns: [`a: ${ENDED}`, `b: ${AGAIN}`],
  },
  {
    rule: "reopens its ancestors",
    tasks: [returns("a"), flowable("seq", "Sequential", [returns("b"), returns("c")]), returns("d")],
    from: "c",
    taskRuns: [`a: ${ENDED}`, `seq: ${REOPENED}`, `b: ${ENDED}`, `c: ${AGAIN}`],
  },
  {
    rule: "drops what was in a flowable task",
    tasks: [flowable("seq", "Sequential", [returns("a")])],
    from: "seq",
    taskRuns: [`seq: ${REOPENED}`],
  },
  {
    rule: "with a condition evaluates it again, also of a flowable task",
    tasks: [{ ...flowable("seq", "Sequential", [returns("a")]), runIf: "{{ x }}" }],
    from: "seq",
    taskRuns: [`seq: ${AGAIN}`],
  },
  {
    rule: "in a WorkingDirectory begins with the WorkingDirectory",
    tasks: [
      returns("o"),
      flowable("seq", "Sequential", [flowable("wd", "WorkingDirectory", [returns("a"), returns("b")])]),
    ],
    from: "b",
    taskRuns: [`o: ${ENDED}`, `seq: ${REOPENED}`, `wd: ${AGAIN}`],
  },
  {
    rule: "keeps the siblings of a parallel",
    tasks: [flowable("par", "Parallel", [returns("a"), returns("b")])],
    from: "a",
    taskRuns: [`par: ${REOPENED}`, `a: ${AGAIN}`, `b: ${ENDED}`],
  },
  {
    rule: "keeps earlier tasks of later values in a loop that takes one at a time",
    tasks: [LOOP(1)],
    from: "b[x]",
    taskRuns: [`each: ${REOPENED}`, `a[x]: ${ENDED}`, `b[x]: ${AGAIN}`, `a[y]: ${ENDED}`],
  },
  {
    rule: "keeps earlier values of a loop that takes one at a time",
    tasks: [LOOP(1)],
    from: "a[y]",
    taskRuns: [`each: ${REOPENED}`, `a[x]: ${ENDED}`, `b[x]: ${ENDED}`, `a[y]: ${AGAIN}`],
  },
  {
    rule: "keeps earlier tasks of later values in a loop around its loop",
    tasks: [NESTED],
    from: "c[q]",
    taskRuns: [
      ...[
        `outer: ${REOPENED}`,
        `a[x]: ${ENDED}`,
        `inner[x]: ${REOPENED}`,
        `b[p]: ${ENDED}`,
        `c[p]: ${ENDED}`,
      ],
      ...[`b[q]: ${ENDED}`, `c[q]: ${AGAIN}`, `a[y]: ${ENDED}`],
    ],
  },
  {
    rule: "keeps other values of a loop that takes all at once",
    tasks: [LOOP(0)],
    from: "a[x]",
    taskRuns: [`each: ${REOPENED}`, `a[x]: ${AGAIN}`, `a[y]: ${ENDED}`, `b[y]: ${ENDED}`],
  },
  {
    rule: "drops what needed it in a Dag",
    tasks: [DAG],
    from: "b",
    taskRuns: [`dag: ${REOPENED}`, `a: ${ENDED}`, `c: ${ENDED}`, `b: ${AGAIN}`],
  },
];
for (const { rule, tasks, from, script, taskRuns } of ROWS) {
  Deno.test(`replayExecution() from a task ${rule}`, () => {
    const flowPlan = plan({ tasks, finally: [returns("last")] });
    const source = runNew(flowPlan, script);
    const before = historiesOf(source);
    const target = taskRunNamed(source, from);
    const copy = replayExecution(flowPlan, source, { ...REQUEST, taskRun: target });
    assertEquals([statesOf(copy), historiesOf(copy)], [AGAIN, taskRuns]);
    assertEquals(copy.touched.size, taskRuns.length);
    runOn(flowPlan, copy, { type: "started" });
    assertEquals(currentState(copy.history), "SUCCESS");
    assertEquals(namesOf(copy), namesOf(source));
    assertEquals(historiesOf(source), before);
  });
}

for (const crashes of [false, true]) {
  const when = crashes ? ", also after a crash" : "";
  Deno.test(`replayExecution() in a loop of one value at a time goes on with one value at a time${when}`, () => {
    const flowPlan = plan({ tasks: [LOOP(1)] });
    const source = runNew(flowPlan);
    const copy = replayExecution(flowPlan, source, { ...REQUEST, taskRun: taskRunNamed(source, "b[x]") });
    runOn(flowPlan, copy, { type: "started" }, { open: ["b"] });
    if (crashes) runOn(flowPlan, copy, { type: "recovered", isGivenUp: false }, { open: ["b"] });
    assertEquals(namesOf(copy), ["a x", "a y", "b x", "each undefined"]);
    const outcome = { state: "SUCCESS" } as const;
    runOn(flowPlan, copy, { type: "attempt_ended", taskRun: taskRunNamed(copy, "b[x]") ?? -1, outcome });
    assertEquals([currentState(copy.history), namesOf(copy)], ["SUCCESS", namesOf(source)]);
  });
}

Deno.test("replayExecution() in a loop drops all of later values from the first that did not end well", () => {
  const values = ["x", "y", "z"];
  const loop = flowable("each", "ForEach", [returns("a"), returns("b")], { values, concurrencyLimit: 1 });
  const flowPlan = plan({ tasks: [loop] });
  const source = runNew(flowPlan);
  const all = namesOf(source);
  const failed = taskRunNamed(source, "a[y]") ?? -1;
  runOn(flowPlan, source, { type: "task_state_set", taskRun: failed, state: "FAILED" });
  assertEquals(currentState(source.history), "FAILED");
  const copy = replayExecution(flowPlan, source, { ...REQUEST, taskRun: taskRunNamed(source, "b[x]") });
  assertEquals(namesOf(copy), ["a x", "b x", "each undefined"]);
  runOn(flowPlan, copy, { type: "started" });
  assertEquals([currentState(copy.history), namesOf(copy)], ["SUCCESS", all]);
});

function taskRunNamed({ taskRuns }: Execution, name: string): number | undefined {
  const found = taskRuns.find(({ taskId, value }) =>
    (value === undefined ? taskId : `${taskId}[${value}]`) === name
  );
  return found?.ordinal;
}

function namesOf({ taskRuns }: Execution): string[] {
  return taskRuns.map(({ taskId, value }) => `${taskId} ${value}`).sort();
}

Deno.test("replayExecution() from what ran when a pause began begins with the pause", () => {
  const inner = flowable("inner", "Sequential", [returns("o")]);
  const pause = { ...flowable("p", "Pause", []), blocks: new Map([["onPause", [inner]]]) };
  const flowPlan = plan({ tasks: [returns("a"), pause] });
  const source = runNew(flowPlan);
  runOn(flowPlan, source, { type: "resumed", taskRun: taskRunNamed(source, "p") });
  const copy = replayExecution(flowPlan, source, { ...REQUEST, taskRun: taskRunNamed(source, "o") });
  assertEquals(historiesOf(copy), [`a: ${ENDED}`, "p: CREATED RUNNING PAUSED RUNNING SUCCESS RUNNING"]);
  runOn(flowPlan, copy, { type: "started" });
  assertEquals([currentState(copy.history), namesOf(copy)], ["PAUSED", namesOf(source)]);
});

Deno.test("replayExecution() restarts paused siblings of the chosen task, with their onPause tasks", () => {
  const pause = { ...flowable("p", "Pause", []), blocks: new Map([["onPause", [returns("o")]]]) };
  const flowPlan = plan({ tasks: [flowable("par", "Parallel", [pause, returns("a")])] });
  const source = runNew(flowPlan);
  const copy = replayExecution(flowPlan, source, { ...REQUEST, taskRun: taskRunNamed(source, "a") });
  runOn(flowPlan, copy, { type: "started" });
  assertEquals(namesOf(copy), ["a undefined", "o undefined", "p undefined", "par undefined"]);
  assertEquals(currentState(copy.history), "PAUSED");
});

Deno.test("replayExecution() from its start is a new execution with the same inputs, labels and trigger", () => {
  const flowPlan = plan({ tasks: [returns("a")], labels: [{ key: "team", value: "blue" }] });
  const source: Execution = {
    ...runNew(flowPlan),
    inputs: { name: "Ann" },
    labels: [{ key: "team", value: "blue" }, { key: "system.correlationId", value: RUN_ID }],
    trigger: { id: "hook", type: "t", variables: { body: 1 } },
    variables: { set: true },
    originalId: "AVbbB83o000xXUY4wsF0aa",
  };
  const { touched: _, timers: __, ...copy } = replayExecution(flowPlan, source, {
    ...REQUEST,
    breakpoints: ["a"],
  });
  assertEquals(copy, {
    ...withoutState(source),
    id: NEW_ID,
    history: [{ state: "CREATED", at: 5_000 }],
    labels: [
      { key: "team", value: "blue" },
      { key: "system.replay", value: "true" },
      { key: "system.correlationId", value: NEW_ID },
    ],
    parentId: RUN_ID,
    originalCreatedAt: undefined,
    breakpoints: ["a"],
    variables: undefined,
    taskRuns: [],
    nextOrdinal: 0,
  });
});

function withoutState(
  { touched: _, timers: __, ...execution }: Execution,
): Omit<Execution, "touched" | "timers"> {
  return {
    ...execution,
    isHeld: undefined,
    exitState: undefined,
    maxLogLevel: undefined,
    outputs: undefined,
    scheduleDate: undefined,
  };
}

Deno.test("replayExecution() keeps a correlation id that was not its own", () => {
  const flowPlan = plan({ tasks: [returns("a")] });
  const source = { ...runNew(flowPlan), labels: [{ key: "system.correlationId", value: "order-1" }] };
  assertEquals(replayExecution(flowPlan, source, REQUEST).labels, [
    { key: "system.correlationId", value: "order-1" },
    { key: "system.replay", value: "true" },
  ]);
});

Deno.test("replayExecution() from a task restarts a paused sibling", () => {
  const pause = task("p", "io.svc.plugin.core.flow.Pause", { pauseDuration: "PT1M" });
  const flowPlan = plan({ tasks: [flowable("par", "Parallel", [returns("a"), pause])] });
  const source = runNew(flowPlan);
  const copy = replayExecution(flowPlan, source, { ...REQUEST, taskRun: taskRunNamed(source, "a") });
  const commands = runOn(flowPlan, copy, { type: "started" });
  assertEquals(commands.filter(({ type }) => type === "set_timer").length, 1);
  assertEquals(currentState(copy.history), "PAUSED");
});

for (const how of ["replayExecution", "restartAnew"] as const) {
  Deno.test(`${how}() of a held execution begins a WorkingDirectory beside the chosen task anew`, () => {
    const wd = flowable("wd", "WorkingDirectory", [returns("a"), returns("b")]);
    const flowPlan = plan({ tasks: [flowable("par", "Parallel", [wd, returns("x")])] });
    const driver = new Driver(flowPlan);
    driver.apply({ type: "started" });
    driver.end("x", { state: "FAILED" });
    driver.apply({ type: "pause_asked" });
    driver.end("a");
    const { execution } = driver;
    const copy = how === "restartAnew"
      ? restartAnew(flowPlan, execution, REQUEST)
      : replayExecution(flowPlan, execution, { ...REQUEST, taskRun: taskRunNamed(execution, "x") });
    assertEquals(copy.taskRuns.map(({ taskId }) => taskId), ["par", "wd", "x"]);
    const commands = runOn(flowPlan, copy, { type: "started" });
    assert(commands.some(({ type }) => type === "render_decision"), "its directory is made");
    assertEquals([currentState(copy.history), namesOf(copy)], [
      "SUCCESS",
      ["a undefined", "b undefined", "par undefined", "wd undefined", "x undefined"],
    ]);
    assertEquals(driver.runs, ["par RUNNING", "wd RUNNING", "x FAILED", "a SUCCESS"]);
  });
}

Deno.test("replayExecution() of a held execution gives a WorkingDirectory that begins anew its whole time", () => {
  const wd = flowable("wd", "WorkingDirectory", [returns("a"), returns("b")], { timeout: "PT1M" });
  const flowPlan = plan({ tasks: [flowable("par", "Parallel", [wd, returns("x")])] });
  const decisions = { wd: { timeout: "PT1M" } };
  const source = new Driver(flowPlan, decisions);
  source.apply({ type: "started" }, { type: "pause_asked" });
  source.end("a");
  source.end("x");
  const request = { ...REQUEST, now: 3_600_000, taskRun: source.run("x").ordinal };
  const copy = new Driver(flowPlan, decisions, replayExecution(flowPlan, source.execution, request));
  copy.now = request.now;
  copy.apply({ type: "started" });
  assertEquals(copy.runs, ["par RUNNING", "wd RUNNING", "x RUNNING", "a RUNNING"]);
});

Deno.test("replayExecution() from a task drops what came later, also where its revision has no such task", () => {
  const source = runNew(plan({ tasks: [returns("a"), returns("b"), returns("gone")] }));
  const newer = plan({ revision: 2, tasks: [returns("a"), returns("b"), returns("d")] });
  const copy = replayExecution(newer, source, { ...REQUEST, taskRun: taskRunNamed(source, "b") });
  assertEquals(historiesOf(copy), [`a: ${ENDED}`, `b: ${AGAIN}`]);
});

Deno.test("replayExecution() copies the histories of attempts: another end in the copy leaves the older execution as it is", () => {
  const flowPlan = plan({ tasks: [returns("a"), returns("b")] });
  const source = runNew(flowPlan);
  const copy = replayExecution(flowPlan, source, { ...REQUEST, taskRun: taskRunNamed(source, "b") });
  runOn(flowPlan, copy, { type: "started" });
  runOn(flowPlan, copy, { type: "task_state_set", taskRun: 0, state: "WARNING" });
  const endsOf = ({ taskRuns }: Execution) =>
    taskRuns[0]?.attempts.map(({ history }) => currentState(history));
  assertEquals([endsOf(copy), endsOf(source)], [["WARNING"], ["SUCCESS"]]);
});

Deno.test("replayExecution() counts attempts and their time anew, and a retry of the replay counts on", () => {
  const retry = {
    type: "constant",
    intervalMs: 1_000,
    maxDurationMs: 60_000,
    delayFactor: 1,
    behavior: "CREATE_NEW_EXECUTION",
    warningOnRetry: false,
  } as const;
  const flowPlan = plan({ tasks: [returns("a")] });
  const source = runNew(flowPlan);
  const late = 1_000_000;
  for (const taskRun of [undefined, 0]) {
    const replay = replayExecution(flowPlan, source, { id: NEW_ID, now: late, taskRun });
    assertEquals(nextExecutionAt(retry, replay, late + 500), late + 1_500);
    const next = { id: "next", now: late + 1_500, isRetry: true };
    const successor = replayExecution(flowPlan, replay, next);
    assertEquals([successor.attemptNumber, nextExecutionAt(retry, successor, late + 2_000)], [
      2,
      late + 3_000,
    ]);
    assertEquals(nextExecutionAt(retry, successor, late + 59_500), undefined);
  }
  assertEquals(restartAnew(flowPlan, source, { id: NEW_ID, now: late }).originalCreatedAt, 1_000);
});

Deno.test("restartAnew() copies an execution into one that runs another revision", () => {
  const source = runNew(plan({ tasks: [returns("a"), returns("b"), returns("c")] }), {
    ends: { b: "FAILED" },
  });
  const newer = plan({ revision: 2, tasks: [returns("a"), returns("b"), returns("d")] });
  const copy = restartAnew(newer, source, REQUEST);
  assertEquals([copy.id, copy.parentId, copy.originalId, copy.flowRevision], [NEW_ID, RUN_ID, RUN_ID, 2]);
  assertEquals(statesOf(copy), "CREATED RUNNING FAILED RESTARTED");
  assertEquals(statesOf(source), "CREATED RUNNING FAILED");
  runOn(newer, copy, { type: "started" });
  assertEquals(historiesOf(copy), [
    `a: ${ENDED}`,
    "b: CREATED RUNNING FAILED RESTARTED RUNNING SUCCESS",
    `d: ${ENDED}`,
  ]);
});

Deno.test("replayExecution() from any task ends as a run from the start does", () => {
  const flowPlan = plan({ tasks: [returns("t"), LOOP(1), withIds(DAG, "z"), LOOP2] });
  const source = runNew(flowPlan);
  const wanted = namesOf(source);
  fc.assert(
    fc.property(fc.nat(source.taskRuns.length - 1), (index) => {
      const copy = replayExecution(flowPlan, source, {
        ...REQUEST,
        taskRun: source.taskRuns[index]?.ordinal,
      });
      runOn(flowPlan, copy, { type: "started" });
      assertEquals([currentState(copy.history), namesOf(copy)], ["SUCCESS", wanted]);
    }),
    { numRuns: 60, seed: 3 },
  );
});

const LOOP2 = flowable("each2", "ForEach", [returns("m"), returns("n")], {
  values: ["x", "y"],
  concurrencyLimit: 0,
});

/** The same Dag under other ids. */
function withIds(dag: Task, suffix: string): Task {
  const rename = (id: string) => id + suffix;
  const children = (dag.blocks.get("tasks") ?? []).map((child) => ({
    ...child,
    id: rename(child.id),
    dependsOn: child.dependsOn?.map(rename),
  }));
  return { ...dag, blocks: new Map([["tasks", children]]) };
}
