/** Requests as a table: which are refused in which state of the execution, and which states follow the others. */
import { assertEquals, assertMatch } from "@std/assert";
import { type Request, REQUEST_TYPES } from "../../../src/engine/requests/requests.ts";
import type { Event } from "../../../src/engine/events.ts";
import { hasWork } from "../../../src/engine/recover.ts";
import { step } from "../../../src/engine/step.ts";
import { currentState } from "../../../src/model/executions/state.ts";
import type { Task } from "../../../src/model/flows/flow.ts";
import { plan, returns, task } from "../../support/flows/flows.ts";
import { storeExecution } from "../../simulation/stored_form.ts";
import { Driver } from "../driver.ts";
import { flowable } from "../run_plan.ts";

const PAUSE = task("p", "io.svc.plugin.core.flow.Pause");

type Retry = NonNullable<Task["retry"]>;

function retried(id: string, behavior: Retry["behavior"], intervalMs = 60_000): Task {
  const retry = { type: "constant", intervalMs, delayFactor: 1, behavior, warningOnRetry: false } as const;
  return { ...returns(id), retry };
}

function retrying(behavior: Retry["behavior"]): Driver {
  return new Driver(plan({ tasks: [retried("a", behavior)] }));
}

function begun(tasks: readonly Task[] = [returns("a"), returns("b")]): Driver {
  return after(new Driver(plan({ tasks })), { type: "started" });
}

function ended(state: "SUCCESS" | "WARNING" | "FAILED"): Driver {
  const driver = begun([returns("a")]);
  driver.end("a", { state });
  return driver;
}

function after(driver: Driver, event: Event): Driver {
  driver.apply(event);
  return driver;
}

/** How to bring an execution into each situation; the name begins with its state. */
const SITUATIONS: Readonly<Record<string, () => Driver>> = {
  CREATED: () => new Driver(plan()),
  QUEUED: () => after(new Driver(plan()), { type: "refused_slot", state: "QUEUED" }),
  RUNNING: () => begun(),
  "PAUSED by a task": () => begun([PAUSE, returns("b")]),
  "PAUSED by a request": () => {
    const driver = after(begun(), { type: "pause_asked" });
    driver.end("a");
    return driver;
  },
  "PAUSED with a running attempt": () => after(begun(), { type: "pause_asked" }),
  BREAKPOINT: () => {
    const driver = new Driver(plan({ tasks: [returns("a"), returns("b")] }));
    driver.execution.breakpoints = ["a"];
    return after(driver, { type: "started" });
  },
  RETRYING: () => {
    const driver = after(retrying("RETRY_FAILED_TASK"), { type: "started" });
    driver.end("a", { state: "FAILED" });
    return driver;
  },
  KILLING: () => after(begun(), { type: "kill_asked" }),
  RESTARTED: () => {
    const driver = ended("FAILED");
    driver.step({ type: "restarted" });
    return driver;
  },
  SUCCESS: () => ended("SUCCESS"),
  WARNING: () => ended("WARNING"),
  FAILED: () => ended("FAILED"),
  KILLED: () => {
    const driver = after(begun(), { type: "kill_asked" });
    driver.end("a", { state: "KILLED" });
    return driver;
  },
  CANCELLED: () => after(ended("FAILED"), { type: "state_set", state: "CANCELLED" }),
  RETRIED: () => {
    const driver = after(retrying("CREATE_NEW_EXECUTION"), { type: "started" });
    driver.end("a", { state: "FAILED" });
    return driver;
  },
};

const SITUATION_NAMES = Object.keys(SITUATIONS);
const ENDED = ["SUCCESS", "WARNING", "FAILED", "KILLED", "CANCELLED", "RETRIED"];
const LABELS = [{ key: "a", value: "b" }];

/** The states that follow by situation; every other situation refuses the request with `code`, or with one of `codes`. */
interface Row {
  readonly request: Request;
  readonly next: Readonly<Record<string, string>>;
  readonly code: string;
  readonly codes?: Readonly<Record<string, string>>;
}

const RESTARTS = { FAILED: "RESTARTED", KILLED: "RESTARTED", CANCELLED: "RESTARTED" };
const ROWS: readonly Row[] = [
  {
    request: { type: "kill_asked" },
    code: "conflict",
    next: {
      CREATED: "KILLING KILLED",
      QUEUED: "KILLED",
      RUNNING: "KILLING",
      "PAUSED by a task": "KILLING KILLED",
      "PAUSED by a request": "KILLING KILLED",
      "PAUSED with a running attempt": "KILLING",
      BREAKPOINT: "KILLING KILLED",
      RETRYING: "KILLING KILLED",
      KILLING: "",
      RESTARTED: "KILLING KILLED",
      RETRIED: "",
    },
  },
  { request: { type: "pause_asked" }, code: "invalid_argument", next: { RUNNING: "PAUSED" } },
  {
    request: { type: "resumed" },
    code: "conflict",
    next: {
      "PAUSED by a request": "RESTARTED RUNNING",
      "PAUSED with a running attempt": "RESTARTED RUNNING",
    },
  },
  {
    request: { type: "resumed", taskRun: 0 },
    code: "conflict",
    next: { "PAUSED by a task": "RESTARTED RUNNING" },
  },
  { request: { type: "breakpoint_passed" }, code: "conflict", next: { BREAKPOINT: "RUNNING" } },
  {
    request: { type: "restarted" },
    code: "conflict",
    codes: {
      "PAUSED by a request": "invalid_argument",
      SUCCESS: "invalid_argument",
      WARNING: "invalid_argument",
    },
    next: { "PAUSED by a task": "RESTARTED", ...RESTARTS, RETRIED: "RESTARTED" },
  },
  {
    request: { type: "restarted", by: { executionId: "p", taskRun: 0, startedId: "e" } },
    code: "conflict",
    next: {
      "PAUSED by a task": "RESTARTED",
      "PAUSED by a request": "RESTARTED",
      SUCCESS: "RESTARTED",
      WARNING: "RESTARTED",
      ...RESTARTS,
      RETRIED: "RESTARTED",
    },
  },
  {
    request: { type: "state_set", state: "WARNING" },
    code: "invalid_argument",
    next: { ...fill(ENDED, "WARNING"), WARNING: "" },
  },
  {
    request: { type: "task_state_set", taskRun: 0, state: "SUCCESS" },
    code: "conflict",
    next: {
      "PAUSED by a task": "RESTARTED",
      "PAUSED by a request": "",
      SUCCESS: "",
      WARNING: "RESTARTED",
      ...RESTARTS,
    },
  },
  { request: { type: "labels_set", labels: LABELS }, code: "bad_request", next: fill(ENDED, "") },
  {
    request: { type: "labels_set", labels: LABELS, isMark: true },
    code: "none",
    next: fill(SITUATION_NAMES, ""),
  },
  { request: { type: "unqueued", state: "RUNNING" }, code: "invalid_argument", next: { QUEUED: "RUNNING" } },
  {
    request: { type: "unqueued", state: "CANCELLED" },
    code: "invalid_argument",
    next: { QUEUED: "CANCELLED" },
  },
  { request: { type: "unqueued", state: "FAILED" }, code: "invalid_argument", next: { QUEUED: "FAILED" } },
  {
    request: { type: "run_forced" },
    code: "invalid_argument",
    next: {
      CREATED: "RUNNING",
      QUEUED: "RUNNING",
      RUNNING: "",
      "PAUSED by a task": "RESTARTED RUNNING",
      "PAUSED by a request": "RESTARTED RUNNING",
      "PAUSED with a running attempt": "RESTARTED RUNNING",
      BREAKPOINT: "RUNNING",
      RETRYING: "",
      KILLING: "",
      RESTARTED: "",
    },
  },
];

function fill(names: readonly string[], value: string): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, value]));
}

/** The code of the refusal, or the states that were added. A refused request must change nothing. */
function outcomeOf(driver: Driver, request: Request): string {
  const { execution, tree } = driver;
  const before = { form: storeExecution(execution), execution: structuredClone(execution) };
  const { commands, refusal } = step(tree, request, 9_000);
  if (!refusal) {
    return execution.history.slice(before.execution.history.length).map(({ state }) => state).join(" ");
  }
  assertEquals(commands, []);
  assertEquals(storeExecution(execution), before.form);
  assertEquals(execution, before.execution);
  return refusal.code;
}

for (const { request, next, code, codes = {} } of ROWS) {
  const { type, ...members } = request;
  Deno.test(`refusalOf() ${type} ${JSON.stringify(members)} in every state of an execution`, () => {
    const outcomes = Object.entries(SITUATIONS).map(([name, make]) => [name, outcomeOf(make(), request)]);
    const expected = SITUATION_NAMES.map((name) => [name, next[name] ?? codes[name] ?? code]);
    assertEquals(outcomes, expected);
  });
}

Deno.test("refusalOf() has a row for each type of request, and each situation is in the state of its name", () => {
  assertEquals(new Set(ROWS.map(({ request }) => request.type)), new Set(REQUEST_TYPES));
  for (const [name, make] of Object.entries(SITUATIONS)) {
    assertEquals(currentState(make().execution.history), name.split(" ")[0]);
  }
});

const SHARED_DIRECTORY = flowable("wd", "WorkingDirectory", [returns("a")]);
const SYSTEM_LABEL = { key: "system.correlationId", value: "other" };

/** Requests that are refused because of what they ask for. */
const REASONS: readonly (readonly [rule: string, () => Driver, Request, code: string, message: RegExp])[] = [
  [
    "a task run that does not exist",
    () => ended("FAILED"),
    { type: "task_state_set", taskRun: 9, state: "SUCCESS" },
    "conflict",
    /it has no such task run$/,
  ],
  [
    "a part of what restarts as a unit",
    () => {
      const driver = begun([SHARED_DIRECTORY]);
      driver.end("a", { state: "FAILED" });
      driver.apply({ type: "decision_rendered", taskRun: 0, properties: {} });
      return driver;
    },
    { type: "task_state_set", taskRun: 1, state: "SUCCESS" },
    "conflict",
    /change the state of "wd"$/,
  ],
  [
    "a task run of finally, which a change would remove",
    () => {
      const driver = new Driver(
        plan({ tasks: [returns("a")], finally: [flowable("s", "Sequential", [returns("f")])] }),
      );
      driver.apply({ type: "started" });
      driver.end("a");
      driver.end("f", { state: "FAILED" });
      return driver;
    },
    { type: "task_state_set", taskRun: 2, state: "SUCCESS" },
    "conflict",
    /the task "f" is part of errors, finally or afterExecution, which run again after a change$/,
  ],
  [
    "a state that cannot follow",
    SITUATIONS["RETRIED"] as () => Driver,
    { type: "task_state_set", taskRun: 0, state: "SUCCESS" },
    "conflict",
    /it is RETRIED, and cannot become SUCCESS$/,
  ],
  [
    "a changed system label",
    () => ended("SUCCESS"),
    { type: "labels_set", labels: [SYSTEM_LABEL] },
    "invalid_entity",
    /^Invalid entity: labels: /,
  ],
  [
    "a label without a key",
    () => ended("SUCCESS"),
    { type: "labels_set", labels: [{ key: "", value: "b" }] },
    "invalid_entity",
    /^Invalid entity: labels: /,
  ],
];
for (const [rule, make, request, code, message] of REASONS) {
  Deno.test(`refusalOf() refuses ${rule}`, () => {
    const driver = make();
    assertEquals(outcomeOf(driver, request), code);
    assertMatch(step(driver.tree, request, 9_000).refusal?.message ?? "", message);
  });
}

const PAUSED: Event = { type: "pause_asked" };
const DUE: Event = { type: "timer_due", timer: "task/1" };
const RESUMED: Event = { type: "resumed" };
const FAILS = { type: "attempt_ended", taskRun: 1, outcome: { state: "FAILED" } } as const;

Deno.test("resume() of one of two pauses in front of a breakpoint stops there", () => {
  const pause = (id: string) => flowable(id, "Pause", []);
  const beside = flowable("s", "Sequential", [pause("one"), returns("b")]);
  const parallel = flowable("p", "Parallel", [beside, pause("other")]);
  const driver = new Driver(plan({ tasks: [parallel] }));
  driver.execution.breakpoints = ["b"];
  driver.apply({ type: "started" });
  assertEquals(driver.states, "CREATED RUNNING PAUSED");
  driver.apply({ type: "resumed", taskRun: driver.run("one").ordinal });
  assertEquals(driver.states, "CREATED RUNNING PAUSED RESTARTED RUNNING BREAKPOINT");
});

/** An execution that is held while the task `r` beside `a` waits for its retry, and the state of `r` after each event. */
interface HeldRetry {
  readonly rule: string;
  readonly intervalMs?: number;
  readonly breakpoints?: readonly string[];
  /** `crash`: a new process recovers the execution. */
  readonly events: readonly (readonly [Event | "crash", string])[];
}

const HELD_RETRIES: readonly HeldRetry[] = [
  {
    rule: "a retry that falls due during a pause begins with the resume",
    events: [[FAILS, "RETRYING"], [PAUSED, "RETRYING"], [DUE, "RETRYING"], [RESUMED, "RUNNING"]],
  },
  {
    rule: "a retry that falls due during a pause begins with the resume, also after a crash",
    events: [
      [FAILS, "RETRYING"],
      [PAUSED, "RETRYING"],
      [DUE, "RETRYING"],
      ["crash", "RETRYING"],
      [RESUMED, "RUNNING"],
    ],
  },
  {
    rule: "an attempt that fails during a pause is not retried before the resume",
    intervalMs: 0,
    events: [[PAUSED, "RUNNING"], [FAILS, "RETRYING"], [RESUMED, "RUNNING"]],
  },
  {
    rule: "a retry that falls due after the resume waits for its time",
    events: [[FAILS, "RETRYING"], [PAUSED, "RETRYING"], [RESUMED, "RETRYING"], [DUE, "RUNNING"]],
  },
  {
    rule: "a retry that falls due at a breakpoint begins once it is passed",
    breakpoints: ["b"],
    events: [
      [FAILS, "RETRYING"],
      [{ type: "attempt_ended", taskRun: 3, outcome: { state: "SUCCESS" } }, "RETRYING"],
      [DUE, "RETRYING"],
      ["crash", "RETRYING"],
      [{ type: "breakpoint_passed" }, "RUNNING"],
    ],
  },
];

for (const { rule, intervalMs, breakpoints, events } of HELD_RETRIES) {
  Deno.test(`hold() ${rule}`, () => {
    const beside = flowable("s", "Sequential", [returns("a"), returns("b")]);
    const parallel = flowable("p", "Parallel", [retried("r", "RETRY_FAILED_TASK", intervalMs), beside]);
    const driver = new Driver(plan({ tasks: [parallel] }));
    driver.execution.breakpoints = breakpoints;
    driver.apply({ type: "started" });
    for (const [event, state] of events) {
      if (event === "crash") {
        driver.reload();
        assertEquals(hasWork(driver.tree, [3]), false, "the crash interrupts nothing but the attempt of a");
      }
      driver.apply(event === "crash" ? { type: "recovered", isGivenUp: false } : event);
      assertEquals(driver.runs[1], `r ${state}`);
    }
  });
}
