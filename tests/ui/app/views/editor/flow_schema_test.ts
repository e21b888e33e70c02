import { assertEquals } from "@std/assert";
import { FlowSchema, type Schema } from "../../../../../src/ui/app/views/editor/flow_schema.ts";
import { yamlContext } from "../../../../../src/ui/app/views/editor/yaml_context.ts";

const TEXT: Schema = { type: "string" };
const SCHEMA: Schema = {
  definitions: {
    Flow: {
      properties: {
        id: TEXT,
        tasks: { type: "array", items: { $ref: "#/definitions/Task" } },
        inputs: { type: "array", items: { $ref: "#/definitions/Input" } },
        variables: { type: "object" },
        pluginDefaults: {
          type: "array",
          items: {
            properties: { type: { anyOf: [TEXT, { type: "number" }] }, values: { type: "object" } },
            required: ["type", "values"],
          },
        },
      },
      required: ["id", "tasks"],
    },
    Task: {
      properties: { id: TEXT, type: { anyOf: [{ enum: ["a.core.Log", "a.core.All"] }, { type: "string" }] } },
    },
    Input: {
      properties: { type: { enum: ["INT", "SELECT"] } },
      allOf: [{
        if: { properties: { type: { pattern: "^SELECT$" } }, required: ["type"] },
        then: { properties: { values: { type: "array" } } },
      }],
    },
    "a.core.Log": {
      title: "Log",
      properties: {
        id: TEXT,
        type: { enum: ["a.core.Log", "b.core.Log"] },
        level: { anyOf: [{ enum: ["INFO", "WARN"] }, { type: "string" }] },
        loud: { anyOf: [{ type: "boolean" }, { type: "string" }] },
        message: { anyOf: [{ type: "string" }, { type: "number" }, { type: "boolean" }] },
      },
    },
    "a.core.All": {
      title: "All",
      properties: {
        type: { enum: ["a.core.All"] },
        tasks: { type: "array", items: { $ref: "#/definitions/Task" } },
      },
    },
  },
};
const schema = new FlowSchema(SCHEMA);

/** The names of the properties at the end of a source. */
function namesAt(source: string): string[] {
  return schema.propertiesAt(yamlContext(source, source.length).levels).map(({ name }) => name);
}

Deno.test("FlowSchema.propertiesAt() follows types, lists and conditions", () => {
  assertEquals(namesAt(""), ["id", "tasks", "inputs", "variables", "pluginDefaults"]);
  assertEquals(namesAt("tasks:\n  - "), ["id", "type"]);
  assertEquals(namesAt("tasks:\n  - type: b.core.Log\n    "), ["id", "type", "level", "loud", "message"]);
  const nested = "tasks:\n  - type: a.core.All\n    tasks:\n      - type: a.core.Log\n        ";
  assertEquals(namesAt(nested), ["id", "type", "level", "loud", "message"]);
  assertEquals(namesAt("inputs:\n  - type: INT\n    "), ["type"]);
  assertEquals(namesAt("inputs:\n  - type: SELECT\n    "), ["type", "values"]);
  const defaults = "pluginDefaults:\n  - type: a.core.Log\n    ";
  assertEquals(namesAt(defaults), ["type", "values"]);
  assertEquals(namesAt(`${defaults}values:\n      `), ["level", "loud", "message"]);
  assertEquals(namesAt("variables:\n  "), []);
});

Deno.test("FlowSchema.propertiesAt() says which properties are required", () => {
  const required = schema.propertiesAt(yamlContext("", 0).levels).filter(({ isRequired }) => isRequired);
  assertEquals(required.map(({ name }) => name), ["id", "tasks"]);
});

Deno.test("FlowSchema.valuesAt() gives the values of choices and switches", () => {
  const source = "tasks:\n  - type: a.core.Log\n    level: ";
  const { levels } = yamlContext(source, source.length);
  assertEquals(schema.valuesAt(levels, "level"), ["INFO", "WARN"]);
  assertEquals(schema.valuesAt(levels, "loud"), ["true", "false"]);
  assertEquals(schema.valuesAt(levels, "id"), []);
  assertEquals(schema.valuesAt(levels, "message"), []);
  assertEquals(schema.valuesAt(yamlContext("tasks:\n  - type: ", 17).levels, "type"), [
    "a.core.Log",
    "a.core.All",
  ]);
  const defaults = yamlContext("pluginDefaults:\n  - type: ", 26).levels;
  assertEquals(schema.valuesAt(defaults, "type"), ["a.core.Log", "a.core.All"]);
});
