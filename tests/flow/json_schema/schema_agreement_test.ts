import { assert, assertEquals } from "@std/assert";
import { stringify } from "@std/yaml";
import { createDefinitions, schemaDocument } from "../../../src/flow/json_schema/json_schema.ts";
import { parseFlowSource, validateFlow } from "../../../src/flow/mod.ts";
import type { PropertySchema } from "../../../src/model/flows/schema.ts";
import type { TaskType } from "../../../src/model/tasks/task_catalog.ts";
import { createTaskCatalog } from "../../../src/tasks/registry.ts";
import { builtInTypes } from "../../support/flows/all_types.ts";
import { editorViews } from "../../support/browser/editor.ts";

const TEXT: PropertySchema = { type: "string", description: "d" };
const ANY: PropertySchema = { type: "any", description: "d" };

/** One property of each form. */
const FORMS: Readonly<Record<string, Omit<PropertySchema, "description">>> = {
  text: { type: "string" },
  dynamicText: { type: "string", dynamic: true },
  form: { type: "string", pattern: "[a-z]+", dynamic: true },
  short: { type: "string", maxLength: 4 },
  choice: { type: "string", values: ["A", "B"] },
  dynamicChoice: { type: "string", values: ["A", "B"], dynamic: true },
  integer: { type: "integer", minimum: 0, maximum: 7 },
  dynamicInteger: { type: "integer", dynamic: true },
  number: { type: "number" },
  flag: { type: "boolean" },
  dynamicFlag: { type: "boolean", dynamic: true },
  duration: { type: "duration", dynamic: true },
  time: { type: "dateTime" },
  list: { type: "list" },
  texts: { type: "list", items: TEXT, dynamic: true },
  lists: { type: "list", items: { type: "list", items: TEXT, description: "d" } },
  map: { type: "map" },
  texted: { type: "map", items: TEXT, orText: true },
  flags: { type: "map", items: { type: "boolean", description: "d" }, dynamic: true },
  textOrList: { type: "string", orList: true, dynamic: true },
  integerOrList: { type: "integer", orList: true },
  choiceOrList: { type: "string", values: ["A"], orList: true },
  mapOrListOrText: { type: "map", orList: true, orText: true, dynamic: true },
  listOrMap: { type: "list", items: TEXT, orMap: true, dynamic: true },
  object: { type: "object", properties: { a: { ...ANY, required: true }, b: { ...TEXT, aliases: ["c"] } } },
  open: { type: "object" },
  variant: {
    type: "object",
    properties: { n: { type: "integer", description: "d" } },
    variants: { x: { a: { ...TEXT, required: true } }, y: { b: TEXT } },
  },
  any: { type: "any", dynamic: true },
  task: { type: "task" },
  tasks: { type: "tasks" },
  dagTasks: { type: "dagTasks" },
  cases: { type: "cases" },
  inputs: { type: "inputs" },
  ignored: { type: "integer", ignored: true },
};

const NESTED = { id: "nested", type: "io.svc.plugin.core.log.Log", message: "text" };
const VALUES: readonly unknown[] = [
  ...["text", "", "5", "5.5", "true", "FALSE", "A", "PT10S", "P1D", "P", "PT", "1d", "2026-01-31T12:00:00Z"],
  ...["{{ x }}", "{% if x %}y{% endif %}", 5, 8, -1, 5.5, true],
  ...[[], ["a"], [5], [[1]], [["a"]], [{}], ["{{ x }}"], ["A", "A"]],
  ...[{}, { a: 1 }, { a: "x", b: "y" }, { a: 1, c: "x" }, { c: 1 }, { a: {} }, { a: "{{ x }}" }, { a: [1] }],
  ...[{ type: "x", a: "t" }, { type: "x" }, { type: "y", b: "t", n: 1 }, { type: "y", a: "t" }, {
    type: "z",
  }],
  ...[NESTED, [NESTED], [{ task: NESTED }], { a: [NESTED] }, [{ id: "i", type: "INT", min: 1 }]],
];

function taskType(): TaskType {
  const properties = Object.fromEntries(
    Object.entries(FORMS).map(([name, schema]) => [name, { description: "d", ...schema }]),
  );
  return {
    form: "runnable",
    pure: true,
    run: () => ({ state: "SUCCESS" }),
    type: "test.All",
    aliases: [],
    description: "d",
    properties,
  };
}

/** Warnings of an editor that are no mistakes. */
const WARNING = /: (?:Deprecated:|Is replaced by|Has no effect)/;

Deno.test("an editor finds a mistake where a save would be refused, and nowhere else", async () => {
  const catalogs = { ...builtInTypes(), tasks: createTaskCatalog([taskType()]) };
  const flows = Object.keys(FORMS).flatMap((name) =>
    VALUES.map((value) =>
      stringify(
        { id: "f", namespace: "n", tasks: [{ id: "t", type: "io.svc.plugin.test.All", [name]: value }] },
        { aliasDuplicateObjects: false },
      )
    )
  );
  const schema = schemaDocument(createDefinitions(catalogs), "Flow");
  const [views = []] = await editorViews([{ schema, documents: flows }]);
  const disagreed: string[] = [];
  let mistaken = 0;
  for (const [index, source] of flows.entries()) {
    const errors = validateFlow(parseFlowSource(source), catalogs).filter(({ severity }) =>
      severity === "error"
    );
    const problems = (views[index]?.problems ?? []).filter((problem) => !WARNING.test(problem));
    const disagreement = JSON.stringify({ source, errors: errors.map(({ message }) => message), problems });
    if ((problems.length > 0) !== (errors.length > 0)) disagreed.push(disagreement);
    if (errors.length > 0) mistaken++;
  }
  assertEquals(disagreed, []);
  assert(mistaken > 500 && flows.length - mistaken > 300, `${mistaken} of ${flows.length}`);
});
