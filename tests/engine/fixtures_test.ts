/** Fixtures: the engine ends tasks by them instead of running them. */
import { assertEquals } from "@std/assert";
import { createExecution } from "../../src/engine/create.ts";
import type { FlowPlan } from "../../src/engine/plan.ts";
import { fixtureOf, type TaskFixture } from "../../src/model/executions/fixtures.ts";
import { currentState, type State } from "../../src/model/executions/state.ts";
import { packExtras, unpackExecution } from "../../src/store/records/executions/execution_codec.ts";
import { plan, returns, task } from "../support/flows/flows.ts";
import { Driver } from "./driver.ts";

const PAUSE = "io.svc.plugin.core.flow.Pause";

function begun(flow: FlowPlan, ...tasks: readonly TaskFixture[]): Driver {
  const created = createExecution(flow.flow, { id: "e", labels: [], kind: "TEST" }, 1_000);
  const driver = new Driver(flow, {}, { ...created, fixtures: { tasks } });
  driver.apply({ type: "started" });
  return driver;
}

/** Responds to `render_fixture` for the task run that was created last for a task. */
function endFixture(driver: Driver, taskId: string, state: "SUCCESS" | "WARNING" | "FAILED" = "SUCCESS") {
  const { ordinal: taskRun, attempts: { length: attempt } } = driver.run(taskId);
  const outcome = { state, outputs: { given: true }, isFixture: true };
  return driver.apply({ type: "attempt_ended", taskRun, attempt, outcome });
}

function attemptsOf(driver: Driver, taskId: string): State[] {
  return driver.run(taskId).attempts.map(({ history }) => currentState(history));
}

Deno.test("startWork() renders the fixture of a task and runs no attempt; other tasks run", () => {
  const driver = begun(plan({ tasks: [returns("a"), returns("b")] }), { id: "a", state: "SUCCESS" });
  assertEquals([driver.runs, attemptsOf(driver, "a")], [["a RUNNING"], ["RUNNING"]]);
  const commands = endFixture(driver, "a");
  assertEquals(driver.run("a").outputs, { given: true });
  assertEquals(commands.map(({ type }) => type), ["run_attempt"]);
  driver.end("b");
  assertEquals([driver.states, driver.runs], ["CREATED RUNNING SUCCESS", ["a SUCCESS", "b SUCCESS"]]);
});

Deno.test("startWork() uses a fixture after the condition of the task, and for a flowable task", () => {
  const tasks = [task("hold", PAUSE, { runIf: "{{ true }}" })];
  const driver = begun(plan({ tasks }), { id: "hold", state: "SUCCESS" });
  assertEquals(driver.runs, ["hold RUNNING"]);
  driver.reload();
  endFixture(driver, "hold");
  assertEquals(driver.states, "CREATED RUNNING SUCCESS");
});

Deno.test("applyOutcome() ends a task in the state of its fixture: no retry follows, what a failure allows does", () => {
  const retry = { type: "constant", behavior: "RETRY_FAILED_TASK", intervalMs: 0, maxAttempts: 3 } as const;
  const retried = { ...returns("a"), retry } as unknown as ReturnType<typeof returns>;
  const driver = begun(plan({ tasks: [retried] }), { id: "a", state: "FAILED" });
  endFixture(driver, "a", "FAILED");
  assertEquals([driver.states, attemptsOf(driver, "a")], ["CREATED RUNNING FAILED", ["FAILED"]]);
  const tasks = [returns("a", "a", { allowFailure: true })];
  const allowed = begun(plan({ tasks }), { id: "a", state: "FAILED" });
  endFixture(allowed, "a", "FAILED");
  assertEquals(allowed.states, "CREATED RUNNING WARNING");
});

Deno.test("recover() uses the fixture again for a task that a crash interrupted", () => {
  const driver = begun(plan({ tasks: [returns("a")] }), { id: "a", state: "SUCCESS" });
  driver.reload();
  const commands = driver.apply({ type: "recovered", isGivenUp: false });
  assertEquals(commands.map(({ type }) => type), ["render_fixture"]);
  endFixture(driver, "a");
  assertEquals([driver.states, attemptsOf(driver, "a")], ["CREATED RUNNING SUCCESS", [
    "RESUBMITTED",
    "SUCCESS",
  ]]);
});

Deno.test("kill() ends a task whose fixture is not rendered yet; its late end is ignored", () => {
  const driver = begun(plan({ tasks: [returns("a")] }), { id: "a", state: "SUCCESS" });
  const commands = driver.apply({ type: "kill_asked" });
  assertEquals(commands.some(({ type }) => type === "interrupt_attempt"), true);
  driver.end("a", { state: "KILLED" });
  endFixture(driver, "a");
  assertEquals([driver.states, driver.run("a").outputs], ["CREATED RUNNING KILLING KILLED", undefined]);
});

Deno.test("createExecution() adds no member for fixtures, and nor does the stored form of other executions", () => {
  const created = createExecution(plan().flow, { id: "e", labels: [], kind: "NORMAL" }, 1_000);
  assertEquals("fixtures" in created, false);
  assertEquals(packExtras(created, (value) => value), undefined);
  const read = unpackExecution([1, 1, 1_000, [0, 0], 0, 0, 0, 0], "e", "main", {
    namespace: "demo",
    id: "flow",
  });
  assertEquals("fixtures" in read, false);
});

Deno.test("fixtureOf() prefers the fixture for the item of a loop", () => {
  const all: TaskFixture = { id: "a", state: "SUCCESS" };
  const one: TaskFixture = { id: "a", value: "x", state: "FAILED" };
  const fixtures = { tasks: [all, one] };
  assertEquals(fixtureOf(fixtures, { taskId: "a", value: "x" }), one);
  assertEquals(fixtureOf(fixtures, { taskId: "a", value: "y" }), all);
  assertEquals(fixtureOf(fixtures, { taskId: "a" }), all);
  assertEquals(fixtureOf({ tasks: [one] }, { taskId: "a" }), undefined);
  assertEquals(fixtureOf(fixtures, { taskId: "b" }), undefined);
});
