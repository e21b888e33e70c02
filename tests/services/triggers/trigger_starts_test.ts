import { assertEquals } from "@std/assert";
import type { JsonObject } from "../../../src/base/json.ts";
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

Deno.test("TriggerStarts.create() drops empty labels and system labels", async () => {
  const labels = { own: "a", read: "{{ 'b' }}", none: "{{ null }}", "system.replay": "c" };
  const execution = await startOf({ labels }, { labels: { team: "blue" } });
  const { "system.correlationId": correlationId, ...others } = execution?.labels ?? {};
  assertEquals(others, { team: "blue", own: "a", read: "b" });
  assertEquals([execution?.state, correlationId], ["SUCCESS", execution?.id]);
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
