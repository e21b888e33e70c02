/** What the simulation has found, each as the shortest story that showed it. */
import { assert, assertEquals } from "@std/assert";
import { childId } from "../../src/engine/children/children.ts";
import { hasWork } from "../../src/engine/recover.ts";
import { replayExecution } from "../../src/engine/requests/replay.ts";
import type { Flow, Task } from "../../src/model/flows/flow.ts";
import { plan, returns, task } from "../support/flows/flows.ts";
import { type Decisions, Driver } from "./driver.ts";

const FLOW = "io.svc.plugin.core.flow";
const STARTED = { type: "started" } as const;

function flowable(kind: string, id: string, tasks: readonly Task[], more: Partial<Task> = {}): Task {
  return { ...task(id, `${FLOW}.${kind}`), blocks: new Map([["tasks", tasks]]), ...more };
}

function drive(members: Partial<Flow>, decisions: Decisions = {}): Driver {
  return new Driver(plan(members), decisions);
}

Deno.test("exit() with KILLED goes over KILLING, as a kill does", () => {
  const driver = drive({ tasks: [returns("a"), returns("b")] });
  driver.apply(STARTED);
  driver.end("a", { state: "SUCCESS", effects: { exit: "KILLED" } });
  assertEquals(driver.states, "CREATED RUNNING KILLING KILLED");
});

Deno.test("exit() ends an execution that is held", () => {
  for (const ask of [{ type: "pause_asked" } as const, undefined]) {
    const parallel = flowable("Parallel", "p", [returns("a"), returns("b")]);
    const driver = drive({ tasks: [parallel] });
    if (!ask) driver.execution.breakpoints = ["b"];
    driver.apply(STARTED, ...(ask ? [ask] : []));
    driver.end("a", { state: "SUCCESS", effects: { exit: "SUCCESS" } });
    if (ask) driver.end("b");
    assertEquals(driver.states, `CREATED RUNNING ${ask ? "PAUSED" : "BREAKPOINT"} RUNNING SUCCESS`);
  }
});

Deno.test("exit() runs afterExecution when a pause was asked for meanwhile", () => {
  const parallel = flowable("Parallel", "p", [returns("a"), returns("b")]);
  const driver = drive({ tasks: [parallel], afterExecution: [returns("x")] });
  driver.apply(STARTED);
  driver.end("a", { state: "SUCCESS", effects: { exit: "SUCCESS" } });
  driver.apply({ type: "pause_asked" });
  driver.end("b");
  assertEquals(driver.runs.at(-1), "x RUNNING");
});

Deno.test("resumed after a hold: a task behind one that has ended within others begins once", () => {
  const inner = flowable("Sequential", "inner", [returns("a")]);
  const driver = drive({ tasks: [flowable("Sequential", "outer", [inner, returns("b")]), returns("c")] });
  driver.apply(STARTED, { type: "pause_asked" });
  driver.end("a");
  driver.apply({ type: "resumed" });
  assertEquals(driver.runs, ["outer RUNNING", "inner SUCCESS", "a SUCCESS", "b RUNNING"]);
});

Deno.test("recovered: a task behind one that has ended within others begins once", () => {
  const inner = flowable("Sequential", "inner", [returns("a")]);
  const driver = drive({ tasks: [inner, returns("b")] });
  driver.apply(STARTED, { type: "pause_asked" });
  driver.end("a");
  driver.reload();
  driver.execution.isHeld = undefined;
  driver.apply({ type: "recovered", isGivenUp: false });
  assertEquals(driver.runs, ["inner SUCCESS", "a SUCCESS", "b RUNNING"]);
});

Deno.test("recovered: an execution that has not started asks for a slot", () => {
  const driver = drive({ tasks: [returns("a")] });
  const commands = driver.apply({ type: "recovered", isGivenUp: false });
  assertEquals([driver.states, commands.map(({ type }) => type)], ["CREATED RUNNING", [
    "ask_slot",
    "run_attempt",
  ]]);
});

Deno.test("recovered: an execution that waits for its date goes on waiting, and has no work that a crash interrupted", () => {
  const driver = drive({ tasks: [returns("a")] });
  driver.execution.timers.set("start", 5_000);
  assertEquals(hasWork(driver.tree), false);
  const commands = driver.apply({ type: "recovered", isGivenUp: false });
  assertEquals([driver.states, commands, driver.execution.timers.size], ["CREATED", [], 1]);
});

Deno.test("a loop that fails at its limit fails all the same after a crash during its finally", () => {
  const loop = task("l", `${FLOW}.LoopUntil`);
  const blocks = new Map([["tasks", [returns("a")]], ["finally", [returns("f")]]]);
  const checkFrequency = { maxIterations: 1, interval: "PT0S" };
  const driver = drive({ tasks: [{ ...loop, blocks }] }, {
    l: { checkFrequency, failOnMaxReached: true, condition: "false" },
  });
  driver.apply(STARTED);
  driver.end("a");
  assertEquals(driver.runs, ["l RUNNING", "a SUCCESS", "f RUNNING"]);
  driver.reload();
  driver.apply({ type: "recovered", isGivenUp: false });
  driver.end("f");
  assertEquals(driver.runs, ["l FAILED", "a SUCCESS", "f SUCCESS"]);
  assertEquals(driver.states, "CREATED RUNNING FAILED");
});

Deno.test("a breakpoint in afterExecution does not move an execution that has ended", () => {
  const driver = drive({ tasks: [returns("a")], afterExecution: [returns("x")] });
  driver.execution.breakpoints = ["x"];
  driver.apply(STARTED);
  driver.end("a");
  driver.end("x");
  assertEquals(driver.states, "CREATED RUNNING SUCCESS");
  assertEquals(driver.runs, ["a SUCCESS", "x SUCCESS"]);
});

Deno.test("a pause in afterExecution that cancels does not end the execution once more", () => {
  const pause = task("p", `${FLOW}.Pause`);
  const driver = drive({ tasks: [returns("a")], afterExecution: [pause] }, {
    p: { pauseDuration: "PT1S", behavior: "CANCEL" },
  });
  driver.apply(STARTED);
  driver.end("a");
  const commands = driver.apply({ type: "timer_due", timer: "task/1" });
  assertEquals(driver.states, "CREATED RUNNING SUCCESS");
  assertEquals(driver.runs, ["a SUCCESS", "p CANCELLED"]);
  assertEquals(commands.filter(({ type }) => type === "announce_end"), []);
});

Deno.test("given up after its end: what is open of afterExecution is closed, and the end stays", () => {
  const driver = drive({ tasks: [returns("a")], afterExecution: [returns("x"), returns("y")] });
  driver.apply(STARTED);
  driver.end("a");
  driver.execution.crashes = 3;
  driver.apply({ type: "recovered", isGivenUp: true });
  assertEquals(driver.states, "CREATED RUNNING SUCCESS");
  assertEquals(driver.runs, ["a SUCCESS", "x FAILED"]);
});

Deno.test("a retry by a new execution while the old one is held", () => {
  const retry = {
    type: "constant",
    intervalMs: 0,
    maxAttempts: 2,
    delayFactor: 2,
    warningOnRetry: false,
    behavior: "CREATE_NEW_EXECUTION",
  } as const;
  const driver = drive({ tasks: [returns("a")], retry });
  driver.apply(STARTED, { type: "pause_asked" });
  const commands = driver.end("a", { state: "FAILED" });
  assertEquals(driver.states, "CREATED RUNNING PAUSED RUNNING RETRIED");
  assert(commands.some(({ type }) => type === "start_over"));
});

Deno.test("an execution that ends with its start leaves no timer", () => {
  const sla = {
    id: "s",
    type: "MAX_DURATION",
    behavior: "FAIL",
    labels: [],
    durationMs: 60_000,
  } as const;
  const driver = drive({ tasks: [returns("a", "a", { disabled: true })], sla: [sla] });
  driver.apply(STARTED);
  assertEquals([driver.states, driver.execution.timers.size], ["CREATED RUNNING SUCCESS", 0]);
});

Deno.test("replayExecution() under a clock that went back: no date goes back", () => {
  const flowPlan = plan({ tasks: [flowable("Sequential", "s", [returns("a"), returns("b")])] });
  const driver = new Driver(flowPlan);
  driver.apply(STARTED);
  driver.end("a");
  driver.end("b");
  const replayed = replayExecution(flowPlan, driver.execution, { id: "f", now: 5, taskRun: 1 });
  for (const { history } of [replayed, ...replayed.taskRuns]) {
    const dates = history.map(({ at }) => at);
    assertEquals(dates, dates.toSorted((a, b) => a - b));
  }
});

Deno.test("replayExecution() from a flowable task that was skipped", () => {
  const flowPlan = plan({ tasks: [flowable("Sequential", "s", [returns("a")], { runIf: "{{ x }}" })] });
  const driver = new Driver(flowPlan);
  driver.step(STARTED);
  driver.step({ type: "condition_rendered", taskRun: 0, holds: false });
  const replayed = replayExecution(flowPlan, driver.execution, { id: "f", now: 5_000, taskRun: 0 });
  const states = replayed.taskRuns[0]?.history.map(({ state }) => state).join(" ");
  assertEquals(states, "CREATED SKIPPED RESTARTED"); // Its condition is rendered again.
});

Deno.test("a timer that is due before a restarted execution has its slot does not let it run", () => {
  const pauses = [task("p", `${FLOW}.Pause`), task("q", `${FLOW}.Pause`)];
  const driver = drive({ tasks: [flowable("Parallel", "all", pauses), returns("b")] }, {
    p: { pauseDuration: "PT1S" },
  });
  driver.apply(STARTED);
  driver.step({ type: "task_state_set", taskRun: 2, state: "SUCCESS" });
  driver.step({ type: "timer_due", timer: "task/1" });
  assertEquals(driver.states, "CREATED RUNNING PAUSED RESTARTED");
  driver.apply(STARTED);
  assertEquals(driver.runs, ["all SUCCESS", "p SUCCESS", "q SUCCESS", "b RUNNING"]);
});

Deno.test("a retry that is due before a restarted execution has its slot waits for it", () => {
  const retry = {
    type: "constant",
    intervalMs: 1_000,
    maxAttempts: 2,
    delayFactor: 2,
    warningOnRetry: false,
    behavior: "RETRY_FAILED_TASK",
  } as const;
  const tasks = [{ ...returns("a"), retry }, task("p", `${FLOW}.Pause`)];
  const driver = drive({ tasks: [flowable("Parallel", "all", tasks)] });
  driver.apply(STARTED);
  driver.end("a", { state: "FAILED" });
  driver.apply({ type: "pause_asked" });
  driver.step({ type: "restarted" });
  if (driver.states.endsWith("RESTARTED")) {
    driver.execution.timers.delete("task/1");
    driver.step({ type: "timer_due", timer: "task/1" });
    assertEquals(driver.runs[1], "a RETRYING");
    driver.apply(STARTED);
  }
  assertEquals(driver.runs[1], driver.states.endsWith("RUNNING") ? "a RUNNING" : "a RETRYING");
});

Deno.test("a Loop that has failed runs its finally to the end, whatever ends its passes report meanwhile", () => {
  const blocks = new Map([["tasks", [returns("a")]], ["finally", [returns("f")]]]);
  const driver = drive({ tasks: [{ ...task("l", `${FLOW}.Loop`), blocks }] });
  const passes = { values: {}, limit: 2 };
  const numbers = { from: 0, count: 2, total: 5, madeAt: driver.now, attempt: 1, waits: true };
  driver.apply(STARTED);
  driver.step({ type: "children_started", taskRun: 0, ...numbers, transmitsFailed: true, passes });
  driver.step({ type: "attempt_ended", taskRun: 0, outcome: { state: "FAILED" } });
  assertEquals(driver.runs, ["l RUNNING", "f RUNNING"]);
  const [loop] = driver.execution.taskRuns;
  assert(loop);
  const executionId = childId(loop, { ...numbers, executionId: driver.execution.id }, 0);
  driver.step({ type: "child_ended", taskRun: 0, executionId, state: "SUCCESS" });
  driver.reload();
  driver.end("f");
  assertEquals(driver.states, "CREATED RUNNING FAILED");
});

Deno.test("while a loop renders its condition the execution is not PAUSED, whatever siblings are paused", () => {
  const loop = flowable("LoopUntil", "l", [returns("a")]);
  const driver = drive({ tasks: [flowable("Parallel", "all", [loop, task("p", `${FLOW}.Pause`)])] }, {
    l: { checkFrequency: { interval: "PT0S" }, condition: "false" },
  });
  driver.apply(STARTED);
  driver.end("a");
  driver.end("a");
  assertEquals(driver.states, "CREATED RUNNING");
});

Deno.test("while a long list is opened bit by bit the execution is not PAUSED", () => {
  const values = Array.from({ length: 30 }, (_, n) => `v${n}`);
  const driver = drive({ tasks: [flowable("ForEach", "e", [task("p", `${FLOW}.Pause`)])] }, {
    e: { values, concurrencyLimit: 0 },
  });
  driver.apply(STARTED);
  assertEquals(driver.execution.taskRuns.length, 31);
  assertEquals(driver.states, "CREATED RUNNING PAUSED");
});

/** A Loop of one value that is tried again once, and whose outputs are gathered. */
function gatheringLoop(): Driver {
  const retry = {
    type: "constant",
    intervalMs: 0,
    delayFactor: 2,
    maxAttempts: 2,
    warningOnRetry: false,
    behavior: "RETRY_FAILED_TASK",
  } as const;
  const blocks = new Map([["tasks", [returns("a")]]]);
  const driver = drive({ tasks: [{ ...task("l", `${FLOW}.Loop`), blocks, retry }] });
  driver.apply(STARTED);
  return driver;
}

/** Starts a pass that fails; the commands that follow. */
function failPass(driver: Driver, attempt: number): readonly string[] {
  const passes = { values: {}, limit: 1, collects: "FETCH" } as const;
  const numbers = { from: 0, count: 1, total: 1, madeAt: driver.now, attempt, waits: true, passes };
  driver.step({ type: "children_started", taskRun: 0, ...numbers, transmitsFailed: true });
  const executionId = childId({ ordinal: 0 }, { ...numbers, executionId: driver.execution.id }, 0);
  const ended = { type: "child_ended", taskRun: 0, executionId, state: "FAILED" } as const;
  return driver.step(ended).map(({ type }) => type);
}

Deno.test("a Loop that was held while its outputs were gathered does not ask for them again", () => {
  const driver = gatheringLoop();
  assertEquals(failPass(driver, 1), ["collect_outputs"]);
  driver.step({ type: "pause_asked" });
  assertEquals(driver.step({ type: "resumed" }).map(({ type }) => type), []);
});

Deno.test("the end of a former attempt of a Loop is not that of the one in its place", () => {
  const driver = gatheringLoop();
  failPass(driver, 1);
  const ended = { type: "attempt_ended", taskRun: 0, attempt: 1, outcome: { state: "FAILED" } } as const;
  driver.step(ended);
  assertEquals([driver.runs, driver.run("l").attempts.length], [["l RUNNING"], 2]);
  driver.step(ended);
  assertEquals(driver.states, "CREATED RUNNING");
  driver.step({ ...ended, attempt: 2 });
  assertEquals(driver.states, "CREATED RUNNING FAILED");
});

Deno.test("the start of a Subflow that a former attempt requested is not that of the next attempt", () => {
  const driver = drive({ tasks: [task("s", `${FLOW}.Subflow`)] });
  driver.apply(STARTED);
  driver.step({ type: "kill_asked" });
  driver.step({ type: "attempt_ended", taskRun: 0, outcome: { state: "KILLED" } });
  driver.apply({ type: "restarted" });
  const started = { type: "child_started", taskRun: 0, waits: true } as const;
  driver.step({ ...started, attempt: 1, executionId: "former" });
  driver.step({ ...started, attempt: 2, executionId: "latter" });
  assertEquals([driver.states, driver.run("s").decision], [
    "CREATED RUNNING KILLING KILLED RESTARTED RUNNING",
    { executionId: "latter" },
  ]);
});

Deno.test("a replay from the finally of a Loop without values comes to an end", () => {
  const blocks = new Map([["tasks", [returns("a")]], ["finally", [returns("f")]]]);
  const driver = drive({ tasks: [{ ...task("l", `${FLOW}.Loop`), blocks }] });
  driver.apply(STARTED);
  const none = { from: 0, count: 0, total: 0, madeAt: driver.now, attempt: 1, waits: true };
  const passes = { values: {}, limit: 1 };
  driver.step({ type: "children_started", taskRun: 0, ...none, transmitsFailed: true, passes });
  driver.end("f");
  assertEquals(driver.states, "CREATED RUNNING SUCCESS");
  const copy = replayExecution(driver.tree.plan, driver.execution, { id: "r", now: driver.now, taskRun: 1 });
  const replay = new Driver(driver.tree.plan, {}, copy);
  replay.now = driver.now;
  replay.apply(STARTED);
  replay.end("f");
  assertEquals(replay.states, "CREATED RUNNING SUCCESS RESTARTED RUNNING SUCCESS");
});

Deno.test("a Loop whose finally is restarted does not wait for its passes once more", () => {
  const inner = flowable("Parallel", "q", [returns("f"), task("p", `${FLOW}.Pause`)]);
  const blocks = new Map([["tasks", [returns("a")]], ["finally", [inner]]]);
  const driver = drive({ tasks: [{ ...task("l", `${FLOW}.Loop`), blocks }] });
  driver.apply(STARTED);
  const numbers = { from: 0, count: 1, total: 2, madeAt: driver.now, attempt: 1, waits: true };
  driver.step({
    type: "children_started",
    taskRun: 0,
    ...numbers,
    transmitsFailed: true,
    passes: { values: {}, limit: 1 },
  });
  driver.apply({ type: "attempt_ended", taskRun: 0, attempt: 1, outcome: { state: "FAILED" } });
  driver.end("f", { state: "FAILED" });
  assertEquals(driver.runs, ["l RUNNING", "q RUNNING", "f FAILED", "p PAUSED"]);
  driver.apply({ type: "restarted" });
  assertEquals(driver.runs, ["l RUNNING", "q RUNNING", "f RUNNING", "p PAUSED"]);
  driver.end("f");
  driver.apply({ type: "resumed", taskRun: driver.run("p").ordinal });
  assertEquals(driver.states.endsWith("FAILED"), true, driver.states);
});

Deno.test("a pause that has failed in time stays so when its errors are restarted", () => {
  const inner = flowable("Parallel", "q", [returns("e"), task("p", `${FLOW}.Pause`)]);
  const blocks = new Map([["tasks", [returns("t")]], ["errors", [inner]]]);
  const driver = drive({ tasks: [{ ...task("w", `${FLOW}.Pause`), blocks }] }, { w: { timeout: "PT1S" } });
  driver.apply(STARTED, { type: "timer_due", timer: "task/0" });
  driver.end("e", { state: "FAILED" });
  driver.apply({ type: "restarted" });
  assertEquals(driver.runs, ["w RUNNING", "q RUNNING", "e RUNNING", "p PAUSED"]);
  driver.end("e");
  driver.apply({ type: "resumed", taskRun: driver.run("p").ordinal });
  assertEquals(driver.states.endsWith("FAILED"), true, driver.states);
});

Deno.test("a retry of a Loop or a Subflow that is due before a restarted execution has its slot is not forgotten", () => {
  for (const kind of ["Loop", "Subflow"]) {
    const retry = {
      type: "constant",
      intervalMs: 1_000,
      delayFactor: 2,
      maxAttempts: 2,
      warningOnRetry: false,
      behavior: "RETRY_FAILED_TASK",
    } as const;
    const child = { ...task("c", `${FLOW}.${kind}`), blocks: new Map([["tasks", [returns("x")]]]), retry };
    const driver = drive({ tasks: [flowable("Parallel", "p", [child, returns("b")])] });
    driver.apply(STARTED);
    driver.end("b", { state: "FAILED" });
    driver.step({ type: "child_started", taskRun: 1, executionId: "one", waits: true });
    driver.apply({ type: "pause_asked" }, {
      type: "attempt_ended",
      taskRun: 1,
      outcome: { state: "FAILED" },
    });
    assertEquals(driver.runs, ["p RUNNING", "c RETRYING", "b FAILED"]);
    driver.step({ type: "restarted" });
    driver.execution.timers.delete("task/1");
    driver.step({ type: "timer_due", timer: "task/1" });
    driver.apply(STARTED);
    assertEquals(driver.runs, ["p RUNNING", "c RUNNING", "b RUNNING"]);
  }
});
