/** Conversion between JSON and Ion. */
import { assertEquals, assertNotEquals, assertRejects } from "@std/assert";
import type { JsonObject, JsonValue } from "../../../../src/base/json.ts";
import { stringifyJson } from "../../../../src/base/json.ts";
import { ionToJson } from "../../../../src/integrations/serdes/json/ion_to_json.ts";
import { jsonToIon } from "../../../../src/integrations/serdes/json/json_to_ion.ts";
import { jsonToJsonl } from "../../../../src/integrations/serdes/json/json_to_jsonl.ts";
import { jsonValues } from "../../../../src/integrations/serdes/json/json_values.ts";
import { runDefinition } from "../../../support/flows/definition_run.ts";

const FROM = "kestra:///demo/source";

const READ: readonly (readonly [json: string, properties: JsonObject, ion: string])[] = [
  ['{"a":1}\n{"a":2.50}\n\n', {}, '{"a":1}\n{"a":2.5}\n'],
  ['{\n  "a": 1\n}\n[1]', {}, '{"a":1}\n[1]\n'],
  ['[{"a":1},\n{"a":2}]', { newLine: false }, '{"a":1}\n{"a":2}\n'],
  ['{"a":[1]}', { newLine: false }, '{"a":[1]}\n'],
  ["[]", { newLine: false }, ""],
  ['[12345678901234567890, true, "x"]', { newLine: false }, '12345678901234567890\ntrue\n"x"\n'],
];

for (const [json, properties, expected] of READ) {
  Deno.test(`JsonToIon reads ${JSON.stringify(json)} ${JSON.stringify(properties)}`, async () => {
    const { files } = await runDefinition(jsonToIon, { from: FROM, ...properties }, {
      files: { [FROM]: json },
    });
    assertEquals([...files.values()], [expected]);
  });
}

const WRITTEN: readonly (readonly [ion: string, properties: JsonObject, json: string])[] = [
  ["{a:1}\n{a:2.5e0}\n", {}, '{"a":1}\n{"a":2.5}\n'],
  ["{a:1}\n{b:null}\n", { newLine: false }, '[{"a":1},{"b":null}]'],
  ["", { newLine: false }, "[]"],
];

for (const [ion, properties, expected] of WRITTEN) {
  Deno.test(`IonToJson writes ${JSON.stringify(ion)} ${JSON.stringify(properties)}`, async () => {
    const { files } = await runDefinition(ionToJson, { from: FROM, ...properties }, {
      files: { [FROM]: ion },
    });
    assertEquals([...files.values()], [expected]);
  });
}

Deno.test("JsonToJsonl writes each element of a list as a line", async () => {
  const { files } = await runDefinition(jsonToJsonl, { from: FROM }, { files: { [FROM]: '[{"a": 1}, 2]' } });
  assertEquals([...files.values()], ['{"a":1}\n2\n']);
});

const VALUES: readonly JsonValue[] = [
  { a: '[{"\\', b: [1, [2, {}]], c: "]}" },
  'te\\"xt',
  -1.5e3,
  null,
  [],
  { "": "" },
];

Deno.test("jsonValues() finds the same values however the text is cut", async () => {
  const texts: readonly (readonly [string, boolean])[] = [
    [VALUES.map((value) => stringifyJson(value)).join("\n"), false],
    [` [${VALUES.map((value) => stringifyJson(value, 1)).join(" ,\n")}]\n`, true],
  ];
  for (const [text, isList] of texts) {
    for (let size = 1; size <= text.length; size++) {
      const values = await Array.fromAsync(jsonValues(cut(text, size), { isList }));
      assertEquals(stringifyJson(values), stringifyJson(VALUES));
    }
  }
});

async function* cut(text: string, size: number): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
}

const MALFORMED: readonly (readonly [json: string, isList: boolean, error: string])[] = [
  ['{"a":1}\n{"a":', false, "Cannot read value 2 of the file"],
  ["[1, 2", true, "its list has no end"],
  ["[1, x]", true, "Cannot read value 2 of the file"],
  ["1 ]", false, "Cannot read value 2 of the file"],
];

for (const [json, isList, error] of MALFORMED) {
  Deno.test(`jsonValues() refuses ${json}`, async () => {
    await assertRejects(() => Array.fromAsync(jsonValues(cut(json, 4), { isList })), Error, error);
  });
}

Deno.test("jsonValues() lets others run while it reads a long value", async () => {
  const text = `[${"1.5,".repeat(1_000_000)}1.5]`;
  let ticks = 0;
  const timer = setInterval(() => ticks++, 0);
  try {
    const [value] = await Array.fromAsync(jsonValues(cut(text, text.length), { isList: false }));
    assertEquals((value as JsonValue[]).length, 1_000_001);
  } finally {
    clearInterval(timer);
  }
  assertNotEquals(ticks, 0);
});

Deno.test("jsonValues() refuses a long value that is malformed", async () => {
  const text = `[${"1.5,".repeat(200_000)}]`;
  await assertRejects(
    () => Array.fromAsync(jsonValues(cut(text, text.length), { isList: false })),
    Error,
    "Cannot read value 1 of the file: it is not valid JSON",
  );
});
