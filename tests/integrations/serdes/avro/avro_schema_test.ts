/** Avro schemas that are derived from rows. */
import { assertEquals, assertThrows } from "@std/assert";
import type { JsonObject, JsonValue } from "../../../../src/base/json.ts";
import { inferSchema } from "../../../../src/integrations/serdes/avro/avro_schema.ts";

Deno.test("a schema has the members of all objects in the order in which they occur first", () => {
  const rows: JsonValue[] = [{ b: 1, "a b": [{ y: null }, { x: true }] }, { c: null, b: null, "a b": null }];
  const inner = {
    type: "record",
    name: "Row_a_b",
    fields: [
      { name: "y", type: ["null", "string"], default: null },
      { name: "x", type: ["null", "boolean"], default: null },
    ],
  };
  assertEquals(inferSchema(rows), {
    type: "record",
    name: "Row",
    fields: [
      { name: "b", type: ["null", "long"], default: null },
      { name: "a b", type: ["null", { type: "array", items: ["null", inner] }], default: null },
      { name: "c", type: ["null", "string"], default: null },
    ],
  });
});

Deno.test("each object is read once, also if the others have many members", () => {
  let looks = 0;
  const counted = (object: JsonObject): JsonObject =>
    new Proxy(object, {
      get(target, name: string) {
        looks++;
        return target[name];
      },
      getOwnPropertyDescriptor(target, name) {
        looks++;
        return Reflect.getOwnPropertyDescriptor(target, name);
      },
    });
  inferSchema(Array.from({ length: 200 }, (_, index) => counted({ [`m${index}`]: 1 })));
  assertEquals(looks < 1_000, true, `${looks} looks`);
});

function nested(depth: number, member: string): JsonObject {
  let object: JsonObject = {};
  for (let level = 0; level < depth; level++) object = { [member]: object };
  return object;
}

function wide(count: number): JsonObject {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`m${index}`, 1]));
}

const REFUSED: readonly (readonly [what: string, row: JsonObject, message: string])[] = [
  [
    "more than 10,000 members of all records",
    { a: wide(5_000), b: wide(4_999) },
    "the rows have more than 10000 members",
  ],
  [
    "a member of 1,000 characters",
    { ["x".repeat(1_000)]: 1 },
    `with the member "${"x".repeat(50)}" a name has`,
  ],
  ["members that are nested deeply", nested(50, "x".repeat(20)), "a name has more than 1000 characters"],
];

for (const [what, row, message] of REFUSED) {
  Deno.test(`no schema is derived from rows with ${what}`, () => {
    assertThrows(() => inferSchema([row]), Error, message);
  });
}
