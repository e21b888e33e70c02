/** The wording of every problem, once; the other tests of validation compare codes, paths and positions. */
import { assert } from "@std/assert";
import { parseFlowSource, validateFlow } from "../../../src/flow/mod.ts";
import { MAX_LABELS } from "../../../src/model/limits.ts";
import { catalogs, VALID } from "../flow_support.ts";

/** Part of a source, code and message of one of its problems. */
type Wordings = readonly (readonly [part: string, code: string, message: string])[];

const long = (length: number) => "a".repeat(length);

const HEADS: Wordings = [
  ["{}", "required", "must not be empty"],
  ["{}", "required", "must not be null"],
  [
    'id: "a\\n"\nnamespace: n\ntasks:\n- {id: 3, type: io.svc.plugin.core.debug.Return}',
    "bad_id",
    'must match "^[a-zA-Z0-9][a-zA-Z0-9._-]*"',
  ],
  [
    "id: -a\nnamespace: Upper\ntasks:\n- {id: a.b, type: io.svc.plugin.core.debug.Return}",
    "bad_id",
    'must match "^[a-z0-9][a-z0-9._-]*"',
  ],
  [
    `id: ${long(101)}\nnamespace: ${
      long(101)
    }aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\ntasks:\n- {id: ${long(101)}${
      long(101)
    }aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, type: io.svc.plugin.core.debug.Return}`,
    "too_long",
    "size must be between 1 and 100",
  ],
  [
    `id: ${long(101)}\nnamespace: ${
      long(101)
    }aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\ntasks:\n- {id: ${long(101)}${
      long(101)
    }aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, type: io.svc.plugin.core.debug.Return}`,
    "too_long",
    "size must be between 1 and 150",
  ],
];

const FLOWS: Wordings = [
  ["afterExecution: [{id: t, type: core.debug.Return}]\n", "duplicate_id", "Duplicate task id with name [t]"],
  ["errors: {a: 1}\n", "wrong_type", "must be a list of tasks, but received an object"],
  ["trigers: []\n", "unknown_property", 'Unrecognized field "trigers", did you mean "triggers"'],
  ["message: x\n", "unknown_property", 'Unrecognized field "message"'],
  [
    "pluginDefaults: [{type: core.debug.Return, values: {formt: x}}]\n",
    "unknown_property",
    "No property 'formt' exists in plugin 'core.debug.Return', did you mean \"format\"",
  ],
  ["inputs: x\n", "wrong_type", 'must be a list of inputs, but received "x"'],
  [
    "checks: [{condition: c, message: m, style: LOUD, behavior: BLOCK}]\n",
    "wrong_value",
    'must be one of "ERROR", "SUCCESS", "WARNING", "INFO", but received "LOUD"',
  ],
  [
    "checks: [{condition: c, message: m, style: LOUD, behavior: BLOCK}]\n",
    "wrong_value",
    'must be one of "BLOCK_EXECUTION", "FAIL_EXECUTION", "CREATE_EXECUTION", but received "BLOCK"',
  ],
  [
    "checks: [{condition: '{{ inputs.a }}', message: m}]\n",
    "unknown_reference",
    'Unable to find `inputs.a`: the flow has no input "a"',
  ],
  [
    "concurrency: {limit: 2, behavior: queue}\n",
    "wrong_value",
    'must be one of "QUEUE", "CANCEL", "FAIL", but received "queue"',
  ],
  [
    "sla: [{id: s, type: MIN_DURATION, duration: PT1S}]\n",
    "wrong_value",
    'must be one of "MAX_DURATION", "EXECUTION_ASSERTION", but received "MIN_DURATION"',
  ],
  [
    "retry: {type: constant, interval: PT7S, maxDuration: PT6S}\n",
    "bad_retry",
    "'interval' must be less than 'maxDuration' but is PT7S",
  ],
  [
    "listeners: [{tasks: [{id: l, type: core.debug.Return}]}]\n",
    "deprecated",
    "is deprecated: use afterExecution",
  ],
  ["disabled: 3\n", "wrong_type", "must be true or false, but received 3"],
  [
    "triggers:\n- {id: w, type: core.trigger.Webhook, key: a}\n- {id: w, type: core.trigger.Webhook, key: b}\n",
    "duplicate_id",
    "Duplicate trigger id with name [w]",
  ],
  ["outputs: [{id: o, value: 1}, {id: o, value: 1}]\n", "duplicate_id", "Duplicate output with name [o]"],
];

const LABELS: Wordings = [
  [
    "{system.x: y}",
    "bad_label",
    "System labels can only be set by Kestra itself, offending label: system.x=y",
  ],
  ["{a: }", "bad_label", "the value of a label must not be empty"],
  ["x", "wrong_type", 'must be an object, or a list of "key" and "value", but received "x"'],
  ["{a: [b]}", "bad_label", "the value of a label must be a text, but received a list"],
  ["[a]", "bad_label", "the key of a label must not be empty"],
  [`{a: ${long(1001)}}`, "bad_label", "key and value of a label have at most 1000 characters"],
  [
    `{${Array.from({ length: MAX_LABELS + 1 }, (_, i) => `k${i}: v`).join(", ")}}`,
    "too_many",
    "size must be between 0 and 100",
  ],
];

const INPUTS: Wordings = [
  ["{id: a, type: ENUM, values: [x]}", "replaced_type", "ENUM is replaced by SELECT"],
  ["{id: wrong one}", "bad_id", 'must match "^[a-zA-Z0-9][.a-zA-Z0-9_-]*"'],
  [
    "{id: abc, type: STRING, dependsOn: {inputs: [abd]}}",
    "unknown_input",
    "Input with id 'abc' depends on a non-existent input 'abd', did you mean \"abc\"",
  ],
  [
    "{id: a, type: STRING, dependsOn: {inputs: [a]}}",
    "dependency_cycle",
    "Cycle dependency detected for input with id 'a': it depends on itself, directly or through others",
  ],
  [
    "{id: a, type: STRING, dependsOn: {condition: '{{ a b }}'}}",
    "expression",
    'Expected "}}", found "b" in the expression `{{ a b }}` at line 1',
  ],
  [
    "{id: a, type: INT, defaults: x}",
    "bad_default",
    "Expected `INT` but received `x` with errors: `it is not a whole number of 64 bits`, but received `x`",
  ],
  [
    "{id: file, type: FILE, defaults: something}",
    "bad_default",
    "file: no `defaults` can be set for inputs of type 'FILE' except a URI, but received `something`",
  ],
  [
    "{id: file, type: FILE, allowedFileExtensions: [.csv], defaults: kestra:///a/b.txt}",
    "bad_default",
    "the name of the file must end in one of `[.csv]`, but received `kestra:///a/b.txt`",
  ],
  [
    "{id: a, type: INT, defaults: 1, required: false}",
    "optional_default",
    'has a default, so that "required: false" has no effect',
  ],
  ["{id: a, type: INT, defaults: 1, prefill: 2}", "unused_prefill", 'has no effect beside "defaults"'],
  [
    "{id: a, type: STRING}\n- {name: a.b, type: STRING}",
    "bad_id",
    'input "a" exists already and cannot hold another input',
  ],
  [`{id: a, type: STRING, displayName: ${long(65)}}`, "too_long", "size must be between 0 and 64"],
  ["x", "wrong_type", 'must be an input, but received "x"'],
];

/** The entries of a Dag from the form `a: [b], b: []`. */
function dagTasks(needs: string): string {
  return needs.replaceAll(/(\w+): (\[[^\]]*\])/g, "{task: {id: $1, type: core.debug.Return}, dependsOn: $2}");
}

const TASKS: Wordings = [
  [
    "{id: a, type: core.flow.Parallel, tasks: [{id: b, type: core.debug.Return, taskCache: {enabled: true}}], taskCache: {enabled: true}}",
    "ignored",
    'has no effect on a task of type "core.flow.Parallel" and is ignored: only runnable tasks keep outputs',
  ],
  ["null", "wrong_type", "must be a task, but received null"],
  [
    "{id: a, type: core.log.Logs}",
    "unknown_type",
    'Invalid type: core.log.Logs, did you mean "core.log.Log"',
  ],
  [
    "{id: a, type: test.Asks, onResume: [{id: i, type: STRING}, {id: i, type: INT}]}",
    "duplicate_id",
    "Duplicate input with name [i]",
  ],
  [
    "{id: a, type: core.flow.Switch, value: x}",
    "required",
    "a: No task defined, neither cases or default have any tasks",
  ],
  [
    "{id: a, type: core.flow.Switch, value: x, cases: y}",
    "wrong_type",
    'must be an object of lists of tasks, but received "y"',
  ],
  [
    "{id: dag, type: core.flow.Dag, tasks: [{task: {id: a, type: core.debug.Return}, dependsOn: [dag]}]}",
    "unknown_task",
    "dag: Not existing task id in dependency: dag",
  ],
  [
    "{id: dag, type: core.flow.Dag, tasks: [{task: {id: first, type: core.debug.Return}}, {task: {id: b, type: core.debug.Return}, dependsOn: [fist]}]}",
    "unknown_task",
    'dag: Not existing task id in dependency: fist, did you mean "first"',
  ],
  [
    "{id: dag, type: core.flow.Dag, tasks: [{task: {id: first, type: core.debug.Return}, dependsOn: [x, fist]}, {task: {id: b, type: core.debug.Return}, dependsOn: [y]}]}",
    "unknown_task",
    "dag: Not existing task id in dependency: x, fist, y",
  ],
  [
    "{id: dag, type: core.flow.Dag, tasks: [{task: {id: first, type: core.debug.Return}, dependsOn: [fist, x]}]}",
    "unknown_task",
    'dag: Not existing task id in dependency: fist, x, did you mean "first" for "fist"',
  ],
  [
    "{id: dag, type: core.flow.Dag, tasks: [{task: {id: first, type: core.debug.Return}, dependsOn: [x, fist]}]}",
    "unknown_task",
    'dag: Not existing task id in dependency: fist, did you mean "first"',
  ],
  [
    "{id: dag, type: core.flow.Dag, tasks: [{task: {id: a, type: core.debug.Return}, dependsOn: [a]}]}",
    "dependency_cycle",
    "dag: Cyclic dependency detected: a",
  ],
  ...([
    ["a: [b], b: [c], c: [b]", "b, c"],
    ["a: [d], b: [a], c: [b], d: [a]", "a, d"],
    ["a: [b], b: [a], c: [b], d: [c, e], e: [d]", "a, b, d, e"],
    ["a: [b, c], b: [d], c: [d], d: [a]", "a, b, c, d"],
    ["a: [b], b: [b]", "b"],
  ] as const).map(([needs, names]) =>
    [
      `{id: dag, type: core.flow.Dag, tasks: [${dagTasks(needs)}]}`,
      "dependency_cycle",
      `dag: Cyclic dependency detected: ${names}`,
    ] as const
  ),
  [
    "{id: impossible, type: core.flow.WorkingDirectory}",
    "required",
    "impossible: The 'tasks' property cannot be empty",
  ],
  [
    "{id: wd, type: core.flow.WorkingDirectory, tasks: [{id: a, type: test.Later, level: x}]}",
    "not_runnable",
    "wd: Only runnable tasks are allowed as children of a WorkingDirectory task",
  ],
  ["{id: s, type: core.flow.Subflow, namespace: n, flowId: f}", "recursion", "Recursive call to flow [n.f]"],
  [
    "{id: s, type: core.flow.Subflow, namespace: n, flowId: g, labels: {system.a: b}}",
    "bad_label",
    "System labels can only be set by Kestra itself, offending label: system.a=b",
  ],
  [
    "{id: s, type: core.flow.ForEachItem, items: i, namespace: n, flowId: g, labels: [{key: system.a, value: b}]}",
    "bad_label",
    "System labels can only be set by Kestra itself, offending label: system.a=b",
  ],
  [
    "{id: wd, type: core.flow.WorkingDirectory, tasks: [{id: a, type: core.debug.Return, workerGroup: {key: g}}]}",
    "not_supported",
    "Cannot set a Worker Group in any WorkingDirectory sub-tasks, it is only supported at the WorkingDirectory " +
    "level, and not by this server: its tasks share a directory of the server",
  ],
  [
    "{id: a, type: io.kestra.plugin.core.debug.Echo, format: m}",
    "deprecated_type",
    'Type "io.kestra.plugin.core.debug.Echo" is deprecated: use `core.log.Log`',
  ],
  [
    "{id: a, type: core.debug.Return, logLevel: warn}",
    "wrong_value",
    'must be one of "TRACE", "DEBUG", "INFO", "WARN", "ERROR", but received "warn"',
  ],
  [
    "{id: a, type: core.debug.Return, timeout: 60s}",
    "wrong_type",
    'must be an ISO 8601 duration such as "PT10S", or a number of seconds, but received "60s"',
  ],
  [
    "{id: a, type: core.debug.Return, retry: {type: exponential, interval: PT2S, maxInterval: PT2S}}",
    "bad_retry",
    "'interval' must be less than 'maxInterval' but is PT2S",
  ],
  [
    "{id: a, type: core.debug.Return, retry: {type: random, maxAttempt: 3, maxDuration: PT1S, minInterval: PT2S, maxInterval: PT3S}}",
    "bad_retry",
    "'minInterval' must be less than 'maxDuration' but is PT2S",
  ],
  [
    "{id: a, type: core.debug.Return, retry: {type: random, maxAttempt: 3, maxDuration: PT1S, minInterval: PT2S, maxInterval: PT3S}}",
    "bad_retry",
    "'maxInterval' must be less than 'maxDuration' but is PT3S",
  ],
  [
    "{id: a, type: core.debug.Return, retry: {type: linear, interval: PT1S}}",
    "wrong_value",
    'must be one of "constant", "exponential", "random", but received "linear"',
  ],
  [
    "{id: a, type: core.debug.Return, retry: {type: constant, interval: PT1S, behavior: RETRY}}",
    "wrong_value",
    'must be one of "RETRY_FAILED_TASK", "CREATE_NEW_EXECUTION", but received "RETRY"',
  ],
  [
    "{id: a, type: test.Everything, list: [1], number: x}",
    "wrong_type",
    'must be a number, but received "x"',
  ],
  ["{id: a, type: test.Everything, list: [1], short: abcd}", "too_long", "size must be between 0 and 3"],
];

const PROPERTIES: Wordings = [
  ["texts: a", "wrong_type", 'must be a list, but received "a"'],
  ["outdated: [x]", "wrong_type", "must be a text, but received a list"],
  ["free: x", "wrong_type", 'must be an object, but received "x"'],
  ["older: 1", "deprecated", 'is replaced by "current", use that name'],
  ["share: -1", "too_small", "must be greater than or equal to 0"],
  ["unused: 3", "ignored", "has no effect on this server and is ignored"],
  [
    "current: 1, older: 2",
    "duplicate_property",
    "you can't define both `current` and `older`: both mean the same",
  ],
  ["later: x", "wrong_type", 'must be a whole number, but received "x"'],
  ["condition: x", "wrong_type", 'must be a condition, but received "x"'],
  ["share: '7'", "too_large", "must be less than or equal to 1"],
  ["code: abc", "wrong_form", 'must match "[a-z]{2}", but received "abc"'],
  [
    "date: 2026",
    "wrong_type",
    'must be an ISO 8601 date and time such as "2026-01-31T12:00:00Z", but received 2026',
  ],
  ["listOrText: abcdef", "too_long", "size must be between 0 and 4"],
  ["options: {size: 1, mode: C}", "wrong_value", 'must be one of "A", "B", but received "C"'],
  [
    "dynamicObject: {size: '{{ 1 + }}'}",
    "expression",
    'Expected an expression, found "}}" in the expression `{{ 1 + }}` at line 1',
  ],
  [
    "shape: {type: constructor}",
    "wrong_value",
    'must be one of "circle", "square", but received "constructor"',
  ],
  ["outdated: x", "deprecated", "is deprecated: use `current`"],
  ["later: 1", "not_supported", "is not supported yet, remove it"],
  ["named: []", "wrong_type", "must be an object of conditions, but received a list"],
];

const TRIGGERS: Wordings = [
  ["{id: s, type: x.Y}", "unknown_type", "Invalid type: x.Y"],
  ["{id: a.b, type: core.trigger.Webhook, key: k}", "bad_id", 'must match "^[a-zA-Z0-9][a-zA-Z0-9_-]*"'],
  [`{id: ${long(257)}, type: core.trigger.Webhook, key: k}`, "too_long", "size must be between 1 and 256"],
  [
    "{id: s, type: io.svc.plugin.test.LaterTrigger}",
    "unsupported_type",
    'Type "io.svc.plugin.test.LaterTrigger" is not supported yet',
  ],
  [
    `{id: w, type: io.svc.plugin.core.trigger.Webhook, key: ${long(257)}}`,
    "too_long",
    "size must be between 0 and 256",
  ],
  ["x", "wrong_type", 'must be a trigger, but received "x"'],
  [
    '{id: w0, type: io.svc.plugin.core.trigger.Webhook, key: k}\n- {id: w1, type: io.svc.plugin.core.trigger.Webhook, key: " k "}\n- {id: w2, type: io.svc.plugin.core.trigger.Webhook, key: "{{ x }}"}\n- {id: w3, type: io.svc.plugin.core.trigger.Webhook, key: "{{ x }}"}\n- {id: w4, type: io.svc.plugin.core.trigger.Webhook, key: other}',
    "duplicate_key",
    "must differ from the key of triggers[0]",
  ],
  [
    "{id: a, type: core.trigger.Webhook, key: k, inputs: {x: '{{ nwo() }}'}}",
    "unknown_function",
    'Function or Macro [nwo] does not exist, did you mean "now"',
  ],
  [
    "{id: a, type: core.trigger.Webhook, key: k, conditions: x}",
    "wrong_type",
    'must be a list of conditions, but received "x"',
  ],
  [
    "{id: a, type: core.trigger.Webhook, key: k, stopAfter: [FAILED, DONE]}",
    "wrong_value",
    'must be one of "CREATED", "RUNNING", "SUCCESS", "WARNING", "FAILED", "KILLED", "CANCELLED", "QUEUED", "PAUSED", "RESTARTED", "KILLING", "RETRYING", "RETRIED", "SKIPPED", "BREAKPOINT", "RESUBMITTED", "SUBMITTED", but received "DONE"',
  ],
  [
    "{id: w, type: core.trigger.Webhook, key: k, conditions: [{type: core.condition.Expression, expression: '{{ a + }}'}]}",
    "expression",
    'Expected an expression, found "}}" in the expression `{{ a + }}` at line 1',
  ],
  [
    "{id: s, type: core.trigger.Schedule, cron: 5}",
    "bad_cron",
    'invalid cron expression "5": it needs 5 fields, but has 1',
  ],
  [
    '{id: s, type: core.trigger.Schedule, cron: "60 * * * *"}',
    "bad_cron",
    'invalid cron expression "60 * * * *": "60" cannot be used for minutes',
  ],
  [
    '{id: s, type: core.trigger.Schedule, cron: "* 24 * * *"}',
    "bad_cron",
    'invalid cron expression "* 24 * * *": "24" cannot be used for hours',
  ],
  [
    '{id: s, type: core.trigger.Schedule, cron: "* * 0 * *"}',
    "bad_cron",
    'invalid cron expression "* * 0 * *": "0" cannot be used for day of month',
  ],
  [
    '{id: s, type: core.trigger.Schedule, cron: "* * * 13 *"}',
    "bad_cron",
    'invalid cron expression "* * * 13 *": "13" cannot be used for month',
  ],
  [
    '{id: s, type: core.trigger.Schedule, cron: "* * * * 8"}',
    "bad_cron",
    'invalid cron expression "* * * * 8": "8" cannot be used for day of week',
  ],
  [
    '{id: s, type: core.trigger.Schedule, cron: "@never"}',
    "bad_cron",
    'invalid cron expression "@never": known nicknames are @yearly, @annually, @monthly, @weekly, @daily, @midnight, @hourly',
  ],
  [
    "{id: s, type: core.trigger.Schedule, cron: '* * * * *', withSeconds: true}",
    "bad_cron",
    'invalid cron expression "* * * * *": it needs 6 fields, but has 5',
  ],
  [
    "{id: s, type: core.trigger.ScheduleOnDates, timezone: Mars/Base}",
    "bad_zone",
    '"Mars/Base" is not a valid time-zone ID',
  ],
  [
    "{id: t, type: core.trigger.Flow, preconditions: {id: p, timeWindow: {type: DAILY_TIME_DEADLINE}}}",
    "required",
    "Time window of type `DAILY_TIME_DEADLINE` must have a deadline.",
  ],
  [
    '{id: t, type: core.trigger.Flow, preconditions: {id: p, timeWindow: {type: DAILY_TIME_DEADLINE, deadline: "09:00:00Z", window: PT1H}}}',
    "bad_window",
    "Time window of type `DAILY_TIME_DEADLINE` cannot have a window.",
  ],
  [
    '{id: t, type: core.trigger.Flow, preconditions: {id: p, timeWindow: {deadline: "09:00:00Z"}}}',
    "bad_window",
    "Time window of type `DURATION_WINDOW` cannot have a deadline.",
  ],
  [
    '{id: t, type: core.trigger.Flow, preconditions: {id: p, timeWindow: {type: DAILY_TIME_WINDOW, startTime: "06:00:00Z", endTime: "09:00:00Z", window: PT1H}}}',
    "bad_window",
    "Time window of type `DAILY_TIME_WINDOW` cannot have a deadline. As a window, that belongs to other types: this one has a start time and an end time",
  ],
  [
    "{id: t, type: core.trigger.Flow, preconditions: {id: p, timeWindow: {type: SLIDING_WINDOW, windowAdvance: PT1H}}}",
    "bad_window",
    "Time window of type `SLIDING_WINDOW` cannot have a window advance.",
  ],
  [
    '{id: t, type: core.trigger.Flow, preconditions: {id: p, timeWindow: {type: DAILY_TIME_WINDOW, startTime: "06:00:00Z"}}}',
    "required",
    "Time window of type `DAILY_TIME_WINDOW` must have an end time.",
  ],
  [
    "{id: t, type: core.trigger.Flow, preconditions: {id: p, where: [{id: w, filters: [{field: FLOW_ID, type: EQUAL_TO, values: [a]}]}]}}",
    "bad_filter",
    "`values` must be null for type EQUAL_TO",
  ],
  [
    "{id: t, type: core.trigger.Flow, preconditions: {id: p, where: [{id: w, filters: [{field: FLOW_ID, type: CONTAINS}]}]}}",
    "bad_filter",
    "`value` cannot be null for type CONTAINS",
  ],
  ...["IS_NULL", "IS_NOT_NULL", "IS_TRUE", "IS_FALSE"].map((type) =>
    [
      `{id: t, type: core.trigger.Flow, preconditions: {id: p, where: [{id: w, filters: [{field: FLOW_ID, type: ${type}, values: [a]}]}]}}`,
      "bad_filter",
      `\`value\` cannot be null for type ${type}`,
    ] as const
  ),
  [
    "{id: t, type: core.trigger.Flow, preconditions: {id: p, where: [{id: w, filters: [{field: FLOW_ID, type: NOT_IN, value: a}]}]}}",
    "bad_filter",
    "`values` cannot be null for type NOT_IN",
  ],
  [
    "{id: t, type: core.trigger.Flow, preconditions: {id: p, where: [{id: w, filters: [{field: FLOW_ID, type: NOT_IN, value: a}]}]}}",
    "bad_filter",
    "`value` must be null for type NOT_IN",
  ],
];

const GROUPS: readonly (readonly [noun: string, rows: Wordings, build: (part: string) => string])[] = [
  ["a source", HEADS, (source) => source],
  ["a flow with", FLOWS, (part) => VALID + part],
  ["labels", LABELS, (part) => `${VALID}labels: ${part}\n`],
  ["an input", INPUTS, (part) => `${VALID}inputs:\n- ${part}\n`],
  ["a task", TASKS, (part) => `id: f\nnamespace: n\ntasks:\n- ${part}\n`],
  [
    "a property",
    PROPERTIES,
    (part) => `id: f\nnamespace: n\ntasks:\n- {id: a, type: test.Schemas, ${part}}\n`,
  ],
  ["a trigger", TRIGGERS, (part) => `${VALID}triggers:\n- ${part}\n`],
];

const OPTIONS = { expressions: { functions: new Set(["secret"]) } };

for (const [noun, rows, build] of GROUPS) {
  for (const [part, code, message] of rows) {
    Deno.test(`validateFlow() of ${noun} ${part.slice(0, 100)} says ${code}: ${message.slice(0, 60)}`, () => {
      const problems = validateFlow(parseFlowSource(build(part)), catalogs, OPTIONS);
      const found = problems.map((problem) => `${problem.code}: ${problem.message}`);
      assert(found.includes(`${code}: ${message}`), found.join("\n"));
    });
  }
}
