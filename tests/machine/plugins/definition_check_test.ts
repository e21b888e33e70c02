import { assertEquals } from "@std/assert";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../src/base/json.ts";
import { checkDefinition } from "../../../src/machine/plugins/definition_check.ts";

type Described = Parameters<typeof checkDefinition>[0];

/** What is found out about a file with this definition. */
function described(definition: JsonValue, given: Partial<Described> = {}): Described {
  const { type } = isJsonObject(definition) ? definition : {};
  const declared = type === undefined ? [] : [String(type)];
  return { definition, functions: ["run"], isTrigger: false, declared, ...given };
}

const TEXT = { type: "string", description: "A text." };
const RIGHT: JsonObject = {
  type: "com.example.Weather",
  aliases: ["example.Weather"],
  title: "Weather",
  description: "Reads the weather.",
  properties: {
    city: { ...TEXT, required: true, pattern: "[a-z]+" },
    days: { type: "integer", description: "Days.", minimum: 1, maximum: 7, default: 3 },
    options: {
      type: "object",
      description: "Options.",
      properties: { unit: { ...TEXT, values: ["C", "F"] } },
    },
    names: { type: "list", description: "Names.", items: TEXT },
  },
  outputs: { summary: TEXT },
  metrics: { requests: { type: "counter", description: "Requests." } },
  examples: [{ title: "Berlin", yaml: "id: a" }],
  permissions: { net: ["api.example.com", "*.example.org", "localhost:8080", "[::1]:80"] },
};

Deno.test("checkDefinition() accepts a definition with all members", () => {
  assertEquals(checkDefinition(described(RIGHT)), { kind: "run", definition: RIGHT as never });
});

/** Changes of the definition, and what is reported. */
const WRONG: readonly (readonly [change: JsonObject, problem: string])[] = [
  [
    { type: "Weather" },
    'type: must be a dotted name such as "com.example.Weather", not of core, io.kestra or io.svc',
  ],
  [
    { type: "core.log.Log" },
    'type: must be a dotted name such as "com.example.Weather", not of core, io.kestra or io.svc',
  ],
  [{ description: "" }, "description: must be a text"],
  [{ aliases: "a.b" }, "aliases: must be a list"],
  [
    { version: 1 },
    "version: is not a member; there are " +
    "type, aliases, title, description, properties, outputs, examples, permissions, metrics",
  ],
  [{ properties: { city: "string" } }, "properties.city: must be an object"],
  [{ properties: { city: { type: "string" } } }, "properties.city.description: is missing"],
  [
    { properties: { city: { ...TEXT, type: "tasks" } } },
    "properties.city.type: must be one of " +
    "string, integer, number, boolean, duration, dateTime, list, map, object, any",
  ],
  [
    { properties: { city: { ...TEXT, pattern: "(" } } },
    "properties.city.pattern: must be a regular expression",
  ],
  [{ properties: { city: { ...TEXT, required: "yes" } } }, "properties.city.required: must be true or false"],
  [{ properties: { timeout: TEXT } }, "properties.timeout: every task has a property of this name"],
  [{ properties: { "a b": TEXT } }, "properties.a b: must be a name of letters, digits and _"],
  [
    { properties: { o: { type: "object", description: "An object." } } },
    "properties.o: an object has properties; any keys: map",
  ],
  [
    { properties: { l: { type: "list", description: "A list.", items: { type: "x", description: "X." } } } },
    "properties.l.items.type: must be one of " +
    "string, integer, number, boolean, duration, dateTime, list, map, object, any",
  ],
  [
    { metrics: { a: { type: "sum", description: "A." } } },
    "metrics.a.type: must be one of counter, timer, gauge",
  ],
  [{ examples: [{ title: "A" }] }, "examples.0.yaml: is missing"],
  [
    { permissions: { net: ["https://a.example"] } },
    'permissions.net: must be a host such as "api.example.com" or "api.example.com:8443"',
  ],
  [{ permissions: { read: ["/"] } }, "permissions.read: is not a member; there are net"],
];

for (const [change, problem] of WRONG) {
  Deno.test(`checkDefinition() reports ${problem} (${JSON.stringify(change)})`, () => {
    assertEquals(checkDefinition(described({ ...RIGHT, ...change })), [problem]);
  });
}

const { metrics: _, ...TRIGGER } = RIGHT;

for (const kind of ["poll", "realtime"] as const) {
  Deno.test(`checkDefinition() accepts a trigger with ${kind}`, () => {
    const trigger = described(TRIGGER, { isTrigger: true, functions: [kind] });
    assertEquals(checkDefinition(trigger), { kind, definition: TRIGGER as never });
  });
}

/** What is declared, and what is reported. */
const WRONG_DECLARATIONS: readonly (readonly [declared: Described, problem: string])[] = [
  [described(RIGHT, { functions: [] }), "run: must be a function"],
  [described({ ...RIGHT, run: 1 }, { functions: [] }), "run: must be a function"],
  [described(TRIGGER, { isTrigger: true, functions: [] }), "poll or realtime: must be a function"],
  [
    described(TRIGGER, { isTrigger: true, functions: ["poll", "realtime"] }),
    "poll, realtime: a trigger has one of them",
  ],
  [
    described(RIGHT, { functions: ["run", "poll"] }),
    "poll: is a member of a trigger, which is declared with defineTrigger",
  ],
  [
    described(TRIGGER, { isTrigger: true, functions: ["poll", "run"] }),
    "run: is a member of a task, which is declared with defineTask",
  ],
  [described(RIGHT, { functions: ["run", "title"] }), "title: must not be a function"],
  [
    described(RIGHT, { isTrigger: true, functions: ["poll"] }),
    "metrics: is not a member; there are " +
    "type, aliases, title, description, properties, outputs, examples, permissions",
  ],
  ...["interval", "timeout", "when", "conditions"].map((name): [Described, string] => [
    described({ ...TRIGGER, properties: { [name]: TEXT } }, { isTrigger: true, functions: ["poll"] }),
    `properties.${name}: every trigger has a property of this name`,
  ]),
  [
    described(RIGHT, { declared: ["com.example.A", "com.example.B"] }),
    "it declares 2 types, com.example.A and com.example.B: write a file for each",
  ],
  [
    described(null),
    "there is no `export default defineTask({ … })` or `export default defineTrigger({ … })`",
  ],
  [
    described([RIGHT]),
    "there is no `export default defineTask({ … })` or `export default defineTrigger({ … })`",
  ],
];

for (const [declared, problem] of WRONG_DECLARATIONS) {
  Deno.test(`checkDefinition() reports ${problem} (${JSON.stringify(declared)})`, () => {
    assertEquals(checkDefinition(declared), [problem]);
  });
}
