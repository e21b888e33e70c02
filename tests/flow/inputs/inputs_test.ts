import { assertEquals, assertStrictEquals, assertThrows } from "@std/assert";
import { Double, type JsonObject, type JsonValue, parseJson, stringifyJson } from "../../../src/base/json.ts";
import { ExpressionError } from "../../../src/expr/mod.ts";
import { checkInputs, convertValue, resolveInputs, type ResolveOptions } from "../../../src/flow/mod.ts";
import { DomainError } from "../../../src/model/errors.ts";
import type { GivenValue } from "../../../src/model/flows/input_value.ts";
import { MAX_INPUT_VALUE_BYTES } from "../../../src/model/limits.ts";
import { describedProblemsOf, inputsOf, VALID } from "../flow_support.ts";

function given(values: Record<string, string | GivenValue>): Map<string, GivenValue> {
  return new Map(
    Object.entries(values).map((
      [id, value],
    ) => [id, typeof value === "string" ? { kind: "text", text: value } : value]),
  );
}

/** Renders `{{ name }}` from the inputs, `{{ 'text' }}` as the text, and fails on anything else. */
const render: ResolveOptions["render"] = (template, inputs) => {
  const [, name, text] = /^\{\{ (?:(\w+)|'(.*)') \}\}$/.exec(template) ?? [];
  if (text !== undefined) return text;
  if (name === undefined || !Object.hasOwn(inputs, name)) {
    throw new ExpressionError("undefined", `Unable to find \`${name}\``);
  }
  return inputs[name] as JsonValue;
};

/** Declaration without id and default, sent text, value or error. */
const CONVERSIONS: readonly [string, string, JsonValue | RegExp | { error: string }][] = [
  ["type: STRING", "", ""],
  ["type: STRING", "{{ 7 * 7 }}", "{{ 7 * 7 }}"],
  ["type: STRING, validator: 'A\\d+'", "A12", "A12"],
  ["type: STRING, validator: 'A\\d+'", "xA12", { error: "it must match the pattern `A\\d+`" }],
  ["type: STRING, validator: 'A\\d+'", "A12\n", { error: "it must match the pattern `A\\d+`" }],
  ["type: STRING, validator: 'a|b'", "ab", { error: "it must match the pattern `a|b`" }],
  ["type: STRING, validator: '(?i)abc'", "ABC", "ABC"],
  ["type: STRING, validator: '(a*)*b'", "a".repeat(2_000), { error: "it must match the pattern `(a*)*b`" }],
  ["type: INT", "42", 42],
  ["type: INT", " -7 ", -7],
  ["type: INT", "9223372036854775807", 9223372036854775807n],
  ["type: INT", "9223372036854775808", {
    error:
      "Expected `INT` but received `9223372036854775808` with errors: `it is not a whole number of 64 bits`",
  }],
  ["type: INT", "1.5", {
    error: "Expected `INT` but received `1.5` with errors: `it is not a whole number of 64 bits`",
  }],
  ["type: INT, min: 10, max: 20", "10", 10],
  ["type: INT, min: 10, max: 20", "20", 20],
  ["type: INT, min: 10, max: 20", "9", { error: "it must be more than `10`" }],
  ["type: INT, min: 10, max: 20", "21", { error: "it must be less than `20`" }],
  ["type: FLOAT", "42.42", new Double(42.42)],
  ["type: FLOAT", "2", new Double(2)],
  ["type: FLOAT", "1e3", new Double(1000)],
  ["type: FLOAT", "NaN", {
    error: "Expected `FLOAT` but received `NaN` with errors: `it is not a decimal number`",
  }],
  ["type: FLOAT", "1e999", {
    error: "Expected `FLOAT` but received `1e999` with errors: `it is not a decimal number`",
  }],
  ["type: FLOAT, min: 0.1, max: 0.5", "1.01", { error: "it must be less than `0.5`" }],
  ["type: BOOL", "TRUE", true],
  ["type: BOOL", "false", false],
  ["type: BOOL", "yes", {
    error: 'Expected `BOOL` but received `yes` with errors: `it is neither "true" nor "false"`',
  }],
  ["type: BOOLEAN", "True", true],
  ["type: BOOLEAN", "yes", false],
  ["type: DATETIME", "2019-10-06T18:27:49Z", "2019-10-06T18:27:49Z"],
  ["type: DATETIME", "2019-10-06T18:27:49.1200+02:00", "2019-10-06T16:27:49.120Z"],
  ["type: DATETIME", "2020-01-01T00:30-01:00", "2020-01-01T01:30:00Z"],
  ["type: DATETIME", "2019-10-06", {
    error: "Expected `DATETIME` but received `2019-10-06` with errors: " +
      '`it is not a date and time with a zone, such as "2026-01-31T08:15:30Z"`',
  }],
  ["type: DATETIME, after: '2023-01-01T00:00:00Z'", "2022-01-01T00:00:00Z", {
    error: "it must be after `2023-01-01T00:00:00Z`",
  }],
  ["type: DATETIME, before: '2023-01-01T00:00:00.5Z'", "2023-01-01T00:00:00.500001Z", {
    error: "it must be before `2023-01-01T00:00:00.5Z`",
  }],
  ["type: DATE", "2024-02-29", "2024-02-29"],
  ["type: DATE", "2023-02-29", /^Expected `DATE` but received `2023-02-29`/],
  ["type: DATE, after: 2023-01-01, before: 2023-12-31", "2024-01-01", {
    error: "it must be before `2023-12-31`",
  }],
  ["type: TIME", "18:27:49", "18:27:49"],
  ["type: TIME", "18:27", "18:27:00"],
  ["type: TIME", "24:00:00", /^Expected `TIME` but received `24:00:00`/],
  ["type: TIME, before: '11:59:59'", "14:00:00", { error: "it must be before `11:59:59`" }],
  ["type: TIME, after: '01:00:00'", "00:30:00", { error: "it must be after `01:00`" }],
  ["type: DURATION", "PT5M6S", "PT5M6S"],
  ["type: DURATION", "PT90M", "PT1H30M"],
  ["type: DURATION", "5 minutes", /^Expected `DURATION` but received `5 minutes`/],
  ["type: DURATION, min: PT10S, max: PT20S", "PT30S", { error: "It must be less than `PT20S`" }],
  ["type: DURATION, min: PT10S, max: PT20S", "PT1S", { error: "It must be more than `PT10S`" }],
  ["type: JSON", '{"a": [1, 2.0]}', { a: [1, new Double(2)] }],
  ["type: JSON", "null", null],
  ["type: JSON", "{a", /^Expected `JSON` but received `\{a` with errors: `.+`$/],
  ["type: JSON", "[".repeat(101) + "]".repeat(101), /it is nested deeper than 100 levels/],
  ["type: JSON", "[".repeat(101), /it is nested deeper than 100 levels/],
  ["type: JSON", "[".repeat(100_000), /^Expected `JSON` but received `\[{100}…` with errors/],
  ["type: YAML", "some: property\nalist:\n- of\n- 2.0", { some: "property", alist: ["of", new Double(2)] }],
  ["type: YAML", "{}", {}],
  ["type: YAML", "a: [", /^Expected `YAML` but received `a: \[` with errors: `.* at line 1, column 5`$/],
  ["type: ION", '{name: "Ada", nested: {active: true}}', { name: "Ada", nested: { active: true } }],
  ["type: ION", '["one", 2, 3d0]', ["one", 2, new Double(3)]],
  ["type: ION", "{a", /^Expected `ION` but received `\{a` with errors/],
  ["type: ION", "two words", /^Expected `ION` but received `two words` with errors/],
  ["type: URI", "https://www.google.com", "https://www.google.com"],
  ["type: URI", "jdbc:duckdb:", "jdbc:duckdb:"],
  ["type: URI", "nsfile:///file.txt", "nsfile:///file.txt"],
  ["type: URI", "justastring", /^Expected `URI` but received `justastring`/],
  ["type: URI", "kestra:///a/b", "kestra:///a/b"],
  ["type: URI", "mailto:a@b.c", "mailto:a@b.c"],
  ["type: URI", "http:/bla", {
    error: "Expected `URI` but received `http:/bla`",
  }],
  ["type: URI", "no uri", {
    error: "Expected `URI` but received `no uri`",
  }],
  ["type: EMAIL", "a@b.example", "a@b.example"],
  ["type: EMAIL", "", ""],
  ["type: EMAIL", "a@b", { error: "The input must be a valid email" }],
  ["type: SELECT, values: [A, B, 3]", "3", "3"],
  ["type: SELECT, values: [A, B]", "C", { error: "it must match the values `[A, B]`" }],
  ["type: SELECT, values: [A, B], allowCustomValue: true", "C", "C"],
  ["type: ENUM, values: [A]", "A", "A"],
  ["type: SELECT, values: [{label: Production, value: prod}, dev]", "prod", "prod"],
  ["type: SELECT, values: [{label: Production, value: prod}, dev]", "Production", {
    error: "it must match the values `[prod, dev]`",
  }],
  ["type: MULTISELECT, options: [A, B]", '["B"]', ["B"]],
  ["type: MULTISELECT, options: [A, B]", '["C"]', { error: "it must match the values `[A, B]`" }],
  ["type: SELECT, expression: \"{{ 'x' }}\"", "C", /^the values cannot be rendered: Expected `ARRAY`/],
  ["type: SELECT, expression: \"{{ '[1, 2]' }}\"", "2", "2"],
  ["type: MULTISELECT, values: [A, B]", '["B", "A"]', ["B", "A"]],
  ["type: MULTISELECT, values: [A, B]", '["C"]', { error: "it must match the values `[A, B]`" }],
  ["type: MULTISELECT, values: [1, 2], itemType: INT", '["1", 2]', [1, 2]],
  ["type: ARRAY, itemType: INT", "[1, 2, 3]", [1, 2, 3]],
  ["type: ARRAY, itemType: INT", '[1, "x"]', { error: "Unable to parse array element as `INT` on `x`" }],
  ["type: ARRAY, itemType: INT", "[null]", { error: "Unable to parse array element as `INT` on `null`" }],
  ["type: ARRAY, itemType: INT", "{}", {
    error: "Expected `ARRAY` but received `{}` with errors: `it is not a list`",
  }],
  ["type: FILE", "kestra:///a/b.txt", "kestra:///a/b.txt"],
  ["type: FILE", "hello", /^Expected `FILE` but received `hello`/],
  ["type: FILE, allowedFileExtensions: [.csv]", "kestra:///a/b.txt", {
    error: "the name of the file must end in one of `[.csv]`",
  }],
];

for (const [declaration, text, expected] of CONVERSIONS) {
  const shown = text.length > 40 ? `${text.slice(0, 40)}…` : text;
  Deno.test(`checkInputs() {${declaration}} of ${JSON.stringify(shown)}`, () => {
    const [check] = checkInputs(inputsOf(`- {id: i, ${declaration}}`), given({ i: text }), { render });
    if (expected instanceof RegExp) {
      const reason =
        /^Invalid input for `i`, ([\s\S]*), but received `[\s\S]*`$/.exec(check?.problem ?? "")?.[1] ?? "";
      assertStrictEquals(expected.test(reason), true, reason);
    } else if (expected !== null && typeof expected === "object" && "error" in expected) {
      const received = text.length > 100 ? `${text.slice(0, 100)}…` : text;
      const isRendered = declaration.includes("expression");
      const error = `Invalid input for \`i\`, ${expected.error}, but received \`${
        isRendered ? "null" : received
      }\``;
      assertEquals(check?.problem, error);
    } else {
      assertEquals([check?.problem, check?.value], [undefined, expected as JsonValue]);
    }
  });
}

/** Declarations, what is sent, and the inputs as JSON, or the error. */
const RESOLUTIONS: readonly [string, string, Record<string, string | GivenValue>, string][] = [
  ["gives sent values", "- {id: a, type: STRING}", { a: "x" }, '{"a":"x"}'],
  ["ignores unknown names", "- {id: a, type: STRING}", { a: "x", b: "y", ["__proto__"]: "z" }, '{"a":"x"}'],
  ["takes the older name", "- {name: a, type: STRING}", { a: "x" }, '{"a":"x"}'],
  ["applies defaults", "- {id: a, type: STRING, defaults: d}", {}, '{"a":"d"}'],
  ["converts defaults", "- {id: a, type: INT, defaults: '3'}", {}, '{"a":3}'],
  ["keeps structures of defaults", "- {id: a, type: JSON, defaults: {b: [1.0]}}", {}, '{"a":{"b":[1.0]}}'],
  ["prefers an empty text that was sent", "- {id: a, type: STRING, defaults: d}", { a: "" }, '{"a":""}'],
  ["takes an empty number as none", "- {id: a, type: INT, defaults: 3}", { a: "" }, '{"a":3}'],
  ["gives null for absent optional inputs", "- {id: a, type: INT, required: false}", { a: "" }, '{"a":null}'],
  [
    "nests dotted ids",
    "- {id: n.more.int, type: INT}\n- {id: n.bool, type: BOOL, required: false}\n- {id: z, type: STRING}",
    { "n.more.int": "1", z: "x" },
    '{"n":{"more":{"int":1},"bool":null},"z":"x"}',
  ],
  [
    "keeps __proto__ as a name",
    "- {id: __proto__.x, type: INT}",
    { ["__proto__.x"]: "1" },
    '{"__proto__":{"x":1}}',
  ],
  [
    "refuses a missing required input",
    "- {id: a, type: STRING}",
    {},
    "Invalid entity: Invalid input for `a`, missing required input, but received `null`",
  ],
  [
    "names the first wrong input",
    "- {id: a, type: INT}\n- {id: b, type: INT}",
    { a: "x", b: "y" },
    "Invalid entity: Invalid input for `a`, Expected `INT` but received `x` with errors: " +
    "`it is not a whole number of 64 bits`, but received `x`",
  ],
  [
    "takes a file",
    "- {id: a, type: FILE}",
    { a: { kind: "file", uri: "kestra:///x", size: 3 } },
    '{"a":"kestra:///x"}',
  ],
  [
    "takes an empty file",
    "- {id: a, type: FILE}",
    { a: { kind: "file", uri: "kestra:///x", size: 0 } },
    '{"a":"kestra:///x"}',
  ],
  [
    "refuses a file for another type",
    "- {id: a, type: STRING}",
    { a: { kind: "file", uri: "kestra:///x", size: 3 } },
    "Invalid entity: Invalid input for `a`, a file was sent for an input of type STRING, but received `kestra:///x`",
  ],
  [
    "takes values",
    "- {id: a, type: ARRAY, itemType: INT}",
    { a: { kind: "value", value: [1] } },
    '{"a":[1]}',
  ],
  ["takes a number as text", "- {id: a, type: STRING}", { a: { kind: "value", value: 1 } }, '{"a":"1"}'],
  [
    "takes a null value as none",
    "- {id: a, type: INT, defaults: 2}",
    { a: { kind: "value", value: null } },
    '{"a":2}',
  ],
  [
    "renders defaults",
    '- {id: a, type: INT}\n- {id: b, type: INT, defaults: "{{ a }}"}',
    { a: "5" },
    '{"a":5,"b":5}',
  ],
  [
    "renders nested defaults",
    `- {id: b, type: JSON, defaults: {c: ["{{ 'x' }}", 1]}}`,
    {},
    '{"b":{"c":["x",1]}}',
  ],
  [
    "reports a default that cannot be rendered",
    '- {id: b, type: INT, defaults: "{{ zz }}"}',
    {},
    "Invalid entity: Invalid input for `b`, Unable to find `zz`, but received `{{ zz }}`",
  ],
  [
    "reports a rendered default of another type",
    `- {id: b, type: BOOL, defaults: "{{ 'x' }}"}`,
    {},
    "Invalid entity: Invalid input for `b`, Expected `BOOL` but received `x` with errors: " +
    '`it is neither "true" nor "false"`, but received `x`',
  ],
  ["never renders sent values", "- {id: a, type: STRING}", { a: "{{ 'x' }}" }, `{"a":"{{ 'x' }}"}`],
  [
    "resolves an input that another one depends on after those before it",
    `- {id: a, type: INT, dependsOn: {inputs: [c]}}
- {id: b, type: INT}
- {id: c, type: INT, defaults: "{{ b }}"}`,
    { b: "1", a: "2" },
    '{"a":2,"b":1,"c":1}',
  ],
  [
    "resolves in the order of dependencies",
    '- {id: b, type: INT, defaults: "{{ a }}", dependsOn: {inputs: [a]}}\n- {id: a, type: INT}',
    { a: "5" },
    '{"b":5,"a":5}',
  ],
  [
    "leaves out an input whose condition is not met, and those that depend on it",
    `- {id: a, type: STRING}
- {id: b, type: INT, dependsOn: {inputs: [a], condition: "{{ a }}"}}
- {id: c, type: INT, dependsOn: {inputs: [b]}}`,
    { a: "no", b: "not a number", c: "3" },
    '{"a":"no"}',
  ],
  [
    "keeps an input whose condition is met",
    '- {id: a, type: BOOL}\n- {id: b, type: INT, dependsOn: {inputs: [a], condition: "{{ a }}"}}',
    { a: "true", b: "3" },
    '{"a":true,"b":3}',
  ],
  [
    "leaves out an input whose condition yields the text true, which is no boolean",
    '- {id: a, type: STRING}\n- {id: b, type: INT, dependsOn: {inputs: [a], condition: "{{ a }}"}}',
    { a: "true", b: "3" },
    '{"a":"true"}',
  ],
  [
    "keeps an input whose condition is true",
    "- {id: a, type: STRING}\n- {id: b, type: INT, dependsOn: {inputs: [a], condition: 'true'}}",
    { a: "x", b: "3" },
    '{"a":"x","b":3}',
  ],
  [
    "leaves out an input whose condition cannot be rendered, and those that depend on it",
    `- {id: a, type: INT}
- {id: b, type: INT, dependsOn: {condition: "{{ zz }}"}}
- {id: c, type: INT, dependsOn: {inputs: [b]}}`,
    { a: "1", b: "2", c: "3" },
    '{"a":1}',
  ],
  [
    "selects the first value",
    "- {id: a, type: SELECT, values: [x, y], autoSelectFirst: true}",
    {},
    '{"a":"x"}',
  ],
  [
    "selects the first value, not its label",
    "- {id: a, type: SELECT, values: [{label: X, value: x}, y], autoSelectFirst: true}",
    {},
    '{"a":"x"}',
  ],
  [
    "selects the first values",
    "- {id: a, type: MULTISELECT, values: [x, y], autoSelectFirst: true}",
    {},
    '{"a":["x"]}',
  ],
];

for (const [name, declarations, values, expected] of RESOLUTIONS) {
  Deno.test(`resolveInputs() ${name}`, () => {
    const flow = inputsOf(declarations);
    if (expected.startsWith("{")) {
      assertEquals(stringifyJson(resolveInputs(flow, given(values), { render })), expected);
      return;
    }
    const error = assertThrows(() => resolveInputs(flow, given(values), { render }), DomainError);
    assertEquals([error.code, error.message], ["invalid_entity", expected]);
    assertEquals(error.items.map((item) => `Invalid entity: ${item.message}`), [expected]);
  });
}

for (const type of ["SELECT", "MULTISELECT"]) {
  Deno.test(`checkInputs() offers the scalars that the expression of a ${type} gives as texts, and no null`, () => {
    const rendered = `[1, 2.0, 2.5, true, null, "x", {"value": "3", "label": "three"}]`;
    const flow = inputsOf(`- {id: i, type: ${type}, expression: "{{ 'list' }}"}`);
    const [check] = checkInputs(flow, given({}), { render: () => parseJson(rendered) });
    const labelled = { value: "3", label: "three" };
    assertEquals(check?.properties.values, ["1", "2.0", "2.5", "true", "x", labelled]);
  });
}

Deno.test("resolveInputs() gives nothing for a flow without inputs", () => {
  assertStrictEquals(resolveInputs({ inputs: [] }, given({ a: "x" })), undefined);
});

Deno.test("resolveInputs() keeps texts with expressions when nothing renders", () => {
  const flow = inputsOf('- {id: a, type: STRING, defaults: "{{ b }}", dependsOn: {condition: "{{ c }}"}}');
  assertEquals(resolveInputs(flow, given({})), { a: "{{ b }}" } as JsonObject);
});

Deno.test("resolveInputs() takes values up to the bound", () => {
  const flow = inputsOf("- {id: a, type: STRING}");
  const text = "é".repeat(MAX_INPUT_VALUE_BYTES / 2);
  assertEquals(resolveInputs(flow, given({ a: text })), { a: text });
  assertThrows(
    () => resolveInputs(flow, given({ a: `${text}x` })),
    DomainError,
    `Invalid input for \`a\`, it is larger than 1048576 bytes, but received \`${"é".repeat(100)}…\``,
  );
});

Deno.test("resolveInputs() ends on a validator that costs too much", () => {
  const flow = inputsOf("- {id: a, type: STRING, validator: '([a-z]?){200}x'}");
  assertThrows(
    () => resolveInputs(flow, given({ a: "a".repeat(100_000) })),
    DomainError,
    "Invalid input for `a`",
  );
});

Deno.test("checkInputs() gives every input in the order of the flow", () => {
  const flow = inputsOf(
    "- {id: a, type: INT}\n- {id: b, type: INT, defaults: 1}\n" +
      '- {id: c, type: INT, dependsOn: {inputs: [b], condition: "{{ b }}"}}\n- {id: d, type: BOOL}',
  );
  const checks = checkInputs(flow, given({ a: "x", d: "true" }), { render });
  assertEquals(
    checks.map(({ input, enabled, isDefault, value, problem }) => [
      input.id,
      enabled,
      isDefault,
      value ?? null,
      problem !== undefined,
    ]),
    [
      ["a", true, false, "x", true],
      ["b", true, true, 1, false],
      ["c", false, false, null, false],
      ["d", true, false, true, false],
    ],
  );
});

Deno.test("convertValue() converts outputs, and keeps those without a type", () => {
  assertEquals(convertValue("INT", "5"), { value: 5 });
  assertEquals(convertValue(undefined, "5"), { value: "5" });
  assertEquals(convertValue("INT", null), { value: null });
  assertStrictEquals("reason" in convertValue("INT", "x"), true);
});

/** One declared input in flow style, at 6:3. */
const DECLARATIONS: readonly [string, string, string[]][] = [
  [
    "all common properties",
    '{id: a, type: STRING, description: d, displayName: n, required: true, defaults: "{{ x }}", prefill: p}',
    ['warning inputs[0].prefill: has no effect beside "defaults" @6:103+1'],
  ],
  ["the older name", "{name: a, type: STRING}", [
    'warning inputs[0].name: is replaced by "id", use that name @6:4+4',
  ]],
  ["no id", "{type: STRING}", ["inputs[0].id: must not be null @6:3+14"]],
  ["no type", "{id: a}", ["inputs[0].type: must not be null @6:3+7"]],
  ["a bad id", "{id: a b, type: STRING}", ['inputs[0].id: must match "^[a-zA-Z0-9][.a-zA-Z0-9_-]*" @6:8+3']],
  ["a text", "x", ['inputs[0]: must be an input, but received "x" @6:3+1']],
  ["an unknown type", "{id: a, type: STRIN}", [
    'inputs[0].type: Invalid type: STRIN, did you mean "STRING" @6:17+5',
  ]],
  ["a secret", "{id: a, type: SECRET}", []],
  ["a property of another type", "{id: a, type: STRING, min: 1}", [
    'inputs[0].min: Unrecognized field "min" @6:25+3',
  ]],
  ["a long display name", `{id: a, type: STRING, displayName: ${"n".repeat(65)}}`, [
    "inputs[0].displayName: size must be between 0 and 64 @6:38+65",
  ]],
  ["a default of another type", "{id: a, type: INT, defaults: x}", [
    "inputs[0].defaults: Expected `INT` but received `x` with errors: `it is not a whole number of 64 bits`, " +
    "but received `x` @6:32+1",
  ]],
  ["a default out of bounds", "{id: a, type: INT, defaults: 5, max: 3}", [
    "inputs[0].defaults: it must be less than `3`, but received `5` @6:32+1",
  ]],
  ["a default that is no choice", "{id: a, type: SELECT, values: [x], defaults: y}", [
    "inputs[0].defaults: it must match the values `[x]`, but received `y` @6:48+1",
  ]],
  ["an empty default", "{id: a, type: INT, defaults: ''}", []],
  ["a default of an optional input", "{id: a, type: INT, defaults: 1, required: false}", [
    'warning inputs[0].defaults: has a default, so that "required: false" has no effect @6:32+1',
  ]],
  ["a syntax error in a default", '{id: a, type: STRING, defaults: "{{ x"}', [
    'warning inputs[0].defaults: Cannot find the closing "}}" in the expression `{{ x` at line 1 @6:35+6',
  ]],
  ["a bound of another type", "{id: a, type: DATE, after: tomorrow}", [
    "inputs[0].after: must be a valid DATE @6:30+8",
  ]],
  ["no choices", "{id: a, type: SELECT}", [
    'inputs[0].values: must not be null, unless "expression" is set @6:3+21',
  ]],
  ["choices twice", '{id: a, type: SELECT, values: [x], expression: "{{ y }}"}', [
    'inputs[0].values: must not be set together with "expression" @6:33+3',
  ]],
  ["choices under both names", "{id: a, type: MULTISELECT, values: [x], options: [x]}", [
    "inputs[0].options: you can't define both `values` and `options`: both mean the same @6:43+7",
    'warning inputs[0].options: is replaced by "values", use that name @6:43+7',
  ]],
  [
    "choices of an expression beside an empty list",
    '{id: a, type: MULTISELECT, values: [], expression: "{{ y }}", defaults: [x]}',
    [],
  ],
  [
    "a FORM",
    "{id: a, type: FORM, inputs: [{id: b, type: STRING}, {id: c, type: INT, dependsOn: {inputs: [a.b]}}]}",
    [],
  ],
  ["a FORM without inputs", "{id: a, type: FORM, inputs: []}", [
    "inputs[0].inputs: must not be empty @6:31+2",
  ]],
  ["a FORM with a default", "{id: a, type: FORM, defaults: x, inputs: [{id: b, type: STRING}]}", [
    "inputs[0].defaults: a FORM has no value of its own: give each of its inputs one @6:33+1",
  ]],
  [
    "a FORM with a condition",
    "{id: a, type: FORM, dependsOn: {inputs: []}, inputs: [{id: b, type: STRING}]}",
    [
      "warning inputs[0].dependsOn: has no effect on this server and is ignored @6:23+9",
    ],
  ],
  ["a FORM in a FORM", "{id: a, type: FORM, inputs: [{id: b, type: FORM, inputs: []}]}", [
    "inputs[0].inputs[0].type: a FORM cannot contain another FORM @6:46+4",
  ]],
  ["an unknown type in a FORM", "{id: a, type: FORM, inputs: [{id: b, type: INTEGR}]}", [
    "inputs[0].inputs[0].type: Invalid type: INTEGR @6:46+6",
  ]],
  ["an id of a FORM twice", "{id: a, type: FORM, inputs: [{id: b, type: INT}, {id: b, type: INT}]}", [
    "inputs[0].inputs[1].id: Duplicate input with name [a.b] @6:57+1",
  ]],
  [
    "an input with the id of one of a FORM",
    "{id: a, type: FORM, inputs: [{id: b, type: INT}]}\n- {id: a.b, type: INT}",
    [
      "inputs[1].id: Duplicate input with name [a.b] @7:8+3",
    ],
  ],
  [
    "an input with the id of a FORM",
    "{id: a, type: FORM, inputs: [{id: b, type: INT}]}\n- {id: a, type: INT}",
    [
      'inputs[0].inputs[0].id: input "a" exists already and cannot hold another input @6:37+1',
      "inputs[1].id: Duplicate input with name [a] @7:8+1",
    ],
  ],
  [
    "a dependency by the short id of a FORM's input",
    "{id: a, type: FORM, inputs: [{id: b, type: INT}, {id: c, type: INT, dependsOn: {inputs: [b]}}]}",
    [
      `inputs[0].inputs[1].dependsOn.inputs[0]: Input with id 'a.c' depends on a non-existent input 'b', did you mean "a.b" @6:92+1`,
    ],
  ],
  [
    "a dependency on a FORM",
    "{id: a, type: FORM, inputs: [{id: b, type: INT}]}\n- {id: c, type: INT, dependsOn: {inputs: [a]}}",
    [
      "inputs[1].dependsOn.inputs[0]: Input with id 'c' depends on a non-existent input 'a'. @7:43+1",
    ],
  ],
  ["inputs of a namespace", "{id: a, type: REUSABLE_INPUTS, ref: x}", [
    'inputs[0].type: Type "REUSABLE_INPUTS" is not supported: declare the inputs here, in an input of type FORM @6:17+15',
  ]],
  ["no item type", "{id: a, type: ARRAY}", ["inputs[0].itemType: must not be null @6:3+20"]],
  ["lists of lists", "{id: a, type: ARRAY, itemType: ARRAY}", [
    "inputs[0].itemType: a: `itemType` cannot be `ARRAY` @6:34+5",
  ]],
  ["a FORM as item type", "{id: a, type: ARRAY, itemType: FORM}", [
    "inputs[0].itemType: Invalid type: FORM @6:34+4",
  ]],
  ["an unknown item type", "{id: a, type: MULTISELECT, values: [x], itemType: X}", [
    "inputs[0].itemType: Invalid type: X @6:53+1",
  ]],
  ["an unknown dependency", "{id: a, type: INT, dependsOn: {inputs: [b]}}", [
    "inputs[0].dependsOn.inputs[0]: Input with id 'a' depends on a non-existent input 'b'. @6:43+1",
  ]],
  ["a dependency on itself", "{id: a, type: INT, dependsOn: {inputs: [a]}}", [
    "inputs[0].dependsOn: Cycle dependency detected for input with id 'a': it depends on itself, directly or through others @6:33+13",
  ]],
  ["an unknown member of dependsOn", "{id: a, type: INT, dependsOn: {on: [a]}}", [
    'inputs[0].dependsOn.on: Unrecognized field "on" @6:34+2',
  ]],
];

for (const [name, text, expected] of DECLARATIONS) {
  Deno.test(`validateFlow() an input: ${name}`, () => {
    assertEquals(describedProblemsOf(`${VALID}inputs:\n- ${text}\n`), expected);
  });
}

Deno.test("validateFlow() an output: a FORM is no type of values", () => {
  assertEquals(describedProblemsOf(`${VALID}outputs:\n- {id: o, type: FORM, value: x}\n`), [
    "outputs[0].type: Invalid type: FORM @6:17+4",
  ]);
});

for (const pattern of ["(a", "a)(b", "[a", "a**b"]) {
  Deno.test(`validateFlow() an input: the pattern ${pattern}`, () => {
    const [problem, ...others] = describedProblemsOf(
      `${VALID}inputs:\n- {id: a, type: STRING, validator: '${pattern}'}\n`,
    );
    const start = "inputs[0].validator: invalid pattern: Cannot use the regular expression";
    assertStrictEquals(problem?.startsWith(start), true, problem);
    assertStrictEquals(problem?.endsWith(`@6:36+${pattern.length + 2}`), true, problem);
    assertEquals(others, []);
  });
}

Deno.test("validateFlow() refuses cycles of inputs and inputs below a value", () => {
  const source = `${VALID}inputs:
- {id: a, type: INT, dependsOn: {inputs: [b]}}
- {id: b, type: INT, dependsOn: {inputs: [a]}}
- {id: c, type: INT, dependsOn: {inputs: [b]}}
- {id: c.d, type: INT}
`;
  assertEquals(describedProblemsOf(source), [
    "inputs[0].dependsOn: Cycle dependency detected for input with id 'a': it depends on itself, directly or through others @6:33+13",
    "inputs[1].dependsOn: Cycle dependency detected for input with id 'b': it depends on itself, directly or through others @7:33+13",
    'inputs[3].id: input "c" exists already and cannot hold another input @9:8+3',
  ]);
});
