import { assertEquals, assertStrictEquals } from "@std/assert";
import type { JsonValue } from "../../../src/base/json.ts";
import {
  dynamicContent,
  dynamicText,
  type PropertySchema,
  withJsonTexts,
} from "../../../src/model/flows/schema.ts";

const CONTENT = dynamicContent("content");
const MAP: PropertySchema = { type: "map", items: CONTENT, description: "contents by name" };
const LIST: PropertySchema = { type: "list", items: CONTENT, description: "contents" };

const ROWS: readonly (readonly [what: string, JsonValue, PropertySchema, JsonValue])[] = [
  ["a text", "a", CONTENT, "a"],
  ["a number", 5, CONTENT, 5],
  ["null", null, CONTENT, null],
  ["an object", { a: [1, null] }, CONTENT, '{"a":[1,null]}'],
  ["a list", [1, { b: "c" }], CONTENT, '[1,{"b":"c"}]'],
  ["a list of contents or one", ["a", { b: 1 }], dynamicContent("x", { orList: true }), ["a", '{"b":1}']],
  ["an object where a list may be", { b: 1 }, dynamicContent("x", { orList: true }), '{"b":1}'],
  ["a map of contents", { a: { b: 1 }, c: "d" }, MAP, { a: '{"b":1}', c: "d" }],
  ["a list of contents", [[1], "a"], LIST, ["[1]", "a"]],
  ["a name", { a: 1 }, dynamicText("name"), { a: 1 }],
];
for (const [what, value, schema, expected] of ROWS) {
  Deno.test(`withJsonTexts() of ${what}`, () => assertEquals(withJsonTexts(value, schema), expected));
}

Deno.test("withJsonTexts() copies nothing where no content is expected", () => {
  const value = { a: [1] };
  assertStrictEquals(withJsonTexts(value, { type: "map", description: "values" }), value);
});
