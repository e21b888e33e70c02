import { assertEquals } from "@std/assert";
import { problemsOf, type Rows } from "../flow_support.ts";

/** One task, in flow style, at 4:3. */
const NESTED: Rows = [
  [
    "nested tasks",
    "{id: a, type: core.flow.Parallel, tasks: [{id: b, type: core.debug.Return}, {id: c, type: core.flow.Parallel, tasks: [{id: d, type: core.debug.Return}]}]}",
    [],
  ],
  [
    "a nested task with the id of its parent",
    "{id: a, type: core.flow.Parallel, tasks: [{id: a, type: core.debug.Return}]}",
    ["tasks[0].tasks[0].id: Duplicate task id with name [a] @4:50+1"],
  ],
  [
    "two nested tasks of one id",
    "{id: a, type: core.flow.Parallel, tasks: [{id: b, type: core.debug.Return}, {id: c, type: core.flow.Parallel, tasks: [{id: b, type: core.debug.Return}]}]}",
    ["tasks[0].tasks[1].tasks[0].id: Duplicate task id with name [b] @4:126+1"],
  ],
  [
    "errors of a nested task with an id from outside",
    "{id: a, type: core.flow.Parallel, tasks: [{id: b, type: core.debug.Return}], errors: [{id: a, type: core.debug.Return}], finally: [{id: b, type: core.debug.Return}]}",
    [
      "tasks[0].errors[0].id: Duplicate task id with name [a] @4:94+1",
      "tasks[0].finally[0].id: Duplicate task id with name [b] @4:139+1",
    ],
  ],
  [
    "a cache of a task that does no work",
    "{id: a, type: core.flow.Parallel, tasks: [{id: b, type: core.debug.Return, taskCache: {enabled: true}}], taskCache: {enabled: true}}",
    [
      'warning tasks[0].taskCache: has no effect on a task of type "core.flow.Parallel" and is ignored: only runnable tasks keep outputs @4:108+9',
    ],
  ],
  ["no nested tasks", "{id: a, type: core.flow.Parallel}", ["tasks[0].tasks: must not be empty @4:3+33"]],
  ["an empty list of nested tasks", "{id: a, type: core.flow.Parallel, tasks: []}", [
    "tasks[0].tasks: must not be empty @4:44+2",
  ]],
  ["null as nested tasks", "{id: a, type: core.flow.Parallel, tasks: null}", [
    "tasks[0].tasks: must not be empty @4:44+4",
  ]],
  ["a text as nested tasks", "{id: a, type: core.flow.Parallel, tasks: x}", [
    'tasks[0].tasks: must be a list of tasks, but received "x" @4:44+1',
  ]],
  ["a text among nested tasks", "{id: a, type: core.flow.Parallel, tasks: [x]}", [
    'tasks[0].tasks[0]: must be a task, but received "x" @4:45+1',
  ]],
  ["null among nested tasks", "{id: a, type: core.flow.Parallel, tasks: [null]}", [
    "tasks[0].tasks[0]: must be a task, but received null @4:45+4",
  ]],
  [
    "a wrong property deep inside",
    "{id: a, type: core.flow.Parallel, tasks: [{id: b, type: core.flow.Parallel, tasks: [{id: c, type: core.log.Log, messages: x}]}]}",
    [
      "tasks[0].tasks[0].tasks[0].message: must not be null @4:87+40",
      'tasks[0].tasks[0].tasks[0].messages: Unrecognized field "messages", did you mean "message" @4:115+8',
    ],
  ],
  [
    "an unknown type deep inside",
    "{id: a, type: core.flow.Parallel, tasks: [{id: b, type: core.flow.Paralel, tasks: []}]}",
    ['tasks[0].tasks[0].type: Invalid type: core.flow.Paralel, did you mean "core.flow.Parallel" @4:59+17'],
  ],
  ["one nested task", "{id: a, type: test.One, task: {id: b, type: core.debug.Return}}", []],
  ["one wrong nested task", "{id: a, type: test.One, task: {id: a, type: core.debug.Return, x: 1}}", [
    "tasks[0].task.id: Duplicate task id with name [a] @4:38+1",
    'tasks[0].task.x: Unrecognized field "x" @4:66+1',
  ]],
  ["a list where one task is expected", "{id: a, type: test.One, task: [{id: b, type: core.debug.Return}]}", [
    "tasks[0].task: must be a task, but received a list @4:33+34",
  ]],
  ["no task where one is expected", "{id: a, type: test.One}", ["tasks[0].task: must not be null @4:3+23"]],
  ["inputs of a task", "{id: a, type: test.Asks, onResume: [{id: i, type: STRING}, {id: j, type: INT}]}", []],
  [
    "inputs of a task that refer to one another",
    "{id: a, type: test.Asks, onResume: [{id: i, type: STRING, defaults: '{{ inputs.j }}'}]}",
    [],
  ],
  [
    "equal ids among the inputs of a task",
    "{id: a, type: test.Asks, onResume: [{id: i, type: STRING}, {id: i, type: INT}]}",
    ["tasks[0].onResume[1].id: Duplicate input with name [i] @4:67+1"],
  ],
  ["an input of an unknown type", "{id: a, type: test.Asks, onResume: [{id: i, type: STRNG}]}", [
    'tasks[0].onResume[0].type: Invalid type: STRNG, did you mean "STRING" @4:53+5',
  ]],
  ["a text as inputs of a task", "{id: a, type: test.Asks, onResume: x}", [
    'tasks[0].onResume: must be a list of inputs, but received "x" @4:38+1',
  ]],
  [
    "what is nested in a planned type",
    "{id: a, type: test.Later, level: x, tasks: [{id: a, type: core.debug.Return}]}",
    ["tasks[0].tasks[0].id: Duplicate task id with name [a] @4:52+1"],
  ],
  ["a planned type with wrong properties", "{id: a, type: test.Later, tasks: x}", [
    "tasks[0].level: must not be null @4:3+35",
    'tasks[0].tasks: must be a list of tasks, but received "x" @4:36+1',
  ]],
];

/** One Switch, at 4:3. */
const SWITCHES: Rows = [
  [
    "branches",
    "{id: a, type: core.flow.Switch, value: x, cases: {x: [{id: b, type: core.debug.Return}], y: [{id: c, type: core.debug.Return}]}, defaults: [{id: d, type: core.debug.Return}]}",
    [],
  ],
  [
    "equal ids in two branches",
    "{id: a, type: core.flow.Switch, value: x, cases: {x: [{id: b, type: core.debug.Return}], y: [{id: b, type: core.debug.Return}]}}",
    ["tasks[0].cases.y[0].id: Duplicate task id with name [b] @4:101+1"],
  ],
  ["no branches", "{id: a, type: core.flow.Switch, value: x}", [
    "tasks[0]: a: No task defined, neither cases or default have any tasks @4:3+41",
  ]],
  ["empty branches", "{id: a, type: core.flow.Switch, value: x, cases: {}}", [
    "tasks[0]: a: No task defined, neither cases or default have any tasks @4:3+52",
  ]],
  ["a text as branches", "{id: a, type: core.flow.Switch, value: x, cases: y}", [
    'tasks[0].cases: must be an object of lists of tasks, but received "y" @4:52+1',
  ]],
  ["a list as branches", "{id: a, type: core.flow.Switch, value: x, cases: [y]}", [
    "tasks[0].cases: must be an object of lists of tasks, but received a list @4:52+3",
  ]],
  ["null as a branch", "{id: a, type: core.flow.Switch, value: x, cases: {y: }}", [
    "tasks[0].cases.y: must not be null @4:56+1",
  ]],
  [
    "a task as a branch",
    "{id: a, type: core.flow.Switch, value: x, cases: {y: {id: b, type: core.debug.Return}}}",
    ["tasks[0].cases.y: must be a list of tasks, but received an object @4:56+32"],
  ],
  ["an empty branch", "{id: a, type: core.flow.Switch, value: x, cases: {y: []}}", []],
  [
    "a branch called __proto__",
    "{id: a, type: core.flow.Switch, value: x, cases: {__proto__: [{id: b, type: x}]}}",
    ["tasks[0].cases.__proto__[0].type: Invalid type: x @4:79+1"],
  ],
];

/** One Dag, at 4:3. */
const DAGS: Rows = [
  [
    "without dependencies",
    "{id: dag, type: core.flow.Dag, tasks: [{task: {id: a, type: core.debug.Return}}, {task: {id: b, type: core.debug.Return}}]}",
    [],
  ],
  [
    "with dependencies in any order",
    "{id: dag, type: core.flow.Dag, tasks: [{task: {id: a, type: core.debug.Return}, dependsOn: [b, c]}, {task: {id: b, type: core.debug.Return}, dependsOn: [c]}, {task: {id: c, type: core.debug.Return}}]}",
    [],
  ],
  [
    "with a dependency on nothing",
    "{id: dag, type: core.flow.Dag, tasks: [{task: {id: a, type: core.debug.Return}}, {task: {id: b, type: core.debug.Return}, dependsOn: [taskX]}]}",
    ["tasks[0].tasks[1].dependsOn[0]: dag: Not existing task id in dependency: taskX @4:137+5"],
  ],
  [
    "with a misspelt dependency",
    "{id: dag, type: core.flow.Dag, tasks: [{task: {id: first, type: core.debug.Return}}, {task: {id: b, type: core.debug.Return}, dependsOn: [fist]}]}",
    ['tasks[0].tasks[1].dependsOn[0]: dag: Not existing task id in dependency: fist, did you mean "first" @4:141+4'],
  ],
  [
    "with two unknown dependencies",
    "{id: dag, type: core.flow.Dag, tasks: [{task: {id: a, type: core.debug.Return}, dependsOn: [x]}, {task: {id: b, type: core.debug.Return}, dependsOn: [a, y]}]}",
    [
      "tasks[0].tasks[0].dependsOn[0]: dag: Not existing task id in dependency: x @4:95+1",
      "tasks[0].tasks[1].dependsOn[1]: dag: Not existing task id in dependency: y @4:156+1",
    ],
  ],
  [
    "with a dependency on the Dag itself",
    "{id: dag, type: core.flow.Dag, tasks: [{task: {id: a, type: core.debug.Return}, dependsOn: [dag]}]}",
    ["tasks[0].tasks[0].dependsOn[0]: dag: Not existing task id in dependency: dag @4:95+3"],
  ],
  [
    "with a task that depends on itself",
    "{id: dag, type: core.flow.Dag, tasks: [{task: {id: a, type: core.debug.Return}, dependsOn: [a]}]}",
    ["tasks[0].tasks[0].dependsOn: dag: Cyclic dependency detected: a @4:94+3"],
  ],
  [
    "with a cycle of three",
    "{id: dag, type: core.flow.Dag, tasks: [{task: {id: a, type: core.debug.Return}, dependsOn: [c]}, {task: {id: b, type: core.debug.Return}, dependsOn: [a]}, {task: {id: c, type: core.debug.Return}, dependsOn: [b]}, {task: {id: d, type: core.debug.Return}}]}",
    ["tasks[0].tasks[0].dependsOn: dag: Cyclic dependency detected: a, b, c @4:94+3"],
  ],
  [
    "with a task behind a cycle",
    "{id: dag, type: core.flow.Dag, tasks: [{task: {id: a, type: core.debug.Return}, dependsOn: [b]}, {task: {id: b, type: core.debug.Return}, dependsOn: [a]}, {task: {id: c, type: core.debug.Return}, dependsOn: [b]}]}",
    ["tasks[0].tasks[0].dependsOn: dag: Cyclic dependency detected: a, b, c @4:94+3"],
  ],
  [
    "with a number as dependency",
    "{id: dag, type: core.flow.Dag, tasks: [{task: {id: 1, type: core.debug.Return}}, {task: {id: b, type: core.debug.Return}, dependsOn: [1]}]}",
    [],
  ],
  [
    "with a text as dependencies",
    "{id: dag, type: core.flow.Dag, tasks: [{task: {id: a, type: core.debug.Return}, dependsOn: b}]}",
    ['tasks[0].tasks[0].dependsOn: must be a list, but received "b" @4:94+1'],
  ],
  [
    "with an object as dependency",
    "{id: dag, type: core.flow.Dag, tasks: [{task: {id: a, type: core.debug.Return}, dependsOn: [{b: c}]}]}",
    ["tasks[0].tasks[0].dependsOn[0]: must be a text, but received an object @4:95+6"],
  ],
  [
    "with null as dependency",
    "{id: dag, type: core.flow.Dag, tasks: [{task: {id: a, type: core.debug.Return}, dependsOn: [null]}]}",
    ["tasks[0].tasks[0].dependsOn[0]: must not be null @4:95+4"],
  ],
  ["with an entry without task", "{id: dag, type: core.flow.Dag, tasks: [{dependsOn: []}]}", [
    "tasks[0].tasks[0].task: must not be null @4:42+15",
  ]],
  [
    "with a task instead of an entry",
    "{id: dag, type: core.flow.Dag, tasks: [{id: a, type: core.debug.Return}]}",
    [
      "tasks[0].tasks[0].task: must not be null @4:42+32",
      'tasks[0].tasks[0].id: Unrecognized field "id" @4:43+2',
      'tasks[0].tasks[0].type: Unrecognized field "type" @4:50+4',
    ],
  ],
  ["with a text as entry", "{id: dag, type: core.flow.Dag, tasks: [a]}", [
    'tasks[0].tasks[0]: must be an object, but received "a" @4:42+1',
  ]],
  ["with null as entry", "{id: dag, type: core.flow.Dag, tasks: [null]}", [
    "tasks[0].tasks[0]: must not be null @4:42+4",
  ]],
  [
    "with equal ids",
    "{id: dag, type: core.flow.Dag, tasks: [{task: {id: a, type: core.debug.Return}}, {task: {id: a, type: core.debug.Return}}]}",
    ["tasks[0].tasks[1].task.id: Duplicate task id with name [a] @4:96+1"],
  ],
  ["with a wrong task", "{id: dag, type: core.flow.Dag, tasks: [{task: {id: a, type: core.debug.Retrun}}]}", [
    'tasks[0].tasks[0].task.type: Invalid type: core.debug.Retrun, did you mean "core.debug.Return" @4:63+17',
  ]],
  ["without tasks", "{id: dag, type: core.flow.Dag}", ["tasks[0].tasks: must not be empty @4:3+30"]],
  ["with an empty list", "{id: dag, type: core.flow.Dag, tasks: []}", [
    "tasks[0].tasks: must not be empty @4:41+2",
  ]],
];

/** One WorkingDirectory, at 4:3. */
const DIRECTORIES: Rows = [
  [
    "with runnable tasks",
    "{id: wd, type: core.flow.WorkingDirectory, tasks: [{id: a, type: core.debug.Return}, {id: b, type: core.log.Log, message: m}]}",
    [],
  ],
  [
    "with a task that waits",
    "{id: wd, type: core.flow.WorkingDirectory, tasks: [{id: a, type: core.flow.Sleep, duration: PT1S}]}",
    [],
  ],
  ["without tasks", "{id: impossible, type: core.flow.WorkingDirectory}", [
    "tasks[0].tasks: impossible: The 'tasks' property cannot be empty @4:3+50",
  ]],
  ["with an empty list", "{id: impossible, type: core.flow.WorkingDirectory, tasks: []}", [
    "tasks[0].tasks: impossible: The 'tasks' property cannot be empty @4:61+2",
  ]],
  ["with null as tasks", "{id: impossible, type: core.flow.WorkingDirectory, tasks: }", [
    "tasks[0].tasks: impossible: The 'tasks' property cannot be empty @4:61+1",
  ]],
  [
    "with a flowable task",
    "{id: wd, type: core.flow.WorkingDirectory, tasks: [{id: a, type: core.debug.Return}, {id: b, type: core.flow.Parallel, tasks: [{id: c, type: core.debug.Return}]}]}",
    ["tasks[0].tasks[1].type: wd: Only runnable tasks are allowed as children of a WorkingDirectory task @4:102+18"],
  ],
  [
    "with another flow",
    "{id: wd, type: core.flow.WorkingDirectory, tasks: [{id: a, type: core.flow.Subflow, namespace: o, flowId: x}]}",
    ["tasks[0].tasks[0].type: wd: Only runnable tasks are allowed as children of a WorkingDirectory task @4:68+17"],
  ],
  [
    "with a task that changes the execution",
    "{id: wd, type: core.flow.WorkingDirectory, tasks: [{id: a, type: core.execution.SetVariables}]}",
    ["tasks[0].tasks[0].type: wd: Only runnable tasks are allowed as children of a WorkingDirectory task @4:68+27"],
  ],
  [
    "with a planned task that nests others",
    "{id: wd, type: core.flow.WorkingDirectory, tasks: [{id: a, type: test.Later, level: x}]}",
    ["tasks[0].tasks[0].type: wd: Only runnable tasks are allowed as children of a WorkingDirectory task @4:68+10"],
  ],
  ["with an unknown task", "{id: wd, type: core.flow.WorkingDirectory, tasks: [{id: a, type: x}]}", [
    "tasks[0].tasks[0].type: Invalid type: x @4:68+1",
  ]],
  ["with a text as task", "{id: wd, type: core.flow.WorkingDirectory, tasks: [x]}", [
    'tasks[0].tasks[0]: must be a task, but received "x" @4:54+1',
  ]],
];

/** A task of the flow `n.f` that starts a flow, at 4:3. */
const SUBFLOWS: Rows = [
  ["of another flow", "{id: s, type: core.flow.Subflow, namespace: n, flowId: g}", []],
  ["of the flow of that name elsewhere", "{id: s, type: core.flow.Subflow, namespace: m, flowId: f}", []],
  ["of its own flow", "{id: s, type: core.flow.Subflow, namespace: n, flowId: f}", [
    "tasks[0].flowId: Recursive call to flow [n.f] @4:58+1",
  ]],
  [
    "of its own flow for each item",
    "{id: s, type: core.flow.ForEachItem, namespace: n, flowId: f, items: x}",
    ["tasks[0].flowId: Recursive call to flow [n.f] @4:62+1"],
  ],
  [
    "of its own flow inside another task",
    "{id: p, type: core.flow.Parallel, tasks: [{id: s, type: core.flow.Subflow, flowId: f, namespace: n}]}",
    ["tasks[0].tasks[0].flowId: Recursive call to flow [n.f] @4:86+1"],
  ],
  [
    "of a flow that an expression names",
    "{id: s, type: core.flow.Subflow, namespace: '{{ flow.namespace }}', flowId: '{{ flow.id }}'}",
    [],
  ],
  ["without flow", "{id: s, type: core.flow.Subflow, namespace: n}", [
    "tasks[0].flowId: must not be null @4:3+46",
  ]],
  ["without anything", "{id: s, type: core.flow.Subflow}", [
    "tasks[0].namespace: must not be null @4:3+32",
    "tasks[0].flowId: must not be null @4:3+32",
  ]],
];

/** Types of tasks, at 4:17. */
const TYPES: Rows = [
  ["by its name", "{id: a, type: core.log.Log, message: m}", []],
  ["by an old name with the old prefix", "{id: a, type: io.kestra.core.tasks.log.Log, message: m}", [
    "warning tasks[0].type: io.kestra.core.tasks.log.Log is replaced by io.kestra.plugin.core.log.Log @4:17+28",
  ]],
  [
    "by an old name with the old prefix of this product",
    "{id: a, type: io.svc.core.tasks.log.Log, message: m}",
    ["warning tasks[0].type: io.svc.core.tasks.log.Log is replaced by io.svc.plugin.core.log.Log @4:17+25"],
  ],
  [
    "by an old name with the current prefix",
    "{id: a, type: io.kestra.plugin.core.tasks.log.Log, message: m}",
    ["warning tasks[0].type: io.kestra.plugin.core.tasks.log.Log is replaced by io.kestra.plugin.core.log.Log @4:17+35"],
  ],
  ["by an old name without prefix", "{id: a, type: core.tasks.log.Log, message: m}", [
    "warning tasks[0].type: core.tasks.log.Log is replaced by core.log.Log @4:17+18",
  ]],
  ["that is deprecated", "{id: a, type: io.kestra.plugin.core.debug.Echo, format: m}", [
    'warning tasks[0]: Type "io.kestra.plugin.core.debug.Echo" is deprecated: use `core.log.Log` @4:3+58',
  ]],
  ["that is unknown, of another kind of thing", "{id: a, type: core.trigger.Webhook, key: k}", [
    "tasks[0].type: Invalid type: core.trigger.Webhook @4:17+20",
  ]],
  ["that is misspelt, without prefix", "{id: a, type: core.log.Logs}", [
    'tasks[0].type: Invalid type: core.log.Logs, did you mean "core.log.Log" @4:17+13',
  ]],
  ["that is an input's", "{id: a, type: STRING}", ["tasks[0].type: Invalid type: STRING @4:17+6"]],
  ["that is empty", "{id: a, type: ''}", ["tasks[0].type: must not be empty @4:17+2"]],
  ["that is a number", "{id: a, type: 3}", ["tasks[0].type: must be a text, but received 3 @4:17+1"]],
  ["that is an expression", "{id: a, type: '{{ t }}'}", ["tasks[0].type: Invalid type: {{ t }} @4:17+9"]],
  ["constructor", "{id: a, type: constructor}", ["tasks[0].type: Invalid type: constructor @4:17+11"]],
];

/** Each group of rows, and the source around a part. */
const GROUPS: readonly (readonly [string, Rows, (part: string) => string])[] = [
  ["nesting:", NESTED, (part) => `id: f\nnamespace: n\ntasks:\n- ${part}\n`],
  ["a Switch with", SWITCHES, (part) => `id: f\nnamespace: n\ntasks:\n- ${part}\n`],
  ["a Dag", DAGS, (part) => `id: f\nnamespace: n\ntasks:\n- ${part}\n`],
  ["a WorkingDirectory", DIRECTORIES, (part) => `id: f\nnamespace: n\ntasks:\n- ${part}\n`],
  ["a start", SUBFLOWS, (part) => `id: f\nnamespace: n\ntasks:\n- ${part}\n`],
  ["a type", TYPES, (part) => `id: f\nnamespace: n\ntasks:\n- ${part}\n`],
];

for (const [group, rows, build] of GROUPS) {
  for (const [name, part, expected] of rows) {
    Deno.test(`validateFlow() ${group} ${name}`, () => {
      assertEquals(problemsOf(build(part), { withPlanned: false }), [...expected]);
    });
  }
}
