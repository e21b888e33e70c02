/** Every rule about inputs, a row each: what is declared, what is sent, what the execution gets. */
import { assertEquals } from "@std/assert";
import { Double, type JsonValue } from "../../../src/base/json.ts";
import { compileTemplate, renderValue } from "../../../src/expr/mod.ts";
import { checkedInputs, checkInputs, resolveInputs, type ResolveOptions } from "../../../src/flow/mod.ts";
import { DomainError } from "../../../src/model/errors.ts";
import type { GivenValue } from "../../../src/model/flows/input_value.ts";
import { inputsOf, problemsOf, VALID } from "../flow_support.ts";

const OPTIONS: ResolveOptions = {
  render: (template, inputs) =>
    renderValue(compileTemplate(template), {
      variable: (name) => name === "inputs" ? inputs : undefined,
      functions: new Map(),
      now: 0,
      timeZone: "UTC",
      random: () => 0,
    }),
};

type Sent = Readonly<Record<string, string | JsonValue | { readonly uri: string; readonly size: number }>>;

function given(sent: Sent): Map<string, GivenValue> {
  return new Map(
    Object.entries(sent).map(([id, value]): [string, GivenValue] => {
      if (typeof value === "string") return [id, { kind: "text", text: value }];
      const file = value as { uri?: string; size?: number } | null;
      if (file?.uri !== undefined) return [id, { kind: "file", uri: file.uri, size: file.size ?? 0 }];
      return [id, { kind: "value", value: value as JsonValue }];
    }),
  );
}

/** The inputs, or the message of the refusal without "Invalid entity: ". */
function resolve(declared: string, sent: Sent): unknown {
  try {
    return resolveInputs(inputsOf(declared), given(sent), OPTIONS);
  } catch (error) {
    if (error instanceof DomainError) return error.message.replace("Invalid entity: ", "");
    throw error;
  }
}

const invalid = (id: string, reason: string, received: string) =>
  `Invalid input for \`${id}\`, ${reason}, but received \`${received}\``;

const DEPENDENT = `- {id: a, type: STRING, required: false}
- {id: b, type: STRING, dependsOn: {inputs: [a], condition: "{{ inputs.a == 'yes' }}"}}
- {id: c, type: STRING, defaults: "{{ inputs.b }}!", dependsOn: {inputs: [b]}}`;

const FORM = `- id: env
  type: FORM
  inputs:
    - {id: region, type: STRING}
    - {id: size, type: INT, required: false}
    - id: zone
      type: STRING
      defaults: "{{ inputs.env.region }}-1"
      dependsOn: {inputs: [env.region], condition: "{{ inputs.env.region != 'none' }}"}
- {id: last, type: STRING, required: false}`;

/** Rule, declaration, what is sent, inputs or message. */
const RULES: readonly [string, string, Sent, unknown][] = [
  [
    "a required input without value is refused",
    "- {id: a, type: STRING}",
    {},
    invalid("a", "missing required input", "null"),
  ],
  [
    "an input is required unless it says otherwise",
    "- {id: a, type: INT}",
    {},
    invalid("a", "missing required input", "null"),
  ],
  ["an optional input without value is null", "- {id: a, type: INT, required: false}", {}, { a: null }],
  ["a default makes up for a missing value", "- {id: a, type: INT, defaults: 3}", {}, { a: 3 }],
  ["a given value wins over the default", "- {id: a, type: INT, defaults: 3}", { a: "4" }, { a: 4 }],
  ["a default is converted as a given value is", "- {id: a, type: INT, defaults: '3'}", {}, { a: 3 }],
  [
    "a default must be right too",
    '- {id: a, type: INT, defaults: "{{ 9 }}", max: 5}',
    {},
    invalid("a", "it must be less than `5`", "9"),
  ],
  [
    "an optional input with a default has the default",
    "- {id: a, type: INT, required: false, defaults: 3}",
    {},
    { a: 3 },
  ],
  ["prefill is for forms alone", "- {id: a, type: STRING, required: false, prefill: x}", {}, { a: null }],
  ["unknown names are ignored", "- {id: a, type: STRING}", { a: "x", b: "y", "0": "{}" }, { a: "x" }],
  ["the older name of id", "- {name: a, type: STRING}", { a: "x" }, { a: "x" }],
  [
    "choices of an expression beside an empty list",
    `- {id: a, type: MULTISELECT, values: [], expression: "{{ ['x', 'y'] }}", defaults: [x]}
- {id: b, type: SELECT, values: [], expression: "{{ ['x', 'y'] }}"}`,
    { b: "y" },
    { a: ["x"], b: "y" },
  ],
  [
    "a value that the expression beside an empty list does not offer",
    `- {id: a, type: MULTISELECT, values: [], expression: "{{ ['x', 'y'] }}"}`,
    { a: '["z"]' },
    invalid("a", "it must match the values `[x, y]`", '["z"]'),
  ],
  [
    "an expression that offers nothing",
    `- {id: a, type: SELECT, values: [], expression: "{{ [] }}"}`,
    { a: "x" },
    invalid("a", "it must match the values `[]`", "x"),
  ],
  ["inputs of a FORM are nested", FORM, { "env.region": "EU", "env.size": "2" }, {
    env: { region: "EU", size: 2, zone: "EU-1" },
    last: null,
  }],
  ["inputs of a FORM as an object", FORM, { env: { region: "US", zone: "z" } }, {
    env: { region: "US", size: null, zone: "z" },
    last: null,
  }],
  [
    "an input of a FORM that is missing",
    FORM,
    { env: { size: 1 } },
    invalid("env.region", "missing required input", "null"),
  ],
  [
    "an input of a FORM of another type",
    FORM,
    { "env.region": "EU", "env.size": "many" },
    invalid(
      "env.size",
      "Expected `INT` but received `many` with errors: `it is not a whole number of 64 bits`",
      "many",
    ),
  ],
  ["an input that is disabled by one of a FORM", FORM, { "env.region": "none" }, {
    env: { region: "none", size: null },
    last: null,
  }],
  ["dotted ids as an object", "- {id: a.b, type: STRING}\n- {id: a.c.d, type: INT}", {
    a: { b: "x", c: { d: 1 } },
  }, { a: { b: "x", c: { d: 1 } } }],
  ["a value under its id wins over one in an object", "- {id: a.b, type: STRING}", {
    a: { b: "x" },
    "a.b": "y",
  }, { a: { b: "y" } }],
  [
    "a number of seconds as duration",
    "- {id: a, type: DURATION}\n- {id: b, type: DURATION, min: 60, defaults: 90}",
    {
      a: 30,
    },
    { a: "PT30S", b: "PT1M30S" },
  ],
  ["dotted ids are nested", "- {id: a.b, type: STRING}\n- {id: a.c.d, type: INT}", {
    "a.b": "x",
    "a.c.d": "1",
  }, {
    a: { b: "x", c: { d: 1 } },
  }],
  ["dotted ids of absent values are nested nulls", "- {id: a.b, type: STRING, required: false}", {}, {
    a: { b: null },
  }],
  [
    "the first invalid input is reported",
    "- {id: a, type: INT}\n- {id: b, type: INT}",
    { a: "x", b: "y" },
    invalid(
      "a",
      "Expected `INT` but received `x` with errors: `it is not a whole number of 64 bits`",
      "x",
    ),
  ],
  ["an empty text is a value of texts", "- {id: a, type: STRING}", { a: "" }, { a: "" }],
  [
    "an empty text is no number",
    "- {id: a, type: INT}",
    { a: "" },
    invalid("a", "missing required input", "null"),
  ],
  ["an empty text of an optional number is null", "- {id: a, type: INT, required: false}", { a: "" }, {
    a: null,
  }],
  ["an empty text of a number gives way to the default", "- {id: a, type: INT, defaults: 3}", { a: "" }, {
    a: 3,
  }],
  ["an empty text of a list is null", "- {id: a, type: ARRAY, itemType: INT, required: false}", { a: "" }, {
    a: null,
  }],
  ["an empty text of a date is null", "- {id: a, type: DATE, required: false}", { a: "" }, { a: null }],
  ["an empty text is an address", "- {id: a, type: EMAIL}", { a: "" }, { a: "" }],
  [
    "an empty file is a file",
    "- {id: a, type: FILE}",
    { a: { uri: "kestra:///x", size: 0 } },
    { a: "kestra:///x" },
  ],
  ["a file is its URI", "- {id: a, type: FILE}", { a: { uri: "kestra:///x/a.txt", size: 3 } }, {
    a: "kestra:///x/a.txt",
  }],
  ["a file may be given as a URI", "- {id: a, type: FILE}", { a: "https://example.com/a.txt" }, {
    a: "https://example.com/a.txt",
  }],
  [
    "a file's name must end as it is allowed to",
    "- {id: a, type: FILE, allowedFileExtensions: [.csv]}",
    { a: { uri: "kestra:///x/a.txt", size: 3 } },
    invalid("a", "the name of the file must end in one of `[.csv]`", "kestra:///x/a.txt"),
  ],
  ["a true condition enables the input", DEPENDENT, { a: "yes", b: "x" }, {
    a: "yes",
    b: "x",
    c: "x!",
  }],
  [
    "a true condition requires a value",
    DEPENDENT,
    { a: "yes" },
    invalid("b", "missing required input", "null"),
  ],
  [
    "a condition that does not hold leaves the input out, and those that depend on it",
    DEPENDENT,
    { a: "no" },
    { a: "no" },
  ],
  ["what is sent for an input that is left out is ignored", DEPENDENT, { a: "no", b: "x", c: "y" }, {
    a: "no",
  }],
  [
    "an input that is left out is not validated",
    '- {id: a, type: INT, dependsOn: {inputs: [], condition: "{{ false }}"}}',
    { a: "x" },
    {},
  ],
  [
    "a condition must be true, not merely something",
    '- {id: a, type: STRING, dependsOn: {inputs: [], condition: "yes"}}',
    { a: "x" },
    {},
  ],
  [
    "inputs are resolved in the order of their dependencies",
    '- {id: c, type: INT, defaults: "{{ inputs.b + 1 }}", dependsOn: {inputs: [b]}}\n- {id: b, type: INT, defaults: "{{ inputs.a + 1 }}", dependsOn: {inputs: [a]}}\n- {id: a, type: INT, defaults: 1}',
    {},
    { c: 3, b: 2, a: 1 },
  ],
  [
    "a default that cannot be rendered is refused",
    '- {id: a, type: STRING, defaults: "{{ inputs.none }}"}',
    {},
    undefined,
  ],
  ["texts within a default are rendered", '- {id: a, type: JSON, defaults: {b: ["{{ 1 + 1 }}"]}}', {}, {
    a: { b: [2] },
  }],
  ["a sent value is never rendered", "- {id: a, type: STRING}", { a: "{{ 1 + 1 }}" }, { a: "{{ 1 + 1 }}" }],
  ["one of the values", "- {id: a, type: SELECT, values: [x, y]}", { a: "y" }, { a: "y" }],
  [
    "no other value",
    "- {id: a, type: SELECT, values: [x, y]}",
    { a: "z" },
    invalid("a", "it must match the values `[x, y]`", "z"),
  ],
  ["the older name of SELECT", "- {id: a, type: ENUM, values: [x]}", { a: "x" }, { a: "x" }],
  ["numbers among the values", "- {id: a, type: SELECT, values: [1, true]}", { a: "true" }, { a: "true" }],
  ["a custom value", "- {id: a, type: SELECT, values: [x], allowCustomValue: true}", { a: "z" }, { a: "z" }],
  ["values of an expression", "- {id: a, type: SELECT, expression: \"{{ ['x', 'y'] }}\"}", { a: "y" }, {
    a: "y",
  }],
  ["values of an expression that gives JSON text", "- {id: a, type: SELECT, expression: '[\"x\"]'}", {
    a: "x",
  }, { a: "x" }],
  [
    "values of an expression that sees other inputs",
    '- {id: l, type: ARRAY, itemType: STRING}\n- {id: a, type: SELECT, expression: "{{ inputs.l }}", dependsOn: {inputs: [l]}}',
    { l: '["p"]', a: "q" },
    invalid("a", "it must match the values `[p]`", "q"),
  ],
  ["the first value by itself", "- {id: a, type: SELECT, values: [x, y], autoSelectFirst: true}", {}, {
    a: "x",
  }],
  [
    "the first value of an expression",
    "- {id: a, type: SELECT, expression: \"{{ ['p'] }}\", autoSelectFirst: true}",
    {},
    { a: "p" },
  ],
  ["several of the values", "- {id: a, type: MULTISELECT, values: [x, y, z]}", { a: '["x", "z"]' }, {
    a: ["x", "z"],
  }],
  ["none of several", "- {id: a, type: MULTISELECT, values: [x]}", { a: "[]" }, { a: [] }],
  [
    "a wrong one of several",
    "- {id: a, type: MULTISELECT, values: [x]}",
    { a: '["w"]' },
    invalid("a", "it must match the values `[x]`", '["w"]'),
  ],
  ["several as numbers", "- {id: a, type: MULTISELECT, values: [1, 2], itemType: INT}", { a: '["1"]' }, {
    a: [1],
  }],
  ["a list of numbers", "- {id: a, type: ARRAY, itemType: INT}", { a: "[1, 2]" }, { a: [1, 2] }],
  [
    "a wrong element of a list",
    "- {id: a, type: ARRAY, itemType: INT}",
    { a: '["v"]' },
    invalid("a", "Unable to parse array element as `INT` on `v`", '["v"]'),
  ],
  ["a whole number may be sent for a decimal", "- {id: a, type: FLOAT}", { a: "2" }, { a: new Double(2) }],
  ["the older boolean takes any text", "- {id: a, type: BOOLEAN}", { a: "yes" }, { a: false }],
  ["a boolean takes any case", "- {id: a, type: BOOL}", { a: "TRUE" }, { a: true }],
  ["a boolean that is not sent is null", "- {id: a, type: BOOL, required: false}", {}, { a: null }],
  ["an instant is kept in UTC", "- {id: a, type: DATETIME}", { a: "2026-01-31T10:00:00+02:00" }, {
    a: "2026-01-31T08:00:00Z",
  }],
  [
    "a date",
    "- {id: a, type: DATE, after: 2026-01-01}",
    { a: "2025-12-31" },
    invalid("a", "it must be after `2026-01-01`", "2025-12-31"),
  ],
  [
    "a duration",
    "- {id: a, type: DURATION, min: PT10S}",
    { a: "PT5S" },
    invalid("a", "It must be more than `PT10S`", "PT5S"),
  ],
  ["JSON text", "- {id: a, type: JSON}", { a: '{"b": [1, 2.0]}' }, { a: { b: [1, new Double(2)] } }],
  ["a JSON scalar", "- {id: a, type: JSON}", { a: "3" }, { a: 3 }],
  ["a JSON default as text", "- {id: a, type: JSON, defaults: '{\"b\": 1}'}", {}, { a: { b: 1 } }],
  ["a JSON default as it is", "- {id: a, type: JSON, defaults: {b: 1}}", {}, { a: { b: 1 } }],
  ["YAML text", "- {id: a, type: YAML}", { a: "b:\n- 1" }, { a: { b: [1] } }],
  [
    "an address that is none",
    "- {id: a, type: EMAIL}",
    { a: "x" },
    invalid("a", "The input must be a valid email", "x"),
  ],
  ["values of triggers and subflows are converted too", "- {id: a, type: INT}\n- {id: b, type: STRING}", {
    a: 4,
    b: 5,
  }, { a: 4, b: "5" }],
  ["a null of a subflow is no value", "- {id: a, type: INT, defaults: 3}", { a: null }, { a: 3 }],
];
for (const [rule, declared, sent, expected] of RULES) {
  Deno.test(`resolveInputs() ${rule}`, () => {
    const found = resolve(declared, sent);
    if (expected !== undefined) assertEquals(found, expected);
    else assertEquals(String(found).startsWith("Invalid input for `a`, "), true, String(found));
  });
}

Deno.test("resolveInputs() gives nothing for a flow without inputs", () => {
  assertEquals(resolveInputs({ inputs: [] }, given({ a: "x" }), OPTIONS), undefined);
});

Deno.test("checkInputs() reports every input, in the order of the flow", () => {
  const declared = `${DEPENDENT}\n- {id: n, type: INT}\n- {id: d, type: INT, defaults: 1}`;
  const checks = checkInputs(inputsOf(declared), given({ a: "no", n: "x" }), OPTIONS);
  assertEquals(checks.map(({ input, enabled, isDefault, value }) => [input.id, enabled, isDefault, value]), [
    ["a", true, false, "no"],
    ["b", false, false, undefined],
    ["c", false, false, undefined],
    ["n", true, false, "x"],
    ["d", true, true, 1],
  ]);
  assertEquals(checks.map(({ problem }) => problem !== undefined), [false, false, false, true, false]);
});

Deno.test("checkInputs() gives the value of a disabled input as it was sent, but no secret", () => {
  const secret = "- {id: s, type: SECRET, dependsOn: {inputs: [a], condition: '{{ inputs.a == \"yes\" }}'}}";
  const broken = "- {id: e, type: STRING, dependsOn: {inputs: [a], condition: '{{ inputs.none.x }}'}}";
  const declared = `${DEPENDENT}\n${secret}\n${broken}`;
  const sent = { a: "no", b: "v2", c: "v3", s: "hush", e: "v5" };
  const checks = checkInputs(inputsOf(declared), given(sent), OPTIONS);
  assertEquals(checks.map(({ enabled, isDefault, value }) => [enabled, isDefault, value]), [
    [true, false, "no"],
    [false, false, "v2"],
    [false, false, "v3"],
    [false, false, undefined],
    [false, false, "v5"],
  ]);
  assertEquals(checkedInputs(checks), { a: "no" });
});

Deno.test("checkInputs() refuses a file for an input that is none", () => {
  const [check] = checkInputs(
    inputsOf("- {id: a, type: INT}"),
    given({ a: { uri: "kestra:///x", size: 1 } }),
    OPTIONS,
  );
  assertEquals(check?.problem, invalid("a", "a file was sent for an input of type INT", "kestra:///x"));
});

/** Declarations that a flow is not saved with. */
const DECLARATIONS: readonly string[] = [
  "{id: a}",
  "{type: STRING}",
  "{id: a, type: NONE}",
  "{id: a, type: ARRAY}",
  "{id: a, type: ARRAY, itemType: ARRAY}",
  "{id: a, type: SELECT}",
  "{id: a, type: INT, defaults: x}",
  "{id: a, type: INT, min: x}",
  "{id: a, type: STRING, validator: '['}",
  "{id: a, type: STRING, dependsOn: {inputs: [none]}}",
  "{id: a, type: STRING, dependsOn: {inputs: [a]}}",
  "{id: a, type: STRING}, {id: a, type: INT}",
  "{id: a, type: STRING}, {id: a.b, type: INT}",
  `{id: a, type: STRING, displayName: ${"x".repeat(65)}}`,
  "{id: a, type: STRING, unknown: 1}",
];
for (const declared of DECLARATIONS) {
  Deno.test(`validateFlow() refuses the inputs [${declared.slice(0, 60)}]`, () => {
    const problems = problemsOf(`${VALID}inputs: [${declared}]\n`);
    assertEquals(problems.some((problem) => !problem.startsWith("warning ")), true, problems.join("\n"));
  });
}
