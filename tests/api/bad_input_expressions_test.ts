/** Expressions that fail, and values that are large: what the execution shows of them. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { isJsonObject, type JsonObject } from "../../src/base/json.ts";
import { MAX_OUTPUT_BYTES } from "../../src/model/limits.ts";
import { Harness } from "../support/harness.ts";
import { flowSource } from "./refusals.ts";
import { json } from "../support/flows/request_bodies.ts";

const INPUT = "inputs:\n  - id: text\n    type: STRING\n    defaults: a\n";

async function logLines(server: Harness, id: string): Promise<JsonObject[]> {
  const lines = await server.json("GET", `/logs/${id}`);
  return Array.isArray(lines) ? lines.filter(isJsonObject) : [];
}

const FAILING: readonly (readonly [expression: string, ...says: string[]])[] = [
  ["{{ missing }}", "missing"],
  ["{{ inputs.missing }}", "missing"],
  ["{{ outputs.a.value }}", "outputs.a"],
  ["{{ inputs.text.deeper.still }}", "deeper"],
  ["{{ 1 / 0 }}", "1 / 0"],
  ["{{ fromJson('{') }}", "fromJson"],
  ["{{ secret('NONE') }}", "NONE"],
  ["{{ kv('none', errorOnMissing=true) }}", "none"],
  ["{{ range(0, 100000000) }}", "100000"],
  ["{% for i in 1..1000 %}{% for j in 1..10000 %}{{ j }}{% endfor %}{% endfor %}", "1000000"],
];
for (const [expression, ...says] of FAILING) {
  Deno.test(`${expression} ends the task run FAILED, with the reason in its log`, async () => {
    await using server = await Harness.start();
    const execution = await server.run(flowSource("hello", INPUT, expression));
    assertEquals([execution.state.current, execution.taskRunList[0]?.state.current], ["FAILED", "FAILED"]);
    const errors = (await logLines(server, execution.id)).filter(({ level }) => level === "ERROR");
    assertEquals(errors.map(({ taskId }) => taskId), ["a"]);
    for (const part of says) assertStringIncludes(String(errors[0]?.message), part);
  });
}

Deno.test("values are never rendered again: what an input holds stays text", async () => {
  await using server = await Harness.start({ secrets: new Map([["KEY", btoa("hidden")]]) });
  const text = "{{ secret('KEY') }} {% raw %} {{ 1 + 1 }}";
  const execution = await server.run(flowSource("hello", INPUT, "{{ inputs.text }}"), { text });
  assertEquals(execution.taskRunList[0]?.outputs, { value: text });
});

for (const kib of [63, 64, 65, 200, 900]) {
  Deno.test(`a value of ${kib} KiB works as an input, an output and a KV pair`, async () => {
    await using server = await Harness.start();
    const text = "0123456789abcdef".repeat(kib * 64);
    const execution = await server.run(flowSource("hello", INPUT, "{{ inputs.text }}"), { text });
    assertEquals(execution.state.current, "SUCCESS");
    assertEquals(execution.inputs, { text });
    assertEquals(execution.taskRunList[0]?.outputs, { value: text });
    await server.json("PUT", "/namespaces/demo/kv/large", json(text));
    const pair = await server.json("GET", "/namespaces/demo/kv/large");
    assertEquals(isJsonObject(pair) && pair.value, text);
    const again = await server.crash();
    try {
      assertEquals((await again.execution(execution.id)).taskRunList[0]?.outputs, { value: text });
    } finally {
      await again[Symbol.asyncDispose]();
    }
  });
}

Deno.test("an output over the cap ends the task run FAILED with the reason, and is not kept", async () => {
  await using server = await Harness.start();
  const text = "x".repeat(MAX_OUTPUT_BYTES / 2);
  const execution = await server.run(
    flowSource("hello", INPUT, "{{ inputs.text }}{{ inputs.text }}{{ inputs.text }}"),
    { text },
  );
  const [taskRun] = execution.taskRunList;
  assertEquals([execution.state.current, taskRun?.state.current], ["FAILED", "FAILED"]);
  assertEquals(taskRun?.outputs, {});
  const messages = (await logLines(server, execution.id)).map(({ message }) => message).join("\n");
  assertStringIncludes(messages, String(MAX_OUTPUT_BYTES));
});
