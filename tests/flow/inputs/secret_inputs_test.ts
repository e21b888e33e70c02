/** Inputs of type SECRET: encrypted by the caller's `seal`, repeated by no message. */
import { assert, assertEquals, assertThrows } from "@std/assert";
import type { JsonObject, JsonValue } from "../../../src/base/json.ts";
import { ExpressionError } from "../../../src/expr/mod.ts";
import { checkInputs, convertValue, resolveInputs } from "../../../src/flow/mod.ts";
import { DomainError } from "../../../src/model/errors.ts";
import type { GivenValue } from "../../../src/model/flows/input_value.ts";
import { describedProblemsOf, inputsOf, VALID } from "../flow_support.ts";

const SECRET = "hunter2-hunter2";

const seal = (text: string): JsonValue => ({ sealed: text.length });

/** Replaces `{{ name }}` within a text; `{{ fail }}` fails with the value of `s`. */
function render(template: string, inputs: JsonObject): JsonValue {
  if (template === "{{ isTrue }}") return inputs.s === "true";
  return template.replace(/\{\{ (\w+) \}\}/g, (_, name) => {
    if (name === "fail") throw new ExpressionError("host", `Cannot use ${inputs.s}`);
    return String(inputs[name]);
  });
}

function texts(values: Record<string, string>): Map<string, GivenValue> {
  return new Map(Object.entries(values).map(([id, text]) => [id, { kind: "text", text }]));
}

/** Declarations, sent texts, inputs or the message of the refusal. */
const CASES: readonly [string, string, Record<string, string>, JsonObject | string][] = [
  ["a sent value", "- {id: s, type: SECRET}", { s: SECRET }, { s: { sealed: 15 } }],
  ["a default", "- {id: s, type: SECRET, defaults: password}", {}, { s: { sealed: 8 } }],
  ["a number as default", "- {id: s, type: SECRET, defaults: 1234}", {}, { s: { sealed: 4 } }],
  ["a dotted id", "- {id: a.s, type: SECRET}", { "a.s": SECRET }, { a: { s: { sealed: 15 } } }],
  ["none, optional", "- {id: s, type: SECRET, required: false}", {}, { s: null }],
  [
    "none",
    "- {id: s, type: SECRET}",
    {},
    "Invalid input for `s`, missing required input, but received `null`",
  ],
  [
    "an empty text",
    "- {id: s, type: SECRET}",
    { s: "" },
    "Invalid input for `s`, missing required input, but received `null`",
  ],
  ["a text that matches", "- {id: s, type: SECRET, validator: 'h.*'}", { s: SECRET }, { s: { sealed: 15 } }],
  [
    "a text that does not match",
    "- {id: s, type: SECRET, validator: 'A\\d+'}",
    { s: SECRET },
    "Invalid input for `s`, it must match the pattern `A\\d+`, but received `********`",
  ],
  [
    "a default that does not match",
    "- {id: s, type: SECRET, validator: 'A\\d+', defaults: '{{ t }}', dependsOn: {inputs: [t]}}\n- {id: t, type: STRING}",
    { t: SECRET },
    "Invalid input for `s`, it must match the pattern `A\\d+`, but received `********`",
  ],
  [
    "an input that depends on it",
    "- {id: s, type: SECRET}\n- {id: d, type: STRING, defaults: d, dependsOn: {inputs: [s], condition: '{{ isTrue }}'}}",
    { s: "true" },
    { s: { sealed: 4 }, d: "d" },
  ],
  [
    "one whose condition is not met",
    "- {id: b, type: BOOL}\n- {id: s, type: SECRET, dependsOn: {inputs: [b], condition: '{{ b }}'}}",
    { b: "false", s: SECRET },
    { b: false },
  ],
  [
    "a default made of it that is wrong",
    "- {id: s, type: SECRET}\n- {id: i, type: INT, defaults: 'x{{ s }}', dependsOn: {inputs: [s]}}",
    { s: SECRET },
    "Invalid input for `i`, its default depends on a secret and is not valid, but received `********`",
  ],
  [
    "a default that fails on it",
    "- {id: s, type: SECRET}\n- {id: i, type: INT, defaults: '{{ fail }}', dependsOn: {inputs: [s]}}",
    { s: SECRET },
    "Invalid input for `i`, Cannot use ********, but received `{{ fail }}`",
  ],
  [
    "the same text sent for another input",
    "- {id: s, type: SECRET}\n- {id: i, type: INT}",
    { s: SECRET, i: SECRET },
    "Invalid input for `i`, Expected `INT` but received `********` with errors: " +
    "`it is not a whole number of 64 bits`, but received `********`",
  ],
];

for (const [name, declarations, values, expected] of CASES) {
  Deno.test(`resolveInputs() of a SECRET: ${name}`, () => {
    const resolve = () => resolveInputs(inputsOf(declarations), texts(values), { render, seal });
    if (typeof expected !== "string") return assertEquals(resolve() as JsonValue, expected as JsonValue);
    const error = assertThrows(resolve, DomainError);
    assertEquals([error.code, error.message], ["invalid_entity", `Invalid entity: ${expected}`]);
    assertEquals(error.items[0]?.message, expected);
  });
}

Deno.test("resolveInputs() of a SECRET without a key says so, and not the value", () => {
  const resolve = () => resolveInputs(inputsOf("- {id: s, type: SECRET}"), texts({ s: SECRET }));
  const error = assertThrows(resolve, DomainError);
  assertEquals(error.code, "invalid_entity");
  assert(error.message.includes("it cannot be encrypted: the server has no encryption key"), error.message);
  assert(!error.message.includes(SECRET));
});

Deno.test("resolveInputs() of a SECRET refuses a file, and does not say which", () => {
  const given = new Map<string, GivenValue>([["s", { kind: "file", uri: "kestra:///secret-name", size: 3 }]]);
  const error = assertThrows(
    () => resolveInputs(inputsOf("- {id: s, type: SECRET}"), given, { seal }),
    DomainError,
  );
  assert(error.message.includes("a file was sent for an input of type SECRET"));
  assert(!error.message.includes("secret-name"));
});

Deno.test("checkInputs() never gives a SECRET in clear", () => {
  const flow = inputsOf("- {id: s, type: SECRET}\n- {id: t, type: SECRET, validator: x}");
  const checks = checkInputs(flow, texts({ s: SECRET, t: SECRET }), { render, seal });
  assertEquals(checks.map(({ value }) => value ?? null), [{ sealed: 15 }, null]);
  assert(!JSON.stringify(checks).includes(SECRET));
});

Deno.test("checkInputs() hides secrets in many problems, and shows none that would take too long", () => {
  const ids = Array.from({ length: 3_000 }, (_, i) => i);
  const declared = [
    ...ids.map((i) => `- {id: s${i}, type: SECRET}`),
    ...ids.map((i) => `- {id: i${i}, type: INT}`),
  ];
  const given = texts(
    Object.fromEntries(ids.flatMap((i) => [[`s${i}`, `${SECRET}-${i}-`], [`i${i}`, `${SECRET}-${i}-`]])),
  );
  const problems = checkInputs(inputsOf(declared.join("\n")), given, { seal }).slice(3_000)
    .map(({ problem = "" }) => problem);
  assertEquals(problems.filter((problem) => problem.includes(SECRET)), []);
  const shown = problems.filter((problem) => problem.includes("Expected `INT` but received `********`"));
  const others = problems.filter((problem) => problem.includes("the reason is not shown, since"));
  assert(shown.length >= 200 && shown.length <= 1_500, `${shown.length}`);
  assertEquals(shown.length + others.length, 3_000);
});

Deno.test("convertValue() encrypts an output of type SECRET, or refuses it", () => {
  assertEquals(convertValue("SECRET", SECRET, { seal }), { value: { sealed: 15 } });
  assertEquals(convertValue("SECRET", null, { seal }), { value: null });
  assertEquals("reason" in convertValue("SECRET", SECRET), true);
});

/** Declarations and their problems. */
const DECLARATIONS: readonly [string, string, readonly string[]][] = [
  ["a secret", "{id: a, type: SECRET}", []],
  ["a pattern that is none", "{id: a, type: SECRET, validator: '(a'}", ["inputs[0].validator"]],
  ["an unknown property", "{id: a, type: SECRET, min: 1}", ["inputs[0].min"]],
  ["a list of secrets", "{id: a, type: ARRAY, itemType: SECRET}", ["inputs[0].itemType"]],
  ["a choice of secrets", "{id: a, type: MULTISELECT, values: [x], itemType: SECRET}", [
    "inputs[0].itemType",
  ]],
];

for (const [name, text, expected] of DECLARATIONS) {
  Deno.test(`validateFlow() a SECRET input: ${name}`, () => {
    const problems = describedProblemsOf(`${VALID}inputs:\n- ${text}\n`);
    assertEquals(problems.map((problem) => problem.slice(0, problem.indexOf(":"))), expected);
  });
}
