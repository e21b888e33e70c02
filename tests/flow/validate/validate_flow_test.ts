import { assertEquals } from "@std/assert";
import { problemsOf, type Rows, VALID } from "../flow_support.ts";

const DEFAULT_OF_RETURN =
  "pluginDefaults: [{type: io.svc.plugin.core.debug.Return, values: {colour: red, format: x}}]\n";

/** Members of a flow, from line 5 on. */
const MEMBERS: Rows = [
  ["pluginDefaults", "pluginDefaults: [{type: core.log.Log, forced: true, values: {level: WARN}}]\n", []],
  ["taskDefaults", "taskDefaults: [{type: core.log.Log, values: {level: WARN}}]\n", [
    "warning deprecated taskDefaults @5:1+12",
  ]],
  ["a default without type", "pluginDefaults: [{values: {}}]\n", [
    "required pluginDefaults[0].type @5:18+12",
  ]],
  ["a default without values", "pluginDefaults: [{type: core.log.Log}]\n", [
    "required pluginDefaults[0].values @5:18+20",
  ]],
  ["a default of a wrong value", "pluginDefaults: [{type: core.log.Log, values: {level: LOUD}}]\n", [
    "wrong_value tasks[0].level @4:3+53",
  ]],
  ["a default of an unknown property", "pluginDefaults: [{type: core.log.Log, values: {colour: red}}]\n", [
    "unknown_property tasks[0].colour @4:3+53",
    "unknown_property pluginDefaults[0].values.colour @5:48+6",
  ]],
  ["a default of an unknown property without a task", DEFAULT_OF_RETURN, [
    "unknown_property pluginDefaults[0].values.colour @5:67+6",
  ]],
  [
    "a default of an unknown property of a trigger",
    "taskDefaults: [{type: core.trigger.Schedule, values: {corn: x}}]\n",
    [
      "warning deprecated taskDefaults @5:1+12",
      "unknown_property taskDefaults[0].values.corn @5:55+4",
    ],
  ],
  [
    "a default of all properties for a prefix",
    "pluginDefaults: [{type: core.debug, values: {colour: red}}]\n",
    [],
  ],
  [
    "defaults of known properties, the id, and the older name of a property",
    "pluginDefaults: [{type: core.flow.Loop, values: {id: x, logLevel: INFO, value: [1]}}]\n",
    [],
  ],
  ["a default that is null", "pluginDefaults: [{type: core.other.None, values: {level: null}}]\n", [
    "required pluginDefaults[0].values.level @5:58+4",
  ]],
  ["a text as pluginDefaults", "pluginDefaults: x\n", ["wrong_type pluginDefaults @5:17+1"]],
  [
    "checks",
    "checks: [{condition: '{{ inputs }}', message: m, style: ERROR, behavior: FAIL_EXECUTION}]\n",
    [],
  ],
  ["an empty check", "checks: [{}]\n", [
    "required checks[0].condition @5:10+2",
    "required checks[0].message @5:10+2",
  ]],
  ["a check with wrong values", "checks: [{condition: c, message: m, style: LOUD, behavior: BLOCK}]\n", [
    "wrong_value checks[0].style @5:44+4",
    "wrong_value checks[0].behavior @5:60+5",
  ]],
  ["a check with an unknown input", "checks: [{condition: '{{ inputs.a }}', message: m}]\n", [
    "warning unknown_reference checks[0].condition @5:22+16",
  ]],
  ["concurrency", "concurrency: {limit: 1, behavior: QUEUE}\n", []],
  ["concurrency without limit", "concurrency: {behavior: CANCEL}\n", ["required concurrency.limit @5:14+18"]],
  ["concurrency of none", "concurrency: {limit: 0}\n", ["too_small concurrency.limit @5:22+1"]],
  ["an unknown behavior of concurrency", "concurrency: {limit: 2, behavior: queue}\n", [
    "wrong_value concurrency.behavior @5:35+5",
  ]],
  [
    "an SLA",
    "sla: [{id: s, type: MAX_DURATION, duration: PT1S, behavior: FAIL, labels: {sla: violated}}]\n",
    [],
  ],
  [
    "an SLA of an assertion",
    "sla: [{id: s, type: EXECUTION_ASSERTION, assert: '{{ true }}', behavior: NONE}]\n",
    [],
  ],
  [
    "two SLAs of one id",
    "sla: [{id: s, type: MAX_DURATION, duration: PT1S}, {id: s, type: MAX_DURATION, duration: PT2S}]\n",
    [],
  ],
  ["an SLA without its member", "sla: [{id: s, type: MAX_DURATION}]\n", ["required sla[0].duration @5:7+27"]],
  ["an SLA with the member of another", "sla: [{id: s, type: MAX_DURATION, duration: PT1S, assert: x}]\n", [
    "unknown_property sla[0].assert @5:51+6",
  ]],
  ["an SLA of an unknown type", "sla: [{id: s, type: MIN_DURATION, duration: PT1S}]\n", [
    "wrong_value sla[0].type @5:21+12",
  ]],
  [
    "an SLA with a label of the system",
    "sla: [{id: id, type: MAX_DURATION, duration: PT1S, behavior: CANCEL, labels: {system.sla: violated}}]\n",
    ["bad_label sla[0].labels @5:78+22"],
  ],
  [
    "an SLA with such a label in a list",
    "sla: [{id: id, type: MAX_DURATION, duration: PT1S, labels: [{key: system.x, value: y}]}]\n",
    ["bad_label sla[0].labels @5:60+27"],
  ],
  [
    "a retry",
    "retry: {type: constant, interval: PT2S, maxDuration: PT6S, behavior: CREATE_NEW_EXECUTION}\n",
    [],
  ],
  ["a wrong retry", "retry: {type: constant, interval: PT7S, maxDuration: PT6S}\n", [
    "bad_retry retry.interval @5:35+4",
  ]],
  ["afterExecution with an id that is taken", "afterExecution: [{id: t, type: core.debug.Return}]\n", [
    "duplicate_id afterExecution[0].id @5:23+1",
  ]],
  ["listeners", "listeners: [{tasks: [{id: l, type: core.debug.Return}]}]\n", [
    "warning deprecated listeners @5:1+9",
  ]],
  [
    "conditions of listeners",
    "listeners: [{conditions: [{type: core.condition.Expression, expression: x}], tasks: [{id: l, type: core.debug.Return}]}]\n",
    ["warning deprecated listeners @5:1+9"],
  ],
  ["errors that are empty", "errors: []\nfinally: []\n", []],
  ["a task as errors", "errors: {id: e, type: core.debug.Return}\n", ["wrong_type errors @5:9+32"]],
  ["variables of every kind", "variables: {a: 1, b: [c], d: {e: f}}\n", []],
  ["a list as labels", "labels: [{key: a, value: b}, {key: a}]\n", ["bad_label labels[1] @5:30+8"]],
  ["a property in other case", "Description: x\n", ["unknown_property Description @5:1+11"]],
  ["a property of a task", "message: x\n", ["unknown_property message @5:1+7"]],
];

/** One task, at 4:3. */
const COMMON: Rows = [
  ["timeout", "{id: a, type: core.debug.Return, timeout: PT1M}", []],
  ["a wrong timeout", "{id: a, type: core.debug.Return, timeout: 1m}", [
    "wrong_type tasks[0].timeout @4:45+2",
  ]],
  ["a timeout in seconds", "{id: a, type: core.debug.Return, timeout: 60}", []],
  ["an expression as timeout", "{id: a, type: core.debug.Return, timeout: '{{ vars }}'}", []],
  ["taskCache", "{id: a, type: core.debug.Return, taskCache: {enabled: true, ttl: PT1H}}", []],
  ["a wrong taskCache", "{id: a, type: core.debug.Return, taskCache: {ttl: x}}", [
    "required tasks[0].taskCache.enabled @4:47+8",
    "wrong_type tasks[0].taskCache.ttl @4:53+1",
  ]],
  ["a text as disabled", "{id: a, type: core.debug.Return, disabled: maybe}", [
    "wrong_type tasks[0].disabled @4:46+5",
  ]],
  ["a wrong logLevel", "{id: a, type: core.debug.Return, logLevel: warn}", [
    "wrong_value tasks[0].logLevel @4:46+4",
  ]],
  ["a list as runIf", "{id: a, type: core.debug.Return, runIf: [x]}", ["wrong_type tasks[0].runIf @4:43+3"]],
  [
    "a worker group of a task that runs on the server",
    "{id: a, type: core.debug.Return, workerGroup: {key: x}}",
    [
      "warning ignored tasks[0].workerGroup @4:36+11",
    ],
  ],
  [
    "workerSelector, version and assets",
    "{id: a, type: core.debug.Return, workerSelector: {}, version: 1.0, assets: []}",
    [
      "warning ignored tasks[0].workerSelector @4:36+14",
      "warning ignored tasks[0].version @4:56+7",
      "warning ignored tasks[0].assets @4:70+6",
    ],
  ],
];

/** A task with a retry, at 4:3. */
const RETRIES: Rows = [
  [
    "constant",
    "{id: a, type: core.debug.Return, retry: {type: constant, interval: PT1S, maxAttempt: 3, maxDuration: PT10S, warningOnRetry: true}}",
    [],
  ],
  [
    "constant, by the other name of its bound",
    "{id: a, type: core.debug.Return, retry: {type: constant, interval: PT1S, maxAttempts: 3}}",
    ["warning deprecated tasks[0].retry.maxAttempts @4:76+11"],
  ],
  ["constant without interval", "{id: a, type: core.debug.Return, retry: {type: constant}}", [
    "required tasks[0].retry.interval @4:43+16",
  ]],
  [
    "constant longer than its bound",
    "{id: a, type: core.debug.Return, retry: {type: constant, interval: PT10S, maxDuration: PT5S}}",
    ["bad_retry tasks[0].retry.interval @4:70+5"],
  ],
  [
    "exponential",
    "{id: a, type: core.debug.Return, retry: {type: exponential, interval: PT0.25s, maxInterval: PT5S, delayFactor: 1.5, behavior: CREATE_NEW_EXECUTION}}",
    [],
  ],
  [
    "exponential with an interval above the greatest",
    "{id: a, type: core.debug.Return, retry: {type: exponential, maxAttempt: 3, maxDuration: PT12S, interval: PT3S, maxInterval: PT2S}}",
    ["bad_retry tasks[0].retry.interval @4:108+4"],
  ],
  [
    "exponential with equal intervals",
    "{id: a, type: core.debug.Return, retry: {type: exponential, interval: PT2S, maxInterval: PT2S}}",
    ["bad_retry tasks[0].retry.interval @4:73+4"],
  ],
  ["exponential without intervals", "{id: a, type: core.debug.Return, retry: {type: exponential}}", [
    "required tasks[0].retry.interval @4:43+19",
    "required tasks[0].retry.maxInterval @4:43+19",
  ]],
  [
    "random",
    "{id: a, type: core.debug.Return, retry: {type: random, minInterval: PT1S, maxInterval: PT2S}}",
    [],
  ],
  [
    "random longer than its bound",
    "{id: a, type: core.debug.Return, retry: {type: random, maxAttempt: 3, maxDuration: PT1S, minInterval: PT2S, maxInterval: PT3S}}",
    [
      "bad_retry tasks[0].retry.minInterval @4:105+4",
      "bad_retry tasks[0].retry.maxInterval @4:124+4",
    ],
  ],
  [
    "random with the members of another",
    "{id: a, type: core.debug.Return, retry: {type: random, interval: PT1S, minInterval: PT1S, maxInterval: PT2S}}",
    ["unknown_property tasks[0].retry.interval @4:58+8"],
  ],
  ["of an unknown type", "{id: a, type: core.debug.Return, retry: {type: linear, interval: PT1S}}", [
    "wrong_value tasks[0].retry.type @4:50+6",
  ]],
  ["without type", "{id: a, type: core.debug.Return, retry: {interval: PT1S}}", [
    "required tasks[0].retry.type @4:43+16",
  ]],
  [
    "with no attempts",
    "{id: a, type: core.debug.Return, retry: {type: constant, interval: PT1S, maxAttempt: 0}}",
    ["too_small tasks[0].retry.maxAttempt @4:88+1"],
  ],
  [
    "with a number as interval",
    "{id: a, type: core.debug.Return, retry: {type: constant, interval: 10.5}}",
    [],
  ],
  ["with a unit as interval", "{id: a, type: core.debug.Return, retry: {type: constant, interval: 1m}}", [
    "wrong_type tasks[0].retry.interval @4:70+2",
  ]],
  [
    "with an unknown behavior",
    "{id: a, type: core.debug.Return, retry: {type: constant, interval: PT1S, behavior: RETRY}}",
    ["wrong_value tasks[0].retry.behavior @4:86+5"],
  ],
  [
    "with an unknown member",
    "{id: a, type: core.debug.Return, retry: {type: constant, interval: PT1S, max: 3}}",
    ["unknown_property tasks[0].retry.max @4:76+3"],
  ],
  ["that is a text", "{id: a, type: core.debug.Return, retry: constant}", [
    "wrong_type tasks[0].retry @4:43+8",
  ]],
];

/** One input, at 6:3. */
const INPUTS: Rows = [
  ["by its old name", "{name: a, type: STRING}", ["warning deprecated inputs[0].name @6:4+4"]],
  ["by both names", "{id: a, name: b, type: STRING}", [
    "duplicate_property inputs[0].name @6:11+4",
    "warning deprecated inputs[0].name @6:11+4",
  ]],
  ["by both names, which are the same", "{id: a, name: a, type: STRING}", [
    "warning deprecated inputs[0].name @6:11+4",
  ]],
  ["without name", "{type: STRING}", ["required inputs[0].id @6:3+14"]],
  ["of an older type", "{id: a, type: ENUM, values: [x]}", ["warning replaced_type inputs[0].type @6:17+4"]],
  ["without type", "{id: wrong one}", ["required inputs[0].type @6:3+15", "bad_id inputs[0].id @6:8+9"]],
  ["with an id of another form", "{id: -a, type: STRING}", ["bad_id inputs[0].id @6:8+2"]],
  ["with a nested id", "{id: a.b, type: STRING}", []],
  ["with an unknown dependency", "{id: abc, type: STRING, dependsOn: {inputs: [abd]}}", [
    "unknown_input inputs[0].dependsOn.inputs[0] @6:48+3",
  ]],
  ["that depends on itself", "{id: a, type: STRING, dependsOn: {inputs: [a]}}", [
    "dependency_cycle inputs[0].dependsOn @6:36+13",
  ]],
  ["with a text as dependency", "{id: a, type: STRING, dependsOn: b}", [
    "wrong_type inputs[0].dependsOn @6:36+1",
  ]],
  ["with an unknown member of its dependency", "{id: a, type: STRING, dependsOn: {input: [b]}}", [
    "unknown_property inputs[0].dependsOn.input @6:37+5",
  ]],
  ["with a dependency that is no text", "{id: a, type: STRING, dependsOn: {inputs: [[b]]}}", [
    "wrong_type inputs[0].dependsOn.inputs[0] @6:46+3",
  ]],
  ["with a broken condition", "{id: a, type: STRING, dependsOn: {condition: '{{ a b }}'}}", [
    "warning expression inputs[0].dependsOn.condition @6:48+11",
  ]],
  ["with a default that is none", "{id: a, type: INT, defaults: x}", [
    "bad_default inputs[0].defaults @6:32+1",
  ]],
  ["with a URI as default of a file", "{id: a, type: FILE, defaults: 'kestra:///a/b.txt'}", []],
  ["with an expression as default of a file", "{id: a, type: FILE, defaults: '{{ now() }}'}", []],
  ["with a list as default of a file", "{id: a, type: FILE, defaults: [x]}", [
    "bad_default inputs[0].defaults @6:33+3",
  ]],
  ["with a default and not required", "{id: a, type: INT, defaults: 1, required: false}", [
    "warning optional_default inputs[0].defaults @6:32+1",
  ]],
  ["with an unknown property", "{id: a, type: INT, minimum: 1}", [
    "unknown_property inputs[0].minimum @6:22+7",
  ]],
  ["with a prefill beside its default", "{id: a, type: INT, defaults: 1, prefill: 2}", [
    "warning unused_prefill inputs[0].prefill @6:44+1",
  ]],
  ["with a prefill", "{id: a, type: INT, prefill: 2}", []],
  ["that cannot hold another one", "{id: a, type: STRING}\n- {name: a.b, type: STRING}", [
    "warning deprecated inputs[1].name @7:4+4",
    "bad_id inputs[1].name @7:10+3",
  ]],
  [
    "with a long displayName",
    "{id: a, type: STRING, displayName: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa}",
    ["too_long inputs[0].displayName @6:38+65"],
  ],
  ["that is a text", "x", ["wrong_type inputs[0] @6:3+1"]],
];

/** Each group of rows, and the source around a part. */
const GROUPS: readonly (readonly [string, Rows, (part: string) => string])[] = [
  ["a flow with", MEMBERS, (part) => VALID + part],
  ["every task may have", COMMON, (part) => `id: f\nnamespace: n\ntasks:\n- ${part}\n`],
  ["a retry", RETRIES, (part) => `id: f\nnamespace: n\ntasks:\n- ${part}\n`],
  ["an input", INPUTS, (part) => `${VALID}inputs:\n- ${part}\n`],
];

for (const [group, rows, build] of GROUPS) {
  for (const [name, part, expected] of rows) {
    Deno.test(`validateFlow() ${group} ${name}`, () => {
      assertEquals(problemsOf(build(part), { withPlanned: false }), [...expected]);
    });
  }
}
