/** Values as the types of an Avro schema, and back. */
import { assertEquals, assertThrows } from "@std/assert";
import type { JsonObject, JsonValue } from "../../../src/base/json.ts";
import { AvroConversion } from "../../../src/integrations/serdes/avro_values.ts";

function decimal(scale: JsonValue, more: JsonObject = { type: "bytes" }): AvroConversion {
  return new AvroConversion({ ...more, logicalType: "decimal", scale });
}

Deno.test("a decimal of Avro has up to 1,000 digits after the point, and 512 bytes", () => {
  assertEquals(decimal(1_000).decode(new Uint8Array([5])), `0.${"5".padStart(1_000, "0")}`);
  assertEquals(decimal(0).decode(new Uint8Array(512).fill(0xff)), "-1");
  const digits = `${"9".repeat(232)}.${"9".repeat(1_000)}`, conversion = decimal(1_000);
  assertEquals(conversion.decode(conversion.encode(digits)), digits);
});

const REFUSED: readonly (readonly [what: string, work: () => unknown, message: string])[] = [
  [
    "a scale that is too large for reading",
    () => decimal(1_001).decode(new Uint8Array([1])),
    "Invalid schema: a decimal has the scale 1001, and 0 to 1000 are possible",
  ],
  [
    "a scale that is too large for writing",
    () => decimal(1_001).encode("1"),
    "Invalid schema: a decimal has the scale 1001, and 0 to 1000 are possible",
  ],
  ["a scale that is no number", () => decimal("x").encode("1"), "a decimal has the scale NaN"],
  [
    "bytes of a decimal",
    () => decimal(0).decode(new Uint8Array(513)),
    "A decimal has 513 bytes, and at most 512 are possible",
  ],
  [
    "digits of a decimal",
    () => decimal(2).encode("1".repeat(1_231)),
    'Cannot write the value of "the row": it is no decimal with at most 1232 digits and 512 bytes',
  ],
  [
    "a size of decimals",
    () => decimal(0, { type: "fixed", name: "F", size: 513 }).encode("1"),
    "it is no decimal with at most 1232 digits and 512 bytes",
  ],
  [
    "digits of an integer",
    () => new AvroConversion("long").encode("1".repeat(1_233)),
    'Cannot write the value of "the row": it is no long',
  ],
];

for (const [what, work, message] of REFUSED) {
  Deno.test(`values of Avro are refused: ${what}`, () => {
    assertThrows(work, Error, message);
  });
}

Deno.test("the branches of a union are read once for all values", () => {
  let reads = 0;
  const branches: JsonValue[] = Array.from(
    { length: 50 },
    (_, n) => ({ type: "fixed", size: 1, name: `f${n}` }),
  );
  const counted = new Proxy(["null", ...branches], {
    get(list, name) {
      reads++;
      return Reflect.get(list, name);
    },
  });
  const conversion = new AvroConversion({ type: "array", items: counted });
  const values = (count: number) => new Array(count).fill({ f49: new Uint8Array([1]) });
  assertEquals(conversion.decode(values(1)), ["AQ=="]);
  reads = 0;
  assertEquals(conversion.decode([null, ...values(100)]), [null, ...new Array(100).fill("AQ==")]);
  assertEquals(reads, 0);
});
