import { assertEquals, assertStrictEquals } from "@std/assert";
import type { JsonObject } from "../../../src/base/json.ts";
import {
  applyPluginDefaults,
  buildFlow,
  flowResponse,
  parseFlowSource,
  validateFlow,
} from "../../../src/flow/mod.ts";
import { createTaskCatalog } from "../../../src/tasks/registry.ts";
import { createTriggerCatalog } from "../../../src/triggers/registry.ts";

const CATALOGS = { tasks: createTaskCatalog(), triggers: createTriggerCatalog() };
const LOG = "io.svc.plugin.core.log.Log";
const HTTP = "io.svc.plugin.core.http.Request";
const SEQUENTIAL = "io.svc.plugin.core.flow.Sequential";
const SHELL = "io.svc.plugin.scripts.shell.Commands";

function documentOf(defaults: string, task: string, name = "pluginDefaults"): JsonObject {
  const source = `{id: f, namespace: n, ${name}: [${defaults}], tasks: [${task}]}`;
  return parseFlowSource(source).document ?? {};
}

/** Without type and id, which every row has. */
function applied(defaults: string, task: string, name?: string): JsonObject {
  const document = applyPluginDefaults(documentOf(defaults, task, name), CATALOGS);
  const [first] = document.tasks as JsonObject[];
  const { id: _id, type: _type, ...rest } = first as JsonObject;
  return rest;
}

/** What it shows, defaults, task, its other members. */
const ROWS: readonly [string, string, string, JsonObject][] = [
  ["a missing property", `{type: ${LOG}, values: {level: WARN}}`, `{id: t, type: ${LOG}, message: m}`, {
    message: "m",
    level: "WARN",
  }],
  [
    "the task's own value wins",
    `{type: ${LOG}, values: {level: WARN}}`,
    `{id: t, type: ${LOG}, level: INFO}`,
    {
      level: "INFO",
    },
  ],
  [
    "a forced default wins",
    `{type: ${LOG}, forced: true, values: {level: WARN}}`,
    `{id: t, type: ${LOG}, level: INFO}`,
    { level: "WARN" },
  ],
  [
    "a forced default written as a text wins",
    `{type: ${LOG}, forced: "true", values: {level: WARN}}`,
    `{id: t, type: ${LOG}, level: INFO}`,
    { level: "WARN" },
  ],
  ["another type is left alone", `{type: ${HTTP}, values: {level: WARN}}`, `{id: t, type: ${LOG}}`, {}],
  [
    "a prefix leaves out what the type does not know",
    "{type: io.svc.plugin.core, values: {uri: u, level: WARN, timeout: PT1M}}",
    `{id: t, type: ${LOG}}`,
    { level: "WARN", timeout: "PT1M" },
  ],
  [
    "lists are joined, each item once",
    `{type: ${SHELL}, values: {beforeCommands: [a, b]}}`,
    `{id: t, type: ${SHELL}, beforeCommands: [b, c]}`,
    { beforeCommands: ["a", "b", "c"] },
  ],
  [
    "an item of a list is not the text of another one",
    `{type: ${SHELL}, values: {beforeCommands: [{a: 1}, "1"]}}`,
    `{id: t, type: ${SHELL}, beforeCommands: ['{"a":1}', 1, {a: 1}]}`,
    { beforeCommands: [{ a: 1 }, "1", '{"a":1}', 1] },
  ],
  [
    "forced lists come after those of the task",
    `{type: ${SHELL}, forced: true, values: {beforeCommands: [a, b]}}`,
    `{id: t, type: ${SHELL}, beforeCommands: [b, c]}`,
    { beforeCommands: ["b", "c", "a"] },
  ],
  [
    "the task's own value wins under an older name",
    `{type: ${LOG}, values: {runIf: a}}`,
    `{id: t, type: ${LOG}, when: b}`,
    { when: "b" },
  ],
  [
    "the task's own value wins over a default with an older name",
    `{type: ${LOG}, values: {when: a}}`,
    `{id: t, type: ${LOG}, runIf: b}`,
    { runIf: "b" },
  ],
  [
    "a forced default wins over a value under another name",
    `{type: ${LOG}, forced: true, values: {runIf: a}}`,
    `{id: t, type: ${LOG}, when: b}`,
    { runIf: "a" },
  ],
  [
    "the first listed wins under either name",
    `{type: ${LOG}, values: {when: a}}, {type: ${LOG}, values: {runIf: b}}`,
    `{id: t, type: ${LOG}}`,
    { when: "a" },
  ],
  [
    "null under another name is no value of the task's own",
    `{type: ${LOG}, values: {runIf: a}}`,
    `{id: t, type: ${LOG}, when: null, runIf: b}`,
    { when: null, runIf: "b" },
  ],
  [
    "lists under two names are joined",
    `{type: ${SHELL}, values: {outputsFiles: [a]}}`,
    `{id: t, type: ${SHELL}, outputFiles: [b]}`,
    { outputFiles: ["a", "b"] },
  ],
  [
    "members of maps have older names too",
    `{type: ${SHELL}, values: {retry: {type: constant, maxAttempts: 3}, dockerOptions: {host: a}}}`,
    `{id: t, type: ${SHELL}, retry: {maxAttempt: 5}, docker: {dockerHost: b}}`,
    { retry: { maxAttempt: 5, type: "constant" }, docker: { dockerHost: "b" } },
  ],
  [
    "forced members of maps win under either name",
    `{type: io.svc.plugin.core, forced: true, values: {retry: {maxAttempt: 3}}}`,
    `{id: t, type: ${LOG}, retry: {maxAttempts: 5}}`,
    { retry: { maxAttempt: 3 } },
  ],
  [
    "null is no value of the task's own",
    `{type: ${LOG}, values: {level: WARN}}`,
    `{id: t, type: ${LOG}, level: null}`,
    {
      level: "WARN",
    },
  ],
  ["a prefix of the type", "{type: io.svc.plugin.core.log, values: {level: WARN}}", `{id: t, type: ${LOG}}`, {
    level: "WARN",
  }],
  [
    "a complete type is no prefix of another one",
    "{type: io.svc.plugin.core.kv.Get, values: {errorOnMissing: true, timeout: PT1M}}",
    "{id: t, type: io.svc.plugin.core.kv.GetKeys}",
    {},
  ],
  [
    "a complete type in the other family is no prefix of another one",
    "{type: io.kestra.plugin.core.flow.Loop, values: {timeout: PT1M}}",
    "{id: t, type: io.svc.plugin.core.flow.LoopUntil}",
    {},
  ],
  [
    "a part of a name is a prefix",
    "{type: io.svc.plugin.core.kv.Ge, values: {timeout: PT1M}}",
    "{id: t, type: io.svc.plugin.core.kv.GetKeys}",
    { timeout: "PT1M" },
  ],
  ["the prefix of all types", "{type: io.svc.plugin., values: {level: WARN}}", `{id: t, type: ${LOG}}`, {
    level: "WARN",
  }],
  ["a prefix that ends before the name", "{type: io.svc, values: {level: WARN}}", `{id: t, type: ${LOG}}`, {
    level: "WARN",
  }],
  [
    "a prefix of the other family",
    "{type: io.kestra.plugin, values: {level: WARN}}",
    `{id: t, type: ${LOG}}`,
    {
      level: "WARN",
    },
  ],
  [
    "the type in the other family",
    "{type: io.kestra.plugin.core.log.Log, values: {level: WARN}}",
    `{id: t, type: ${LOG}}`,
    { level: "WARN" },
  ],
  [
    "an alias in the default",
    "{type: io.kestra.core.tasks.log.Log, values: {level: WARN}}",
    `{id: t, type: ${LOG}}`,
    { level: "WARN" },
  ],
  [
    "an alias in the task",
    `{type: ${LOG}, values: {level: WARN}}`,
    "{id: t, type: io.kestra.core.tasks.log.Log}",
    { level: "WARN" },
  ],
  [
    "a prefix of an alias, for tasks written with it",
    "{type: io.kestra.core.tasks, values: {level: WARN}}",
    "{id: t, type: io.kestra.core.tasks.log.Log}",
    { level: "WARN" },
  ],
  [
    "the first listed wins",
    `{type: ${LOG}, values: {level: WARN}}, {type: ${LOG}, values: {level: ERROR, message: m}}`,
    `{id: t, type: ${LOG}}`,
    { level: "WARN", message: "m" },
  ],
  [
    "the first listed wins, exact or not",
    `{type: io.svc.plugin.core, values: {level: WARN}}, {type: ${LOG}, values: {level: ERROR}}`,
    `{id: t, type: ${LOG}}`,
    { level: "WARN" },
  ],
  [
    "of forced defaults the first listed wins",
    `{type: ${LOG}, forced: true, values: {level: WARN}}, {type: ${LOG}, forced: true, values: {level: ERROR}}`,
    `{id: t, type: ${LOG}}`,
    { level: "WARN" },
  ],
  [
    "a forced default wins over one that is listed before it",
    `{type: ${LOG}, values: {level: WARN}}, {type: ${LOG}, forced: true, values: {level: ERROR}}`,
    `{id: t, type: ${LOG}}`,
    { level: "ERROR" },
  ],
  [
    "maps are merged at any depth",
    `{type: ${HTTP}, values: {options: {auth: {username: u, password: p}, followRedirects: true}}}`,
    `{id: t, type: ${HTTP}, options: {auth: {password: q}}}`,
    { options: { auth: { password: "q", username: "u" }, followRedirects: true } },
  ],
  [
    "forced maps are merged at any depth",
    `{type: ${HTTP}, forced: true, values: {headers: {a: "1"}}}`,
    `{id: t, type: ${HTTP}, headers: {a: "0", b: "2"}}`,
    { headers: { a: "1", b: "2" } },
  ],
  [
    "id and type are no defaults",
    `{type: ${LOG}, values: {id: x, type: y, level: WARN}}`,
    `{id: t, type: ${LOG}}`,
    {
      level: "WARN",
    },
  ],
  [
    "names of a prototype are names",
    `{type: ${LOG}, values: {__proto__: 1, constructor: 2}}`,
    `{id: t, type: ${LOG}}`,
    {
      ["__proto__"]: 1,
      constructor: 2,
    } as unknown as JsonObject,
  ],
  [
    "task runners",
    "{type: io.svc.plugin.core.runner.Process, values: {a: 1}}",
    `{id: t, type: ${SHELL}, taskRunner: {type: io.svc.plugin.core.runner.Process}}`,
    { taskRunner: { type: "io.svc.plugin.core.runner.Process", a: 1 } },
  ],
  [
    "values that a default brings are given defaults too",
    `{type: ${SHELL}, values: {taskRunner: {type: x.Docker}}}, {type: x.Docker, values: {image: i}}`,
    `{id: t, type: ${SHELL}}`,
    { taskRunner: { type: "x.Docker", image: "i" } },
  ],
  [
    "an entry without type is passed over",
    `{values: {level: WARN}}, {type: "", values: {level: WARN}}`,
    `{id: t, type: ${LOG}}`,
    {},
  ],
  [
    "an entry without values is passed over",
    `{type: ${LOG}}, {type: ${LOG}, values: 1}, x`,
    `{id: t, type: ${LOG}}`,
    {},
  ],
  [
    "objects that only look like tasks are left alone",
    `{type: ${LOG}, values: {level: WARN}}`,
    `{id: t, type: ${HTTP}, body: {type: ${LOG}}}`,
    { body: { type: LOG } },
  ],
];
for (const [title, defaults, task, expected] of ROWS) {
  Deno.test(`applyPluginDefaults() ${title}`, () => {
    // Own members of any name are compared as entries: deep equality takes "__proto__" for the prototype.
    assertEquals(Object.entries(applied(defaults, task)).sort(), Object.entries(expected).sort());
  });
}

Deno.test("applyPluginDefaults() knows the older name taskDefaults", () => {
  const defaults = `{type: ${LOG}, values: {level: WARN}}`;
  assertEquals(applied(defaults, `{id: t, type: ${LOG}}`, "taskDefaults"), { level: "WARN" });
});

/** Places of a task within a flow. */
const PLACES: readonly [string, string][] = [
  ["errors", "tasks: [], errors: [TASK]"],
  ["finally", "tasks: [], finally: [TASK]"],
  ["afterExecution", "tasks: [], afterExecution: [TASK]"],
  ["listeners", "tasks: [], listeners: [{tasks: [TASK]}]"],
  ["a list within a task", "tasks: [{id: s, type: io.svc.plugin.core.flow.Sequential, tasks: [TASK]}]"],
  ["errors of a task", "tasks: [{id: s, type: io.svc.plugin.core.flow.Sequential, errors: [TASK]}]"],
  ["branches of an If", "tasks: [{id: s, type: io.svc.plugin.core.flow.If, else: [TASK]}]"],
  ["cases of a Switch", "tasks: [{id: s, type: io.svc.plugin.core.flow.Switch, cases: {a: [TASK]}}]"],
  ["entries of a Dag", "tasks: [{id: s, type: io.svc.plugin.core.flow.Dag, tasks: [{task: TASK}]}]"],
  [
    "several levels down",
    "tasks: [{id: s, type: io.svc.plugin.core.flow.Parallel, tasks: [{id: f, type: io.svc.plugin.core.flow.ForEach, tasks: [TASK]}]}]",
  ],
];
for (const [place, members] of PLACES) {
  Deno.test(`applyPluginDefaults() reaches tasks in ${place}`, () => {
    const source = `{pluginDefaults: [{type: ${LOG}, values: {level: WARN}}], ${members}}`;
    const plain = parseFlowSource(source.replace("TASK", `{id: t, type: ${LOG}}`)).document ?? {};
    const before = JSON.stringify(plain);
    const wanted = parseFlowSource(source.replace("TASK", `{id: t, type: ${LOG}, level: WARN}`)).document ??
      {};
    assertEquals(applyPluginDefaults(plain, CATALOGS), wanted);
    assertEquals(JSON.stringify(plain), before, "what was written stays as it is");
  });
}

Deno.test("applyPluginDefaults() reaches triggers and their conditions", () => {
  const condition = "io.svc.plugin.core.condition.Expression";
  const source = `{tasks: [], pluginDefaults: [
    {type: io.svc.plugin.core.trigger.Schedule, values: {cron: "0 * * * *"}},
    {type: ${condition}, values: {expression: "{{ true }}"}}
  ], triggers: [{id: t, type: io.svc.plugin.core.trigger.Schedule, conditions: [
    {type: ${condition}},
    {type: io.svc.plugin.core.condition.Not, conditions: [{type: ${condition}, expression: "{{ false }}"}, {type: ${condition}}]}
  ]}]}`;
  for (const catalogs of [CATALOGS, { tasks: CATALOGS.tasks }]) {
    const { triggers } = applyPluginDefaults(parseFlowSource(source).document ?? {}, catalogs);
    assertEquals(triggers, [{
      id: "t",
      type: "io.svc.plugin.core.trigger.Schedule",
      conditions: [
        { type: condition, expression: "{{ true }}" },
        {
          type: "io.svc.plugin.core.condition.Not",
          conditions: [
            { type: condition, expression: "{{ false }}" },
            { type: condition, expression: "{{ true }}" },
          ],
        },
      ],
      cron: "0 * * * *",
    }]);
  }
});

Deno.test("applyPluginDefaults() gives back a document that declares none", () => {
  for (const source of ["{tasks: []}", "{tasks: [], pluginDefaults: []}", "{pluginDefaults: 1}"]) {
    const document = parseFlowSource(source).document ?? {};
    assertStrictEquals(applyPluginDefaults(document, CATALOGS), document);
  }
});

Deno.test("applyPluginDefaults() leaves alone what is no list and no object", () => {
  const source =
    `{pluginDefaults: [{type: ${LOG}, values: {level: WARN}}], tasks: 1, errors: [1, [2], {id: 3}], triggers: {}}`;
  const document = parseFlowSource(source).document ?? {};
  assertEquals(applyPluginDefaults(document, CATALOGS), document);
});

/** Defaults that one flow would multiply, and what its tasks are. */
const MULTIPLIED: readonly [string, string, string][] = [
  ["unknown values", `{type: ${LOG}, values: {${members(1_500)}}}`, tasks(140, LOG)],
  [
    "many items",
    `{type: ${SHELL}, values: {commands: [${items(40_000)}]}}`,
    tasks(6, SHELL, "commands: [a]"),
  ],
  ["many entries", `{type: ${LOG}, values: {level: INFO}}, `.repeat(2_000), tasks(110, LOG)],
  [
    "many entries of other types",
    `{type: a.B, values: {}}, `.repeat(2_000),
    tasks(110, LOG, undefined, true),
  ],
  ["values within values", `{type: ${HTTP}, values: {headers: {${members(1_500)}}}}`, tasks(150, HTTP)],
  [
    "tasks that the default applies to",
    `{type: ${SEQUENTIAL}, values: {tasks: [{id: t, type: ${SEQUENTIAL}}]}}`,
    tasks(1, SEQUENTIAL),
  ],
];

function members(count: number): string {
  return Array.from({ length: count }, (_, at) => `n${at}: 1`).join(", ");
}

function items(count: number): string {
  return Array.from({ length: count }, (_, at) => `c${at}`).join(", ");
}

function tasks(count: number, type: string, more = "timeout: PT1M", isOwnType = false): string {
  return Array.from(
    { length: count },
    (_, at) => `{id: t${at}, type: ${type}${isOwnType ? at : ""}, ${more}}`,
  ).join(", ");
}

for (const [what, defaults, list] of MULTIPLIED) {
  Deno.test(`validateFlow() refuses defaults that multiply ${what}`, () => {
    const parsed = parseFlowSource(`{id: f, namespace: n, pluginDefaults: [${defaults}], tasks: [${list}]}`);
    assertEquals(
      validateFlow(parsed, CATALOGS).map(({ code, path, severity }) => ({ code, path, severity })),
      [
        { code: "too_many", path: "pluginDefaults", severity: "error" },
      ],
    );
  });
}

Deno.test("validateFlow() counts the values of inherited defaults", () => {
  const parsed = parseFlowSource(`{id: f, namespace: n, tasks: [${tasks(101, HTTP, "uri: u")}]}`);
  const headers = Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`n${at}`, "1"]));
  const inherited = [{ type: HTTP, forced: false, values: { headers } }];
  assertEquals(validateFlow(parsed, CATALOGS, { inherited }).map(({ code }) => code), ["too_many"]);
  const fewer = { ...headers };
  for (let at = 0; at < 200; at++) delete fewer[`n${at}`];
  const less = [{ type: HTTP, forced: false, values: { headers: fewer } }];
  assertEquals(validateFlow(parsed, CATALOGS, { inherited: less }), []);
});

Deno.test("applyPluginDefaults() makes the text of an item of a default once for all tasks", () => {
  let texts = 0;
  const item = {
    toJSON: () => {
      texts++;
      return "x";
    },
  } as unknown as JsonObject;
  const inherited = [{ type: SHELL, forced: false, values: { commands: [item] } }];
  const { document = {} } = parseFlowSource(`{tasks: [${tasks(100, SHELL, "commands: [a]")}]}`);
  applyPluginDefaults(document, CATALOGS, inherited);
  assertEquals(texts, 1);
});

const FLOW = `id: f
namespace: n
pluginDefaults:
  - type: ${LOG}
    values: {message: hello}
tasks:
  - id: t
    type: ${LOG}
`;

Deno.test("validateFlow() counts defaults as properties", () => {
  assertEquals(validateFlow(parseFlowSource(FLOW), CATALOGS), []);
  const without = FLOW.replace("message: hello", "level: INFO");
  assertEquals(validateFlow(parseFlowSource(without), CATALOGS).map(({ path }) => path), [
    "tasks[0].message",
  ]);
});

Deno.test("buildFlow() applies defaults to the typed view alone", () => {
  const document = parseFlowSource(FLOW).document ?? {};
  const identity = { tenant: "main", revision: 1, flowNo: 1, deleted: false, source: FLOW };
  const flow = buildFlow(document, identity, CATALOGS);
  assertEquals(flow.tasks.map(({ properties }) => properties), [{ id: "t", type: LOG, message: "hello" }]);
  assertStrictEquals(flow.definition, document);
  const response = flowResponse(flow, { source: false });
  assertEquals(response.tasks, [{ id: "t", type: LOG }]);
  assertEquals(response.pluginDefaults, [{ type: LOG, values: { message: "hello" } }]);
});
