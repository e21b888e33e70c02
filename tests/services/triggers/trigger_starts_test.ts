import { assertEquals, assertMatch } from "@std/assert";
import type { JsonObject } from "../../../src/base/json.ts";
import { settle } from "../../support/fakes/fake_clock.ts";
import { json } from "../../support/flows/request_bodies.ts";
import { Harness } from "../../support/harness.ts";
import { executionsOf, schedule, triggeredFlow } from "../../support/flows/triggers.ts";

/** The execution that a schedule with these properties starts, in a flow with these members. */
async function startOf(properties: JsonObject, members: JsonObject = {}) {
  await using app = await Harness.start();
  await app.save(triggeredFlow("s", schedule("*/10 * * * *", properties), members));
  await app.advance(10 * 60_000);
  const [execution] = await executionsOf(app, "s");
  return execution;
}

Deno.test("TriggerStarts.create() drops system labels", async () => {
  const labels = { own: "a", read: "{{ 'b' }}", "system.replay": "c" };
  const execution = await startOf({ labels }, { labels: { team: "blue" } });
  const { "system.correlationId": correlationId, ...others } = execution?.labels ?? {};
  assertEquals(others, { team: "blue", own: "a", read: "b" });
  assertEquals([execution?.state, correlationId], ["SUCCESS", execution?.id]);
});

const CORE = "io.kestra.plugin.core";
const KEY = "a-long-key-of-a-webhook";
const UPSTREAM = `{id: up, namespace: demo, tasks: [{id: r, type: ${CORE}.debug.Return, format: x}]}`;

/** Triggers of the flow `s`, and what makes them start an execution. */
const STARTING: readonly (readonly [trigger: JsonObject, cause: (app: Harness) => Promise<unknown>])[] = [
  [schedule("*/10 * * * *"), (app) => app.advance(10 * 60_000)],
  [
    { type: `${CORE}.trigger.ScheduleOnDates`, dates: ["2026-01-15T10:40:00Z"] },
    (app) => app.advance(10 * 60_000),
  ],
  [{
    type: `${CORE}.trigger.Flow`,
    conditions: [{ type: `${CORE}.condition.ExecutionFlow`, namespace: "demo", flowId: "up" }],
  }, (app) => app.run(UPSTREAM)],
  [
    { type: `${CORE}.trigger.Webhook`, key: KEY },
    (app) => app.json("POST", `/executions/webhook/demo/s/${KEY}`),
  ],
];

for (const [trigger, cause] of STARTING) {
  Deno.test(`TriggerStarts.create() for ${trigger.type} leaves out a label that cannot be rendered; one without a value is empty`, async () => {
    await using app = await Harness.start();
    const labels = { text: "a", read: "{{ 'b' }}", none: "{{ null }}", bad: "{{ foobar }}" };
    await app.save(triggeredFlow("s", { ...trigger, labels }, { labels: { team: "blue" } }));
    await cause(app);
    await settle();
    const [execution] = await executionsOf(app, "s");
    const { "system.correlationId": _, ...others } = execution?.labels ?? {};
    assertEquals(others, { team: "blue", text: "a", read: "b", none: "" });
    assertEquals(execution?.state, "SUCCESS");
    const lines = await app.json("GET", `/logs/${execution?.id}?minLevel=WARN`) as JsonObject[];
    assertEquals(lines.map(({ level }) => level), ["WARN"]);
    assertMatch(String(lines[0]?.message), /^Label "bad" of the trigger is left out: .*foobar/);
    assertEquals((await app.json("GET", "/executions/search?labels=none:") as JsonObject).total, 1);
  });
}

Deno.test("POST /executions/:id/labels takes labels with an empty value that the execution has, and no other ones", async () => {
  await using app = await Harness.start();
  await app.save(triggeredFlow("s", schedule("*/10 * * * *", { labels: { none: "{{ null }}" } })));
  await app.advance(10 * 60_000);
  const [execution] = await executionsOf(app, "s");
  const send = async (key: string) => {
    const labels = [{ key, value: "" }, { key: "more", value: "x" }];
    return await app.request("POST", `/executions/${execution?.id}/labels`, json(labels));
  };
  const [known, other] = [await send("none"), await send("other")];
  assertEquals([known.status, other.status], [200, 422]);
  const [changed] = await executionsOf(app, "s");
  assertEquals([changed?.labels.none, changed?.labels.more, changed?.labels.other], ["", "x", undefined]);
});

Deno.test("TriggerStarts.create() renders inputs with the labels of the flow, and defaults also with its own", async () => {
  const inputs: JsonObject[] = [
    { id: "given", type: "STRING" },
    { id: "kept", type: "STRING", defaults: "{{ labels.team }}/{{ labels.app.tier }}/{{ labels.own }}" },
  ];
  const labels = { team: "blue", "app.tier": "web" };
  const execution = await startOf(
    { inputs: { given: "{{ labels.team }}" }, labels: { own: "a" } },
    { inputs, labels },
  );
  assertEquals(execution?.inputs, { given: "blue", kept: "blue/web/a" });
});

Deno.test("TriggerStarts.create() gives a required input without a value as null", async () => {
  const inputs: JsonObject[] = [
    { id: "asked", type: "STRING" },
    { id: "choice", type: "SELECT", values: ["a"] },
    { id: "kept", type: "INT", defaults: 3 },
  ];
  const execution = await startOf({}, { inputs });
  assertEquals([execution?.state, execution?.inputs], ["SUCCESS", { asked: null, choice: null, kept: 3 }]);
});

Deno.test("TriggerStarts.create() refuses a value of another type", async () => {
  const execution = await startOf({ inputs: { n: "many" } }, { inputs: [{ id: "n", type: "INT" }] });
  assertEquals(execution?.state, "FAILED");
});
