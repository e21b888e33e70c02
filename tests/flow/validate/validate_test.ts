import { assert, assertEquals } from "@std/assert";
import {
  FLOW_PROPERTIES,
  TASK_PROPERTIES,
  TRIGGER_PROPERTIES,
} from "../../../src/flow/schema/flow_schema.ts";
import { parseFlowSource, validateFlow } from "../../../src/flow/mod.ts";
import { MAX_LABEL_LENGTH, MAX_LABELS } from "../../../src/model/limits.ts";
import type { PropertySchemas } from "../../../src/model/flows/schema.ts";
import { catalogs, problemsOf, VALID } from "../flow_support.ts";

const long = (length: number) => "a".repeat(length);
const SYSTEM_LABEL = "System labels can only be set by Kestra itself, offending label:";

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
  ["an unknown property", "colour: red\n", ['colour: Unrecognized field "colour" @5:1+6']],
  ["a misspelt property", "trigers: []\n", [
    'trigers: Unrecognized field "trigers", did you mean "triggers" @5:1+7',
  ]],
  ["a strange property", '"a b\\n": 1\n', ['["a b\\n"]: Unrecognized field "a b\\n" @5:1+7']],
  ["__proto__", "__proto__: {disabled: true}\n", ['__proto__: Unrecognized field "__proto__" @5:1+9']],
  ["toString", "toString: 1\n", ['toString: Unrecognized field "toString" @5:1+8']],
  ["a list as description", "description: [a]\n", [
    "description: must be a text, but received a list @5:14+3",
  ]],
  ["a text as variables", "variables: x\n", ['variables: must be an object, but received "x" @5:12+1']],
  ["a number as disabled", "disabled: 3\n", ["disabled: must be true or false, but received 3 @5:11+1"]],
  ["an object as errors", "errors: {a: 1}\n", [
    "errors: must be a list of tasks, but received an object @5:9+6",
  ]],
  ["a text as triggers", "triggers: x\n", ['triggers: must be a list, but received "x" @5:11+1']],
  ["a text as inputs", "inputs: x\n", ['inputs: must be a list of inputs, but received "x" @5:9+1']],
  [
    "ignored properties",
    "workerGroup: {key: a}\n",
    ["warning workerGroup: has no effect on this server and is ignored @5:1+11"],
  ],
];

const HEADS: readonly [string, string, string[]][] = [
  [
    "nothing",
    "{}",
    ["id: must not be null @1:1+2", "namespace: must not be null @1:1+2", "tasks: must not be empty @1:1+2"],
  ],
  [
    "empty ids and tasks",
    "id: ''\nnamespace: ''\ntasks: []",
    [
      "id: must not be empty @1:5+2",
      "namespace: must not be empty @2:12+2",
      "tasks: must not be empty @3:8+2",
    ],
  ],
  ["null tasks", "id: a\nnamespace: b\ntasks:", ["tasks: must not be empty @3:7+1"]],
  ["a text as tasks", "id: a\nnamespace: b\ntasks: c", [
    'tasks: must be a list of tasks, but received "c" @3:8+1',
  ]],
  [
    "bad ids",
    "id: -a\nnamespace: Upper\ntasks:\n- {id: a.b, type: io.svc.plugin.core.debug.Return}",
    [
      'id: must match "^[a-zA-Z0-9][a-zA-Z0-9._-]*" @1:5+2',
      'namespace: must match "^[a-z0-9][a-z0-9._-]*" @2:12+5',
      'tasks[0].id: must match "^[a-zA-Z0-9][a-zA-Z0-9_-]*" @4:8+3',
    ],
  ],
  [
    "long ids",
    `id: ${long(101)}\nnamespace: ${long(151)}\ntasks:\n- {id: ${
      long(257)
    }, type: io.svc.plugin.core.debug.Return}`,
    [
      "id: size must be between 1 and 100 @1:5+101",
      "namespace: size must be between 1 and 150 @2:12+151",
      "tasks[0].id: size must be between 1 and 256 @4:8+257",
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
    "id: must be a text, but received a list @1:5+3",
  ]],
  [
    "a line break in an id",
    'id: "a\\n"\nnamespace: n\ntasks:\n- {id: 3, type: io.svc.plugin.core.debug.Return}',
    [
      'id: must match "^[a-zA-Z0-9][a-zA-Z0-9._-]*" @1:5+5',
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
    ["warning tasks[0].version: has no effect on this server and is ignored @4:50+7"],
  ],
  ["a text instead of a task", "hello", ['tasks[0]: must be a task, but received "hello" @4:3+5']],
  ["null instead of a task", "null", ["tasks[0]: must be a task, but received null @4:3+4"]],
  ["no id", "{type: io.svc.plugin.core.debug.Return}", ["tasks[0].id: must not be null @4:3+39"]],
  ["no type", "{id: a, message: m}", ["tasks[0].type: must not be null @4:3+19"]],
  ["a list as type", "{id: a, type: []}", ["tasks[0].type: must be a text, but received a list @4:17+2"]],
  ["an unknown type", "{id: a, type: com.acme.Nothing}", [
    "tasks[0].type: Invalid type: com.acme.Nothing @4:17+16",
  ]],
  [
    "a misspelt type",
    "{id: a, type: io.kestra.plugin.core.log.Logg}",
    [
      'tasks[0].type: Invalid type: io.kestra.plugin.core.log.Logg, did you mean "io.kestra.plugin.core.log.Log" @4:17+30',
    ],
  ],
  ["__proto__ as type", "{id: a, type: __proto__}", ["tasks[0].type: Invalid type: __proto__ @4:17+9"]],
  ["a planned type", "{id: a, type: io.svc.plugin.test.Later, level: x}", [
    'tasks[0].type: Type "io.svc.plugin.test.Later" is not supported yet @4:17+24',
  ]],
  ["a missing property", "{id: a, type: io.svc.plugin.core.log.Log}", [
    "tasks[0].message: must not be null @4:3+41",
  ]],
  ["a null property", "{id: a, type: io.svc.plugin.core.log.Log, message: }", [
    "tasks[0].message: must not be null @4:54+1",
  ]],
  ["a list where a text may be one", "{id: a, type: io.svc.plugin.core.log.Log, message: [a, 2, true]}", []],
  [
    "an object in such a list",
    "{id: a, type: io.svc.plugin.core.log.Log, message: [a, {b: c}]}",
    ["tasks[0].message[1]: must be a text, but received an object @4:58+6"],
  ],
  ["an empty list of texts", "{id: a, type: io.svc.plugin.core.log.Log, message: []}", [
    "tasks[0].message: must not be empty @4:54+2",
  ]],
  ["an unknown property", "{id: a, type: io.svc.plugin.core.debug.Return, fromat: x}", [
    'tasks[0].fromat: Unrecognized field "fromat", did you mean "format" @4:50+6',
  ]],
  ["a wrong value", "{id: a, type: io.svc.plugin.core.log.Log, message: m, level: LOUD}", [
    'tasks[0].level: must be one of "TRACE", "DEBUG", "INFO", "WARN", "ERROR", but received "LOUD" @4:64+4',
  ]],
  [
    "an expression as any value",
    '{id: a, type: io.svc.plugin.core.log.Log, message: m, level: "{{ l }}"}',
    [],
  ],
  ["an expression as a duration", '{id: a, type: io.svc.plugin.core.flow.Sleep, duration: "{{ d }}"}', []],
  ["a wrong duration", "{id: a, type: io.svc.plugin.core.flow.Sleep, duration: 10s}", [
    'tasks[0].duration: must be an ISO 8601 duration such as "PT10S", but received "10s" @4:58+3',
  ]],
  ["braces in a property without expressions", '{id: a, type: test.Everything, list: [1], short: "{{"}', []],
  [
    "values of every kind",
    "{id: a, type: test.Everything, list: [1], integer: '12', number: 1.5, flag: 'TRUE', map: {}}",
    [],
  ],
  ["an empty required list", "{id: a, type: test.Everything, list: []}", [
    "tasks[0].list: must not be empty @4:40+2",
  ]],
  ["a number below the minimum", "{id: a, type: test.Everything, list: [1], integer: 0}", [
    "tasks[0].integer: must be greater than or equal to 1 @4:54+1",
  ]],
  ["a decimal as integer", "{id: a, type: test.Everything, list: [1], integer: 1.5}", [
    "tasks[0].integer: must be a whole number, but received 1.5 @4:54+3",
  ]],
  ["a text as number", "{id: a, type: test.Everything, list: [1], number: x}", [
    'tasks[0].number: must be a number, but received "x" @4:53+1',
  ]],
  ["a long text", "{id: a, type: test.Everything, list: [1], short: abcd}", [
    "tasks[0].short: size must be between 0 and 3 @4:52+4",
  ]],
  ["nested tasks", "{id: a, type: test.Everything, list: [1], tasks: [{id: a, type: x}]}", [
    "tasks[0].tasks[0].id: Duplicate task id with name [a] @4:58+1",
    "tasks[0].tasks[0].type: Invalid type: x @4:67+1",
  ]],
];

const WEBHOOK = "type: io.svc.plugin.core.trigger.Webhook";

/** One trigger, in flow style, at 6:3. */
const TRIGGERS: readonly [string, string, string[]][] = [
  ["a webhook", `{id: w, ${WEBHOOK}, key: k, disabled: true, description: d}`, []],
  ["a webhook with an expression", `{id: w, ${WEBHOOK}, key: "{{ secret('K') }}"}`, []],
  ["a webhook with a number", `{id: w, ${WEBHOOK}, key: 1234}`, []],
  ["a webhook with the longest key", `{id: w, ${WEBHOOK}, key: ${long(256)}}`, []],
  ["no key", `{id: w, ${WEBHOOK}}`, ["triggers[0].key: must not be null @6:3+49"]],
  ["a blank key", `{id: w, ${WEBHOOK}, key: "  "}`, ["triggers[0].key: must not be empty @6:58+4"]],
  ["a long key", `{id: w, ${WEBHOOK}, key: ${long(257)}}`, [
    "triggers[0].key: size must be between 0 and 256 @6:58+257",
  ]],
  ["no id", `{${WEBHOOK}, key: k}`, ["triggers[0].id: must not be null @6:3+50"]],
  ["a text", "x", ['triggers[0]: must be a trigger, but received "x" @6:3+1']],
  ["an unknown property", `{id: w, ${WEBHOOK}, key: k, secret: s}`, [
    'triggers[0].secret: Unrecognized field "secret" @6:61+6',
  ]],
  [
    "planned properties without effect",
    `{id: w, ${WEBHOOK}, key: k, allowConcurrent: false, stopAfter: []}`,
    [],
  ],
  ["a planned type", "{id: s, type: io.svc.plugin.test.LaterTrigger}", [
    'triggers[0].type: Type "io.svc.plugin.test.LaterTrigger" is not supported yet @6:17+31',
  ]],
  ["an unknown type", "{id: s, type: x.Y}", ["triggers[0].type: Invalid type: x.Y @6:17+3"]],
];

const LABELS: readonly [string, string, string[]][] = [
  ["a map", "{a: b, n: 1, d: 2.50, t: true}", []],
  ["a list", "[{key: a, value: b}]", []],
  ["system.readOnly", "{system.readOnly: true}", []],
  ["a text", "x", ['labels: must be an object, or a list of "key" and "value", but received "x" @5:9+1']],
  ["an empty value", "{a: ''}", ["labels.a: the value of a label must not be empty @5:13+2"]],
  ["a null value", "{a: }", ["labels.a: the value of a label must not be empty @5:13+1"]],
  ["a list as value", "{a: [b]}", [
    "labels.a: the value of a label must be a text, but received a list @5:13+3",
  ]],
  ["an empty key", "[{key: '', value: b}]", ["labels[0]: the key of a label must not be empty @5:10+19"]],
  ["a text in a list", "[a]", ["labels[0]: the key of a label must not be empty @5:10+1"]],
  ["a system label", "{system.x: y}", [`labels.system.x: ${SYSTEM_LABEL} system.x=y @5:20+1`]],
  ["a correlation id", "[{key: system.correlationId, value: y}]", [
    `labels[0]: ${SYSTEM_LABEL} system.correlationId=y @5:10+37`,
  ]],
  ["a long value", `{a: ${long(MAX_LABEL_LENGTH + 1)}}`, [
    "labels.a: key and value of a label have at most 1000 characters @5:13+1001",
  ]],
  ["too many", `{${Array.from({ length: MAX_LABELS + 1 }, (_, i) => `k${i}: v`).join(", ")}}`, [
    "labels: size must be between 0 and 100 @5:9+799",
  ]],
];

const OUTPUTS: readonly [string, string, string[]][] = [
  ["a value", '{id: o, value: "{{ x }}", type: STRING, displayName: n, description: d, required: false}', []],
  ["no value", "{id: o}", ["outputs[0].value: must not be null @6:3+7"]],
  ["no id", "{value: 1}", ["outputs[0].id: must not be null @6:3+10"]],
  ["an unknown type", "{id: o, value: 1, type: STRNG}", [
    'outputs[0].type: Invalid type: STRNG, did you mean "STRING" @6:27+5',
  ]],
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
    "errors[0].id: Duplicate task id with name [t] @6:8+1",
    "finally[0].id: Duplicate task id with name [t] @8:8+1",
    "triggers[1].id: Duplicate trigger id with name [w] @11:8+1",
    'warning inputs[1].name: is replaced by "id", use that name @14:4+4',
    "inputs[1].name: Duplicate input with name [i] @14:10+1",
    "outputs[1].id: Duplicate output with name [o] @17:8+1",
  ]);
});

Deno.test("validateFlow() refuses equal literal webhook keys without showing them", () => {
  const keys = ["k", '" k "', '"{{ x }}"', '"{{ x }}"', "other"];
  const source = `${VALID}triggers:\n${
    keys.map((key, i) => `- {id: w${i}, ${WEBHOOK}, key: ${key}}\n`).join("")
  }`;
  assertEquals(problemsOf(source), ["triggers[1].key: must differ from the key of triggers[0] @7:59+5"]);
});

Deno.test("validateFlow() gives the problems of a malformed source", () => {
  const parsed = parseFlowSource("a: [");
  assertEquals(validateFlow(parsed, catalogs), [...parsed.problems]);
});

Deno.test("validateFlow() looks at expressions only when asked to", () => {
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
      const refusal = problems.filter((problem) => problem.includes("is not supported yet, remove it"));
      assertEquals(refusal.length, 1, `${name}: ${problems}`);
      assert(refusal[0]?.endsWith(`+${name.length}`), `${refusal}`);
    }
  });
}

Deno.test("validateFlow() tells all errors even among more warnings than are told", () => {
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
  assertEquals(problemsOf(errors), ["tasks: a flow has at most 10000 tasks @4:1+35"]);
});
