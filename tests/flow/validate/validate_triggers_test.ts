import { assertEquals } from "@std/assert";
import { parseFlowSource, validateFlow } from "../../../src/flow/mod.ts";
import { createTaskCatalog } from "../../../src/tasks/registry.ts";
import { createTriggerCatalog } from "../../../src/triggers/registry.ts";
import { problemsOf, type Rows, VALID } from "../flow_support.ts";

/** One trigger, in flow style, at 6:3. */
const TRIGGERS: Rows = [
  ["of an unknown type", "{id: a, type: core.trigger.Schedul, cron: x}", [
    "unknown_type triggers[0].type @6:17+20",
  ]],
  ["of a task's type", "{id: a, type: core.log.Log}", ["unknown_type triggers[0].type @6:17+12"]],
  ["of a condition's type", "{id: a, type: core.condition.Not}", ["unknown_type triggers[0].type @6:17+18"]],
  ["by an old name", "{id: w, type: io.kestra.core.models.triggers.types.Webhook, key: k}", [
    "warning replaced_type triggers[0].type @6:17+44",
  ]],
  ["of a planned type with a wrong property", "{id: a, type: test.LaterTrigger, interval: x}", [
    "wrong_type triggers[0].interval @6:46+1",
  ]],
  ["with an id of another form", "{id: a.b, type: core.trigger.Webhook, key: k}", [
    "bad_id triggers[0].id @6:8+3",
  ]],
  [
    "with a long id",
    "{id: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, type: core.trigger.Webhook, key: k}",
    ["too_long triggers[0].id @6:8+257"],
  ],
  ["that is null", "null", ["wrong_type triggers[0] @6:3+4"]],
  ["with an ignored property", "{id: a, type: core.trigger.Webhook, key: k, workerGroup: {key: x}}", [
    "warning ignored triggers[0].workerGroup @6:47+11",
  ]],
  [
    "with a reference to no input",
    "{id: a, type: core.trigger.Webhook, key: k, inputs: {x: '{{ inputs.nothing }}'}}",
    [],
  ],
  ["with a call of no function", "{id: a, type: core.trigger.Webhook, key: k, inputs: {x: '{{ nwo() }}'}}", [
    "warning unknown_function triggers[0].inputs.x @6:59+13",
  ]],
  [
    "with a wrong property that all triggers have",
    "{id: a, type: core.trigger.Webhook, key: k, disabled: 3, description: [x]}",
    [
      "wrong_type triggers[0].disabled @6:57+1",
      "wrong_type triggers[0].description @6:73+3",
    ],
  ],
  ["with wrong conditions", "{id: a, type: core.trigger.Webhook, key: k, conditions: x}", [
    "wrong_type triggers[0].conditions @6:59+1",
  ]],
  ["that stops after no state", "{id: a, type: core.trigger.Webhook, key: k, stopAfter: [FAILED, DONE]}", [
    "wrong_value triggers[0].stopAfter[1] @6:67+4",
  ]],
  [
    "with wrong planned properties",
    "{id: a, type: core.trigger.Webhook, key: k, inputs: [x], labels: x, stopAfter: x, allowConcurrent: x}",
    [
      "wrong_type triggers[0].inputs @6:55+3",
      "wrong_type triggers[0].labels @6:68+1",
      "wrong_type triggers[0].stopAfter @6:82+1",
      "wrong_type triggers[0].allowConcurrent @6:102+1",
    ],
  ],
];

/** A webhook with one condition, at 6:3. */
const CONDITIONS: Rows = [
  [
    "that is complete",
    "{id: w, type: core.trigger.Webhook, key: k, conditions: [{type: core.condition.Expression, expression: x}]}",
    [],
  ],
  [
    "with an expression",
    "{id: w, type: core.trigger.Webhook, key: k, conditions: [{type: core.condition.Expression, expression: '{{ trigger.x }}'}]}",
    [],
  ],
  [
    "by its older name",
    "{id: w, type: core.trigger.Webhook, key: k, conditions: [{type: io.kestra.plugin.core.condition.ExpressionCondition, expression: x}]}",
    ["warning replaced_type triggers[0].conditions[0].type @6:67+51"],
  ],
  [
    "without a required property",
    "{id: w, type: core.trigger.Webhook, key: k, conditions: [{type: core.condition.Expression}]}",
    ["required triggers[0].conditions[0].expression @6:60+33"],
  ],
  [
    "with an unknown property",
    "{id: w, type: core.trigger.Webhook, key: k, conditions: [{type: core.condition.Expression, expression: x, expresion: y}]}",
    ["unknown_property triggers[0].conditions[0].expresion @6:109+9"],
  ],
  [
    "of an unknown type",
    "{id: w, type: core.trigger.Webhook, key: k, conditions: [{type: core.condition.Expresion, expression: x}]}",
    ["unknown_type triggers[0].conditions[0].type @6:67+24"],
  ],
  [
    "of a task's type",
    "{id: w, type: core.trigger.Webhook, key: k, conditions: [{type: core.log.Log, message: x}]}",
    ["unknown_type triggers[0].conditions[0].type @6:67+12"],
  ],
  ["without type", "{id: w, type: core.trigger.Webhook, key: k, conditions: [{expression: x}]}", [
    "required triggers[0].conditions[0].type @6:60+15",
  ]],
  ["that is a text", "{id: w, type: core.trigger.Webhook, key: k, conditions: [x]}", [
    "wrong_type triggers[0].conditions[0] @6:60+1",
  ]],
  ["that is null", "{id: w, type: core.trigger.Webhook, key: k, conditions: [null]}", [
    "required triggers[0].conditions[0] @6:60+4",
  ]],
  [
    "within another",
    "{id: w, type: core.trigger.Webhook, key: k, conditions: [{type: core.condition.Not, conditions: [{type: core.condition.Expression}]}]}",
    ["required triggers[0].conditions[0].conditions[0].expression @6:100+33"],
  ],
  [
    "without conditions within",
    "{id: w, type: core.trigger.Webhook, key: k, conditions: [{type: core.condition.Not, conditions: []}]}",
    ["required triggers[0].conditions[0].conditions @6:99+2"],
  ],
  [
    "deep within others",
    "{id: w, type: core.trigger.Webhook, key: k, conditions: [{type: core.condition.Not, conditions: [{type: core.condition.Multiple, conditions: {a: {type: core.condition.One, condition: {type: x}}}}]}]}",
    ["unknown_type triggers[0].conditions[0].conditions[0].conditions.a.condition.type @6:193+1"],
  ],
  [
    "with a broken expression",
    "{id: w, type: core.trigger.Webhook, key: k, conditions: [{type: core.condition.Expression, expression: '{{ a + }}'}]}",
    ["warning expression triggers[0].conditions[0].expression @6:106+11"],
  ],
  [
    "with a list instead of one within",
    "{id: w, type: core.trigger.Webhook, key: k, conditions: [{type: core.condition.One, condition: []}]}",
    ["wrong_type triggers[0].conditions[0].condition @6:98+2"],
  ],
];

/** One schedule, at 6:3. */
const SCHEDULES: Rows = [
  ['the cron expression "* * * * *"', '{id: s, type: core.trigger.Schedule, cron: "* * * * *"}', []],
  [
    'the cron expression "*/5 0-12 1,15 JAN-MAR mon"',
    '{id: s, type: core.trigger.Schedule, cron: "*/5 0-12 1,15 JAN-MAR mon"}',
    [],
  ],
  ['the cron expression "0 0 * * 7"', '{id: s, type: core.trigger.Schedule, cron: "0 0 * * 7"}', []],
  ['the cron expression "0 0 * * SUN"', '{id: s, type: core.trigger.Schedule, cron: "0 0 * * SUN"}', []],
  ['the cron expression "@daily"', '{id: s, type: core.trigger.Schedule, cron: "@daily"}', []],
  ['the cron expression "@hourly"', '{id: s, type: core.trigger.Schedule, cron: "@hourly"}', []],
  ['the cron expression "59 23 31 12 0"', '{id: s, type: core.trigger.Schedule, cron: "59 23 31 12 0"}', []],
  [
    'the cron expression "0 9-17/2 * * 1-5"',
    '{id: s, type: core.trigger.Schedule, cron: "0 9-17/2 * * 1-5"}',
    [],
  ],
  [
    'the cron expression "$ome Inv@lid Cr0n"',
    '{id: s, type: core.trigger.Schedule, cron: "$ome Inv@lid Cr0n"}',
    ["bad_cron triggers[0].cron @6:46+19"],
  ],
  ['the cron expression "* * * *"', '{id: s, type: core.trigger.Schedule, cron: "* * * *"}', [
    "bad_cron triggers[0].cron @6:46+9",
  ]],
  ["a cron expression that is no text", "{id: s, type: core.trigger.Schedule, cron: 5}", [
    "bad_cron triggers[0].cron @6:46+1",
  ]],
  ['the cron expression "* * * * * *"', '{id: s, type: core.trigger.Schedule, cron: "* * * * * *"}', [
    "bad_cron triggers[0].cron @6:46+13",
  ]],
  ['the cron expression "60 * * * *"', '{id: s, type: core.trigger.Schedule, cron: "60 * * * *"}', [
    "bad_cron triggers[0].cron @6:46+12",
  ]],
  ['the cron expression "* 24 * * *"', '{id: s, type: core.trigger.Schedule, cron: "* 24 * * *"}', [
    "bad_cron triggers[0].cron @6:46+12",
  ]],
  ['the cron expression "* * 0 * *"', '{id: s, type: core.trigger.Schedule, cron: "* * 0 * *"}', [
    "bad_cron triggers[0].cron @6:46+11",
  ]],
  ['the cron expression "* * * 13 *"', '{id: s, type: core.trigger.Schedule, cron: "* * * 13 *"}', [
    "bad_cron triggers[0].cron @6:46+12",
  ]],
  ['the cron expression "* * * * 8"', '{id: s, type: core.trigger.Schedule, cron: "* * * * 8"}', [
    "bad_cron triggers[0].cron @6:46+11",
  ]],
  ['the cron expression "*/0 * * * *"', '{id: s, type: core.trigger.Schedule, cron: "*/0 * * * *"}', [
    "bad_cron triggers[0].cron @6:46+13",
  ]],
  ['the cron expression "5-1 * * * *"', '{id: s, type: core.trigger.Schedule, cron: "5-1 * * * *"}', [
    "bad_cron triggers[0].cron @6:46+13",
  ]],
  ['the cron expression "@never"', '{id: s, type: core.trigger.Schedule, cron: "@never"}', [
    "bad_cron triggers[0].cron @6:46+8",
  ]],
  ['the cron expression "* * * * MONDAY"', '{id: s, type: core.trigger.Schedule, cron: "* * * * MONDAY"}', [
    "bad_cron triggers[0].cron @6:46+16",
  ]],
  ['the cron expression "-1 * * * *"', '{id: s, type: core.trigger.Schedule, cron: "-1 * * * *"}', [
    "bad_cron triggers[0].cron @6:46+12",
  ]],
  ['the cron expression "1,, * * * *"', '{id: s, type: core.trigger.Schedule, cron: "1,, * * * *"}', [
    "bad_cron triggers[0].cron @6:46+13",
  ]],
  [
    'the cron expression "{{ inputs.cron }}"',
    '{id: s, type: core.trigger.Schedule, cron: "{{ inputs.cron }}"}',
    [],
  ],
  ['the cron expression ""', '{id: s, type: core.trigger.Schedule, cron: ""}', [
    "bad_cron triggers[0].cron @6:46+2",
  ]],
  [
    "a cron expression with seconds",
    "{id: s, type: core.trigger.Schedule, cron: '* * * * * *', withSeconds: true}",
    [],
  ],
  [
    "a cron expression without seconds where they are",
    "{id: s, type: core.trigger.Schedule, cron: '* * * * *', withSeconds: true}",
    ["bad_cron triggers[0].cron @6:46+11"],
  ],
  ["no cron expression", "{id: s, type: core.trigger.Schedule}", ["required triggers[0].cron @6:3+36"]],
  [
    'the zone "Europe/Paris"',
    "{id: s, type: core.trigger.Schedule, cron: '@daily', timezone: \"Europe/Paris\"}",
    [],
  ],
  ['the zone "UTC"', "{id: s, type: core.trigger.Schedule, cron: '@daily', timezone: \"UTC\"}", []],
  ['the zone "Z"', "{id: s, type: core.trigger.Schedule, cron: '@daily', timezone: \"Z\"}", []],
  ['the zone "+02:00"', "{id: s, type: core.trigger.Schedule, cron: '@daily', timezone: \"+02:00\"}", []],
  ['the zone "GMT+2"', "{id: s, type: core.trigger.Schedule, cron: '@daily', timezone: \"GMT+2\"}", []],
  [
    'the zone "UTC-11:30"',
    "{id: s, type: core.trigger.Schedule, cron: '@daily', timezone: \"UTC-11:30\"}",
    [],
  ],
  ['the zone "Foo/Bar"', "{id: s, type: core.trigger.Schedule, cron: '@daily', timezone: \"Foo/Bar\"}", [
    "bad_zone triggers[0].timezone @6:66+9",
  ]],
  ['the zone "+19:00"', "{id: s, type: core.trigger.Schedule, cron: '@daily', timezone: \"+19:00\"}", [
    "bad_zone triggers[0].timezone @6:66+8",
  ]],
  [
    'the zone "Paris/Europe"',
    "{id: s, type: core.trigger.Schedule, cron: '@daily', timezone: \"Paris/Europe\"}",
    ["bad_zone triggers[0].timezone @6:66+14"],
  ],
  ['the zone "{{ x }}"', "{id: s, type: core.trigger.Schedule, cron: '@daily', timezone: \"{{ x }}\"}", []],
  ["a zone of given dates", "{id: s, type: core.trigger.ScheduleOnDates, timezone: Mars/Base}", [
    "bad_zone triggers[0].timezone @6:57+9",
  ]],
];

/** A flow trigger with a time window, at 6:3. */
const TIME_WINDOWS: Rows = [
  ["a deadline", timeWindow('{type: DAILY_TIME_DEADLINE, deadline: "09:00:00Z"}'), []],
  [
    "a time of day",
    timeWindow('{type: DAILY_TIME_WINDOW, startTime: "06:00:00Z", endTime: "09:00:00Z"}'),
    [],
  ],
  ["no deadline", timeWindow("{type: DAILY_TIME_DEADLINE}"), [
    "required triggers[0].preconditions.timeWindow @6:71+27",
  ]],
  [
    "a length beside a deadline",
    timeWindow('{type: DAILY_TIME_DEADLINE, deadline: "09:00:00Z", window: PT1H}'),
    [
      "bad_window triggers[0].preconditions.timeWindow.window @6:130+4",
    ],
  ],
  ["a deadline beside a length", timeWindow('{type: SLIDING_WINDOW, window: PT1H, deadline: "09:00:00Z"}'), [
    "bad_window triggers[0].preconditions.timeWindow.deadline @6:118+11",
  ]],
  ["a deadline of no type", timeWindow('{deadline: "09:00:00Z"}'), [
    "bad_window triggers[0].preconditions.timeWindow.deadline @6:82+11",
  ]],
  ["a length", timeWindow("{window: PT1H, windowAdvance: PT5M}"), []],
  ["a sliding length", timeWindow("{type: SLIDING_WINDOW, window: PT1H}"), []],
  [
    "an advance of a sliding length",
    timeWindow("{type: SLIDING_WINDOW, window: PT1H, windowAdvance: PT5M}"),
    ["bad_window triggers[0].preconditions.timeWindow.windowAdvance @6:123+4"],
  ],
  [
    "a length of a time of day",
    timeWindow('{type: DAILY_TIME_WINDOW, startTime: "06:00:00Z", endTime: "09:00:00Z", window: PT1H}'),
    [
      "bad_window triggers[0].preconditions.timeWindow @6:71+85",
      "bad_window triggers[0].preconditions.timeWindow.window @6:151+4",
    ],
  ],
  [
    "a deadline of a time of day",
    timeWindow(
      '{type: DAILY_TIME_WINDOW, startTime: "06:00:00Z", endTime: "09:00:00Z", window: PT1H, deadline: "07:00:00Z"}',
    ),
    [
      "bad_window triggers[0].preconditions.timeWindow.window @6:151+4",
      "bad_window triggers[0].preconditions.timeWindow.deadline @6:167+11",
    ],
  ],
  ["no end of the time", timeWindow('{type: DAILY_TIME_WINDOW, startTime: "06:00:00Z"}'), [
    "required triggers[0].preconditions.timeWindow @6:71+49",
  ]],
];

function timeWindow(window: string): string {
  return `{id: t, type: core.trigger.Flow, preconditions: {id: p, timeWindow: ${window}}}`;
}

/** A flow trigger with one filter, at 6:3. */
const FILTERS: Rows = [
  [
    "with a value",
    "{id: t, type: core.trigger.Flow, preconditions: {id: p, where: [{id: w, filters: [{field: FLOW_ID, type: EQUAL_TO, value: x}]}]}}",
    [],
  ],
  [
    "with values",
    "{id: t, type: core.trigger.Flow, preconditions: {id: p, where: [{id: w, filters: [{field: FLOW_ID, type: IN, values: [x]}]}]}}",
    [],
  ],
  [
    "with both",
    "{id: t, type: core.trigger.Flow, preconditions: {id: p, where: [{id: w, filters: [{field: FLOW_ID, type: STARTS_WITH, value: a, values: [a, b]}]}]}}",
    ["bad_filter triggers[0].preconditions.where[0].filters[0].values @6:139+6"],
  ],
  [
    "with values instead of a value",
    "{id: t, type: core.trigger.Flow, preconditions: {id: p, where: [{id: w, filters: [{field: FLOW_ID, type: EQUAL_TO, values: [a]}]}]}}",
    [
      "bad_filter triggers[0].preconditions.where[0].filters[0] @6:85+45",
      "bad_filter triggers[0].preconditions.where[0].filters[0].values @6:126+3",
    ],
  ],
  [
    "with a value instead of values",
    "{id: t, type: core.trigger.Flow, preconditions: {id: p, where: [{id: w, filters: [{field: FLOW_ID, type: NOT_IN, value: a}]}]}}",
    [
      "bad_filter triggers[0].preconditions.where[0].filters[0] @6:85+40",
      "bad_filter triggers[0].preconditions.where[0].filters[0].value @6:123+1",
    ],
  ],
  [
    "with neither",
    "{id: t, type: core.trigger.Flow, preconditions: {id: p, where: [{id: w, filters: [{field: FLOW_ID, type: CONTAINS}]}]}}",
    ["bad_filter triggers[0].preconditions.where[0].filters[0] @6:85+32"],
  ],
  [
    "that needs neither",
    "{id: t, type: core.trigger.Flow, preconditions: {id: p, where: [{id: w, filters: [{field: FLOW_ID, type: IS_NOT_NULL}]}]}}",
    [],
  ],
  [
    "that needs neither and has a value, which older releases required",
    "{id: t, type: core.trigger.Flow, preconditions: {id: p, where: [{id: w, filters: [{field: FLOW_ID, type: IS_NULL, value: x}]}]}}",
    [],
  ],
  [
    "that needs neither and has values",
    "{id: t, type: core.trigger.Flow, preconditions: {id: p, where: [{id: w, filters: [{field: FLOW_ID, type: IS_NULL, values: [x]}]}]}}",
    [
      "bad_filter triggers[0].preconditions.where[0].filters[0] @6:85+44",
      "bad_filter triggers[0].preconditions.where[0].filters[0].values @6:125+3",
    ],
  ],
  [
    "that needs neither and has both",
    "{id: t, type: core.trigger.Flow, preconditions: {id: p, where: [{id: w, filters: [{field: FLOW_ID, type: IS_TRUE, value: x, values: [x]}]}]}}",
    ["bad_filter triggers[0].preconditions.where[0].filters[0].values @6:135+3"],
  ],
  ...["IS_TRUE", "IS_FALSE", "IS_NULL", "IS_NOT_NULL", "EQUAL_TO"].map((type) =>
    [
      `of an expression and type ${type}`,
      `{id: t, type: core.trigger.Flow, preconditions: {id: p, where: [{id: w, filters: [{field: EXPRESSION, type: ${type}, value: "{{ outputs.x }}"}]}]}}`,
      [],
    ] as const
  ),
  [
    "of an expression among values",
    `{id: t, type: core.trigger.Flow, preconditions: {id: p, where: [{id: w, filters: [{field: EXPRESSION, type: IN, value: "{{ outputs.x }}", values: [a]}]}]}}`,
    [],
  ],
  [
    "of an expression without one",
    "{id: t, type: core.trigger.Flow, preconditions: {id: p, where: [{id: w, filters: [{field: EXPRESSION, type: IS_TRUE}]}]}}",
    ["bad_filter triggers[0].preconditions.where[0].filters[0] @6:85+34"],
  ],
  [
    "without type",
    "{id: t, type: core.trigger.Flow, preconditions: {id: p, where: [{id: w, filters: [{field: FLOW_ID}]}]}}",
    [],
  ],
  [
    "that is a text",
    "{id: t, type: core.trigger.Flow, preconditions: {id: p, where: [{id: w, filters: [x]}]}}",
    [],
  ],
];

/** Each group of rows, and the source around a part. */
const GROUPS: readonly (readonly [string, Rows, (part: string) => string])[] = [
  ["a trigger", TRIGGERS, (part) => `${VALID}triggers:\n- ${part}\n`],
  ["a condition", CONDITIONS, (part) => `${VALID}triggers:\n- ${part}\n`],
  ["a schedule with", SCHEDULES, (part) => `${VALID}triggers:\n- ${part}\n`],
  ["a time window", TIME_WINDOWS, (part) => `${VALID}triggers:\n- ${part}\n`],
  ["a filter", FILTERS, (part) => `${VALID}triggers:\n- ${part}\n`],
];

for (const [group, rows, build] of GROUPS) {
  for (const [name, part, expected] of rows) {
    Deno.test(`validateFlow() ${group} ${name}`, () => {
      assertEquals(problemsOf(build(part), { withPlanned: false }), [...expected]);
    });
  }
}

/** A condition of a listener, and its problems. */
const LISTENER_CONDITIONS:
  readonly (readonly [name: string, condition: string, problems: readonly string[]])[] = [
    ["a state", "{type: $ExecutionStatus, in: [FAILED]}", []],
    [
      "an older name",
      "{type: io.kestra.core.models.conditions.types.ExecutionStatusCondition, in: [FAILED]}",
      [
        "replaced_type listeners[0].conditions[0].type",
      ],
    ],
    ["several executions", "{type: $MultipleCondition, id: m, conditions: {}}", [
      "not_supported listeners[0].conditions[0].type",
    ]],
    ["an unknown type", "{type: $Maybe}", ["unknown_type listeners[0].conditions[0].type"]],
  ];
for (const [name, condition, expected] of LISTENER_CONDITIONS) {
  Deno.test(`validateFlow() a condition of a listener: ${name}`, () => {
    const written = condition.replace("$", "io.kestra.plugin.core.condition.");
    const source = `id: f
namespace: demo
tasks: [{id: t, type: io.kestra.plugin.core.execution.Fail}]
listeners: [{conditions: [${written}], tasks: [{id: l, type: io.kestra.plugin.core.execution.Fail}]}]
`;
    const catalogs = { tasks: createTaskCatalog(), triggers: createTriggerCatalog() };
    const found = validateFlow(parseFlowSource(source), catalogs).filter(({ path }) =>
      path.includes("conditions")
    );
    assertEquals(found.map(({ code, path }) => `${code} ${path}`), expected);
  });
}

/** Triggers with a condition on several executions. */
const WINDOWS: readonly (readonly [trigger: string, expected: readonly string[]])[] = [
  ["type: $trigger.Webhook, key: 0123456789abcdef", ["not_supported triggers[0].conditions[0].type"]],
  ["type: $trigger.Schedule, cron: '@daily'", []],
  ["type: $trigger.Flow", []],
];

for (const [members, expected] of WINDOWS) {
  Deno.test(`validateFlow() a condition on several executions of a trigger with ${members}`, () => {
    const source = `id: f
namespace: demo
tasks: [{id: t, type: $execution.Fail}]
triggers:
  - {id: a, ${members}, conditions: [{type: $condition.MultipleCondition, id: m, conditions: {x: {type: $condition.ExecutionFlow, namespace: demo, flowId: x}}}]}
`.replaceAll("$", "io.kestra.plugin.core.");
    const catalogs = { tasks: createTaskCatalog(), triggers: createTriggerCatalog() };
    const found = validateFlow(parseFlowSource(source), catalogs).filter(({ severity }) =>
      severity === "error"
    );
    assertEquals(found.map(({ code, path }) => `${code} ${path}`), expected);
  });
}

/** Sources, and the errors of a save: texts that existing clients know. */
const KNOWN_TEXTS: readonly (readonly [members: string, expected: readonly string[]])[] = [
  [
    "tasks: [{id: a, type: $execution.Fail}, {id: b, type: $execution.Fail}, {id: a, type: $execution.Fail}]\nerrors: [{id: b, type: $execution.Fail}]",
    [
      "tasks[2].id: Duplicate task id with name [a, b]",
      "errors[0].id: Duplicate task id with name [a, b]",
    ],
  ],
  [
    "tasks: [{id: t, type: $execution.Fail}]\ntriggers: [{id: a, type: $trigger.Schedule, cron: '@daily', interval: PT1S}]",
    [
      "triggers[0].interval: must be null: the trigger has its own dates",
    ],
  ],
  [
    "tasks: [{id: t, type: $execution.Fail}]\ntriggers: [{id: a, type: $trigger.ScheduleOnDates, dates: ['2026-01-01T00:00:00Z'], interval: PT1S}]",
    [
      "triggers[0].interval: must be null: the trigger has its own dates",
    ],
  ],
];

Deno.test("validateFlow() reports inputs of a declared backfill that the trigger cannot store", () => {
  const backfill = `{start: '2026-01-01T00:00:00Z', inputs: {x: '${"x".repeat(24 * 1024)}'}}`;
  const trigger = `{id: t, type: core.trigger.Schedule, cron: '@daily', backfill: ${backfill}}`;
  const source =
    `id: f\nnamespace: demo\ntasks: [{id: t, type: core.execution.Fail}]\ntriggers: [${trigger}]\n`;
  const catalogs = { tasks: createTaskCatalog(), triggers: createTriggerCatalog() };
  const found = validateFlow(parseFlowSource(source), catalogs);
  assertEquals(found.map(({ path, message }) => `${path}: ${message}`), [
    "triggers[0].backfill.inputs: must have at most 24576 bytes as JSON",
  ]);
});

for (const [members, expected] of KNOWN_TEXTS) {
  Deno.test(`validateFlow() says what existing clients know: ${expected[0]}`, () => {
    const source = `id: f\nnamespace: demo\n${members}\n`.replaceAll("$", "io.kestra.plugin.core.");
    const catalogs = { tasks: createTaskCatalog(), triggers: createTriggerCatalog() };
    const found = validateFlow(parseFlowSource(source), catalogs).filter(({ severity }) =>
      severity === "error"
    );
    assertEquals(found.map(({ path, message }) => `${path}: ${message}`), expected);
  });
}
