import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { type JsonValue, stringifyJson } from "../../../src/base/json.ts";
import { buildFlow, parseFlowSource, problemsError, validateFlow } from "../../../src/flow/mod.ts";
import {
  FLOW_PROPERTIES,
  INPUT_PROPERTIES,
  OUTPUT_PROPERTIES,
  TASK_PROPERTIES,
  TRIGGER_PROPERTIES,
} from "../../../src/flow/schema/flow_schema.ts";
import type { PropertySchemas } from "../../../src/model/flows/schema.ts";
import { catalog, catalogs } from "../flow_support.ts";

const RUNS = 800;

const text = fc.constantFrom(
  "a",
  "b",
  "n.s",
  "",
  "PT1S",
  "x y",
  "{{ inputs.a }}",
  "{{ 1 + }}",
  "true",
  "core.log.Log",
);
const leaf: fc.Arbitrary<JsonValue> = fc.oneof(
  text,
  fc.boolean(),
  fc.constant(null),
  fc.integer({ min: -2, max: 3 }),
);
const anything: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    leaf,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("a", "type", "id", "__proto__", "values"), tie("value"), { maxKeys: 3 }),
  ),
})).value;

/** An object of known members, mostly with values of their kind, and now and then of a strange one. */
function objectOf(
  schemas: PropertySchemas,
  known: Readonly<Record<string, fc.Arbitrary<JsonValue>>> = {},
): fc.Arbitrary<JsonValue> {
  const names = [...Object.keys(schemas), "unknown"];
  const others = fc.dictionary(fc.constantFrom(...names), anything, { maxKeys: 2 });
  const members = fc.record(known, { requiredKeys: [] });
  return fc.tuple(members, fc.option(others, { freq: 3 })).map(([own, more]) =>
    ({ ...own, ...more }) as JsonValue
  );
}

const id = fc.oneof({ weight: 4, arbitrary: fc.constantFrom("a", "b", "c", "d") }, {
  weight: 1,
  arbitrary: anything,
});

function listOf(item: fc.Arbitrary<JsonValue>): fc.Arbitrary<JsonValue> {
  const list = fc.array(fc.oneof({ weight: 9, arbitrary: item }, { weight: 1, arbitrary: anything }), {
    maxLength: 3,
  });
  return fc.oneof({ weight: 9, arbitrary: list }, { weight: 1, arbitrary: anything });
}

const { task } = fc.letrec<{ task: JsonValue; tasks: JsonValue }>((tie) => ({
  tasks: listOf(tie("task")),
  task: fc.oneof(
    { depthSize: "small" },
    ...catalog.list().map((type) => {
      const nesting = Object.entries(type.properties).map(
        ([name, schema]): [string, fc.Arbitrary<JsonValue>] => {
          switch (schema.type) {
            case "tasks":
              return [name, tie("tasks")];
            case "task":
              return [name, tie("task")];
            case "dagTasks":
              return [
                name,
                listOf(fc.record({ task: tie("task"), dependsOn: listOf(id) }, { requiredKeys: ["task"] })),
              ];
            case "cases":
              return [name, fc.dictionary(fc.constantFrom("x", "y"), tie("tasks"), { maxKeys: 2 })];
            default:
              return [name, schema.required ? text : anything];
          }
        },
      );
      return objectOf({ ...TASK_PROPERTIES, ...type.properties }, {
        id,
        type: fc.constant(type.type),
        ...Object.fromEntries(nesting),
      });
    }),
  ),
}));

const triggerTypes = catalogs.triggers.list().map(({ type }) => type);
const condition = objectOf({ conditions: { type: "any", description: "" } }, {
  type: fc.constantFrom(...catalogs.triggers.listConditions().map(({ type }) => type)),
  expression: text,
});
const trigger = objectOf(TRIGGER_PROPERTIES, {
  id,
  type: fc.constantFrom(...triggerTypes),
  key: text,
  cron: fc.constantFrom("* * * * *", "x"),
  conditions: listOf(condition),
});
const input = objectOf(INPUT_PROPERTIES, {
  id,
  type: fc.constantFrom("STRING", "INT", "SELECT", "ENUM", "JSON"),
  defaults: leaf,
  dependsOn: fc.record({ inputs: listOf(id), condition: text }, { requiredKeys: [] }),
});
const output = objectOf(OUTPUT_PROPERTIES, { id, value: anything });
const flow = objectOf(FLOW_PROPERTIES, {
  id: fc.constant("f"),
  namespace: fc.constant("n"),
  tasks: listOf(task),
  errors: listOf(task),
  finally: listOf(task),
  triggers: listOf(trigger),
  inputs: listOf(input),
  outputs: listOf(output),
  pluginDefaults: listOf(fc.record({ type: fc.constantFrom("core.log", "core.flow.Dag"), values: anything })),
  labels: anything,
});

/** Lines of a source as editors count them. */
function checkRanges(source: string): void {
  const parsed = parseFlowSource(source);
  const problems = validateFlow(parsed, catalogs, { expressions: {} });
  const lines = source.split("\n");
  for (const { range, path, message } of problems) {
    const line = lines[(range?.line ?? 0) - 1];
    assert(range && line !== undefined, `${path}: ${message} has no place`);
    const end = range.column - 1 + range.length;
    const isAtEnd = range.column === line.length + 1 && range.length === 1;
    assert(range.column >= 1 && range.length >= 1 && (end <= line.length || isAtEnd), `${path}: ${message}`);
  }
  const places = problems.map(({ range }) => (range?.line ?? 0) * 1e7 + (range?.column ?? 0));
  assertEquals(places, [...places].sort((a, b) => a - b));
  if (problems.some(({ severity }) => severity === "error")) {
    assert(problemsError(problems).message.length > 10);
  } else {buildFlow(
      parsed.document ?? {},
      { tenant: "main", revision: 1, flowNo: 1, deleted: false, source },
      { tasks: catalog },
    );}
}

Deno.test("validateFlow() of a random flow accepts it or gives problems in order, inside the source", () => {
  fc.assert(
    fc.property(
      flow,
      fc.boolean(),
      (document, isLong) => checkRanges(stringifyJson(document, isLong ? 2 : 0)),
    ),
    { numRuns: RUNS },
  );
});

Deno.test("validateFlow() finds the same with and without expressions, but for warnings", () => {
  fc.assert(
    fc.property(flow, (document) => {
      const parsed = parseFlowSource(stringifyJson(document));
      const all = validateFlow(parsed, catalogs, { expressions: {} });
      const isError = ({ severity }: { severity: string }) => severity === "error";
      assertEquals(all.filter(isError), validateFlow(parsed, catalogs).filter(isError));
    }),
    { numRuns: 500 },
  );
});

Deno.test("parseFlowSource() throws on no text", () => {
  const piece = fc.constantFrom(
    "a: ",
    "- ",
    "\n",
    "  ",
    "|",
    "'",
    '"',
    "{",
    "}",
    "[",
    "]",
    "&x",
    "*x",
    "#",
    "!",
    "\t",
    "---\n",
    ":",
  );
  const noise = fc.array(fc.oneof(piece, fc.string({ unit: "binary", maxLength: 3 })), { maxLength: 40 });
  fc.assert(
    fc.property(noise, (pieces) => {
      const parsed = parseFlowSource(pieces.join(""));
      assert(parsed.document !== undefined || parsed.problems.length > 0);
    }),
    { numRuns: 3_000 },
  );
});
