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
    ["duplicate_id tasks[0].tasks[0].id @4:50+1"],
  ],
  [
    "two nested tasks of one id",
    "{id: a, type: core.flow.Parallel, tasks: [{id: b, type: core.debug.Return}, {id: c, type: core.flow.Parallel, tasks: [{id: b, type: core.debug.Return}]}]}",
    ["duplicate_id tasks[0].tasks[1].tasks[0].id @4:126+1"],
  ],
  [
    "errors of a nested task with an id from outside",
    "{id: a, type: core.flow.Parallel, tasks: [{id: b, type: core.debug.Return}], errors: [{id: a, type: core.debug.Return}], finally: [{id: b, type: core.debug.Return}]}",
    [
      "duplicate_id tasks[0].errors[0].id @4:94+1",
      "duplicate_id tasks[0].finally[0].id @4:139+1",
    ],
  ],
  [
    "a cache of a task that does no work",
    "{id: a, type: core.flow.Parallel, tasks: [{id: b, type: core.debug.Return, taskCache: {enabled: true}}], taskCache: {enabled: true}}",
    [
      "warning ignored tasks[0].taskCache @4:108+9",
    ],
  ],
  ["no nested tasks", "{id: a, type: core.flow.Parallel}", ["required tasks[0].tasks @4:3+33"]],
  ["an empty list of nested tasks", "{id: a, type: core.flow.Parallel, tasks: []}", [
    "required tasks[0].tasks @4:44+2",
  ]],
  ["null as nested tasks", "{id: a, type: core.flow.Parallel, tasks: null}", [
    "required tasks[0].tasks @4:44+4",
  ]],
  ["a text as nested tasks", "{id: a, type: core.flow.Parallel, tasks: x}", [
    "wrong_type tasks[0].tasks @4:44+1",
  ]],
  ["a text among nested tasks", "{id: a, type: core.flow.Parallel, tasks: [x]}", [
    "wrong_type tasks[0].tasks[0] @4:45+1",
  ]],
  ["null among nested tasks", "{id: a, type: core.flow.Parallel, tasks: [null]}", [
    "wrong_type tasks[0].tasks[0] @4:45+4",
  ]],
  [
    "a wrong property deep inside",
    "{id: a, type: core.flow.Parallel, tasks: [{id: b, type: core.flow.Parallel, tasks: [{id: c, type: core.log.Log, messages: x}]}]}",
    [
      "required tasks[0].tasks[0].tasks[0].message @4:87+40",
      "unknown_property tasks[0].tasks[0].tasks[0].messages @4:115+8",
    ],
  ],
  [
    "an unknown type deep inside",
    "{id: a, type: core.flow.Parallel, tasks: [{id: b, type: core.flow.Paralel, tasks: []}]}",
    ["unknown_type tasks[0].tasks[0].type @4:59+17"],
  ],
  ["one nested task", "{id: a, type: test.One, task: {id: b, type: core.debug.Return}}", []],
  ["one wrong nested task", "{id: a, type: test.One, task: {id: a, type: core.debug.Return, x: 1}}", [
    "duplicate_id tasks[0].task.id @4:38+1",
    "unknown_property tasks[0].task.x @4:66+1",
  ]],
  ["a list where one task is expected", "{id: a, type: test.One, task: [{id: b, type: core.debug.Return}]}", [
    "wrong_type tasks[0].task @4:33+34",
  ]],
  ["no task where one is expected", "{id: a, type: test.One}", ["required tasks[0].task @4:3+23"]],
  ["inputs of a task", "{id: a, type: test.Asks, onResume: [{id: i, type: STRING}, {id: j, type: INT}]}", []],
  [
    "inputs of a task that refer to one another",
    "{id: a, type: test.Asks, onResume: [{id: i, type: STRING, defaults: '{{ inputs.j }}'}]}",
    [],
  ],
  [
    "equal ids among the inputs of a task",
    "{id: a, type: test.Asks, onResume: [{id: i, type: STRING}, {id: i, type: INT}]}",
    ["duplicate_id tasks[0].onResume[1].id @4:67+1"],
  ],
  ["an input of an unknown type", "{id: a, type: test.Asks, onResume: [{id: i, type: STRNG}]}", [
    "unknown_type tasks[0].onResume[0].type @4:53+5",
  ]],
  ["a text as inputs of a task", "{id: a, type: test.Asks, onResume: x}", [
    "wrong_type tasks[0].onResume @4:38+1",
  ]],
  [
    "what is nested in a planned type",
    "{id: a, type: test.Later, level: x, tasks: [{id: a, type: core.debug.Return}]}",
    ["duplicate_id tasks[0].tasks[0].id @4:52+1"],
  ],
  ["a planned type with wrong properties", "{id: a, type: test.Later, tasks: x}", [
    "required tasks[0].level @4:3+35",
    "wrong_type tasks[0].tasks @4:36+1",
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
    ["duplicate_id tasks[0].cases.y[0].id @4:101+1"],
  ],
  ["no branches", "{id: a, type: core.flow.Switch, value: x}", ["required tasks[0] @4:3+41"]],
  ["empty branches", "{id: a, type: core.flow.Switch, value: x, cases: {}}", ["required tasks[0] @4:3+52"]],
  ["a text as branches", "{id: a, type: core.flow.Switch, value: x, cases: y}", [
    "wrong_type tasks[0].cases @4:52+1",
  ]],
  ["a list as branches", "{id: a, type: core.flow.Switch, value: x, cases: [y]}", [
    "wrong_type tasks[0].cases @4:52+3",
  ]],
  ["null as a branch", "{id: a, type: core.flow.Switch, value: x, cases: {y: }}", [
    "required tasks[0].cases.y @4:56+1",
  ]],
  [
    "a task as a branch",
    "{id: a, type: core.flow.Switch, value: x, cases: {y: {id: b, type: core.debug.Return}}}",
    ["wrong_type tasks[0].cases.y @4:56+32"],
  ],
  ["an empty branch", "{id: a, type: core.flow.Switch, value: x, cases: {y: []}}", []],
  [
    "a branch called __proto__",
    "{id: a, type: core.flow.Switch, value: x, cases: {__proto__: [{id: b, type: x}]}}",
    ["unknown_type tasks[0].cases.__proto__[0].type @4:79+1"],
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
    ["unknown_task tasks[0].tasks[1].dependsOn[0] @4:137+5"],
  ],
  [
    "with a misspelt dependency",
    "{id: dag, type: core.flow.Dag, tasks: [{task: {id: first, type: core.debug.Return}}, {task: {id: b, type: core.debug.Return}, dependsOn: [fist]}]}",
    ["unknown_task tasks[0].tasks[1].dependsOn[0] @4:141+4"],
  ],
  [
    "with two unknown dependencies",
    "{id: dag, type: core.flow.Dag, tasks: [{task: {id: a, type: core.debug.Return}, dependsOn: [x]}, {task: {id: b, type: core.debug.Return}, dependsOn: [a, y]}]}",
    [
      "unknown_task tasks[0].tasks[0].dependsOn[0] @4:95+1",
      "unknown_task tasks[0].tasks[1].dependsOn[1] @4:156+1",
    ],
  ],
  [
    "with a dependency on the Dag itself",
    "{id: dag, type: core.flow.Dag, tasks: [{task: {id: a, type: core.debug.Return}, dependsOn: [dag]}]}",
    ["unknown_task tasks[0].tasks[0].dependsOn[0] @4:95+3"],
  ],
  [
    "with a task that depends on itself",
    "{id: dag, type: core.flow.Dag, tasks: [{task: {id: a, type: core.debug.Return}, dependsOn: [a]}]}",
    ["dependency_cycle tasks[0].tasks[0].dependsOn @4:94+3"],
  ],
  [
    "with a cycle of three",
    "{id: dag, type: core.flow.Dag, tasks: [{task: {id: a, type: core.debug.Return}, dependsOn: [c]}, {task: {id: b, type: core.debug.Return}, dependsOn: [a]}, {task: {id: c, type: core.debug.Return}, dependsOn: [b]}, {task: {id: d, type: core.debug.Return}}]}",
    ["dependency_cycle tasks[0].tasks[0].dependsOn @4:94+3"],
  ],
  [
    "with a task behind a cycle",
    "{id: dag, type: core.flow.Dag, tasks: [{task: {id: a, type: core.debug.Return}, dependsOn: [b]}, {task: {id: b, type: core.debug.Return}, dependsOn: [a]}, {task: {id: c, type: core.debug.Return}, dependsOn: [b]}]}",
    ["dependency_cycle tasks[0].tasks[0].dependsOn @4:94+3"],
  ],
  [
    "with a number as dependency",
    "{id: dag, type: core.flow.Dag, tasks: [{task: {id: 1, type: core.debug.Return}}, {task: {id: b, type: core.debug.Return}, dependsOn: [1]}]}",
    [],
  ],
  [
    "with a text as dependencies",
    "{id: dag, type: core.flow.Dag, tasks: [{task: {id: a, type: core.debug.Return}, dependsOn: b}]}",
    ["wrong_type tasks[0].tasks[0].dependsOn @4:94+1"],
  ],
  [
    "with an object as dependency",
    "{id: dag, type: core.flow.Dag, tasks: [{task: {id: a, type: core.debug.Return}, dependsOn: [{b: c}]}]}",
    ["wrong_type tasks[0].tasks[0].dependsOn[0] @4:95+6"],
  ],
  [
    "with null as dependency",
    "{id: dag, type: core.flow.Dag, tasks: [{task: {id: a, type: core.debug.Return}, dependsOn: [null]}]}",
    ["required tasks[0].tasks[0].dependsOn[0] @4:95+4"],
  ],
  ["with an entry without task", "{id: dag, type: core.flow.Dag, tasks: [{dependsOn: []}]}", [
    "required tasks[0].tasks[0].task @4:42+15",
  ]],
  [
    "with a task instead of an entry",
    "{id: dag, type: core.flow.Dag, tasks: [{id: a, type: core.debug.Return}]}",
    [
      "required tasks[0].tasks[0].task @4:42+32",
      "unknown_property tasks[0].tasks[0].id @4:43+2",
      "unknown_property tasks[0].tasks[0].type @4:50+4",
    ],
  ],
  ["with a text as entry", "{id: dag, type: core.flow.Dag, tasks: [a]}", [
    "wrong_type tasks[0].tasks[0] @4:42+1",
  ]],
  ["with null as entry", "{id: dag, type: core.flow.Dag, tasks: [null]}", [
    "required tasks[0].tasks[0] @4:42+4",
  ]],
  [
    "with equal ids",
    "{id: dag, type: core.flow.Dag, tasks: [{task: {id: a, type: core.debug.Return}}, {task: {id: a, type: core.debug.Return}}]}",
    ["duplicate_id tasks[0].tasks[1].task.id @4:96+1"],
  ],
  ["with a wrong task", "{id: dag, type: core.flow.Dag, tasks: [{task: {id: a, type: core.debug.Retrun}}]}", [
    "unknown_type tasks[0].tasks[0].task.type @4:63+17",
  ]],
  ["without tasks", "{id: dag, type: core.flow.Dag}", ["required tasks[0].tasks @4:3+30"]],
  ["with an empty list", "{id: dag, type: core.flow.Dag, tasks: []}", ["required tasks[0].tasks @4:41+2"]],
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
    "required tasks[0].tasks @4:3+50",
  ]],
  ["with an empty list", "{id: impossible, type: core.flow.WorkingDirectory, tasks: []}", [
    "required tasks[0].tasks @4:61+2",
  ]],
  ["with null as tasks", "{id: impossible, type: core.flow.WorkingDirectory, tasks: }", [
    "required tasks[0].tasks @4:61+1",
  ]],
  [
    "with a flowable task",
    "{id: wd, type: core.flow.WorkingDirectory, tasks: [{id: a, type: core.debug.Return}, {id: b, type: core.flow.Parallel, tasks: [{id: c, type: core.debug.Return}]}]}",
    ["not_runnable tasks[0].tasks[1].type @4:102+18"],
  ],
  [
    "with another flow",
    "{id: wd, type: core.flow.WorkingDirectory, tasks: [{id: a, type: core.flow.Subflow, namespace: o, flowId: x}]}",
    ["not_runnable tasks[0].tasks[0].type @4:68+17"],
  ],
  [
    "with a task that changes the execution",
    "{id: wd, type: core.flow.WorkingDirectory, tasks: [{id: a, type: core.execution.SetVariables}]}",
    ["not_runnable tasks[0].tasks[0].type @4:68+27"],
  ],
  [
    "with a planned task that nests others",
    "{id: wd, type: core.flow.WorkingDirectory, tasks: [{id: a, type: test.Later, level: x}]}",
    ["not_runnable tasks[0].tasks[0].type @4:68+10"],
  ],
  ["with an unknown task", "{id: wd, type: core.flow.WorkingDirectory, tasks: [{id: a, type: x}]}", [
    "unknown_type tasks[0].tasks[0].type @4:68+1",
  ]],
  ["with a text as task", "{id: wd, type: core.flow.WorkingDirectory, tasks: [x]}", [
    "wrong_type tasks[0].tasks[0] @4:54+1",
  ]],
];

/** A task of the flow `n.f` that starts a flow, at 4:3. */
const SUBFLOWS: Rows = [
  ["of another flow", "{id: s, type: core.flow.Subflow, namespace: n, flowId: g}", []],
  ["of the flow of that name elsewhere", "{id: s, type: core.flow.Subflow, namespace: m, flowId: f}", []],
  ["of its own flow", "{id: s, type: core.flow.Subflow, namespace: n, flowId: f}", [
    "recursion tasks[0].flowId @4:58+1",
  ]],
  [
    "of its own flow for each item",
    "{id: s, type: core.flow.ForEachItem, namespace: n, flowId: f, items: x}",
    ["recursion tasks[0].flowId @4:62+1"],
  ],
  [
    "of its own flow inside another task",
    "{id: p, type: core.flow.Parallel, tasks: [{id: s, type: core.flow.Subflow, flowId: f, namespace: n}]}",
    ["recursion tasks[0].tasks[0].flowId @4:86+1"],
  ],
  [
    "of a flow that an expression names",
    "{id: s, type: core.flow.Subflow, namespace: '{{ flow.namespace }}', flowId: '{{ flow.id }}'}",
    [],
  ],
  ["without flow", "{id: s, type: core.flow.Subflow, namespace: n}", ["required tasks[0].flowId @4:3+46"]],
  ["without anything", "{id: s, type: core.flow.Subflow}", [
    "required tasks[0].namespace @4:3+32",
    "required tasks[0].flowId @4:3+32",
  ]],
];

/** Types of tasks, at 4:17. */
const TYPES: Rows = [
  ["by its name", "{id: a, type: core.log.Log, message: m}", []],
  ["by an old name with the old prefix", "{id: a, type: io.kestra.core.tasks.log.Log, message: m}", [
    "warning replaced_type tasks[0].type @4:17+28",
  ]],
  [
    "by an old name with the old prefix of this product",
    "{id: a, type: io.svc.core.tasks.log.Log, message: m}",
    ["warning replaced_type tasks[0].type @4:17+25"],
  ],
  [
    "by an old name with the current prefix",
    "{id: a, type: io.kestra.plugin.core.tasks.log.Log, message: m}",
    ["warning replaced_type tasks[0].type @4:17+35"],
  ],
  ["by an old name without prefix", "{id: a, type: core.tasks.log.Log, message: m}", [
    "warning replaced_type tasks[0].type @4:17+18",
  ]],
  ["that is deprecated", "{id: a, type: io.kestra.plugin.core.debug.Echo, format: m}", [
    "warning deprecated_type tasks[0] @4:3+58",
  ]],
  ["that is unknown, of another kind of thing", "{id: a, type: core.trigger.Webhook, key: k}", [
    "unknown_type tasks[0].type @4:17+20",
  ]],
  ["that is misspelt, without prefix", "{id: a, type: core.log.Logs}", [
    "unknown_type tasks[0].type @4:17+13",
  ]],
  ["that is an input's", "{id: a, type: STRING}", ["unknown_type tasks[0].type @4:17+6"]],
  ["that is empty", "{id: a, type: ''}", ["required tasks[0].type @4:17+2"]],
  ["that is a number", "{id: a, type: 3}", ["wrong_type tasks[0].type @4:17+1"]],
  ["that is an expression", "{id: a, type: '{{ t }}'}", ["unknown_type tasks[0].type @4:17+9"]],
  ["constructor", "{id: a, type: constructor}", ["unknown_type tasks[0].type @4:17+11"]],
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

/** One WorkingDirectory, at 4:3. */
const PLACED_DIRECTORIES: Rows = [
  [
    "on a worker",
    "{id: wd, type: core.flow.WorkingDirectory, workerGroup: {key: g}, tasks: [{id: a, type: core.debug.Return}]}",
    ["not_supported tasks[0].workerGroup @4:46+11"],
  ],
  [
    "with a task on a worker",
    "{id: wd, type: core.flow.WorkingDirectory, tasks: [{id: a, type: core.debug.Return, workerGroup: {key: g}}]}",
    [
      "not_supported tasks[0].tasks[0].workerGroup @4:87+11",
      "warning ignored tasks[0].tasks[0].workerGroup @4:87+11",
    ],
  ],
];

for (const [name, part, expected] of PLACED_DIRECTORIES) {
  Deno.test(`validateFlow() a WorkingDirectory ${name} is refused: its directory is on the server`, () => {
    assertEquals(problemsOf(`id: f\nnamespace: n\ntasks:\n- ${part}\n`), [...expected]);
  });
}
