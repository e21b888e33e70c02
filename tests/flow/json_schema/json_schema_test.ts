import { assert, assertEquals } from "@std/assert";
import type { JsonObject, JsonValue } from "../../../src/base/json.ts";
import { isJsonObject } from "../../../src/base/json.ts";
import {
  allNames,
  createDefinitions,
  type Definitions,
  exampleOf,
  outputsSchema,
  propertiesSchema,
  SCHEMA_KINDS,
  schemaDocument,
  shownName,
} from "../../../src/flow/json_schema/json_schema.ts";
import type { PropertySchema } from "../../../src/model/flows/schema.ts";
import { builtInTypes, declaredTypes } from "../../support/flows/all_types.ts";

/** Text of a regular expression for texts with expressions. */
const EXPRESSION = "\\{\\{|\\{%";
const TEXT = [{ type: "string" }, { type: "number" }, { type: "boolean" }];
const AS_EXPRESSION = { type: "string", pattern: EXPRESSION };

/** The form of one property, without what is only shown. */
function formOf(schema: Omit<PropertySchema, "description">): JsonValue | undefined {
  const { properties } = propertiesSchema({ it: { description: "d", ...schema } as PropertySchema });
  return withoutShown((properties as JsonObject).it ?? null);
}

const SHOWN = [
  "description",
  "markdownDescription",
  "$dynamic",
  "default",
  "errorMessage",
  "patternErrorMessage",
];

function withoutShown(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutShown);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).filter(([name]) => !SHOWN.includes(name));
  return Object.fromEntries(entries.map(([name, member]) => [name, withoutShown(member)]));
}

const FORMS: readonly (readonly [string, Omit<PropertySchema, "description">, JsonValue])[] = [
  ["a text", { type: "string" }, { anyOf: TEXT }],
  ["a text of some form", { type: "string", pattern: "a|b", maxLength: 3 }, {
    type: "string",
    pattern: "^(?:a|b)$",
    maxLength: 3,
  }],
  ["a text of a form that numbers have", { type: "string", pattern: "\\d+" }, {
    anyOf: [{ type: "string", pattern: "^(?:\\d+)$" }, { type: "number" }],
  }],
  ["a text of some form or an expression", { type: "string", pattern: "a", dynamic: true }, {
    type: "string",
    pattern: `^(?:a)$|${EXPRESSION}`,
  }],
  ["allowed texts", { type: "string", values: ["A", "B"] }, { enum: ["A", "B"] }],
  ["allowed texts or an expression", { type: "string", values: ["A"], dynamic: true }, {
    anyOf: [{ enum: ["A"] }, { type: "string", pattern: EXPRESSION }],
  }],
  ["a whole number, perhaps as a text", { type: "integer", minimum: 1, maximum: 9 }, {
    anyOf: [
      { type: "integer", minimum: 1, maximum: 9 },
      { type: "string", pattern: "^[-+]?\\d{1,18}$" },
    ],
  }],
  ["a list", { type: "list" }, { type: "array" }],
  ["a list that must be given", { type: "list", required: true, items: { type: "any", description: "d" } }, {
    type: "array",
    items: {},
    minItems: 1,
  }],
  ["a list or an expression", { type: "list", dynamic: true }, { anyOf: [{ type: "array" }, AS_EXPRESSION] }],
  [
    "what a dynamic list holds",
    { type: "list", dynamic: true, items: { type: "boolean", description: "d" } },
    {
      anyOf: [{
        type: "array",
        items: {
          anyOf: [
            { type: "boolean" },
            { type: "string", pattern: `^([tT][rR][uU][eE]|[fF][aA][lL][sS][eE])$|${EXPRESSION}` },
          ],
        },
      }, AS_EXPRESSION],
    },
  ],
  ["a map", { type: "map" }, { type: "object", additionalProperties: true }],
  ["a map of texts", { type: "map", items: { type: "string", description: "d" } }, {
    type: "object",
    additionalProperties: { anyOf: TEXT },
  }],
  ["a map or its text", { type: "map", orText: true }, {
    anyOf: [{ type: "object", additionalProperties: true }, { type: "string" }],
  }],
  ["a list, a map or an expression", { type: "list", orMap: true, dynamic: true }, {
    anyOf: [{ type: "array" }, AS_EXPRESSION, { type: "object" }],
  }],
  ["a text or a list of texts", { type: "string", orList: true, required: true }, {
    anyOf: [...TEXT, { type: "array", items: { anyOf: TEXT }, minItems: 1 }],
  }],
  ["an object", { type: "object", properties: { a: { type: "any", required: true, description: "d" } } }, {
    type: "object",
    properties: { a: {} },
    required: ["a"],
    additionalProperties: false,
  }],
  ["an object with any members", { type: "object" }, { type: "object" }],
  ["anything", { type: "any", dynamic: true }, {}],
  ["a task", { type: "task" }, { $ref: "#/definitions/Task" }],
  ["tasks", { type: "tasks", required: true }, {
    type: "array",
    items: { $ref: "#/definitions/Task" },
    minItems: 1,
  }],
  ["inputs", { type: "inputs" }, { type: "array", items: { $ref: "#/definitions/Input" } }],
  ["conditions", { type: "conditions" }, { type: "array", items: { $ref: "#/definitions/Condition" } }],
];

/** The places of schemas whose `type` is a list. */
function listedTypes(value: JsonValue | undefined, place: string): string[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => listedTypes(item, `${place}[${index}]`));
  if (!isJsonObject(value)) return [];
  const own = Array.isArray(value.type) ? [place] : [];
  return [
    ...own,
    ...Object.entries(value).flatMap(([name, member]) => listedTypes(member, `${place}.${name}`)),
  ];
}

Deno.test("createDefinitions() gives each schema one type", () => {
  for (const [name, definition] of createDefinitions(builtInTypes())) {
    assertEquals(listedTypes(definition, name), []);
  }
});

for (const [what, schema, expected] of FORMS) {
  Deno.test(`propertiesSchema() describes ${what}`, () => assertEquals(formOf(schema), expected));
}

Deno.test("propertiesSchema() leaves out what is planned and marks what is deprecated", () => {
  const { properties, required, allOf, additionalProperties } = propertiesSchema({
    planned: { type: "string", planned: true, description: "d" },
    old: { type: "string", deprecated: "use `new`", description: "d" },
    ignored: { type: "integer", ignored: true, description: "d" },
    named: { type: "string", required: true, aliases: ["called"], description: "d" },
    plain: { type: "boolean", required: true, default: false, dynamic: true, description: "Plain." },
  });
  const forms = properties as Record<string, JsonObject>;
  assertEquals(Object.keys(forms), ["old", "ignored", "named", "called", "plain"]);
  assertEquals([forms.old?.deprecated, forms.old?.deprecationMessage], [true, "Deprecated: use `new`"]);
  assertEquals(forms.ignored?.type, undefined);
  assertEquals(forms.ignored?.deprecationMessage, "Has no effect and is ignored");
  assertEquals(forms.called?.deprecationMessage, 'Is replaced by "named", use that name');
  assertEquals(forms.plain?.default, false);
  assertEquals(forms.plain?.markdownDescription, "Plain.\n\nExpressions are allowed.\n\nDefault: `false`");
  assertEquals(required, ["plain"]);
  assertEquals(allOf, [{ if: { anyOf: [{ required: ["called"] }] }, else: { required: ["named"] } }]);
  assertEquals(additionalProperties, false);
});

Deno.test("outputsSchema() gives one type each", () => {
  const text: PropertySchema = { type: "string", description: "d" };
  assertEquals(outputsSchema({ a: text, b: { type: "list", items: text, description: "d" } }).properties, {
    a: { type: "string", description: "d" },
    b: { type: "array", items: { type: "string", description: "d" }, description: "d" },
  });
});

Deno.test("createDefinitions() has a definition for every type that works, and for no other", () => {
  const { tasks, triggers } = builtInTypes();
  const definitions = createDefinitions({ tasks, triggers });
  for (const type of [...tasks.list(), ...triggers.list(), ...triggers.listConditions()]) {
    const definition = definitions.get(shownName(type));
    assertEquals(definition !== undefined, type.form !== "planned", type.type);
    if (!definition) continue;
    const { type: name } = definition.properties as Record<string, JsonObject>;
    assertEquals(name?.enum, allNames(type), type.type);
    assertEquals(definition.additionalProperties, false, type.type);
  }
});

Deno.test("createDefinitions() holds a long form that several types have once", () => {
  const { tasks, triggers } = builtInTypes();
  const places = new Map<string, string[]>();
  for (const [name, { properties = {} }] of createDefinitions({ tasks, triggers })) {
    for (const [property, form] of Object.entries(properties as JsonObject)) {
      const text = JSON.stringify(form);
      if (text.length >= 500) places.set(text, [...places.get(text) ?? [], `${name}.${property}`]);
    }
  }
  const repeated = [...places.values()].filter(({ length }) => length > 1);
  assertEquals(repeated.map(([first, ...others]) => `${first} and ${others.length} others`), []);
});

Deno.test("createDefinitions() gives two forms of properties of the same name two definitions", () => {
  const { tasks, triggers } = builtInTypes();
  const definitions = createDefinitions({ tasks, triggers });
  const timeouts = [...definitions.keys()].filter((name) => /^Property\.timeout(\.\d+)?$/.test(name));
  const texts = new Set(timeouts.map((name) => JSON.stringify(definitions.get(name))));
  assert(timeouts.length > 1 && texts.size === timeouts.length);
});

const NAMES: readonly (readonly [string, readonly string[]])[] = [
  ["core.log.Log", [
    "io.svc.plugin.core.log.Log",
    "io.kestra.plugin.core.log.Log",
    "io.svc.core.tasks.log.Log",
    "io.kestra.core.tasks.log.Log",
  ]],
];
for (const [type, expected] of NAMES) {
  Deno.test(`allNames() gives every name of ${type}`, () => {
    assertEquals(allNames({ type, aliases: ["core.tasks.log.Log"] }), expected);
  });
}

Deno.test("allNames() writes newer aliases with the prefixes of types", () => {
  assertEquals(allNames({ type: "core.flow.A", aliases: ["core.flow.B"] }).slice(2), [
    "io.svc.plugin.core.flow.B",
    "io.kestra.plugin.core.flow.B",
  ]);
});

for (const [kind, name] of SCHEMA_KINDS) {
  Deno.test(`schemaDocument() of ${kind} holds everything that it refers to`, () => {
    const definitions = createDefinitions(declaredTypes());
    const document = schemaDocument(definitions, name);
    assertEquals(document.$ref, `#/definitions/${name}`);
    const held = Object.keys(document.definitions as JsonObject);
    const missing = [...referencesOf(document)].filter((reference) => !held.includes(reference));
    assertEquals(missing, []);
  });
}

function referencesOf(value: JsonValue): Set<string> {
  const text = JSON.stringify(value);
  return new Set([...text.matchAll(/"\$ref":"#\/definitions\/([^"]+)"/g)].map(([, name = ""]) => name));
}

Deno.test("schemaDocument() can describe lists", () => {
  const definitions: Definitions = new Map<string, JsonObject>([["A", { type: "object" }], ["B", {}]]);
  assertEquals(schemaDocument(definitions, "A", { isList: true }), {
    $schema: "http://json-schema.org/draft-07/schema#",
    type: "array",
    items: { $ref: "#/definitions/A" },
    definitions: { A: { type: "object" } },
  });
});

Deno.test("exampleOf() gives what must be given", () => {
  const text: PropertySchema = { type: "string", description: "d" };
  const properties = {
    message: { ...text, required: true },
    limit: { type: "integer", required: true, minimum: 3, description: "d" },
    later: { ...text, required: true, planned: true },
    other: text,
  } as const;
  const example = exampleOf({ type: "core.log.LogAll", aliases: [], description: "d", properties });
  assertEquals(
    example,
    "- id: log_all\n  type: io.svc.plugin.core.log.LogAll\n  message: text\n  limit: 3\n",
  );
  assert(
    !exampleOf({ type: "a.B", aliases: [], description: "d", properties }, { hasId: false }).includes("id:"),
  );
});
