import { assertEquals } from "@std/assert";
import type { JsonObject } from "../../../src/base/json.ts";
import { checkDefinition } from "../../../src/machine/plugins/definition_check.ts";

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
  assertEquals(checkDefinition(RIGHT, true), RIGHT as unknown as ReturnType<typeof checkDefinition>);
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
    "type, aliases, title, description, properties, outputs, metrics, examples, permissions",
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
    assertEquals(checkDefinition({ ...RIGHT, ...change }, true), [problem]);
  });
}

Deno.test("checkDefinition() reports a definition without run, and what is no definition", () => {
  assertEquals(checkDefinition(RIGHT, false), ["run: must be a function"]);
  assertEquals(checkDefinition(null, false), ["there is no `export default defineTask({ … })`"]);
});
