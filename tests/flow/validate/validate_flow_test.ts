import { assertEquals } from "@std/assert";
import { problemsOf, type Rows, VALID } from "../flow_support.ts";

/** Members of a flow, from line 5 on. */
const MEMBERS: Rows = [
  ["pluginDefaults", "pluginDefaults: [{type: core.log.Log, forced: true, values: {level: WARN}}]\n", []],
  ["taskDefaults", "taskDefaults: [{type: core.log.Log, values: {level: WARN}}]\n", [
    'warning taskDefaults: is replaced by "pluginDefaults", use that name @5:1+12',
  ]],
  ["a default without type", "pluginDefaults: [{values: {}}]\n", [
    "pluginDefaults[0].type: must not be null @5:18+12",
  ]],
  ["a default without values", "pluginDefaults: [{type: core.log.Log}]\n", [
    "pluginDefaults[0].values: must not be null @5:18+20",
  ]],
  ["a default of a wrong value", "pluginDefaults: [{type: core.log.Log, values: {level: LOUD}}]\n", [
    'tasks[0].level: must be one of "TRACE", "DEBUG", "INFO", "WARN", "ERROR", but received "LOUD" @4:3+53',
  ]],
  ["a default of an unknown property", "pluginDefaults: [{type: core.log.Log, values: {colour: red}}]\n", [
    'tasks[0].colour: Unrecognized field "colour" @4:3+53',
  ]],
  ["a text as pluginDefaults", "pluginDefaults: x\n", [
    'pluginDefaults: must be a list, but received "x" @5:17+1',
  ]],
  [
    "checks",
    "checks: [{condition: '{{ inputs }}', message: m, style: ERROR, behavior: FAIL_EXECUTION}]\n",
    [],
  ],
  ["an empty check", "checks: [{}]\n", [
    "checks[0].condition: must not be null @5:10+2",
    "checks[0].message: must not be null @5:10+2",
  ]],
  ["a check with wrong values", "checks: [{condition: c, message: m, style: LOUD, behavior: BLOCK}]\n", [
    'checks[0].style: must be one of "ERROR", "SUCCESS", "WARNING", "INFO", but received "LOUD" @5:44+4',
    'checks[0].behavior: must be one of "BLOCK_EXECUTION", "FAIL_EXECUTION", "CREATE_EXECUTION", but received "BLOCK" @5:60+5',
  ]],
  ["a check with an unknown input", "checks: [{condition: '{{ inputs.a }}', message: m}]\n", [
    'warning checks[0].condition: Unable to find `inputs.a`: the flow has no input "a" @5:22+16',
  ]],
  ["concurrency", "concurrency: {limit: 1, behavior: QUEUE}\n", []],
  ["concurrency without limit", "concurrency: {behavior: CANCEL}\n", [
    "concurrency.limit: must not be null @5:14+18",
  ]],
  ["concurrency of none", "concurrency: {limit: 0}\n", [
    "concurrency.limit: must be greater than or equal to 1 @5:22+1",
  ]],
  ["an unknown behavior of concurrency", "concurrency: {limit: 2, behavior: queue}\n", [
    'concurrency.behavior: must be one of "QUEUE", "CANCEL", "FAIL", but received "queue" @5:35+5',
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
  ["an SLA without its member", "sla: [{id: s, type: MAX_DURATION}]\n", [
    "sla[0].duration: must not be null @5:7+27",
  ]],
  ["an SLA with the member of another", "sla: [{id: s, type: MAX_DURATION, duration: PT1S, assert: x}]\n", [
    'sla[0].assert: Unrecognized field "assert" @5:51+6',
  ]],
  ["an SLA of an unknown type", "sla: [{id: s, type: MIN_DURATION, duration: PT1S}]\n", [
    'sla[0].type: must be one of "MAX_DURATION", "EXECUTION_ASSERTION", but received "MIN_DURATION" @5:21+12',
  ]],
  [
    "an SLA with a label of the system",
    "sla: [{id: id, type: MAX_DURATION, duration: PT1S, behavior: CANCEL, labels: {system.sla: violated}}]\n",
    ["sla[0].labels: System labels can only be set by Kestra itself, offending label: system.sla=violated @5:78+22"],
  ],
  [
    "an SLA with such a label in a list",
    "sla: [{id: id, type: MAX_DURATION, duration: PT1S, labels: [{key: system.x, value: y}]}]\n",
    ["sla[0].labels: System labels can only be set by Kestra itself, offending label: system.x=y @5:60+27"],
  ],
  [
    "a retry",
    "retry: {type: constant, interval: PT2S, maxDuration: PT6S, behavior: CREATE_NEW_EXECUTION}\n",
    [],
  ],
  ["a wrong retry", "retry: {type: constant, interval: PT7S, maxDuration: PT6S}\n", [
    "retry.interval: 'interval' must be less than 'maxDuration' but is PT7S @5:35+4",
  ]],
  ["afterExecution with an id that is taken", "afterExecution: [{id: t, type: core.debug.Return}]\n", [
    "afterExecution[0].id: Duplicate task id with name [t] @5:23+1",
  ]],
  ["listeners", "listeners: [{tasks: [{id: l, type: core.debug.Return}]}]\n", [
    "warning listeners: is deprecated: use afterExecution @5:1+9",
  ]],
  [
    "conditions of listeners",
    "listeners: [{conditions: [{type: core.condition.Expression, expression: x}], tasks: [{id: l, type: core.debug.Return}]}]\n",
    ["warning listeners: is deprecated: use afterExecution @5:1+9"],
  ],
  ["errors that are empty", "errors: []\nfinally: []\n", []],
  ["a task as errors", "errors: {id: e, type: core.debug.Return}\n", [
    "errors: must be a list of tasks, but received an object @5:9+32",
  ]],
  ["variables of every kind", "variables: {a: 1, b: [c], d: {e: f}}\n", []],
  ["a list as labels", "labels: [{key: a, value: b}, {key: a}]\n", [
    "labels[1]: the value of a label must not be empty @5:30+8",
  ]],
  ["a property in other case", "Description: x\n", [
    'Description: Unrecognized field "Description", did you mean "description" @5:1+11',
  ]],
  ["a property of a task", "message: x\n", ['message: Unrecognized field "message" @5:1+7']],
];

/** One task, at 4:3. */
const COMMON: Rows = [
  ["timeout", "{id: a, type: core.debug.Return, timeout: PT1M}", []],
  ["a wrong timeout", "{id: a, type: core.debug.Return, timeout: 60}", [
    'tasks[0].timeout: must be an ISO 8601 duration such as "PT10S", but received 60 @4:45+2',
  ]],
  ["an expression as timeout", "{id: a, type: core.debug.Return, timeout: '{{ vars }}'}", []],
  ["taskCache", "{id: a, type: core.debug.Return, taskCache: {enabled: true, ttl: PT1H}}", []],
  ["a wrong taskCache", "{id: a, type: core.debug.Return, taskCache: {ttl: x}}", [
    "tasks[0].taskCache.enabled: must not be null @4:47+8",
    'tasks[0].taskCache.ttl: must be an ISO 8601 duration such as "PT10S", but received "x" @4:53+1',
  ]],
  ["a text as disabled", "{id: a, type: core.debug.Return, disabled: maybe}", [
    'tasks[0].disabled: must be true or false, but received "maybe" @4:46+5',
  ]],
  ["a wrong logLevel", "{id: a, type: core.debug.Return, logLevel: warn}", [
    'tasks[0].logLevel: must be one of "TRACE", "DEBUG", "INFO", "WARN", "ERROR", but received "warn" @4:46+4',
  ]],
  ["a list as runIf", "{id: a, type: core.debug.Return, runIf: [x]}", [
    "tasks[0].runIf: must be a text, but received a list @4:43+3",
  ]],
  [
    "workerGroup, version and assets",
    "{id: a, type: core.debug.Return, workerGroup: {key: x}, version: 1.0, assets: []}",
    [
      "warning tasks[0].workerGroup: has no effect on this server and is ignored @4:36+11",
      "warning tasks[0].version: has no effect on this server and is ignored @4:59+7",
      "warning tasks[0].assets: has no effect on this server and is ignored @4:73+6",
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
    ['warning tasks[0].retry.maxAttempts: is replaced by "maxAttempt", use that name @4:76+11'],
  ],
  ["constant without interval", "{id: a, type: core.debug.Return, retry: {type: constant}}", [
    "tasks[0].retry.interval: must not be null @4:43+16",
  ]],
  [
    "constant longer than its bound",
    "{id: a, type: core.debug.Return, retry: {type: constant, interval: PT10S, maxDuration: PT5S}}",
    ["tasks[0].retry.interval: 'interval' must be less than 'maxDuration' but is PT10S @4:70+5"],
  ],
  [
    "exponential",
    "{id: a, type: core.debug.Return, retry: {type: exponential, interval: PT0.25s, maxInterval: PT5S, delayFactor: 1.5, behavior: CREATE_NEW_EXECUTION}}",
    [],
  ],
  [
    "exponential with an interval above the greatest",
    "{id: a, type: core.debug.Return, retry: {type: exponential, maxAttempt: 3, maxDuration: PT12S, interval: PT3S, maxInterval: PT2S}}",
    ["tasks[0].retry.interval: 'interval' must be less than 'maxInterval' but is PT3S @4:108+4"],
  ],
  [
    "exponential with equal intervals",
    "{id: a, type: core.debug.Return, retry: {type: exponential, interval: PT2S, maxInterval: PT2S}}",
    ["tasks[0].retry.interval: 'interval' must be less than 'maxInterval' but is PT2S @4:73+4"],
  ],
  ["exponential without intervals", "{id: a, type: core.debug.Return, retry: {type: exponential}}", [
    "tasks[0].retry.interval: must not be null @4:43+19",
    "tasks[0].retry.maxInterval: must not be null @4:43+19",
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
      "tasks[0].retry.minInterval: 'minInterval' must be less than 'maxDuration' but is PT2S @4:105+4",
      "tasks[0].retry.maxInterval: 'maxInterval' must be less than 'maxDuration' but is PT3S @4:124+4",
    ],
  ],
  [
    "random with the members of another",
    "{id: a, type: core.debug.Return, retry: {type: random, interval: PT1S, minInterval: PT1S, maxInterval: PT2S}}",
    ['tasks[0].retry.interval: Unrecognized field "interval" @4:58+8'],
  ],
  ["of an unknown type", "{id: a, type: core.debug.Return, retry: {type: linear, interval: PT1S}}", [
    'tasks[0].retry.type: must be one of "constant", "exponential", "random", but received "linear" @4:50+6',
  ]],
  ["without type", "{id: a, type: core.debug.Return, retry: {interval: PT1S}}", [
    "tasks[0].retry.type: must not be null @4:43+16",
  ]],
  [
    "with no attempts",
    "{id: a, type: core.debug.Return, retry: {type: constant, interval: PT1S, maxAttempt: 0}}",
    ["tasks[0].retry.maxAttempt: must be greater than or equal to 1 @4:88+1"],
  ],
  ["with a number as interval", "{id: a, type: core.debug.Return, retry: {type: constant, interval: 10}}", [
    'tasks[0].retry.interval: must be an ISO 8601 duration such as "PT10S", but received 10 @4:70+2',
  ]],
  [
    "with an unknown behavior",
    "{id: a, type: core.debug.Return, retry: {type: constant, interval: PT1S, behavior: RETRY}}",
    ['tasks[0].retry.behavior: must be one of "RETRY_FAILED_TASK", "CREATE_NEW_EXECUTION", but received "RETRY" @4:86+5'],
  ],
  [
    "with an unknown member",
    "{id: a, type: core.debug.Return, retry: {type: constant, interval: PT1S, max: 3}}",
    ['tasks[0].retry.max: Unrecognized field "max" @4:76+3'],
  ],
  ["that is a text", "{id: a, type: core.debug.Return, retry: constant}", [
    'tasks[0].retry: must be an object, but received "constant" @4:43+8',
  ]],
];

/** One input, at 6:3. */
const INPUTS: Rows = [
  ["by its old name", "{name: a, type: STRING}", [
    'warning inputs[0].name: is replaced by "id", use that name @6:4+4',
  ]],
  ["by both names", "{id: a, name: b, type: STRING}", [
    'inputs[0].name: cannot be given together with "id": both mean the same @6:11+4',
    'warning inputs[0].name: is replaced by "id", use that name @6:11+4',
  ]],
  ["without name", "{type: STRING}", ["inputs[0].id: must not be null @6:3+14"]],
  ["of an older type", "{id: a, type: ENUM, values: [x]}", [
    "warning inputs[0].type: ENUM is replaced by SELECT @6:17+4",
  ]],
  ["without type", "{id: wrong one}", [
    "inputs[0].type: must not be null @6:3+15",
    'inputs[0].id: must match "^[a-zA-Z0-9][.a-zA-Z0-9_-]*" @6:8+9',
  ]],
  ["with an id of another form", "{id: -a, type: STRING}", [
    'inputs[0].id: must match "^[a-zA-Z0-9][.a-zA-Z0-9_-]*" @6:8+2',
  ]],
  ["with a nested id", "{id: a.b, type: STRING}", []],
  ["with an unknown dependency", "{id: abc, type: STRING, dependsOn: {inputs: [abd]}}", [
    'inputs[0].dependsOn.inputs[0]: Cannot find input "abd", did you mean "abc" @6:48+3',
  ]],
  ["that depends on itself", "{id: a, type: STRING, dependsOn: {inputs: [a]}}", [
    'inputs[0].dependsOn: input "a" depends on itself, directly or through others @6:36+13',
  ]],
  ["with a text as dependency", "{id: a, type: STRING, dependsOn: b}", [
    'inputs[0].dependsOn: must be an object, but received "b" @6:36+1',
  ]],
  ["with an unknown member of its dependency", "{id: a, type: STRING, dependsOn: {input: [b]}}", [
    'inputs[0].dependsOn.input: Unrecognized field "input", did you mean "inputs" @6:37+5',
  ]],
  ["with a dependency that is no text", "{id: a, type: STRING, dependsOn: {inputs: [[b]]}}", [
    "inputs[0].dependsOn.inputs[0]: must be a text, but received a list @6:46+3",
  ]],
  ["with a broken condition", "{id: a, type: STRING, dependsOn: {condition: '{{ a b }}'}}", [
    'warning inputs[0].dependsOn.condition: Expected "}}", found "b" in the expression `{{ a b }}` at line 1 @6:48+11',
  ]],
  ["with a default that is none", "{id: a, type: INT, defaults: x}", [
    "inputs[0].defaults: Expected `INT` but received `x` with errors: `it is not a whole number of 64 bits`, but received `x` @6:32+1",
  ]],
  ["with a default and not required", "{id: a, type: INT, defaults: 1, required: false}", [
    'warning inputs[0].defaults: has a default, so that "required: false" has no effect @6:32+1',
  ]],
  ["with an unknown property", "{id: a, type: INT, minimum: 1}", [
    'inputs[0].minimum: Unrecognized field "minimum" @6:22+7',
  ]],
  ["with a prefill beside its default", "{id: a, type: INT, defaults: 1, prefill: 2}", [
    'warning inputs[0].prefill: has no effect beside "defaults" @6:44+1',
  ]],
  ["with a prefill", "{id: a, type: INT, prefill: 2}", []],
  ["that cannot hold another one", "{id: a, type: STRING}\n- {name: a.b, type: STRING}", [
    'warning inputs[1].name: is replaced by "id", use that name @7:4+4',
    'inputs[1].name: input "a" exists already and cannot hold another input @7:10+3',
  ]],
  [
    "with a long displayName",
    "{id: a, type: STRING, displayName: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa}",
    ["inputs[0].displayName: size must be between 0 and 64 @6:38+65"],
  ],
  ["that is a text", "x", ['inputs[0]: must be an input, but received "x" @6:3+1']],
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
