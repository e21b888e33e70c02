import { assertEquals } from "@std/assert";
import type { JsonObject } from "../../../src/base/json.ts";
import { MAX_EVALUATIONS } from "../../../src/model/triggers/evaluations.ts";
import { Logger } from "../../../src/base/log.ts";
import { MAX_VALUE_BYTES } from "../../../src/model/limits.ts";
import { encodeJson } from "../../../src/store/codec.ts";
import { ANNOUNCEMENTS, triggerWindowKey } from "../../../src/store/keys.ts";
import { FAKE_START, FakeClock, settle } from "../../support/fakes/fake_clock.ts";
import { type Fault, FaultyStore } from "../../support/fakes/faulty_store.ts";
import { Harness } from "../../support/harness.ts";
import {
  condition,
  evaluationsOf,
  executionsOf,
  flowTrigger,
  stateOf,
  triggeredFlow,
} from "../../support/flows/triggers.ts";

const MINUTE = 60_000;
const START = new Date(FAKE_START).toISOString();

/** A flow of namespace `demo` with an output, and optionally a failing task. */
function upstream(id: string, members: JsonObject = {}): string {
  const { triggers: _triggers, ...flow } = JSON.parse(triggeredFlow(id, {}));
  const task = { id: "r", type: "io.kestra.plugin.core.debug.Return", format: "done" };
  const outputs = [{ id: "text", type: "STRING", value: "{{ outputs.r.value }}" }];
  return JSON.stringify({ ...flow, tasks: [task], outputs, ...members });
}

const FAILS: JsonObject = {
  tasks: [{ id: "f", type: "io.kestra.plugin.core.execution.Fail" }],
  outputs: [],
};

const PAUSES: JsonObject = {
  tasks: [{ id: "p", type: "io.kestra.plugin.core.flow.Pause" }],
  outputs: [],
};

function membersOf(id: string): JsonObject {
  return id.startsWith("bad") ? FAILS : id === "pause" ? PAUSES : {};
}

/** Saves a listener and the flows, starts the flows in order; returns the states that started the listener. */
async function statesSeen(
  app: Harness,
  trigger: JsonObject,
  starts: readonly string[],
): Promise<string[]> {
  await app.save(triggeredFlow("listener", trigger));
  for (const id of new Set(starts)) await app.save(upstream(id, membersOf(id)));
  for (const id of starts) {
    await app.start(id);
    await settle();
  }
  return (await executionsOf(app, "listener")).map(({ trigger }) => `${trigger.flowId} ${trigger.state}`);
}

const CASES: readonly (readonly [name: string, properties: JsonObject, starts: string[], seen: string[]])[] =
  [
    ["reacts to the end of all flows without conditions", {}, ["a", "bad"], ["a SUCCESS", "bad FAILED"]],
    ["reacts to the states it names", { states: ["FAILED"] }, ["a", "bad"], ["bad FAILED"]],
    ["reacts to intermediate states", { states: ["RUNNING", "SUCCESS"] }, ["a"], ["a RUNNING", "a SUCCESS"]],
    ["never reacts to a creation", { states: ["CREATED"] }, ["a"], []],
    [
      "reacts to the flow that a condition names",
      { conditions: [condition("ExecutionFlow", { namespace: "demo", flowId: "b" })] },
      ["a", "b"],
      ["b SUCCESS"],
    ],
    [
      "asks for all of its conditions",
      {
        conditions: [
          condition("ExecutionNamespace", { namespace: "de", comparison: "PREFIX" }),
          condition("Not", { conditions: [condition("ExecutionStatus", { in: ["FAILED"] })] }),
        ],
      },
      ["a", "bad"],
      ["a SUCCESS"],
    ],
    [
      "reads outputs in conditions",
      { conditions: [condition("ExecutionOutputs", { expression: "{{ trigger.outputs.text == 'done' }}" })] },
      ["a", "bad"],
      ["a SUCCESS"],
    ],
    ["asks for `when`", { when: "{{ trigger.state == 'FAILED' }}" }, ["a", "bad"], ["bad FAILED"]],
    [
      "waits for all parts of a MultipleCondition",
      {
        conditions: [condition("MultipleCondition", {
          id: "m",
          window: "P1D",
          conditions: {
            a: condition("ExecutionFlow", { namespace: "demo", flowId: "a" }),
            b: condition("ExecutionFlow", { namespace: "demo", flowId: "b" }),
          },
        })],
      },
      ["a", "a", "b", "b", "a"],
      ["b SUCCESS", "a SUCCESS"],
    ],
    [
      "waits for all flows of preconditions",
      {
        preconditions: {
          id: "p",
          flows: [
            { namespace: "demo", flowId: "a", states: ["SUCCESS"] },
            { namespace: "demo", flowId: "bad", states: ["FAILED"] },
          ],
        },
      },
      ["a", "b", "bad", "a"],
      ["bad FAILED"],
    ],
    [
      "fires again and again after its preconditions without a reset",
      {
        preconditions: {
          id: "p",
          resetOnSuccess: false,
          flows: [{ namespace: "demo", flowId: "a" }, { namespace: "demo", flowId: "b" }],
        },
      },
      ["a", "b", "a", "c"],
      ["b SUCCESS", "a SUCCESS"],
    ],
    [
      "reacts to the states that its preconditions name; entries without states wait for an end",
      {
        preconditions: {
          id: "p",
          flows: [{ namespace: "demo", flowId: "pause", states: ["PAUSED"] }, { namespace: "demo" }],
        },
      },
      ["pause", "a", "pause"],
      ["a SUCCESS"],
    ],
    [
      "reacts to the states that a condition asks for",
      { conditions: [condition("ExecutionStatus", { in: ["PAUSED", "FAILED"] })] },
      ["pause", "a", "bad"],
      ["pause PAUSED", "bad FAILED"],
    ],
    [
      "compares fields of executions when they have ended, also where its preconditions name another state",
      {
        preconditions: {
          id: "p",
          flows: [{ namespace: "demo", flowId: "pause", states: ["PAUSED"] }],
          where: [{ id: "w", filters: [{ field: "NAMESPACE", type: "EQUAL_TO", value: "demo" }] }],
        },
      },
      ["pause", "a"],
      ["a SUCCESS"],
    ],
    [
      "compares fields of executions",
      {
        preconditions: {
          id: "p",
          where: [{
            id: "w",
            operand: "OR",
            filters: [
              { field: "FLOW_ID", type: "IN", values: ["b", "c"] },
              { field: "STATE", type: "EQUAL_TO", value: "FAILED" },
            ],
          }],
        },
      },
      ["a", "b", "bad"],
      ["b SUCCESS", "bad FAILED"],
    ],
  ];

const ON_A: JsonObject = { namespace: "demo", flowId: "a" };
const ON_B: JsonObject = { namespace: "demo", flowId: "b" };
const ON_C: JsonObject = { namespace: "demo", flowId: "c" };

const DEPENDENCIES: typeof CASES = [
  ["depends on the flow it names", { dependsOn: [ON_A] }, ["a", "b", "a"], ["a SUCCESS", "a SUCCESS"]],
  [
    "depends on success or warning alone unless told otherwise",
    { dependsOn: [{ namespace: "demo" }] },
    ["bad", "a"],
    ["a SUCCESS"],
  ],
  [
    "depends on the states it names",
    { dependsOn: [{ flowId: "bad", states: ["FAILED"] }] },
    ["bad", "a"],
    ["bad FAILED"],
  ],
  [
    "depends on what an expression says of the execution",
    {
      dependsOn: [{
        states: ["FAILED", "SUCCESS"],
        when:
          "{{ namespace | startsWith('de') and (state == 'FAILED' or outputs.text == 'done') and not hasRetryAttempt }}",
      }],
    },
    ["a", "bad"],
    ["a SUCCESS", "bad FAILED"],
  ],
  [
    "asks for its own `when` too, which reads the execution",
    { when: "{{ flowId == 'b' }}", dependsOn: [{ namespace: "demo" }] },
    ["a", "b"],
    ["b SUCCESS"],
  ],
  [
    "depends on labels",
    { dependsOn: [{ namespace: "demo", labels: { env: "prod" } }, ON_A], mode: "ANY" },
    ["b", "a"],
    ["a SUCCESS"],
  ],
  [
    "depends on all entries, and on all anew after a start",
    { dependsOn: [ON_A, ON_B] },
    ["a", "b", "a", "a", "b"],
    ["b SUCCESS", "b SUCCESS"],
  ],
  [
    "fires whenever all entries are met in its window",
    { dependsOn: [ON_A, ON_B], window: { every: "P1D" } },
    ["a", "b", "c", "a"],
    ["b SUCCESS", "a SUCCESS"],
  ],
  [
    "fires once in its window when told to",
    { dependsOn: [ON_A, ON_B], window: { lookback: "PT1H", fireOnce: true } },
    ["a", "b", "a", "b"],
    ["b SUCCESS"],
  ],
  [
    "depends on equal entries, which count as one",
    { dependsOn: [ON_A, ON_A, ON_B] },
    ["a", "b"],
    ["b SUCCESS"],
  ],
  [
    "depends on as many entries as there are different ones",
    { dependsOn: [ON_A, ON_A, ON_B], mode: "AT_LEAST", minSatisfied: 3 },
    ["a", "b"],
    ["b SUCCESS"],
  ],
  ["depends on any entry", { dependsOn: [ON_A, ON_B], mode: "ANY" }, ["b", "a"], ["b SUCCESS", "a SUCCESS"]],
  [
    "depends on some of its entries",
    { dependsOn: [ON_A, ON_B, ON_C], mode: "AT_LEAST", minSatisfied: 2 },
    ["a", "a", "c", "b", "a"],
    ["c SUCCESS", "a SUCCESS"],
  ],
];

for (const [name, properties, starts, seen] of [...CASES, ...DEPENDENCIES]) {
  Deno.test(`FlowReactions.react() ${name}`, async () => {
    await using app = await Harness.start();
    assertEquals(await statesSeen(app, flowTrigger(properties), starts), seen);
  });
}

Deno.test("FlowReactions.react() sets the trigger variables and the correlation id", async () => {
  await using app = await Harness.start();
  const trigger = flowTrigger({
    inputs: { text: "{{ trigger.outputs.text }}" },
    labels: { from: "{{ trigger.flowId }}" },
  });
  await app.save(triggeredFlow("listener", trigger, { inputs: [{ id: "text", type: "STRING" }] }));
  await app.save(upstream("a"));
  const { id } = await app.start("a");
  await settle();
  const [execution] = await executionsOf(app, "listener");
  assertEquals(execution?.trigger, {
    executionId: String(id),
    namespace: "demo",
    flowId: "a",
    flowRevision: 1,
    state: "SUCCESS",
    ...{ startDate: START, endDate: START, lastTaskId: "r", executionLabels: {} },
    outputs: { text: "done" },
  });
  assertEquals(execution?.inputs, { text: "done" });
  assertEquals([execution?.labels.from, execution?.labels["system.correlationId"]], ["a", String(id)]);
});

Deno.test("FlowReactions.react() renders inputs and labels with outputs, inputs and labels of the execution", async () => {
  await using app = await Harness.start();
  const trigger = flowTrigger({
    inputs: { text: "{{ outputs.r.value }} {{ inputs.given }} {{ outputs.each.b.value }}" },
    labels: { team: "{{ labels.team }}", flow: "{{ flow.id }}" },
  });
  await app.save(triggeredFlow("listener", trigger, { inputs: [{ id: "text", type: "STRING" }] }));
  const returns = (id: string, format: string) => ({
    id,
    type: "io.kestra.plugin.core.debug.Return",
    format,
  });
  const loop = { id: "loop", type: "io.kestra.plugin.core.flow.ForEach", values: ["a", "b"] };
  const tasks = [returns("r", "done"), { ...loop, tasks: [returns("each", "{{ taskrun.value }}!")] }];
  const inputs = [{ id: "given", type: "STRING", defaults: "x" }];
  await app.save(upstream("a", { tasks, inputs, labels: { team: "blue" } }));
  await app.start("a");
  await settle();
  const [execution] = await executionsOf(app, "listener");
  assertEquals(execution?.inputs, { text: "done x b!" });
  assertEquals([execution?.labels.team, execution?.labels.flow], ["blue", "listener"]);
});

Deno.test("FlowReactions.react() stores why it started nothing", async () => {
  await using app = await Harness.start();
  const conditions = [condition("ExecutionStatus", { in: ["WARNING"] })];
  await statesSeen(app, flowTrigger({ conditions }), ["a"]);
  assertEquals(evaluationsOf(await stateOf(app, "listener")), [
    'SKIPPED: Condition "ExecutionStatus" is false',
  ]);
});

Deno.test("FlowReactions.react() keeps the last start among the evaluations after many skipped executions", async () => {
  await using app = await Harness.start();
  const conditions = [condition("ExecutionFlow", { namespace: "demo", flowId: "{{ 'a' }}" })];
  await statesSeen(app, flowTrigger({ conditions }), ["a", ...Array(MAX_EVALUATIONS + 1).fill("b")]);
  assertEquals(evaluationsOf(await stateOf(app, "listener")), [
    'SKIPPED: Condition "ExecutionFlow" is false',
    "STARTED",
  ]);
});

Deno.test("FlowReactions.react() starts nothing once the listener is disabled, deleted or changed", async () => {
  await using app = await Harness.start();
  assertEquals(await statesSeen(app, flowTrigger(), ["a"]), ["a SUCCESS"]);
  const body = JSON.stringify({ namespace: "demo", flowId: "listener", triggerId: "t", disabled: true });
  await app.json("PUT", "/triggers/set-disabled", { body });
  await app.start("a");
  await settle();
  assertEquals((await executionsOf(app, "listener")).length, 1);
  await app.json("DELETE", "/flows/demo/listener");
  await app.start("a");
  await settle();
  assertEquals((await executionsOf(app, "listener")).length, 1);
});

Deno.test("FlowReactions.react() passes the outputs of all upstream executions, also after a crash", async () => {
  const first = await Harness.start();
  await first.save(triggeredFlow("listener", flowTrigger({ dependsOn: [ON_A, ON_B] })));
  for (const id of ["a", "b"]) await first.save(upstream(id));
  await first.start("a");
  await settle();
  await first.advance(1_000);
  await using app = await first.crash();
  await app.start("b");
  await settle();
  const [execution] = await executionsOf(app, "listener");
  const ofFlows = { a: { text: "done" }, b: { text: "done" } };
  assertEquals(execution?.trigger.outputs, { text: "done", ...ofFlows, demo: ofFlows });
});

/** As {@link WINDOWS}, for `dependsOn`. */
const DEPENDENCY_WINDOWS: typeof WINDOWS = [
  [{ every: "PT1H" }, "2026-01-15T10:30:00Z", 20 * MINUTE, true],
  [{ every: "PT1H" }, "2026-01-15T10:50:00Z", 20 * MINUTE, false],
  [{ every: "PT1H", offset: "PT30M" }, "2026-01-15T10:50:00Z", 20 * MINUTE, true],
  [{ lookback: "PT30M" }, "2026-01-15T10:50:00Z", 20 * MINUTE, true],
  [{ lookback: "PT10M" }, "2026-01-15T10:30:00Z", 20 * MINUTE, false],
  [{ from: "10:00:00", to: "11:00:00" }, "2026-01-15T10:30:00Z", 20 * MINUTE, true],
  [{ from: "10:40:00", to: "11:00:00" }, "2026-01-15T10:30:00Z", 20 * MINUTE, false],
  [{ deadline: "11:00:00" }, "2026-01-15T10:30:00Z", 20 * MINUTE, true],
  [{ deadline: "11:00:00+01:00" }, "2026-01-15T10:30:00Z", 20 * MINUTE, false],
  [{ deadline: "11:00:00-01:00" }, "2026-01-15T11:30:00Z", 20 * MINUTE, true],
];

for (const [window, from, apartMs, isMet] of DEPENDENCY_WINDOWS) {
  Deno.test(`FlowReactions.react() from ${from} with the dependency window ${JSON.stringify(window)}: ${isMet}`, async () => {
    assertEquals(await startsWithin({ dependsOn: [ON_A, ON_B], window }, from, apartMs), isMet ? 1 : 0);
  });
}

/** Number of starts of a listener by `a` and, some time later, `b`. */
async function startsWithin(properties: JsonObject, from: string, apartMs: number): Promise<number> {
  await using app = await Harness.start({}, undefined, new FakeClock(Date.parse(from)));
  await app.save(triggeredFlow("listener", flowTrigger(properties)));
  for (const id of ["a", "b"]) await app.save(upstream(id));
  await app.start("a");
  await app.advance(apartMs);
  await app.start("b");
  await settle();
  return (await executionsOf(app, "listener")).length;
}

/** Windows by type. Two flows are started some minutes apart; the trigger needs both. */
const WINDOWS: readonly (readonly [window: JsonObject, from: string, apartMs: number, isMet: boolean])[] = [
  [{ type: "DURATION_WINDOW", window: "PT1H" }, "2026-01-15T10:30:00Z", 20 * MINUTE, true],
  [{ type: "DURATION_WINDOW", window: "PT1H" }, "2026-01-15T10:50:00Z", 20 * MINUTE, false],
  [
    { type: "DURATION_WINDOW", window: "PT1H", windowAdvance: "PT30M" },
    "2026-01-15T10:50:00Z",
    20 * MINUTE,
    true,
  ],
  [{ type: "SLIDING_WINDOW", window: "PT30M" }, "2026-01-15T10:50:00Z", 20 * MINUTE, true],
  [{ type: "SLIDING_WINDOW", window: "PT10M" }, "2026-01-15T10:30:00Z", 20 * MINUTE, false],
  [
    { type: "DAILY_TIME_WINDOW", startTime: "10:00:00", endTime: "11:00:00" },
    "2026-01-15T10:30:00Z",
    20 * MINUTE,
    true,
  ],
  [
    { type: "DAILY_TIME_WINDOW", startTime: "10:40:00", endTime: "11:00:00" },
    "2026-01-15T10:30:00Z",
    20 * MINUTE,
    false,
  ],
  [{ type: "DAILY_TIME_DEADLINE", deadline: "11:00:00" }, "2026-01-15T10:30:00Z", 20 * MINUTE, true],
  [{ type: "DAILY_TIME_DEADLINE", deadline: "10:40:00" }, "2026-01-15T10:30:00Z", 20 * MINUTE, false],
  [
    { type: "DAILY_TIME_DEADLINE", deadline: "11:40:00", timezone: "Europe/Paris" },
    "2026-01-15T10:30:00Z",
    5 * MINUTE,
    true,
  ],
  [
    { type: "DAILY_TIME_DEADLINE", deadline: "11:00:00", timezone: "Europe/Paris" },
    "2026-01-15T10:30:00Z",
    5 * MINUTE,
    false,
  ],
  [{}, "2026-01-15T23:50:00Z", 20 * MINUTE, false],
  [{ timezone: "America/New_York" }, "2026-01-15T23:50:00Z", 20 * MINUTE, true],
];

for (const [timeWindow, from, apartMs, isMet] of WINDOWS) {
  Deno.test(`FlowReactions.react() from ${from} with the window ${JSON.stringify(timeWindow)} ${isMet ? "fires" : "does not fire"}`, async () => {
    const flows = [{ namespace: "demo", flowId: "a" }, { namespace: "demo", flowId: "b" }];
    const preconditions = { id: "p", timeWindow, flows };
    assertEquals(await startsWithin({ preconditions }, from, apartMs), isMet ? 1 : 0);
  });
}

Deno.test("FlowReactions.react() notes one failure where the window of its trigger is too large, and keeps no announcement", async () => {
  const lines: string[] = [];
  const clock = new FakeClock();
  const logger = new Logger({ level: "warn", format: "text", clock, write: (line) => void lines.push(line) });
  await using app = await Harness.start({ logger }, undefined, clock);
  const flows = ["a", "b", "c"].map((flowId) => ({ namespace: "demo", flowId }));
  await app.save(triggeredFlow("listener", flowTrigger({ preconditions: { id: "p", flows } })));
  await app.save(upstream("a"));
  // A window as a version without the limit of a save has stored it.
  const key = triggerWindowKey("main", { namespace: "demo", flowId: "listener", triggerId: "t" }, "p");
  const met = [clock.now(), "x".repeat(MAX_VALUE_BYTES - 100)];
  const value = encodeJson({ [`flow ${JSON.stringify({ namespace: "demo", flowId: "b" })}`]: met });
  await app.store.commit({ checks: [], mutations: [{ type: "set", key, value }], messages: [] });
  await app.start("a");
  await app.advance(10_000);
  const evaluations = evaluationsOf(await stateOf(app, "listener"));
  assertEquals(evaluations.map((each) => each.slice(0, 32)), ["FAILED: Cannot write: a value of"]);
  assertEquals([await Array.fromAsync(app.store.list(ANNOUNCEMENTS)), lines], [[], []]);
});

const CRASHES: readonly Fault[] = ["fail_before", "fail_after"];

for (const fault of CRASHES) {
  Deno.test(`FlowReactions.react() fires once when the process dies at any commit (${fault})`, async () => {
    for (let deadAt = 0; deadAt < 6; deadAt++) {
      let store: FaultyStore | undefined;
      const first = await Harness.start({ wrap: (memory) => store = new FaultyStore(memory) });
      const conditions = [condition("ExecutionFlow", { namespace: "demo", flowId: "a" })];
      await first.save(triggeredFlow("listener", flowTrigger({ conditions })));
      await first.save(upstream("a"));
      if (store) {
        const alive = store.commits + deadAt;
        store.plan = (commit) => commit <= alive ? "none" : commit === alive + 1 ? fault : "fail_before";
      }
      const { status } = await first.request("POST", "/executions/demo/a");
      await settle();
      first.clock.jump(1); // Ids are drawn anew, and must not be the same ones.
      await using second = await first.crash({});
      await second.advance(1_000);
      const started = await executionsOf(second, "a");
      assertEquals(status === 200 ? 1 : started.length, started.length);
      assertEquals([deadAt, (await executionsOf(second, "listener")).length], [deadAt, started.length]);
    }
  });
}
