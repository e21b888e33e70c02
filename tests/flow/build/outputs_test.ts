import { assertEquals } from "@std/assert";
import { Double, type JsonObject, type JsonValue } from "../../../src/base/json.ts";
import { buildFlow, convertOutputs, parseFlowSource } from "../../../src/flow/mod.ts";

const IDENTITY = { tenant: "main", revision: 1, flowNo: 1, deleted: false, source: "" };

function convert(declarations: string, rendered: JsonObject) {
  const { document } = parseFlowSource(`outputs: [${declarations}]`);
  return convertOutputs(buildFlow(document ?? {}, IDENTITY), rendered);
}

/** Members of the declaration, rendered value, converted value. */
const CONVERSIONS: readonly [string, JsonValue, JsonValue][] = [
  ["", "text", "text"],
  ["", { a: [1, null] }, { a: [1, null] }],
  ["", null, null],
  ["", "", ""],
  ["type: STRING", "", ""],
  ["type: STRING", 42, "42"],
  ["type: STRING", null, ""],
  ["type: STRING, required: false", null, ""],
  ["type: INT", "42", 42],
  ["type: INT", 42, 42],
  ["type: FLOAT", "2", new Double(2)],
  ["type: BOOL", "TRUE", true],
  ["type: BOOLEAN", "yes", false],
  ["type: DATETIME", "2026-01-31T09:15:30+01:00", "2026-01-31T08:15:30Z"],
  ["type: DURATION", "PT90S", "PT1M30S"],
  ["type: JSON", '{"a": 1}', { a: 1 }],
  ["type: JSON", { a: 1 }, { a: 1 }],
  ["type: YAML", "a: [1]", { a: [1] }],
  ["type: ARRAY", '[1, {"a": null}]', [1, { a: null }]],
  ["type: ARRAY", ["a", 1], ["a", 1]],
  ["type: ARRAY, itemType: STRING", '["a"]', ["a"]],
  ["type: URI", "https://example.com/a", "https://example.com/a"],
  ["type: FILE", "kestra:///demo/f/executions/x/a.txt", "kestra:///demo/f/executions/x/a.txt"],
  ["type: UNKNOWN", "kept", "kept"],
];
for (const [members, rendered, converted] of CONVERSIONS) {
  Deno.test(`convertOutputs() of {${members}} makes ${JSON.stringify(rendered)} ${JSON.stringify(converted)}`, () => {
    assertEquals(convert(`{id: o, ${members}}`, { o: rendered }), { outputs: { o: converted } });
  });
}

for (const members of ["", "type: INT", "type: JSON"]) {
  Deno.test(`convertOutputs() of {${members}} leaves out an optional output without value`, () => {
    assertEquals(convert(`{id: o, required: false, ${members}}, {id: a}`, { o: null, a: 1 }), {
      outputs: { a: 1 },
    });
    assertEquals(convert(`{id: o, required: false, ${members}}, {id: a}`, { a: 1 }), { outputs: { a: 1 } });
  });
}

const PROBLEMS: readonly [string, JsonValue, string][] = [
  [
    "type: INT",
    "x",
    "Invalid output for `o`, Expected `INT` but received `x` with errors: `it is not a whole number of 64 bits`, but received `x`",
  ],
  ["type: INT", null, "Invalid output for `o`, missing required output, but received `null`"],
  ["type: INT", "", "Invalid output for `o`, missing required output, but received ``"],
  ["type: SECRET", null, "Invalid output for `o`, missing required output, but received `null`"],
];
for (const [members, rendered, problem] of PROBLEMS) {
  Deno.test(`convertOutputs() of {${members}} refuses ${JSON.stringify(rendered)}`, () => {
    assertEquals(convert(`{id: o, ${members}}`, { o: rendered }), { problem });
  });
}

Deno.test("convertOutputs() keeps the order of the flow, and names of a prototype", () => {
  const outcome = convert("{id: b}, {id: constructor}, {id: a}", { a: 1, b: 2 });
  assertEquals("outputs" in outcome && Object.entries(outcome.outputs), [["b", 2], ["constructor", null], [
    "a",
    1,
  ]]);
});

Deno.test("convertOutputs() reports the first problem", () => {
  const outcome = convert("{id: a, type: INT}, {id: b, type: INT}", { a: "x", b: "y" });
  assertEquals("problem" in outcome && outcome.problem.slice(0, 22), "Invalid output for `a`");
});
