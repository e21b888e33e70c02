/** Conversion between YAML, JSON and Ion. */
import { assertEquals, assertNotEquals, assertRejects } from "@std/assert";
import type { JsonObject } from "../../../src/base/json.ts";
import {
  ionToYaml,
  jsonToYaml,
  yamlToIon,
  yamlToJson,
} from "../../../src/integrations/serdes/yaml_conversions.ts";
import type { TaskDefinition } from "../../../src/model/tasks/task_definition.ts";
import { runDefinition } from "../../support/flows/definition_run.ts";
import { ticksAtRows } from "../../support/row_ticks.ts";

const FROM = "kestra:///demo/source";

const CONVERTED: readonly (readonly [TaskDefinition, source: string, JsonObject, result: string])[] = [
  [yamlToIon, "a: 1\nb: [x]\n", {}, '{"a":1,"b":["x"]}\n'],
  [yamlToIon, "- a: 1\n- a: 2.0\n", {}, '{"a":1}\n{"a":2.0}\n'],
  [yamlToIon, "# c\n---\na: 1\n...\n---\na: 2\n", {}, '{"a":1}\n{"a":2}\n'],
  [ionToYaml, "{a:1}\n{b:[true,null]}\n", {}, "a: 1\n---\nb:\n - true\n - null\n"],
  [jsonToYaml, '{"a": {"b": 1}}', {}, "a:\n  b: 1\n"],
  [jsonToYaml, '{"a":1}\n{"a":2}\n', { jsonl: true }, "a: 1\n---\na: 2\n"],
  [yamlToJson, "a: [1, x]\n", {}, '{"a":[1,"x"]}'],
  [yamlToJson, "a: 1\n---\nb: 2\n", {}, '[{"a":1},{"b":2}]'],
  [yamlToJson, "- 1\n- 2\n", { jsonl: true }, "1\n2\n"],
];

for (const [definition, source, properties, expected] of CONVERTED) {
  Deno.test(`${definition.type} ${JSON.stringify(source)} ${JSON.stringify(properties)}`, async () => {
    const { files } = await runDefinition(definition, { from: FROM, ...properties }, {
      files: { [FROM]: source },
    });
    assertEquals([...files.values()], [expected]);
  });
}

for (const definition of [yamlToIon, yamlToJson]) {
  Deno.test(`${definition.type} refuses a document whose aliases would become gigabytes`, async () => {
    const source = `- &a ${"x".repeat(1_000_000)}\n`.concat("- *a\n".repeat(90_000));
    await assertRejects(
      () => runDefinition(definition, { from: FROM }, { files: { [FROM]: source } }),
      Error,
      "expand to more than 16777216 characters",
    );
  });
}

Deno.test("others run between the documents that YamlToIon reads", async () => {
  const files = { [FROM]: "--- 1\n".repeat(20) };
  const ticks = await ticksAtRows(() => runDefinition(yamlToIon, { from: FROM }, { files }));
  // The last document ends with the file, which is read then.
  assertNotEquals(ticks.at(-20), ticks.at(-2));
});
