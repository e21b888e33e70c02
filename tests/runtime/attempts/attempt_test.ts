/** One attempt: every failure is an end, and nothing of it counts after its timeout. */
import { assertEquals, assertInstanceOf } from "@std/assert";
import { type JsonObject, parseJson } from "../../../src/base/json.ts";
import { silentLogger } from "../../../src/base/log.ts";
import type { Event } from "../../../src/engine/events.ts";
import type { Task } from "../../../src/model/flows/flow.ts";
import type { RunContext } from "../../../src/model/ports/run_context.ts";
import type { AttemptOutcome, TaskType } from "../../../src/model/tasks/task_catalog.ts";
import { type AttemptDeps, runAttempt } from "../../../src/runtime/attempts/attempt.ts";
import { KeptShapes } from "../../../src/runtime/live/kept_shapes.ts";
import { FakeClock, settle } from "../../support/fakes/fake_clock.ts";
import { task } from "../../support/flows/flows.ts";
import { firstAttempt, liveExecution, runnable, SECRET, waiting } from "../live_support.ts";

/** Runs the only task of a flow once. */
function attempt(type: TaskType | undefined, declared: Task = task("a", "test")) {
  const live = liveExecution({ tasks: [declared] });
  const clock = new FakeClock();
  const controller = new AbortController();
  const wakes: number[] = [];
  const deps: AttemptDeps = {
    clock,
    logger: silentLogger(clock),
    isStopping: () => false,
    ports: {} as AttemptDeps["ports"],
    taskCache: {} as AttemptDeps["taskCache"],
    shapes: new KeptShapes(),
    wake: () => void wakes.push(clock.now()),
  };
  const event = runAttempt(live, firstAttempt(live), { ...deps, type, controller });
  return { live, clock, controller, event, wakes };
}

function ended(outcome: AttemptOutcome, message?: string): Event {
  return { type: "attempt_ended", taskRun: 0, outcome, ...(message === undefined ? {} : { message }) };
}

const SUCCESS = { state: "SUCCESS", outputs: { n: 1 } } as const;
const failing = () => {
  throw new Error(`no ${SECRET}`);
};

/** Types of tasks, and how their attempt ends. */
const ENDS: readonly (readonly [name: string, type: TaskType | undefined, event: Event])[] = [
  ["a task that returns", runnable(() => SUCCESS), ended(SUCCESS)],
  ["a task that throws: secrets are masked", runnable(failing), ended({ state: "FAILED" }, "no ******")],
  ["an unknown type", undefined, ended({ state: "FAILED" }, "Invalid type: test")],
  ["a wait", waiting(() => 5_000), { type: "wait_begun", taskRun: 0, dueAt: new FakeClock().now() + 5_000 }],
  ["a delay that cannot be read", waiting(failing), ended({ state: "FAILED" }, "no ******")],
];

for (const [name, type, event] of ENDS) {
  Deno.test(`runAttempt() ends synchronously: ${name}`, () => {
    assertEquals(attempt(type).event, event);
  });
}

/** What promises of tasks become, and the end. */
const LATE_ENDS: readonly (readonly [name: string, run: () => Promise<AttemptOutcome>, event: Event])[] = [
  ["resolves", () => Promise.resolve(SUCCESS), ended(SUCCESS)],
  ["rejects", () => Promise.resolve().then(failing), ended({ state: "FAILED" }, "no ******")],
];

for (const [name, run, event] of LATE_ENDS) {
  Deno.test(`runAttempt() never rejects: the task ${name}`, async () => {
    const started = attempt(runnable(run));
    assertInstanceOf(started.event, Promise);
    assertEquals(await started.event, event);
  });
}

for (
  const [name, outputs] of [
    ["are too large", { text: "x".repeat(1_100_000) }],
    ["are nested too deeply", parseJson(`{"list": ${"[".repeat(500)}${"]".repeat(500)}}`) as JsonObject],
  ] as const
) {
  Deno.test(`runAttempt() fails an attempt with outputs that ${name}`, () => {
    const event = attempt(runnable(() => ({ state: "SUCCESS", outputs }))).event as Event;
    assertEquals(event.type === "attempt_ended" && event.outcome, { state: "FAILED", files: undefined });
  });
}

Deno.test("runAttempt() ends an attempt at its timeout, interrupts it, and ignores what it does later", async () => {
  let seen: RunContext | undefined;
  const late = Promise.withResolvers<AttemptOutcome>();
  const type = runnable((_properties, context) => {
    seen = context;
    context.log("INFO", "before");
    context.metric({ type: "counter", name: "rows", value: 1, tags: {} });
    return late.promise;
  });
  const { event, clock, controller, live } = attempt(type, task("a", "test", { timeout: "PT1S" }));
  await clock.advance(1_000);
  assertEquals(await event, ended({ state: "FAILED" }, "Timeout after PT1S"));
  const stored = () => [...live.receipts?.values() ?? []].flatMap(({ mutations = [] }) => mutations).length;
  assertEquals([controller.signal.aborted, stored()], [true, 1]);
  seen?.log("INFO", "after");
  late.resolve(SUCCESS);
  await settle();
  assertEquals(live.execution.newLogs.map(({ message }) => message), ["before"]);
  assertEquals([stored(), clock.timerCount], [1, 0]);
});

Deno.test("runAttempt() ends a wait at its timeout if that comes first", () => {
  const { event, clock } = attempt(waiting(() => 5_000), task("a", "test", { timeout: "PT1S" }));
  const dueAt = clock.now() + 1_000;
  assertEquals(event, { type: "wait_begun", taskRun: 0, dueAt, failure: "Timeout after PT1S" });
});

Deno.test("log() drops lines below the log level of the task, and masks secrets", () => {
  const type = runnable((_properties, context) => {
    context.log("INFO", "left out");
    context.log("WARN", `the password is ${SECRET}`);
    return SUCCESS;
  }, true);
  const { live } = attempt(type, task("a", "test", { logLevel: "WARN" }));
  assertEquals(live.execution.newLogs.map(({ message }) => message), ["the password is ******"]);
});

Deno.test("log() stores lines of a long attempt while it runs", async () => {
  const end = Promise.withResolvers<AttemptOutcome>();
  const type = runnable((_properties, context) => {
    context.log("INFO", "one");
    return end.promise;
  });
  const { clock, wakes, event } = attempt(type);
  await clock.advance(500);
  assertEquals(wakes.length, 1);
  end.resolve(SUCCESS);
  assertEquals(await event, ended(SUCCESS));
  assertEquals(clock.timerCount, 0);
});
