import { assert, assertEquals } from "@std/assert";
import {
  FLOW_PROPERTIES,
  TASK_PROPERTIES,
  TRIGGER_PROPERTIES,
} from "../../../src/flow/schema/flow_schema.ts";
import { parseFlowSource, validateFlow, validateTask, validateTrigger } from "../../../src/flow/mod.ts";
import { MAX_LABEL_LENGTH, MAX_LABELS } from "../../../src/model/limits.ts";
import type { PropertySchemas } from "../../../src/model/flows/schema.ts";
import { catalogs, problemsOf, VALID } from "../flow_support.ts";

const long = (length: number) => "a".repeat(length);

/** Lines after {@link VALID}, which has four, and the problems. */
const DOCUMENT_RULES: readonly [string, string, string[]][] = [
  ["nothing more", "", []],
  [
    "all supported properties",
    "description: d\nvariables: {a: 1}\ndisabled: false\nerrors: []\nfinally: []\n",
    [],
  ],
  ["managed members", "revision: 3\ndeleted: true\ntenantId: main\nupdated: x\n", []],
  ["null members", "description:\nlabels:\ninputs:\nerrors:\nretry:\nsla: []\n", []],
  ["an unknown property", "colour: red\n", ["unknown_property colour @5:1+6"]],
  ["a misspelt property", "trigers: []\n", ["unknown_property trigers @5:1+7"]],
  ["a strange property", '"a b\\n": 1\n', ['unknown_property ["a b\\n"] @5:1+7']],
  ["__proto__", "__proto__: {disabled: true}\n", ["unknown_property __proto__ @5:1+9"]],
  ["toString", "toString: 1\n", ["unknown_property toString @5:1+8"]],
  ["a list as description", "description: [a]\n", ["wrong_type description @5:14+3"]],
  ["a text as variables", "variables: x\n", ["wrong_type variables @5:12+1"]],
  ["a number as disabled", "disabled: 3\n", ["wrong_type disabled @5:11+1"]],
  ["an object as errors", "errors: {a: 1}\n", ["wrong_type errors @5:9+6"]],
  ["a text as triggers", "triggers: x\n", ["wrong_type triggers @5:11+1"]],
  ["a text as inputs", "inputs: x\n", ["wrong_type inputs @5:9+1"]],
  ["a worker group", "workerGroup: {key: a, fallback: FAIL}\n", []],
  [
    "a worker group and a WorkingDirectory",
    "workerGroup: {key: a}\nerrors: [{id: wd, type: core.flow.WorkingDirectory, tasks: [{id: b, type: core.debug.Return}]}]\n",
    ["warning ignored workerGroup @5:1+11"],
  ],
  ["an unknown fallback of a worker group", "workerGroup: {key: a, fallback: x}\n", [
    "wrong_value workerGroup.fallback @5:33+1",
  ]],
];

const HEADS: readonly [string, string, string[]][] = [
  ["nothing", "{}", ["required id @1:1+2", "required namespace @1:1+2", "required tasks @1:1+2"]],
  [
    "empty ids and tasks",
    "id: ''\nnamespace: ''\ntasks: []",
    [
      "required id @1:5+2",
      "required namespace @2:12+2",
      "required tasks @3:8+2",
    ],
  ],
  ["null tasks", "id: a\nnamespace: b\ntasks:", ["required tasks @3:7+1"]],
  ["a text as tasks", "id: a\nnamespace: b\ntasks: c", ["wrong_type tasks @3:8+1"]],
  [
    "bad ids",
    "id: -a\nnamespace: Upper\ntasks:\n- {id: a.b, type: io.svc.plugin.core.debug.Return}",
    [
      "bad_id id @1:5+2",
      "bad_id namespace @2:12+5",
      "bad_id tasks[0].id @4:8+3",
    ],
  ],
  [
    "long ids",
    `id: ${long(101)}\nnamespace: ${long(151)}\ntasks:\n- {id: ${
      long(257)
    }, type: io.svc.plugin.core.debug.Return}`,
    [
      "too_long id @1:5+101",
      "too_long namespace @2:12+151",
      "too_long tasks[0].id @4:8+257",
    ],
  ],
  [
    "ids of the greatest length",
    `id: ${long(100)}\nnamespace: ${long(150)}\ntasks:\n- {id: ${
      long(256)
    }, type: io.svc.plugin.core.debug.Return}`,
    [],
  ],
  ["numbers as ids", "id: 1\nnamespace: 2\ntasks:\n- {id: 3, type: io.svc.plugin.core.debug.Return}", []],
  ["a list as id", "id: [a]\nnamespace: n\ntasks:\n- {id: 3, type: io.svc.plugin.core.debug.Return}", [
    "wrong_type id @1:5+3",
  ]],
  [
    "a line break in an id",
    'id: "a\\n"\nnamespace: n\ntasks:\n- {id: 3, type: io.svc.plugin.core.debug.Return}',
    [
      "bad_id id @1:5+5",
    ],
  ],
];

/** One task, in flow style, at 4:3. */
const TASKS: readonly [string, string, string[]][] = [
  ["the other prefix", "{id: a, type: io.kestra.plugin.core.log.Log, message: m}", []],
  [
    "all common properties",
    '{id: a, type: io.svc.plugin.core.debug.Return, description: d, disabled: true, runIf: "{{ x }}", ' +
    "allowFailure: true, allowWarning: 'false', logLevel: WARN, logToFile: false, retry: null}",
    [],
  ],
  [
    "ignored properties",
    "{id: a, type: io.svc.plugin.core.debug.Return, version: 1}",
    ["warning ignored tasks[0].version @4:50+7"],
  ],
  ["a text instead of a task", "hello", ["wrong_type tasks[0] @4:3+5"]],
  ["null instead of a task", "null", ["wrong_type tasks[0] @4:3+4"]],
  ["no id", "{type: io.svc.plugin.core.debug.Return}", ["required tasks[0].id @4:3+39"]],
  ["no type", "{id: a, message: m}", ["required tasks[0].type @4:3+19"]],
  ["a list as type", "{id: a, type: []}", ["wrong_type tasks[0].type @4:17+2"]],
  ["an unknown type", "{id: a, type: com.acme.Nothing}", ["unknown_type tasks[0].type @4:17+16"]],
  [
    "a misspelt type",
    "{id: a, type: io.kestra.plugin.core.log.Logg}",
    [
      "unknown_type tasks[0].type @4:17+30",
    ],
  ],
  ["__proto__ as type", "{id: a, type: __proto__}", ["unknown_type tasks[0].type @4:17+9"]],
  ["a planned type", "{id: a, type: io.svc.plugin.test.Later, level: x}", [
    "unsupported_type tasks[0].type @4:17+24",
  ]],
  ["a missing property", "{id: a, type: io.svc.plugin.core.log.Log}", ["required tasks[0].message @4:3+41"]],
  ["a null property", "{id: a, type: io.svc.plugin.core.log.Log, message: }", [
    "required tasks[0].message @4:54+1",
  ]],
  ["a list where a text may be one", "{id: a, type: io.svc.plugin.core.log.Log, message: [a, 2, true]}", []],
  [
    "an object in such a list",
    "{id: a, type: io.svc.plugin.core.log.Log, message: [a, {b: c}]}",
    ["wrong_type tasks[0].message[1] @4:58+6"],
  ],
  ["an empty list of texts", "{id: a, type: io.svc.plugin.core.log.Log, message: []}", [
    "required tasks[0].message @4:54+2",
  ]],
  ["an unknown property", "{id: a, type: io.svc.plugin.core.debug.Return, fromat: x}", [
    "unknown_property tasks[0].fromat @4:50+6",
  ]],
  ["a wrong value", "{id: a, type: io.svc.plugin.core.log.Log, message: m, level: LOUD}", [
    "wrong_value tasks[0].level @4:64+4",
  ]],
  [
    "an expression as any value",
    '{id: a, type: io.svc.plugin.core.log.Log, message: m, level: "{{ l }}"}',
    [],
  ],
  ["an expression as a duration", '{id: a, type: io.svc.plugin.core.flow.Sleep, duration: "{{ d }}"}', []],
  ["a wrong duration", "{id: a, type: io.svc.plugin.core.flow.Sleep, duration: 10s}", [
    "wrong_type tasks[0].duration @4:58+3",
  ]],
  ["braces in a property without expressions", '{id: a, type: test.Everything, list: [1], short: "{{"}', []],
  [
    "values of every kind",
    "{id: a, type: test.Everything, list: [1], integer: '12', number: 1.5, flag: 'TRUE', map: {}}",
    [],
  ],
  ["an empty required list", "{id: a, type: test.Everything, list: []}", ["required tasks[0].list @4:40+2"]],
  ["a number below the minimum", "{id: a, type: test.Everything, list: [1], integer: 0}", [
    "too_small tasks[0].integer @4:54+1",
  ]],
  ["a decimal as integer", "{id: a, type: test.Everything, list: [1], integer: 1.5}", [
    "wrong_type tasks[0].integer @4:54+3",
  ]],
  ["a text as number", "{id: a, type: test.Everything, list: [1], number: x}", [
    "wrong_type tasks[0].number @4:53+1",
  ]],
  ["a long text", "{id: a, type: test.Everything, list: [1], short: abcd}", [
    "too_long tasks[0].short @4:52+4",
  ]],
  ["nested tasks", "{id: a, type: test.Everything, list: [1], tasks: [{id: a, type: x}]}", [
    "duplicate_id tasks[0].tasks[0].id @4:58+1",
    "unknown_type tasks[0].tasks[0].type @4:67+1",
  ]],
];

const WEBHOOK = "type: io.svc.plugin.core.trigger.Webhook";

/** One trigger, in flow style, at 6:3. */
const TRIGGERS: readonly [string, string, string[]][] = [
  ["a webhook", `{id: w, ${WEBHOOK}, key: k, disabled: true, description: d}`, []],
  ["a webhook with an expression", `{id: w, ${WEBHOOK}, key: "{{ secret('K') }}"}`, []],
  ["a webhook with a number", `{id: w, ${WEBHOOK}, key: 1234}`, []],
  ["a webhook with the longest key", `{id: w, ${WEBHOOK}, key: ${long(256)}}`, []],
  ["no key", `{id: w, ${WEBHOOK}}`, ["required triggers[0].key @6:3+49"]],
  ["a blank key", `{id: w, ${WEBHOOK}, key: "  "}`, ["required triggers[0].key @6:58+4"]],
  ["a long key", `{id: w, ${WEBHOOK}, key: ${long(257)}}`, ["too_long triggers[0].key @6:58+257"]],
  ["no id", `{${WEBHOOK}, key: k}`, ["required triggers[0].id @6:3+50"]],
  ["a text", "x", ["wrong_type triggers[0] @6:3+1"]],
  ["an unknown property", `{id: w, ${WEBHOOK}, key: k, secret: s}`, [
    "unknown_property triggers[0].secret @6:61+6",
  ]],
  [
    "planned properties without effect",
    `{id: w, ${WEBHOOK}, key: k, allowConcurrent: false, stopAfter: []}`,
    [],
  ],
  ["a planned type", "{id: s, type: io.svc.plugin.test.LaterTrigger}", [
    "unsupported_type triggers[0].type @6:17+31",
  ]],
  ["an unknown type", "{id: s, type: x.Y}", ["unknown_type triggers[0].type @6:17+3"]],
];

Deno.test("validateFlow() refuses more triggers than one save can store", () => {
  const triggers = Array.from(
    { length: 481 },
    (_, n) => `  - {id: w${n}, ${WEBHOOK}, key: k${n}_0123456789abcdef}\n`,
  );
  const found = problemsOf(`${VALID}triggers:\n${triggers.join("")}`).map((each) =>
    each.replace(/\+\d+$/, "")
  );
  assertEquals(found, ["too_many triggers @6:3"]);
  assertEquals(problemsOf(`${VALID}triggers:\n${triggers.slice(1).join("")}`), []);
});

const LABELS: readonly [string, string, string[]][] = [
  ["a map", "{a: b, n: 1, d: 2.50, t: true}", []],
  ["a list", "[{key: a, value: b}]", []],
  ["system.readOnly", "{system.readOnly: true}", []],
  ["a text", "x", ["wrong_type labels @5:9+1"]],
  ["an empty value", "{a: ''}", ["bad_label labels.a @5:13+2"]],
  ["a null value", "{a: }", ["bad_label labels.a @5:13+1"]],
  ["a list as value", "{a: [b]}", ["bad_label labels.a @5:13+3"]],
  ["an empty key", "[{key: '', value: b}]", ["bad_label labels[0] @5:10+19"]],
  ["a text in a list", "[a]", ["bad_label labels[0] @5:10+1"]],
  ["a system label", "{system.x: y}", ["bad_label labels.system.x @5:20+1"]],
  ["a correlation id", "[{key: system.correlationId, value: y}]", ["bad_label labels[0] @5:10+37"]],
  ["a long value", `{a: ${long(MAX_LABEL_LENGTH + 1)}}`, [
    "bad_label labels.a @5:13+1001",
  ]],
  ["too many", `{${Array.from({ length: MAX_LABELS + 1 }, (_, i) => `k${i}: v`).join(", ")}}`, [
    "too_many labels @5:9+799",
  ]],
  [
    "too much in all",
    `{${Array.from({ length: 61 }, (_, i) => `k${i}: ${long(MAX_LABEL_LENGTH)}`).join(", ")}}`,
    ["too_large labels @5:9+61417"],
  ],
];

const OUTPUTS: readonly [string, string, string[]][] = [
  ["a value", '{id: o, value: "{{ x }}", type: STRING, displayName: n, description: d, required: false}', []],
  ["no value", "{id: o}", ["required outputs[0].value @6:3+7"]],
  ["no id", "{value: 1}", ["required outputs[0].id @6:3+10"]],
  ["an unknown type", "{id: o, value: 1, type: STRNG}", ["unknown_type outputs[0].type @6:27+5"]],
];

const GROUPS: readonly [
  string,
  readonly (readonly [string, string, string[]])[],
  (text: string) => string,
][] = [
  ["a document with", DOCUMENT_RULES, (text) => VALID + text],
  ["a head with", HEADS, (text) => text],
  ["a task:", TASKS, (text) => `id: f\nnamespace: n\ntasks:\n- ${text}\n`],
  ["a trigger:", TRIGGERS, (text) => `${VALID}triggers:\n- ${text}\n`],
  ["labels:", LABELS, (text) => `${VALID}labels: ${text}\n`],
  ["an output:", OUTPUTS, (text) => `${VALID}outputs:\n- ${text}\n`],
];

for (const [group, cases, build] of GROUPS) {
  for (const [name, text, expected] of cases) {
    Deno.test(`validateFlow() ${group} ${name}`, () => {
      assertEquals(problemsOf(build(text)), expected);
    });
  }
}

Deno.test("validateFlow() finds duplicate ids in all blocks", () => {
  const task = "- {id: t, type: io.svc.plugin.core.debug.Return}\n";
  const source = `${VALID}errors:\n${task}finally:\n${task}triggers:
- {id: w, ${WEBHOOK}, key: a}
- {id: w, ${WEBHOOK}, key: b}
inputs:
- {id: i, type: INT}
- {name: i, type: INT}
outputs:
- {id: o, value: 1}
- {id: o, value: 1}
`;
  assertEquals(problemsOf(source), [
    "duplicate_id errors[0].id @6:8+1",
    "duplicate_id finally[0].id @8:8+1",
    "duplicate_id triggers[1].id @11:8+1",
    "warning deprecated inputs[1].name @14:4+4",
    "duplicate_id inputs[1].name @14:10+1",
    "duplicate_id outputs[1].id @17:8+1",
  ]);
});

Deno.test("validateFlow() refuses equal literal webhook keys without showing them", () => {
  const keys = ["k", '" k "', '"{{ x }}"', '"{{ x }}"', "other"];
  const source = `${VALID}triggers:\n${
    keys.map((key, i) => `- {id: w${i}, ${WEBHOOK}, key: ${key}}\n`).join("")
  }`;
  assertEquals(problemsOf(source), ["duplicate_key triggers[1].key @7:59+5"]);
});

Deno.test("validateFlow() refuses preconditions with equal ids", () => {
  const triggers = ["a", "b", "a"].map((id, index) =>
    `- {id: t${index}, type: core.trigger.Flow, preconditions: {id: ${id}, flows: [{namespace: demo}]}}\n`
  );
  const found = validateFlow(parseFlowSource(`${VALID}triggers:\n${triggers.join("")}`), catalogs);
  assertEquals(found.map(({ code, path, message }) => `${code} ${path}: ${message}`), [
    "duplicate_id triggers[2].preconditions.id: Duplicate preconditions with id [a]: triggers[0] has it, too",
  ]);
});

Deno.test("validateFlow() gives the problems of a malformed source", () => {
  const parsed = parseFlowSource("a: [");
  assertEquals(validateFlow(parsed, catalogs), [...parsed.problems]);
});

Deno.test("validateFlow() checks expressions only on request", () => {
  const source = `${VALID}errors:\n- {id: e, type: io.svc.plugin.core.debug.Return, format: "{{"}\n`;
  assertEquals(validateFlow(parseFlowSource(source), catalogs), []);
});

/** Properties without behaviour, and a source with one of them. */
const PLANNED: readonly (readonly [string, PropertySchemas, (name: string) => string])[] = [
  ["flows", FLOW_PROPERTIES, (name) => `${VALID}${name}: x\n`],
  [
    "tasks",
    TASK_PROPERTIES,
    (name) => `id: f\nnamespace: n\ntasks:\n- {id: a, type: core.debug.Return, ${name}: x}\n`,
  ],
  [
    "triggers",
    TRIGGER_PROPERTIES,
    (name) => `${VALID}triggers:\n- {id: w, ${WEBHOOK}, key: k, ${name}: x}\n`,
  ],
];

for (const [kind, schemas, build] of PLANNED) {
  Deno.test(`validateFlow() refuses properties of ${kind} that have no behaviour yet`, () => {
    for (const name of Object.keys(schemas).filter((name) => schemas[name]?.planned)) {
      const problems = problemsOf(build(name));
      const refusal = problems.filter((problem) => problem.startsWith("not_supported "));
      assertEquals(refusal.length, 1, `${name}: ${problems}`);
      assert(refusal[0]?.endsWith(`+${name.length}`), `${refusal}`);
    }
  });
}

Deno.test("validateFlow() reports all errors even with more warnings than it reports", () => {
  const old = Array.from(
    { length: 1_200 },
    (_, i) => `- {id: a${i}, type: core.tasks.log.Log, message: m}\n`,
  );
  const problems = validateFlow(
    parseFlowSource(`namespace: n\ntasks:\n${old.join("")}triggers: x\n`),
    catalogs,
  );
  const errors = problems.filter(({ severity }) => severity === "error").map(({ path }) => path);
  assertEquals(errors, ["id", "triggers"]);
  assertEquals(problems.length, 1_002);
});

Deno.test("validateFlow() refuses more tasks than the bound, once", () => {
  const task = "- {id: a, type: core.debug.Return}\n";
  const source = `id: f\nnamespace: n\ntasks:\n${task.repeat(10_001)}`;
  const problems = validateFlow(parseFlowSource(source), catalogs);
  assertEquals(problems.length, 1_000);
  const errors = `id: f\nnamespace: n\ntasks:\n${
    Array.from({ length: 10_001 }, (_, i) => `- {id: a${i}, type: core.debug.Return}\n`).join("")
  }`;
  assertEquals(problemsOf(errors), ["too_many tasks @4:1+35"]);
});

/** A source of one task or trigger, and its problems. */
const PARTS: readonly (readonly [typeof validateTask, string, readonly string[]])[] = [
  [validateTask, "{id: a, type: core.log.Log, message: x}", []],
  [validateTask, "{id: a, type: core.log.Log, message: x, unknownProp: y}", [
    'unknownProp: Unrecognized field "unknownProp"',
  ]],
  [validateTask, "{id: a, type: core.log.Lg, message: x}", [
    'type: Invalid type: core.log.Lg, did you mean "core.log.Log"',
  ]],
  [validateTask, "{id: a, type: core.flow.Parallel, tasks: [{id: a, type: core.log.Log}]}", [
    "tasks[0].message: must not be null",
    "tasks[0].id: Duplicate task id with name [a]",
  ]],
  [validateTask, "{id: a, type: core.log.Log, message: '{{ outputs.other }} {{ 1 + }}'}", [
    'message: Expected an expression, found "}}" in the expression `{{ 1 + }}` at line 1',
  ]],
  [validateTask, "{id: a, type: core.log.Log, message: '{{ outputs.other }}'}", []],
  [validateTask, "[a]", [": The document must be an object"]],
  [validateTrigger, "{id: a, type: core.trigger.Webhook, key: long-enough-for-a-key}", []],
  [validateTrigger, "{id: a, type: core.trigger.Webhook}", ["key: must not be null"]],
  [validateTrigger, "{id: a, type: core.log.Log}", ["type: Invalid type: core.log.Log"]],
  [validateTrigger, "{id: a, type: core.trigger.Webhook, key: '{{'}", [
    'key: Cannot find the closing "}}" in the expression `{{` at line 1',
  ]],
  [validateTrigger, "a: [", [
    ": Flow sequence in block collection must be sufficiently indented and end with a ]",
  ]],
];

for (const [validate, source, expected] of PARTS) {
  Deno.test(`${validate.name}() of ${source}`, () => {
    const problems = validate(parseFlowSource(source), catalogs, { expressions: {} });
    assertEquals(problems.map(({ path, message }) => `${path}: ${message}`), [...expected]);
  });
}

Deno.test("validateFlow() reads only the beginning of a long id of an input", () => {
  const inputs = `inputs:\n  - {id: ${"a.".repeat(240_000)}b, type: STRING}\n`;
  const source =
    `id: f\nnamespace: n\n${inputs}tasks:\n  - {id: t, type: io.svc.plugin.core.log.Log, message: x}\n`;
  const problems = validateFlow(parseFlowSource(source), catalogs);
  assertEquals(problems.map(({ code }) => code), ["too_long"]);
});
