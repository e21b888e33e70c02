/** Conversion between Avro, Parquet and Ion. */
import { deflateRawSync } from "node:zlib";
import { assertEquals, assertNotEquals, assertRejects } from "@std/assert";
import type { JsonObject } from "../../../../src/base/json.ts";
import {
  avroToIon,
  inferAvroSchema,
  ionToAvro,
} from "../../../../src/integrations/serdes/avro/avro_conversions.ts";
import {
  ionToParquet,
  parquetToIon,
} from "../../../../src/integrations/serdes/parquet/parquet_conversions.ts";
import { AvroConversion } from "../../../../src/integrations/serdes/avro/avro_values.ts";
import type { TaskDefinition } from "../../../../src/model/tasks/task_definition.ts";
import { runDefinition } from "../../../support/flows/definition_run.ts";

const FROM = "kestra:///demo/source";

/** Writes rows and reads them again. */
async function roundTrip(
  [write, read]: readonly [TaskDefinition, TaskDefinition],
  ion: string,
  properties: JsonObject,
): Promise<string | undefined> {
  const written = await runDefinition(write, { from: FROM, ...properties }, { files: { [FROM]: ion } });
  const file = written.bytes.get(String(written.outputs.uri)) ?? new Uint8Array();
  const { outputs, files, metrics } = await runDefinition(read, { from: FROM }, { files: { [FROM]: file } });
  assertEquals(metrics.records, written.metrics.records);
  return files.get(String(outputs.uri));
}

const AVRO = [ionToAvro, avroToIon] as const;
const PARQUET = [ionToParquet, parquetToIon] as const;

const SCHEMA = {
  type: "record",
  name: "Order",
  namespace: "com.example",
  fields: [
    { name: "id", type: "int" },
    { name: "big", type: ["null", "long"] },
    { name: "price", type: "double" },
    { name: "ok", type: ["null", "boolean"] },
    { name: "day", type: { type: "int", logicalType: "date" } },
    { name: "at", type: ["null", { type: "long", logicalType: "timestamp-millis" }] },
    { name: "kind", type: { type: "enum", name: "Kind", symbols: ["A", "B"] } },
  ],
};

const WRITTEN =
  '{"id":"1","big":9007199254740993,"price":"1.5","ok":"true","day":"2026-01-02","at":"2026-01-02 03:04:05","kind":"A"}\n' +
  '{"id":2,"big":null,"price":2,"ok":null,"day":20455,"at":1767323045000,"kind":"B"}\n';

Deno.test("Avro keeps the types of its schema, which texts of CSV get, too", async () => {
  const schema = {
    ...SCHEMA,
    fields: [
      ...SCHEMA.fields,
      {
        name: "cost",
        type: { type: "bytes", logicalType: "decimal", precision: 8, scale: 2 },
        default: "-1.28",
      },
      { name: "tags", type: { type: "array", items: ["null", "string"] }, default: [] },
      {
        name: "place",
        type: ["null", { type: "record", name: "Place", fields: [{ name: "x", type: "int" }] }],
        default: null,
      },
      { name: "other", type: ["null", "Place"], default: null },
      { name: "map", type: { type: "map", values: "long" }, default: {} },
      { name: "raw", type: "bytes", default: "é" },
    ],
  };
  const more =
    '{"id":3,"big":-5,"price":0.1,"ok":false,"day":"1969-12-31","at":null,"kind":"A","cost":"300.5","tags":["a",null],' +
    '"place":{"x":1},"other":{"x":2},"map":{"k":1}}\n';
  const defaults = '"cost":"-1.28","tags":[],"place":null,"other":null,"map":{},"raw":"w6k="}\n';
  assertEquals(
    await roundTrip(AVRO, WRITTEN + more, { schema: JSON.stringify(schema) }),
    `{"id":1,"big":9007199254740993,"price":1.5,"ok":true,"day":"2026-01-02","at":"2026-01-02T03:04:05.000Z","kind":"A",${defaults}` +
      `{"id":2,"big":null,"price":2.0,"ok":null,"day":"2026-01-02","at":"2026-01-02T03:04:05.000Z","kind":"B",${defaults}` +
      '{"id":3,"big":-5,"price":0.1,"ok":false,"day":"1969-12-31","at":null,"kind":"A","cost":"300.50","tags":["a",null],' +
      '"place":{"x":1},"other":{"x":2},"map":{"k":1},"raw":"w6k="}\n',
  );
});

const FREE = '{"a":1,"b":"x","c":[1,2.5],"d":{"e":true}}\n{"a":null,"c":[],"f":1.5}\n';

Deno.test("without a schema one is derived from the rows", async () => {
  assertEquals(
    await roundTrip(AVRO, FREE, {}),
    '{"a":1,"b":"x","c":[1.0,2.5],"d":{"e":true},"f":null}\n{"a":null,"b":null,"c":[],"d":null,"f":1.5}\n',
  );
  assertEquals(
    await roundTrip(PARQUET, FREE, {}),
    '{"a":1,"b":"x","c":[1,2.5],"d":{"e":true},"f":null}\n{"a":null,"b":null,"c":[],"d":null,"f":1.5}\n',
  );
  const { files } = await runDefinition(inferAvroSchema, { from: FROM }, {
    files: { [FROM]: '{"a":1}\n{"a":2.5}\n' },
  });
  assertEquals(JSON.parse([...files.values()][0] ?? ""), {
    type: "record",
    name: "Row",
    fields: [{ name: "a", type: ["null", "double"], default: null }],
  });
});

for (const compressionCodec of ["GZIP", "SNAPPY", "UNCOMPRESSED"]) {
  Deno.test(`Parquet keeps the types of its schema: ${compressionCodec}`, async () => {
    assertEquals(
      await roundTrip(PARQUET, WRITTEN, { schema: JSON.stringify(SCHEMA), compressionCodec }),
      '{"id":1,"big":9007199254740993,"price":1.5,"ok":true,"day":"2026-01-02T00:00:00.000Z","at":"2026-01-02T03:04:05.000Z","kind":"A"}\n' +
        '{"id":2,"big":null,"price":2,"ok":null,"day":"2026-01-02T00:00:00.000Z","at":"2026-01-02T03:04:05.000Z","kind":"B"}\n',
    );
  });
}

Deno.test("a value that does not fit fails the task with its place, or is left out", async () => {
  const ion = '{"id":1}\n{"id":"x"}\n{"id":3000000000}\n{"id":2}\n';
  const schema = JSON.stringify({ type: "record", name: "R", fields: [{ name: "id", type: "int" }] });
  const options = { files: { [FROM]: ion } };
  await assertRejects(
    () => runDefinition(ionToAvro, { from: FROM, schema }, options),
    Error,
    'Cannot write the value of "id": it is no int',
  );
  assertEquals(
    (await runDefinition(ionToAvro, { from: FROM, schema, onBadLines: "WARN" }, options)).logs.length,
    2,
  );
  await assertRejects(
    () => runDefinition(ionToAvro, { from: FROM, schema: "{" }, options),
    Error,
    "it is no JSON",
  );
});

Deno.test("names of a schema cannot be code", async () => {
  for (const name of ["a(); //", "a; throw 1", "__proto__"]) {
    const schema = JSON.stringify({ type: "record", name: "R", fields: [{ name, type: "int" }] });
    const run = () => runDefinition(ionToAvro, { from: FROM, schema }, { files: { [FROM]: '{"a":1}\n' } });
    await assertRejects(run, Error, name === "__proto__" ? "is no int" : "name");
  }
});

Deno.test("a file without rows is one of Avro or Parquet, too", async () => {
  for (const types of [AVRO, PARQUET]) {
    assertEquals(await roundTrip(types, "", { schema: JSON.stringify(SCHEMA) }), "");
  }
});

Deno.test("what is neither Avro nor Parquet is refused", async () => {
  const options = { files: { [FROM]: "a,b\n1,2\n" } };
  await assertRejects(() => runDefinition(avroToIon, { from: FROM }, options), Error, "it is no Avro file");
  await assertRejects(() => runDefinition(parquetToIon, { from: FROM }, options), Error, "parquet");
});

/** A file with one block, whose count of rows and bytes are given. */
function avroFile(schema: JsonObject, count: number, block: readonly number[], codec = "null"): Uint8Array {
  const text = (value: string) => [...zigzag(value.length), ...new TextEncoder().encode(value)];
  const sync = new Array(16).fill(7);
  const meta = [["avro.schema", JSON.stringify(schema)], ["avro.codec", codec]].flat().flatMap(text);
  const header = [...zigzag(2), ...meta, 0, ...sync];
  const magic = [0x4f, 0x62, 0x6a, 1];
  return Uint8Array.from([...magic, ...header, ...zigzag(count), ...zigzag(block.length), ...block, ...sync]);
}

/** https://avro.apache.org/docs/1.11.1/specification/#primitive-types-1 */
function zigzag(value: number): number[] {
  const bytes: number[] = [];
  let rest = BigInt(value) * 2n;
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return [...bytes, Number(rest)];
}

const ROW = (type: JsonObject): JsonObject => ({ type: "record", name: "R", fields: [{ name: "a", type }] });

/** Counts that have no bytes: the schema, the rows that the block announces, its bytes, and the error. */
const COUNTS: readonly (readonly [JsonObject, number, readonly number[], string])[] = [
  [ROW({ type: "array", items: "int" }), 1, zigzag(1e12), "truncated block"],
  [ROW({ type: "map", values: "int" }), 1, zigzag(1e12), "truncated block"],
  [
    ROW({ type: "array", items: "null" }),
    1,
    [...zigzag(10_100), 0],
    "more than 20064 records, fields, items and nulls",
  ],
  [
    ROW({ type: "array", items: "null" }),
    1,
    zigzag(1e12),
    "more than 20096 records, fields, items and nulls",
  ],
  [
    { type: "record", name: "R", fields: [] },
    1e12,
    [],
    "A block of 0 bytes announces 1000000000000 rows",
  ],
];

for (const [schema, rows, block, message] of COUNTS) {
  Deno.test(`an Avro file of ${JSON.stringify(schema)} with counts that have no bytes is refused: ${message}`, async () => {
    const files = { [FROM]: avroFile(schema, rows, block) };
    await assertRejects(() => runDefinition(avroToIon, { from: FROM }, { files }), Error, message);
  });
}

Deno.test("a value of Avro has at most 1,000,000 records, fields, items and nulls", async () => {
  const item = { type: "record", name: "I", fields: ["a", "b", "c"].map((name) => ({ name, type: "int" })) };
  const schema = ROW({ type: "array", items: item });
  const read = (items: number) => {
    const block = [...zigzag(items), ...new Uint8Array(3 * items), 0];
    const files = { [FROM]: avroFile(schema, 1, block) };
    return runDefinition(avroToIon, { from: FROM }, { files });
  };
  const { metrics } = await read(199_999);
  assertEquals(metrics.records, 1);
  await assertRejects(() => read(200_000), Error, "more than 1000000 records, fields, items and nulls");
});

Deno.test("items of Avro that take no bytes are read up to a limit", async () => {
  const list = ROW({ type: "array", items: "null" });
  const files = { [FROM]: avroFile(list, 1, [...zigzag(2), ...zigzag(1), 0]) };
  const run = await runDefinition(avroToIon, { from: FROM }, { files });
  assertEquals([...run.files.values()], ['{"a":[null,null,null]}\n']);
});

Deno.test("an Avro file whose header announces more bytes than it has is refused", async () => {
  const files = { [FROM]: Uint8Array.from([0x4f, 0x62, 0x6a, 1, 2, ...zigzag(1e9)]) };
  await assertRejects(
    () => runDefinition(avroToIon, { from: FROM }, { files }),
    Error,
    "it is no Avro file",
  );
});

/** A record with two fields, each with the next such record. */
function doubled(
  levels: number,
  last: JsonObject["type"],
  between: (type: JsonObject) => unknown,
): JsonObject {
  let type: unknown = last;
  for (let level = 0; level < levels; level++) {
    const inner = level === 0 ? type : between(type as JsonObject);
    const other = level === 0 ? type : between(`R${level - 1}` as never);
    type = {
      type: "record",
      name: `R${level}`,
      fields: [{ name: "a", type: inner }, { name: "b", type: other }],
    };
  }
  return type as JsonObject;
}

/** Records that take no bytes, or fewer than they have: the schema and the error. */
const NESTED: readonly (readonly [string, JsonObject, string])[] = [
  [
    "of nulls",
    doubled(30, "null", (type) => type),
    "A value has more than 20016 records, fields, items and nulls",
  ],
  ["behind the end", doubled(30, "int", (type) => [type]), "truncated block"],
];
for (const [what, schema, message] of NESTED) {
  Deno.test(`an Avro file with records ${what} that stand for 2^30 values is refused`, async () => {
    const files = { [FROM]: avroFile(schema, 1, [0]) };
    await assertRejects(() => runDefinition(avroToIon, { from: FROM }, { files }), Error, message);
  });
}

Deno.test("an Avro file whose schema has more than 4 MiB is refused", async () => {
  const files = { [FROM]: avroFile({ ...ROW({ type: "int" }), doc: "x".repeat(4 * 1024 * 1024) }, 0, []) };
  await assertRejects(
    () => runDefinition(avroToIon, { from: FROM }, { files }),
    Error,
    "Its schema has 4194",
  );
});

Deno.test("an Avro file whose block unpacks to more than 64 MiB is refused", async () => {
  const packed = deflateRawSync(new Uint8Array(64 * 1024 * 1024 + 1));
  const files = { [FROM]: avroFile(ROW({ type: "array", items: "int" }), 1, [...packed], "deflate") };
  const message = "A block cannot be unpacked to at most 67108864 bytes";
  await assertRejects(() => runDefinition(avroToIon, { from: FROM }, { files }), Error, message);
});

Deno.test("a field of a schema of Avro may have a decimal as its default", async () => {
  const fields = [{ name: "a", type: "double", default: 0.5 }, { name: "b", type: "int" }];
  const schema = JSON.stringify({ type: "record", name: "R", fields });
  assertEquals(await roundTrip(AVRO, '{"b":1}\n', { schema }), '{"a":0.5,"b":1}\n');
});

Deno.test("others run between the rows that IonToAvro writes", async () => {
  const { encode } = AvroConversion.prototype;
  const seen: number[] = [];
  let ticks = 0;
  AvroConversion.prototype.encode = function (value) {
    seen.push(ticks);
    for (const end = performance.now() + 11; performance.now() < end;);
    return encode.call(this, value);
  };
  const timer = setInterval(() => ticks++, 0);
  try {
    await runDefinition(ionToAvro, { from: FROM }, { files: { [FROM]: '{"a":1}\n'.repeat(20) } });
  } finally {
    clearInterval(timer);
    AvroConversion.prototype.encode = encode;
  }
  assertNotEquals(seen.at(0), seen.at(-1));
});
