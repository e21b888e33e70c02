import { assert, assertEquals } from "@std/assert";
import {
  createDefinitions,
  exampleOf,
  schemaDocument,
  type SchemaSources,
} from "../../../src/flow/json_schema/json_schema.ts";
import type { TypeDeclaration } from "../../../src/model/flows/type_declaration.ts";
import { builtInTypes, declaredTypes } from "../../support/flows/all_types.ts";
import { CURSOR, type EditorRequest, type EditorView, editorViews } from "../../support/browser/editor.ts";

function flowSchema(sources: SchemaSources): unknown {
  return schemaDocument(createDefinitions(sources), "Flow");
}

const HEAD = "id: hello\nnamespace: demo.team\n";

/** A flow of these tasks. */
function flow(...tasks: readonly string[]): string {
  return `${HEAD}tasks:\n${tasks.map((task) => `  - ${task.replaceAll("\n", "\n    ")}\n`).join("")}`;
}

const GOOD_FLOWS: readonly (readonly [string, string])[] = [
  [
    "texts, lists of texts and numbers as texts",
    flow(
      "id: a\ntype: io.svc.plugin.core.log.Log\nmessage: text",
      "id: b\ntype: io.svc.plugin.core.log.Log\nmessage: [one, 2]\nlevel: WARN",
      "id: c\ntype: io.svc.plugin.core.debug.Return\nformat: 42",
    ),
  ],
  [
    "either prefix and older names",
    flow(
      "id: a\ntype: io.kestra.plugin.core.log.Log\nmessage: text",
      "id: b\ntype: io.kestra.core.tasks.log.Log\nmessage: text",
      "id: c\ntype: io.svc.core.tasks.debugs.Return\nformat: text",
    ),
  ],
  [
    "expressions instead of values",
    flow(
      'id: a\ntype: io.svc.plugin.core.flow.Sleep\nduration: "{{ inputs.wait }}"',
      'id: b\ntype: io.svc.plugin.core.log.Log\nmessage: "{{ inputs.list }}"\nlevel: "{{ inputs.level }}"',
    ),
  ],
  [
    "common properties",
    flow(
      "id: a\ntype: io.svc.plugin.core.flow.Sleep\nduration: PT0.5S\ndescription: waits\n" +
        'disabled: "true"\nrunIf: "{{ inputs.x }}"\nallowFailure: true\nallowWarning: false\nlogLevel: DEBUG',
    ),
  ],
  [
    "everything around the tasks",
    `${flow("id: a\ntype: io.svc.plugin.core.execution.Fail")}` +
    `description: text\ndisabled: false\nlabels: {team: a, number: 1}\nvariables: {list: [1]}\n` +
    `inputs:\n  - {id: a, type: STRING, defaults: 42}\n  - {id: b, type: INT, min: 1, max: "5"}\n` +
    `  - {id: c.d, type: ARRAY, itemType: INT, required: false}\n` +
    `  - {id: e, type: SELECT, values: [x, y], dependsOn: {inputs: [a], condition: "{{ true }}"}}\n` +
    `outputs:\n  - {id: o, type: STRING, value: "{{ inputs.a }}"}\n  - {id: p, value: 1}\n` +
    `errors:\n  - {id: z, type: io.svc.plugin.core.log.Log, message: text}\n` +
    `triggers:\n  - {id: hook, type: io.svc.plugin.core.trigger.Webhook, key: secret}\n`,
  ],
  [
    "labels as a list",
    `${flow("id: a\ntype: io.svc.plugin.core.execution.Fail")}labels: [{key: a, value: b}]\n`,
  ],
];

const LOG = "type: io.svc.plugin.core.log.Log";

/** Flows with a mistake, and the one problem that is shown. */
const BAD_FLOWS: readonly (readonly [string, string, string])[] = [
  [
    "a misspelt property of a type",
    flow(`id: a\n${LOG}\nmessage: text\nlevl: INFO`),
    "7: Property levl is not allowed.",
  ],
  [
    "a misspelt property of the flow",
    `${flow(`id: a\n${LOG}\nmessage: text`)}trigers: []\n`,
    "7: Property trigers is not allowed.",
  ],
  [
    "a value of a wrong type",
    flow("id: a\ntype: io.svc.plugin.core.flow.Sleep\nduration: 10s"),
    '6: Must be an ISO 8601 duration such as "PT10S", or a number of seconds, or an expression',
  ],
  [
    "a value that is none of those allowed",
    flow(`id: a\n${LOG}\nmessage: text\nlogLevel: LOUD`),
    '7: Value is not accepted. Valid values: "TRACE", "DEBUG", "INFO", "WARN", "ERROR".',
  ],
  [
    "a flag of a wrong type",
    flow(`id: a\n${LOG}\nmessage: text\ndisabled: maybe`),
    "7: Must be true or false",
  ],
  ["an unknown type of task", flow("id: a\ntype: io.svc.plugin.core.log.Lag"), "5: Unknown type of task"],
  ["a missing property of a type", flow(`id: a\n${LOG}`), '4: Missing property "message".'],
  ["a missing id", flow(`${LOG}\nmessage: text`), '4: Missing property "id".'],
  ["a missing type", flow("id: a"), '4: Missing property "type".'],
  ["no tasks", HEAD, '1: Missing property "tasks".'],
  [
    "a namespace of a wrong form",
    flow(`id: a\n${LOG}\nmessage: text`).replace("demo.team", "Demo"),
    '2: Must match "[a-z0-9][a-z0-9._-]*"',
  ],
  [
    "an unknown type of input",
    `${flow(`id: a\n${LOG}\nmessage: text`)}inputs: [{id: x, type: STRIN}]\n`,
    "7: Must be one of ",
  ],
  [
    "a property of another type of input",
    `${flow(`id: a\n${LOG}\nmessage: text`)}inputs: [{id: x, type: STRING, min: 1}]\n`,
    "7: Property min is not allowed.",
  ],
  [
    "a trigger without its key",
    `${
      flow(`id: a\n${LOG}\nmessage: text`)
    }triggers:\n  - id: t\n    type: io.svc.plugin.core.trigger.Webhook\n`,
    '8: Missing property "key".',
  ],
  [
    "an older name of a property",
    `${flow(`id: a\n${LOG}\nmessage: text`)}inputs: [{name: x, type: STRING}]\n`,
    '7: Is replaced by "id", use that name',
  ],
];

/** Mistakes within tasks that arrange others; their types need not work yet. */
const BAD_NESTED: readonly (readonly [string, string, string])[] = [
  [
    "a nested task",
    flow(
      `id: a\ntype: io.svc.plugin.core.flow.Parallel\ntasks:\n  - id: b\n    ${LOG}\n    mesage: text\n    message: x`,
    ),
    "9: Property mesage is not allowed.",
  ],
  [
    "a task of a Dag",
    flow(
      `id: a\ntype: io.svc.plugin.core.flow.Dag\ntasks:\n  - task: {id: b, ${LOG}, message: x}\n    dependOn: [c]`,
    ),
    "8: Property dependOn is not allowed.",
  ],
  [
    "a case of a Switch",
    flow(`id: a\ntype: io.svc.plugin.core.flow.Switch\nvalue: x\ncases:\n  x: [{id: b, ${LOG}}]`),
    '8: Missing property "message".',
  ],
];

/** Where an author types, and what must be among the offers, and what must not. */
const OFFERS: readonly (readonly [string, string, readonly string[], readonly string[]])[] = [
  ["members of a flow", `id: a\n${CURSOR}\n`, ["namespace", "tasks", "inputs", "triggers"], [
    "revision",
    "id",
  ]],
  [
    "types of tasks",
    flow(`id: a\ntype: ${CURSOR}`),
    ["io.svc.plugin.core.log.Log", "io.kestra.plugin.core.log.Log", "io.svc.plugin.core.debug.Return"],
    ["io.svc.core.tasks.log.Log", "io.svc.plugin.core.trigger.Webhook"],
  ],
  [
    "properties of a type",
    flow(`id: a\n${LOG}\n${CURSOR}`),
    ["message", "level", "description", "disabled", "runIf", "allowFailure"],
    ["format", "id", "duration"],
  ],
  ["common properties before there is a type", flow(`id: a\n${CURSOR}`), ["type", "disabled"], ["message"]],
  ["allowed values", flow(`id: a\n${LOG}\nmessage: x\nlogLevel: ${CURSOR}`), ["INFO", "ERROR"], []],
  ["types of triggers", `${HEAD}triggers:\n  - id: t\n    type: ${CURSOR}\n`, [
    "io.svc.plugin.core.trigger.Webhook",
  ], [
    "io.svc.plugin.core.log.Log",
  ]],
  ["types of inputs", `${HEAD}inputs:\n  - id: t\n    type: ${CURSOR}\n`, ["STRING", "INT", "FILE"], []],
  ["properties of a type of inputs", `${HEAD}inputs:\n  - id: t\n    type: INT\n    ${CURSOR}\n`, [
    "min",
    "max",
    "defaults",
  ], ["validator"]],
];

const requests: (() => EditorRequest)[] = [];
let answers: Promise<EditorView[][]> | undefined;

/** Views of an editor. The requests of all tests are sent at once: the service takes longer to start than to answer them. */
function viewsOf(request: () => EditorRequest): () => Promise<EditorView[]> {
  const index = requests.push(request) - 1;
  return async () => {
    answers ??= editorViews(requests.map((each) => each()));
    return (await answers)[index] ?? [];
  };
}

const goodViews = viewsOf(() => ({
  schema: flowSchema(builtInTypes()),
  documents: GOOD_FLOWS.map(([, source]) => source),
}));

Deno.test("an editor shows no problem of a good flow", async () => {
  const views = await goodViews();
  for (const [index, [what]] of GOOD_FLOWS.entries()) assertEquals(views[index]?.problems, [], what);
});

for (
  const [what, cases, sources] of [
    ["a flow", BAD_FLOWS, builtInTypes],
    ["nested tasks", BAD_NESTED, declaredTypes],
  ] as const
) {
  const badViews = viewsOf(() => ({
    schema: flowSchema(sources()),
    documents: cases.map(([, source]) => source),
  }));

  Deno.test(`an editor shows one problem for one mistake of ${what}`, async () => {
    const views = await badViews();
    for (const [index, [mistake, , expected]] of cases.entries()) {
      const problems = views[index]?.problems ?? [];
      assert(
        problems.length === 1 && problems[0]?.startsWith(expected),
        `${mistake}: ${problems.join("\n")}`,
      );
    }
  });
}

const offerViews = viewsOf(() => ({
  schema: flowSchema(builtInTypes()),
  documents: OFFERS.map(([, source]) => source),
}));

Deno.test("an editor offers types, properties and values", async () => {
  const views = await offerViews();
  for (const [index, [what, , wanted, unwanted]] of OFFERS.entries()) {
    const offers = views[index]?.offers ?? [];
    const missing = wanted.filter((name) => !offers.includes(name));
    const extra = unwanted.filter((name) => offers.includes(name));
    assertEquals({ missing, extra }, { missing: [], extra: [] }, `${what}: ${offers.join(", ")}`);
    assertEquals(new Set(offers).size, offers.length, what);
  }
});

const current = (type: TypeDeclaration) => type.deprecated === undefined;

function exampleFlows(): string[] {
  const { tasks, triggers } = declaredTypes();
  return [
    ...tasks.list().filter(current).map((type) => `${HEAD}tasks:\n${indent(exampleOf(type))}`),
    ...triggers.list().filter(current).map((type) => withTriggers(exampleOf(type))),
  ];
}

const exampleViews = viewsOf(() => ({ schema: flowSchema(declaredTypes()), documents: exampleFlows() }));

Deno.test("exampleOf() gives flows that an editor has nothing to say of, for every declared type", async () => {
  const views = await exampleViews();
  for (const [index, source] of exampleFlows().entries()) assertEquals(views[index]?.problems, [], source);
});

function exampleConditions(): string[] {
  return declaredTypes().triggers.listConditions().filter(current).map((type) =>
    exampleOf(type, { hasId: false })
  );
}

const conditionViews = viewsOf(() => ({
  schema: schemaDocument(createDefinitions(declaredTypes()), "Condition", { isList: true }),
  documents: exampleConditions(),
}));

Deno.test("exampleOf() gives conditions that an editor has nothing to say of", async () => {
  const views = await conditionViews();
  for (const [index, source] of exampleConditions().entries()) {
    assertEquals(views[index]?.problems, [], source);
  }
});

function withTriggers(example: string): string {
  return `${HEAD}tasks: [{id: a, type: io.svc.plugin.core.execution.Fail}]\ntriggers:\n${indent(example)}`;
}

function indent(text: string): string {
  return text.replaceAll(/^(?=.)/gm, "  ");
}
