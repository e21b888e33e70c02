/** Values as the types of an Avro schema, and back. */
import { assertEquals, assertThrows } from "@std/assert";
import type { JsonObject, JsonValue } from "../../../../src/base/json.ts";
import { AvroConversion, loadAvro } from "../../../../src/integrations/serdes/avro/avro_values.ts";

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

/** A record of another; the branches of its member differ in their last field. */
const TREE: JsonObject = {
  type: "record",
  name: "A",
  fields: [
    {
      name: "next",
      type: ["null", "A", {
        type: "record",
        name: "B",
        fields: [{ name: "next", type: ["null", "A", "B"] }, { name: "x", type: "string" }],
      }],
    },
    { name: "x", type: "int" },
  ],
};

function tree(depth: number): JsonObject {
  let value: JsonObject = { next: null, x: "b" };
  for (let level = 0; level < depth; level++) value = { next: value, x: "b" };
  return { next: value, x: 1 };
}

Deno.test("a row that would be compared with branches of unions 2^40 times is refused", () => {
  const conversion = new AvroConversion(TREE);
  assertEquals(
    JSON.stringify(conversion.encode(tree(1))),
    '{"next":{"B":{"next":{"B":{"next":null,"x":"b"}},"x":"b"}},"x":1}',
  );
  assertThrows(
    () => conversion.encode(tree(40)),
    Error,
    "Cannot write the row: comparing it with the schema takes more than 1002364 steps; give a schema with fewer",
  );
  conversion.encode(tree(1));
});

Deno.test("a row with more values than the steps of each is written", () => {
  const values = new Array(300_000).fill(1);
  const conversion = new AvroConversion({ type: "array", items: ["null", "int"] });
  assertEquals((conversion.encode(values) as unknown[]).length, 300_000);
});

/** Records whose fields are by default records of the one before. */
function defaults(levels: number): JsonValue[] {
  return Array.from({ length: levels }, (_, level) => ({
    name: `f${level}`,
    type: {
      type: "record",
      name: `R${level}`,
      fields: ["a", "b"].map((name) =>
        level === 0 ? { name, type: "int", default: 0 } : { name, type: `R${level - 1}`, default: {} }
      ),
    },
    default: {},
  }));
}

Deno.test("defaults of a schema that stand for 2^40 values are left out for reading", async () => {
  const { typeOf } = await loadAvro();
  const type = typeOf({ type: "record", name: "R", fields: defaults(40) });
  assertEquals(JSON.stringify(type.schema({ exportAttrs: true })).includes("default"), false);
  const invalid: JsonValue = {
    type: "record",
    name: "R",
    fields: [{ name: "a", type: "int", default: "x" }],
  };
  typeOf(invalid);
  assertThrows(() => typeOf(invalid, { hasDefaults: true }), Error, "incompatible field default");
});

Deno.test("a schema of Avro has at most 120,000 values", async () => {
  const { typeOf } = await loadAvro();
  const fields = (count: number, type: JsonValue) =>
    Array.from({ length: count }, (_, index) => ({ name: `a${index}`, type }));
  typeOf({ type: "record", name: "R", fields: fields(16_384, ["null", "int"]) });
  const large: readonly JsonValue[] = [
    { type: "record", name: "R", fields: fields(24_000, "int") },
    { type: "enum", name: "E", symbols: fields(120_000, "int").map(({ name }) => name) },
    Array.from({ length: 4_620 }, (_, index) => ({ type: "record", name: `R${index}`, fields: [] })),
  ];
  for (const schema of large) {
    assertThrows(() => typeOf(schema), Error, "Invalid schema: it has more than 120000 values");
  }
});

Deno.test("the writer of a record with more than 1,000 fields has no statement for each", async () => {
  const { typeOf } = await loadAvro();
  for (const count of [1_000, 1_001]) {
    const fields = Array.from(
      { length: count },
      (_, index) => ({ name: `a${index}`, type: ["null", "int"] }),
    );
    const schema: JsonObject = { type: "record", name: "R", fields };
    const type = typeOf(schema), row = { a0: 1, [`a${count - 1}`]: 2 };
    const conversion = new AvroConversion(schema);
    const bytes = type.toBuffer(conversion.encode(row));
    assertEquals(conversion.decode(type.fromBuffer(bytes)), conversion.decode(conversion.encode(row)));
    const { _write: write } = type as unknown as { _write: () => void };
    assertEquals(String(write).length > 10_000, count === 1_000);
  }
});
