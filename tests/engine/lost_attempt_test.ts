/** Attempts on workers: their worker is lost, or outlasts a crash of the server. */
import { assertEquals } from "@std/assert";
import type { Event } from "../../src/engine/events.ts";
import { hasWork } from "../../src/engine/recover.ts";
import { currentState } from "../../src/model/executions/state.ts";
import { plan, returns } from "../support/flows/flows.ts";
import { Driver } from "./driver.ts";

function begun(): Driver {
  const driver = new Driver(plan(returns("a")));
  driver.apply({ type: "started" });
  return driver;
}

function attemptStates(driver: Driver): string[] {
  return driver.run("a").attempts.map(({ history }) => currentState(history));
}

const lost = (attempt: number): Event => ({ type: "attempt_lost", taskRun: 0, attempt });

Deno.test("attempt_lost: the attempt ends RESUBMITTED and the next one begins", () => {
  const driver = begun();
  const [command] = driver.apply(lost(1));
  assertEquals(attemptStates(driver), ["RESUBMITTED", "RUNNING"]);
  assertEquals(command?.type === "run_attempt" && command.attemptNumber, 2);
  driver.end("a");
  assertEquals([driver.states, attemptStates(driver)], ["CREATED RUNNING SUCCESS", [
    "RESUBMITTED",
    "SUCCESS",
  ]]);
});

Deno.test("attempt_lost: is ignored for an earlier attempt, and for one that has ended", () => {
  const driver = begun();
  driver.apply(lost(1), lost(1));
  assertEquals(attemptStates(driver), ["RESUBMITTED", "RUNNING"]);
  driver.end("a");
  driver.apply(lost(2));
  assertEquals(driver.states, "CREATED RUNNING SUCCESS");
});

Deno.test("attempt_lost: the third loss in succession fails the task", () => {
  const driver = begun();
  driver.apply(lost(1), lost(2), lost(3));
  assertEquals(attemptStates(driver), ["RESUBMITTED", "RESUBMITTED", "FAILED"]);
  assertEquals(driver.states, "CREATED RUNNING FAILED");
});

/** Interruptions of an attempt that are not the loss of its worker. */
const OTHERS: Readonly<Record<string, (attempt: number) => Event>> = {
  "an end of the server or a take-over": () => ({ type: "recovered", isGivenUp: false }),
  "an orderly stop of a worker": (attempt) => ({ ...lost(attempt), isStopped: true } as Event),
};

for (const [name, interrupt] of Object.entries(OTHERS)) {
  Deno.test(`attempt_lost: ${name} does not count, and does not end the succession`, () => {
    const driver = begun();
    driver.apply(lost(1), interrupt(2), interrupt(3), interrupt(4), lost(5));
    assertEquals(attemptStates(driver), [...Array(5).fill("RESUBMITTED"), "RUNNING"]);
    driver.apply(lost(6));
    assertEquals(driver.states, "CREATED RUNNING FAILED");
  });
}

Deno.test("attempt_lost: while it is killed, the task run ends KILLED", () => {
  const driver = begun();
  driver.apply({ type: "kill_asked" }, lost(1));
  assertEquals([driver.states, attemptStates(driver)], ["CREATED RUNNING KILLING KILLED", ["KILLED"]]);
});

Deno.test("recovered: an attempt that a worker keeps is awaited, and is no work that a crash interrupted", () => {
  const driver = begun();
  assertEquals([hasWork(driver.tree), hasWork(driver.tree, [0])], [true, false]);
  const commands = driver.apply({ type: "recovered", isGivenUp: false, kept: [0] });
  assertEquals(commands.map(({ type }) => type), ["run_attempt"]);
  assertEquals(commands.map((command) => command.type === "run_attempt" && command.isResumed), [true]);
  assertEquals(attemptStates(driver), ["RUNNING"]);
});

Deno.test("recovered: an attempt of an execution that is being killed is not kept", () => {
  const driver = begun();
  driver.apply({ type: "kill_asked" }, { type: "recovered", isGivenUp: false, kept: [0] });
  assertEquals([driver.states, attemptStates(driver)], ["CREATED RUNNING KILLING KILLED", ["KILLED"]]);
});
