import { assertEquals } from "@std/assert";
import type { JsonObject, JsonValue } from "../../../src/base/json.ts";
import { MAX_VALUE_BYTES } from "../../../src/model/limits.ts";
import { decodeJson, encodeJson } from "../../../src/store/codec.ts";
import { triggerKey } from "../../../src/store/keys.ts";
import { FakeClock } from "../../support/fakes/fake_clock.ts";
import { type Fault, FaultyStore } from "../../support/fakes/faulty_store.ts";
import { GatedStore } from "../../support/fakes/gated_store.ts";
import { type Effect, EFFECT_TYPE, Harness } from "../../support/harness.ts";
import {
  condition,
  datesOf,
  evaluationsOf,
  executionsOf,
  flowTrigger,
  schedule,
  stateOf,
  triggeredFlow,
} from "../../support/flows/triggers.ts";

const MINUTE = 60_000;
/** Every ten minutes; the clock of tests begins at 2026-01-15T10:30:00Z. */
const CRON = "*/10 * * * *";
const EFFECT: JsonObject = { tasks: [{ id: "e", type: EFFECT_TYPE }] };

/** An effect that ends when the test releases it. */
function heldEffect(): { effect: Effect; release: () => void } {
  const held: (() => void)[] = [];
  return {
    effect: () => new Promise((resolve) => held.push(() => resolve({ state: "SUCCESS" }))),
    release: () => held.splice(0).forEach((end) => end()),
  };
}

/** A server whose clock starts at that time. */
function startAt(time: string): Promise<Harness> {
  return Harness.start({}, undefined, new FakeClock(Date.parse(time)));
}

Deno.test("Scheduler starts an execution at each date, with its date, the next and the previous one", async () => {
  await using app = await Harness.start();
  await app.save(triggeredFlow("s", schedule(CRON)));
  await app.advance(25 * MINUTE);
  assertEquals((await executionsOf(app, "s")).map(({ trigger }) => trigger), [
    { date: "2026-01-15T10:40:00Z", next: "2026-01-15T10:50:00Z", previous: "2026-01-15T10:30:00Z" },
    { date: "2026-01-15T10:50:00Z", next: "2026-01-15T11:00:00Z", previous: "2026-01-15T10:40:00Z" },
  ]);
});

Deno.test("Scheduler gives executions the labels and inputs of the trigger", async () => {
  await using app = await Harness.start();
  const trigger = schedule(CRON, {
    labels: { day: "{{ trigger.date | date('yyyy-MM-dd') }}" },
    inputs: { when: "{{ trigger.date }}", unknown: "x" },
  });
  const inputs: JsonObject[] = [{ id: "when", type: "DATETIME" }, {
    id: "other",
    type: "STRING",
    defaults: "o",
  }];
  await app.save(triggeredFlow("s", trigger, { inputs, labels: { team: "a" } }));
  await app.advance(10 * MINUTE);
  const [execution] = await executionsOf(app, "s");
  assertEquals([execution?.labels.day, execution?.labels.team], ["2026-01-15", "a"]);
  assertEquals(execution?.inputs, { when: "2026-01-15T10:40:00Z", other: "o" });
});

Deno.test("Scheduler starts flows whose inputs and checks read KV pairs", async () => {
  await using app = await Harness.start();
  await app.json("PUT", "/namespaces/demo/kv/day", { body: "monday" });
  const inputs = [{ id: "day", type: "STRING", defaults: "{{ kv('day') }}" }];
  const checks = [{ condition: "{{ kv('day') == 'monday' }}", message: "not today" }];
  await app.save(triggeredFlow("s", schedule(CRON), { inputs, checks }));
  await app.advance(10 * MINUTE);
  const [execution] = await executionsOf(app, "s");
  assertEquals([execution?.state, execution?.inputs], ["SUCCESS", { day: "monday" }]);
});

Deno.test("Scheduler gives the dates also as `schedule`: to tasks, inputs and conditions", async () => {
  await using app = await Harness.start();
  const date = "{{ schedule.date }}";
  const conditions = [condition("DateTimeBetween", { date, after: "2026-01-15T10:45:00Z" })];
  const tasks = [{ id: "out", type: "io.kestra.plugin.core.debug.Return", format: "{{ schedule.date }}" }];
  const inputs = [{ id: "when", type: "STRING" }];
  await app.save(
    triggeredFlow("s", schedule(CRON, { conditions, inputs: { when: date } }), { tasks, inputs }),
  );
  await app.advance(25 * MINUTE);
  const [execution] = await executionsOf(app, "s");
  const { taskRunList } = await app.execution(execution?.id);
  assertEquals(
    [execution?.inputs.when, taskRunList[0]?.outputs.value],
    Array(2).fill("2026-01-15T10:50:00Z"),
  );
});

Deno.test("Scheduler renders labels and inputs from a single expression each", async () => {
  await using app = await Harness.start();
  const trigger = schedule(CRON, { labels: "{{ vars.labels }}", inputs: "{{ vars.inputs }}" });
  const variables: JsonObject = { labels: { day: "first" }, inputs: { n: 7 } };
  await app.save(triggeredFlow("s", trigger, { variables, inputs: [{ id: "n", type: "INT" }] }));
  await app.advance(10 * MINUTE);
  const [execution] = await executionsOf(app, "s");
  assertEquals([execution?.labels.day, execution?.inputs], ["first", { n: 7 }]);
});

/** Triggers with an invalid part: the execution fails and logs why. */
const FAILING: readonly (readonly [name: string, properties: JsonObject])[] = [
  ["an input", { inputs: { n: "many" } }],
  ["an expression for all labels", { labels: "{{ 'a:b' }}" }],
  ["a condition", { conditions: [condition("Expression", { expression: "{{ nothing.there }}" })] }],
  ["a condition on a date without limits", { conditions: [condition("DateTimeBetween", {})] }],
  ["a condition on an execution", { conditions: [condition("ExecutionStatus", { in: ["SUCCESS"] })] }],
  [
    "a condition on the outputs of an execution",
    { conditions: [condition("ExecutionOutputs", { expression: "true" })] },
  ],
  ["when", { when: "{{ nothing.there }}" }],
];

for (const [name, properties] of FAILING) {
  Deno.test(`Scheduler starts a failed execution when ${name} is invalid`, async () => {
    await using app = await Harness.start();
    await app.save(
      triggeredFlow("s", schedule(CRON, properties), { inputs: [{ id: "n", type: "INT", defaults: 1 }] }),
    );
    await app.advance(10 * MINUTE);
    const executions = await executionsOf(app, "s");
    assertEquals(executions.map(({ state }) => state), ["FAILED"]);
    const lines = await app.json("GET", `/logs/${executions[0]?.id}`) as JsonObject[];
    assertEquals(lines.map(({ level }) => level), ["ERROR"]);
    const [evaluation] = evaluationsOf(await stateOf(app, "s"));
    assertEquals(evaluation?.startsWith("FAILED: "), true);
  });
}

Deno.test("Scheduler skips dates whose conditions are false, and sets the next date that meets them", async () => {
  await using app = await startAt("2026-01-18T11:50:00Z");
  await app.save(triggeredFlow("s", schedule("0 */12 * * *", { conditions: [condition("Weekend")] })));
  await app.advance(13 * 60 * MINUTE);
  assertEquals((await executionsOf(app, "s")).map(({ trigger: { date, next } }) => [date, next]), [
    ["2026-01-18T12:00:00Z", "2026-01-24T00:00:00Z"],
  ]);
  assertEquals(evaluationsOf(await stateOf(app, "s")), ['SKIPPED: Condition "Weekend" is false', "STARTED"]);
});

Deno.test("Scheduler renders conditions at each date, also under their older name", async () => {
  for (const name of ["conditions", "scheduleConditions"]) {
    await using app = await Harness.start();
    const properties = { date: "{{ trigger.date }}", after: "2026-01-15T10:45:00Z" };
    await app.save(
      triggeredFlow("s", schedule(CRON, { [name]: [condition("DateTimeBetween", properties)] })),
    );
    await app.advance(25 * MINUTE);
    const dates = (await executionsOf(app, "s")).map(({ trigger: { date } }) => date);
    assertEquals(dates, ["2026-01-15T10:50:00Z"], name);
  }
});

/** Conditions of a schedule at noon of each Monday, and the matching dates before and after 2 August 2021. */
const AROUND: readonly (readonly [condition: JsonObject, previous?: string, next?: string])[] = [
  [
    condition("DayWeekInMonth", { dayOfWeek: "MONDAY", dayInMonth: "FIRST" }),
    "2021-07-05T12:00:00+02:00",
    "2021-09-06T12:00:00+02:00",
  ],
  [condition("DateTimeBetween", { after: "2021-07-27T00:00:00Z", before: "2021-08-03T00:00:00Z" })],
  [condition("DateTimeBetween", { before: "2021-08-03T00:00:00Z" }), "2021-07-26T12:00:00+02:00"],
];

for (const [held, previous, next] of AROUND) {
  Deno.test(`Scheduler sets the previous and next date that meet ${JSON.stringify(held)}`, async () => {
    await using app = await startAt("2021-08-02T09:59:00Z");
    const trigger = schedule("0 12 * * 1", { timezone: "Europe/Paris", conditions: [held] });
    await app.save(triggeredFlow("s", trigger));
    await app.advance(2 * MINUTE);
    const around = { ...next === undefined ? {} : { next }, ...previous === undefined ? {} : { previous } };
    assertEquals((await executionsOf(app, "s")).map(({ trigger }) => trigger), [
      { date: "2021-08-02T12:00:00+02:00", ...around },
    ]);
  });
}

/** Backfills that a new schedule declares, and the dates it starts immediately. */
const DECLARED: readonly (readonly [backfill: JsonObject, dates: readonly string[]])[] = [
  [{}, ["10:00", "10:10", "10:20", "10:30"]],
  [{ end: "2026-01-15T10:15:00Z" }, ["10:00", "10:10"]],
  [{ end: "2026-01-15T12:00:00Z" }, ["10:00", "10:10", "10:20", "10:30"]],
  [{ currentDate: "2026-01-15T10:15:00Z" }, ["10:20", "10:30"]],
  [{ paused: true }, []],
];

for (const [members, dates] of DECLARED) {
  Deno.test(`Scheduler backfills the dates of a declared backfill with ${JSON.stringify(members)}`, async () => {
    await using app = await Harness.start();
    const backfill = { start: "2026-01-15T10:00:00Z", ...members };
    await app.save(triggeredFlow("s", schedule(CRON, { backfill })));
    await app.advance(1_000);
    assertEquals(await datesOf(app, "s"), dates.map((time) => `2026-01-15T${time}:00Z`));
    const { backfill: left } = await stateOf(app, "s");
    assertEquals(left !== undefined, members.paused === true);
  });
}

Deno.test("Scheduler reports a declared backfill with invalid times, and the flow is saved", async () => {
  await using app = await Harness.start();
  const backfill = { start: "2026-01-15T10:00:00Z" };
  await app.save(triggeredFlow("s", schedule("{{ 'no times' }}", { backfill })));
  const { backfill: left, evaluations } = await stateOf(app, "s");
  assertEquals([left, (evaluations as unknown[] | undefined)?.length], [undefined, 1]);
});

Deno.test("Scheduler evaluates conditions in a time zone from an expression", async () => {
  await using app = await startAt("2026-01-15T10:55:00Z");
  const conditions = [condition("TimeBetween", { after: "11:59:00" })];
  const trigger = schedule("0 * * * *", { timezone: "{{ vars.zone }}", conditions });
  await app.save(triggeredFlow("s", trigger, { variables: { zone: "Europe/Paris" } }));
  await app.advance(10 * MINUTE);
  assertEquals((await executionsOf(app, "s")).map(({ state, trigger: { date } }) => [state, date]), [
    ["SUCCESS", "2026-01-15T12:00:00+01:00"],
  ]);
});

Deno.test("Scheduler starts nothing if a condition can only be met by executions", async () => {
  await using app = await Harness.start();
  const part = condition("ExecutionFlow", { namespace: "demo", flowId: "a" });
  const conditions = [condition("MultipleCondition", { id: "m", conditions: { part } })];
  await app.save(triggeredFlow("s", schedule(CRON, { conditions })));
  await app.advance(10 * MINUTE);
  assertEquals(await datesOf(app, "s"), []);
  assertEquals(evaluationsOf(await stateOf(app, "s")), [
    'SKIPPED: Condition "MultipleCondition" is met by executions, which only a Flow trigger reacts to',
  ]);
});

Deno.test("Scheduler sets the next date that meets the conditions, also if it is far away", async () => {
  await using app = await startAt("2026-01-15T16:58:30Z");
  const conditions = [condition("TimeBetween", { after: "08:59:59Z", before: "17:00:00Z" })];
  await app.save(triggeredFlow("s", schedule("* * * * *", { conditions })));
  await app.advance(MINUTE);
  assertEquals((await executionsOf(app, "s")).map(({ trigger: { next } }) => next), ["2026-01-16T09:00:00Z"]);
});

Deno.test("Scheduler skips a date while the last execution runs", async () => {
  const { effect, release } = heldEffect();
  await using app = await Harness.start({ effect });
  await app.save(triggeredFlow("s", schedule(CRON), EFFECT));
  await app.advance(25 * MINUTE);
  assertEquals(await datesOf(app, "s"), ["2026-01-15T10:40:00Z"]);
  assertEquals(evaluationsOf(await stateOf(app, "s"))[0], "SKIPPED: The previous execution is still running");
  release();
  await app.advance(10 * MINUTE);
  assertEquals(await datesOf(app, "s"), ["2026-01-15T10:40:00Z", "2026-01-15T11:00:00Z"]);
  release();
});

Deno.test("Scheduler skips a date when the last execution was restarted after the date was prepared", async () => {
  const { effect, release } = heldEffect();
  await using app = await Harness.start({ effect });
  await app.save(triggeredFlow("s", schedule(CRON), EFFECT));
  await app.advance(10 * MINUTE);
  const [first] = await executionsOf(app, "s");
  await app.json("DELETE", `/executions/${first?.id}/kill`);
  release();
  await app.advance(10 * MINUTE - 1_000);
  assertEquals((await executionsOf(app, "s")).map(({ state }) => state), ["KILLED"]);
  await app.json("POST", `/executions/${first?.id}/restart`);
  await app.advance(5 * MINUTE);
  assertEquals(await datesOf(app, "s"), ["2026-01-15T10:40:00Z"]);
  assertEquals(evaluationsOf(await stateOf(app, "s"))[0], "SKIPPED: The previous execution is still running");
  release();
});

Deno.test("Scheduler starts an execution at a date before which the last one has ended, though that is not durable yet", async () => {
  const { effect, release } = heldEffect();
  let store: GatedStore | undefined;
  await using app = await Harness.start({ effect, wrap: (memory) => store = new GatedStore(memory) });
  await app.save(triggeredFlow("s", schedule(CRON), EFFECT));
  await app.advance(20 * MINUTE - 1_000);
  if (store) store.isClosed = true;
  release();
  await app.advance(2_000);
  assertEquals((await executionsOf(app, "s")).map(({ state }) => state), ["RUNNING"]);
  if (store) store.isClosed = false;
  await store?.letThrough();
  await app.advance(1_000);
  assertEquals(await datesOf(app, "s"), ["2026-01-15T10:40:00Z", "2026-01-15T10:50:00Z"]);
  release();
});

Deno.test("Scheduler starts all schedules of one second", async () => {
  await using app = await Harness.start();
  const ids = Array.from({ length: 120 }, (_, n) => `s-${n}`);
  for (const id of ids) await app.save(triggeredFlow(id, schedule(CRON)));
  await app.advance(21 * MINUTE);
  for (const id of ids) {
    assertEquals([id, await datesOf(app, id)], [id, ["2026-01-15T10:40:00Z", "2026-01-15T10:50:00Z"]]);
  }
});

Deno.test("Scheduler starts concurrent executions when that is allowed", async () => {
  const { effect, release } = heldEffect();
  await using app = await Harness.start({ effect });
  await app.save(triggeredFlow("s", schedule(CRON, { allowConcurrent: true }), EFFECT));
  await app.advance(20 * MINUTE);
  assertEquals((await executionsOf(app, "s")).map(({ state }) => state), ["RUNNING", "RUNNING"]);
  release();
});

/** Properties, and the dates that a server starts after a downtime from 10:30 to 11:05. */
const RECOVERED: readonly (readonly [properties: JsonObject, dates: readonly string[]])[] = [
  [{}, ["10:40", "10:50", "11:00", "11:10"]],
  [{ recoverMissedSchedules: "ALL" }, ["10:40", "10:50", "11:00", "11:10"]],
  [{ recoverMissedSchedules: "LAST" }, ["11:00", "11:10"]],
  [{ recoverMissedSchedules: "NONE" }, ["11:10"]],
  [{ lateMaximumDelay: "PT20M" }, ["10:50", "11:00", "11:10"]],
];

for (const [properties, dates] of RECOVERED) {
  Deno.test(`Scheduler recovers missed dates with ${JSON.stringify(properties)}`, async () => {
    const before = await Harness.start();
    await before.save(triggeredFlow("s", schedule(CRON, properties)));
    before.clock.jump(35 * MINUTE);
    await using app = await before.crash();
    await app.advance(8 * MINUTE);
    assertEquals(await datesOf(app, "s"), dates.map((time) => `2026-01-15T${time}:00Z`));
  });
}

Deno.test("Scheduler recovers missed dates one by one", async () => {
  const { effect, release } = heldEffect();
  const before = await Harness.start({ effect });
  await before.save(triggeredFlow("s", schedule(CRON), EFFECT));
  before.clock.jump(25 * MINUTE);
  await using app = await before.crash();
  await app.advance(MINUTE);
  assertEquals(await datesOf(app, "s"), ["2026-01-15T10:40:00Z"]);
  release();
  await app.advance(MINUTE);
  assertEquals(await datesOf(app, "s"), ["2026-01-15T10:40:00Z", "2026-01-15T10:50:00Z"]);
  release();
});

Deno.test("Scheduler recovers the dates that passed while the process was stopped one by one", async () => {
  const { effect, release } = heldEffect();
  await using app = await Harness.start({ effect });
  await app.save(triggeredFlow("s", schedule("*/10 * * * * *", { withSeconds: true }), EFFECT));
  await app.advance(12_000);
  release();
  await app.advance(1_000);
  app.clock.jump(20_000);
  await app.advance(1_000);
  const dates = ["2026-01-15T10:30:10Z", "2026-01-15T10:30:20Z"];
  assertEquals(await datesOf(app, "s"), dates);
  release();
  await app.advance(1_000);
  assertEquals(await datesOf(app, "s"), [...dates, "2026-01-15T10:30:30Z"]);
  await app.advance(10_000);
  assertEquals(evaluationsOf(await stateOf(app, "s"))[0], "SKIPPED: The previous execution is still running");
  release();
});

/** Clock jumps after ten minutes, and the dates started within half an hour of clock time after that. */
const JUMPS: readonly (readonly [name: string, jumpMs: number, dates: readonly string[]])[] = [
  ["put forward", 20 * MINUTE, ["10:40", "10:50", "11:00", "11:10"]],
  ["put back", -15 * MINUTE, ["10:40", "10:50"]],
];

for (const [name, jumpMs, dates] of JUMPS) {
  Deno.test(`Scheduler neither loses nor repeats a date when the clock is ${name}`, async () => {
    await using app = await Harness.start();
    await app.save(triggeredFlow("s", schedule(CRON)));
    await app.advance(10 * MINUTE);
    app.clock.jump(jumpMs);
    await app.advance(10 * MINUTE + 30_000);
    await app.advance(jumpMs < 0 ? 15 * MINUTE : 0);
    assertEquals(await datesOf(app, "s"), dates.map((time) => `2026-01-15T${time}:00Z`));
  });
}

/** Days of clock changes in Paris, with a time before the change. */
const CHANGES: readonly (readonly [from: string, cron: string, dates: readonly string[]])[] = [
  ["2026-03-29T00:20:00Z", "30 2 * * *", ["2026-03-29T03:00:00+02:00"]],
  ["2026-03-29T00:20:00Z", "*/30 * * * *", [
    "2026-03-29T01:30:00+01:00",
    "2026-03-29T03:00:00+02:00",
    "2026-03-29T03:30:00+02:00",
  ]],
  ["2026-10-25T00:20:00Z", "30 2 * * *", ["2026-10-25T02:30:00+02:00"]],
  ["2026-10-25T00:20:00Z", "*/30 * * * *", [
    "2026-10-25T02:30:00+02:00",
    "2026-10-25T02:00:00+01:00",
    "2026-10-25T02:30:00+01:00",
  ]],
];

for (const [from, cron, dates] of CHANGES) {
  Deno.test(`Scheduler fires "${cron}" in Paris from ${from} the expected number of times`, async () => {
    await using app = await startAt(from);
    await app.save(triggeredFlow("s", schedule(cron, { timezone: "Europe/Paris" })));
    await app.advance(85 * MINUTE);
    assertEquals(await datesOf(app, "s"), dates);
  });
}

Deno.test("Scheduler keeps the next date when a flow is saved with the same schedule", async () => {
  await using app = await Harness.start();
  await app.save(triggeredFlow("s", schedule(CRON)));
  const headers = { "content-type": "application/x-yaml" };
  app.clock.jump(15 * MINUTE);
  await app.json("PUT", "/flows/demo/s", {
    body: triggeredFlow("s", schedule(CRON), { description: "d" }),
    headers,
  });
  assertEquals((await stateOf(app, "s")).nextExecutionDate, "2026-01-15T10:40:00.000Z");
  await app.json("PUT", "/flows/demo/s", { body: triggeredFlow("s", schedule("0 0 * * *")), headers });
  assertEquals((await stateOf(app, "s")).nextExecutionDate, "2026-01-16T00:00:00.000Z");
});

Deno.test("Scheduler recomputes the next date when a variable of its expression has changed", async () => {
  await using app = await Harness.start();
  const flow = (cron: string) =>
    triggeredFlow("s", schedule("{{ vars.cron }}"), { variables: { cron }, description: cron });
  await app.save(flow("@yearly"));
  const headers = { "content-type": "application/x-yaml" };
  await app.json("PUT", "/flows/demo/s", { body: flow("@hourly"), headers });
  assertEquals((await stateOf(app, "s")).nextExecutionDate, "2026-01-15T11:00:00.000Z");
});

/** Flows that start nothing. */
const IDLE: readonly (readonly [name: string, trigger: JsonObject, members: JsonObject])[] = [
  ["a disabled trigger", { disabled: true }, {}],
  ["a trigger of a disabled flow", {}, { disabled: true }],
];

for (const [name, properties, members] of IDLE) {
  Deno.test(`Scheduler starts nothing for ${name}`, async () => {
    await using app = await Harness.start();
    await app.save(triggeredFlow("s", schedule(CRON, properties), members));
    await app.advance(30 * MINUTE);
    assertEquals(await executionsOf(app, "s"), []);
    assertEquals((await stateOf(app, "s")).nextExecutionDate, undefined);
  });
}

Deno.test("Scheduler removes the triggers of a deleted flow", async () => {
  await using app = await Harness.start();
  await app.save(triggeredFlow("s", schedule(CRON)));
  await app.json("DELETE", "/flows/demo/s");
  await app.advance(30 * MINUTE);
  assertEquals(await executionsOf(app, "s"), []);
  assertEquals(await stateOf(app, "s"), {});
});

Deno.test("Scheduler disables a trigger when an execution ends in a state of stopAfter", async () => {
  await using app = await Harness.start();
  const fail = { tasks: [{ id: "f", type: "io.kestra.plugin.core.execution.Fail" }] };
  await app.save(triggeredFlow("s", schedule(CRON, { stopAfter: ["FAILED"] }), fail));
  await app.save(triggeredFlow("other", schedule(CRON, { stopAfter: ["FAILED"] })));
  await app.advance(25 * MINUTE);
  assertEquals([(await executionsOf(app, "s")).length, (await executionsOf(app, "other")).length], [1, 2]);
  const { disabled, nextExecutionDate } = await stateOf(app, "s");
  assertEquals([disabled, nextExecutionDate], [true, undefined]);
});

Deno.test("Scheduler announces an execution that failed before it began", async () => {
  await using app = await Harness.start();
  const members = { inputs: [{ id: "n", type: "INT" }] };
  const trigger = schedule(CRON, { stopAfter: ["FAILED"], inputs: { n: "none" } });
  await app.save(triggeredFlow("s", trigger, members));
  await app.save(triggeredFlow("alert", flowTrigger({ states: ["FAILED"] })));
  await app.advance(25 * MINUTE);
  assertEquals((await executionsOf(app, "s")).map(({ state }) => state), ["FAILED"]);
  assertEquals((await stateOf(app, "s")).disabled, true);
  assertEquals((await executionsOf(app, "alert")).map(({ trigger: { flowId, state } }) => [flowId, state]), [
    ["s", "FAILED"],
  ]);
});

Deno.test("Scheduler starts an execution at each of the given dates", async () => {
  await using app = await Harness.start();
  const dates = ["2026-01-15T10:41:00Z", "2026-01-15T11:31:30+01:00", "2020-01-01T00:00:00Z"];
  const type = "io.kestra.plugin.core.trigger.ScheduleOnDates";
  await app.save(triggeredFlow("s", { type, dates, timezone: "Europe/Paris" }));
  await app.advance(30 * MINUTE);
  assertEquals(await datesOf(app, "s"), ["2026-01-15T11:31:30+01:00", "2026-01-15T11:41:00+01:00"]);
});

/** A list of dates from an expression, and the dates at which executions start. */
const GIVEN_DATES: readonly (readonly [given: JsonValue, dates: readonly string[]])[] = [
  [["2026-01-15T10:41:00Z", "2026-01-15T10:42:00Z"], ["2026-01-15T10:41:00Z", "2026-01-15T10:42:00Z"]],
  ["2026-01-15T10:41:00Z", ["2026-01-15T10:41:00Z"]],
];

for (const [given, dates] of GIVEN_DATES) {
  Deno.test(`Scheduler starts an execution at the dates of the expression ${JSON.stringify(given)}`, async () => {
    await using app = await Harness.start();
    const trigger = { type: "io.kestra.plugin.core.trigger.ScheduleOnDates", dates: "{{ vars.given }}" };
    await app.save(triggeredFlow("s", trigger, { variables: { given } }));
    await app.advance(30 * MINUTE);
    assertEquals(await datesOf(app, "s"), dates);
  });
}

Deno.test("Scheduler gives the given dates in whole seconds, and keeps one later in the second of the save", async () => {
  await using app = await startAt("2026-01-15T10:30:00.200Z");
  const dates = ["2026-01-15T10:30:00.900Z", "2026-01-15T10:41:00.100Z", "2026-01-15T10:42:00.5Z"];
  const type = "io.kestra.plugin.core.trigger.ScheduleOnDates";
  await app.save(triggeredFlow("s", { type, dates }));
  await app.advance(30 * MINUTE);
  assertEquals(await datesOf(app, "s"), [
    "2026-01-15T10:30:00Z",
    "2026-01-15T10:41:00Z",
    "2026-01-15T10:42:00Z",
  ]);
  const [, second] = await executionsOf(app, "s");
  assertEquals(second?.trigger, {
    date: "2026-01-15T10:41:00Z",
    previous: "2026-01-15T10:30:00Z",
    next: "2026-01-15T10:42:00Z",
  });
  assertEquals((await app.execution(second?.id)).scheduleDate, "2026-01-15T10:41:00.000Z");
});

Deno.test("Scheduler retries when the database refuses, and starts the execution once", async () => {
  let store: FaultyStore | undefined;
  await using app = await Harness.start({ wrap: (memory) => store = new FaultyStore(memory) });
  await app.save(triggeredFlow("s", schedule(CRON)));
  if (store) store.plan = () => "full";
  await app.advance(12 * MINUTE);
  if (store) store.plan = () => "none";
  await app.advance(MINUTE);
  assertEquals(await datesOf(app, "s"), ["2026-01-15T10:40:00Z"]);
});

const CRASHES: readonly Fault[] = ["fail_before", "fail_after"];

for (const fault of CRASHES) {
  Deno.test(`Scheduler starts each execution once when the process dies at any commit (${fault})`, async () => {
    for (let deadAt = 3; deadAt < 14; deadAt++) {
      let store: FaultyStore | undefined;
      const first = await Harness.start({ wrap: (memory) => store = new FaultyStore(memory) });
      await first.save(triggeredFlow("s", schedule(CRON, { stopAfter: ["KILLED"] }), EFFECT));
      if (store) {
        const alive = store.commits + deadAt - 3;
        store.plan = (commit) => commit <= alive ? "none" : commit === alive + 1 ? fault : "fail_before";
      }
      await first.advance(25 * MINUTE);
      await using second = await first.crash({});
      await second.advance(10 * MINUTE + 1_000);
      const dates = await datesOf(second, "s");
      assertEquals([deadAt, dates], [
        deadAt,
        ["10:40", "10:50", "11:00"].map((time) => `2026-01-15T${time}:00Z`),
      ]);
    }
  });
}

/** So many dates, a minute apart, from a minute after the start of the clock of tests. */
function manyDates(count: number): string[] {
  const first = Date.parse("2026-01-15T10:31:00Z");
  return Array.from({ length: count }, (_, n) => new Date(first + n * MINUTE).toISOString());
}

Deno.test("Scheduler starts executions at each of more dates than fit into the record of a trigger", async () => {
  await using app = await Harness.start();
  const type = "io.kestra.plugin.core.trigger.ScheduleOnDates";
  await app.save(triggeredFlow("s", { type, dates: manyDates(2_415) }));
  await app.advance(2 * MINUTE);
  assertEquals(await datesOf(app, "s"), ["2026-01-15T10:31:00Z", "2026-01-15T10:32:00Z"]);
});

Deno.test("Scheduler notes one failure for a trigger whose record is too large, and continues at its next date", async () => {
  const first = await Harness.start();
  await first.save(triggeredFlow("s", schedule(CRON)));
  const key = triggerKey("main", { namespace: "demo", flowId: "s", triggerId: "t" });
  const stored = decodeJson((await first.store.get(key))?.value ?? new Uint8Array()) as JsonObject;
  const timing = "x".repeat(MAX_VALUE_BYTES - encodeJson({ ...stored, timing: "" }).length);
  const value = encodeJson({ ...stored, timing });
  await first.store.commit({ checks: [], mutations: [{ type: "set", key, value }], messages: [] });
  await using app = await first.crash();
  await app.advance(15 * MINUTE);
  assertEquals(await datesOf(app, "s"), []);
  const [failure, ...others] = evaluationsOf(await stateOf(app, "s"));
  assertEquals([failure?.startsWith("FAILED: Cannot write: a value of "), others], [true, []]);
  await app.advance(10 * MINUTE);
  assertEquals(await datesOf(app, "s"), ["2026-01-15T10:50:00Z"]);
});
