/** Pages of Parquet are decoded in slices, when their values are asked for. */
import { assertEquals, assertNotEquals, assertThrows } from "@std/assert";
import { type PageHeader, parquetMetadata, parquetSchema, type SchemaElement } from "hyparquet";
import { ByteWriter, type ColumnSource, ParquetWriter } from "hyparquet-writer";
import { readGroup } from "../../../../src/integrations/serdes/parquet/parquet_pages.ts";
import { pageSlices } from "../../../../src/integrations/serdes/parquet/parquet_slices.ts";

const TEXT = { type: "BYTE_ARRAY", converted_type: "UTF8", repetition_type: "OPTIONAL" } as const;
const ELEMENT: SchemaElement = { name: "element", ...TEXT };
const LIST: readonly SchemaElement[] = [
  { name: "a", repetition_type: "OPTIONAL", num_children: 1, converted_type: "LIST" },
  { name: "list", repetition_type: "REPEATED", num_children: 1 },
  ELEMENT,
];

/** The row group of a file with pages of any size. */
function groupOf(elements: readonly SchemaElement[], columnData: ColumnSource[]) {
  const writer = new ByteWriter();
  const root = { name: "root", num_children: columnData.length };
  const parquet = new ParquetWriter({ writer, schema: [root, ...elements], codec: "UNCOMPRESSED" });
  const rowGroupSize = columnData[0]?.data.length;
  parquet.write({ columnData, rowGroupSize, pageSize: 2 ** 30 });
  parquet.finish();
  const bytes = writer.getBuffer();
  const metadata = parquetMetadata(bytes);
  const [group = { columns: [], num_rows: 0n, total_byte_size: 0n }] = metadata.row_groups;
  let reads = 0;
  const file = {
    byteLength: bytes.byteLength,
    slice: (start: number, end?: number) => {
      reads++;
      return Promise.resolve(bytes.slice(start, end));
    },
  };
  const schema = parquetSchema(metadata);
  const open = () => readGroup(file, { group, schema });
  return { columns: open(), reads: () => reads, schema, open };
}

const texts = Array.from({ length: 120_000 }, (_, index) => index % 5 === 0 ? null : `t${index}`);

for (const encoding of ["PLAIN", "RLE_DICTIONARY", "DELTA_BYTE_ARRAY"] as const) {
  Deno.test(`a page of 120,000 values is decoded in three slices: ${encoding}`, async () => {
    const { columns: [column] } = groupOf([{ name: "a", ...TEXT }], [{ name: "a", data: texts, encoding }]);
    const parts = column ? await Array.fromAsync(column.parts) : [];
    assertEquals(parts.map(({ length }) => length), [50_000, 50_000, 20_000]);
    assertEquals(parts.flatMap((part) => Array.from(part, (value) => value ?? null)), texts);
  });
}

Deno.test("others run between the slices of a page", async () => {
  const data = Array.from({ length: 900_000 }, (_, index) => index % 50_000 === 0 ? "slow" : "x");
  const source: ColumnSource = { name: "a", data, encoding: "PLAIN" };
  const { columns: [column] } = groupOf([{ name: "a", ...TEXT }], [source]);
  const { decode } = TextDecoder.prototype;
  const seen: number[] = [];
  let ticks = 0;
  TextDecoder.prototype.decode = function (...args) {
    const text = decode.apply(this, args);
    if (text === "slow") {
      seen.push(ticks);
      for (const end = performance.now() + 11; performance.now() < end;);
    }
    return text;
  };
  const timer = setInterval(() => ticks++, 0);
  try {
    for await (const part of column?.parts ?? []) assertNotEquals(part.length, 0);
  } finally {
    clearInterval(timer);
    TextDecoder.prototype.decode = decode;
  }
  assertEquals(seen.length, 18);
  assertNotEquals(seen.at(0), seen.at(-1));
});

Deno.test("a list continues with the next slice", async () => {
  const data = [texts.slice(0, 30_000), [], texts.slice(30_000), null];
  const { columns: [column] } = groupOf(LIST, [{ name: "a", data }]);
  const rows = column ? (await Array.fromAsync(column.parts)).flatMap((part) => Array.from(part)) : [];
  assertEquals(JSON.stringify(rows.map((row) => row ?? null)), JSON.stringify(data));
});

Deno.test("a column is read when its first value is asked for", async () => {
  const data = ["x"];
  const { columns, reads } = groupOf(
    ["a", "b"].map((name) => ({ name, ...TEXT })),
    ["a", "b"].map((name) => ({ name, data })),
  );
  assertEquals(reads(), 0);
  for (const [index, { parts }] of columns.entries()) {
    const { value } = await parts[Symbol.asyncIterator]().next();
    assertEquals([[...value], reads()], [data, index + 1]);
  }
});

Deno.test("columns are found in the schema without a look at all others", () => {
  const names = Array.from({ length: 500 }, (_, index) => `c${index}`);
  const group = groupOf(
    names.map((name) => ({ name, ...TEXT })),
    names.map((name) => ({ name, data: ["x"] })),
  );
  let looks = 0;
  group.schema.children = new Proxy(group.schema.children, {
    get(list, name) {
      looks++;
      return Reflect.get(list, name);
    },
  });
  assertEquals(group.open().map(({ name }) => name), names);
  assertEquals(looks < 5_000, true, `${looks} looks`);
});

Deno.test("the chunks of a row group have at most 512 MiB, as all are in memory", () => {
  const file = { byteLength: 2 ** 31, slice: () => Promise.reject(new Error("not read")) };
  const meta = {
    type: "INT32" as const,
    encodings: [],
    path_in_schema: ["a"],
    codec: "UNCOMPRESSED" as const,
    num_values: 1n,
    total_uncompressed_size: 1n,
    total_compressed_size: 300n * 1024n * 1024n,
    data_page_offset: 4n,
  };
  const element: SchemaElement = { name: "a", type: "INT32" };
  const schema = parquetSchema(
    { schema: [{ name: "root", num_children: 1 }, element] } as Parameters<typeof parquetSchema>[0],
  );
  const chunk = { file_offset: 4n, meta_data: meta };
  const group = { columns: [chunk, chunk], total_byte_size: 1n, num_rows: 1n };
  assertThrows(() => readGroup(file, { group, schema }), Error, "314572800 bytes, and at most 222298112");
});

/** A run of levels: their number, and the level. */
function run(count: number, level: number): number[] {
  const bytes: number[] = [];
  let rest = count * 2;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push(rest % 128 + 128);
  return [...bytes, rest, level];
}

Deno.test("a page of the first version is decoded in slices with its levels", () => {
  const levels = [...run(70_000, 1), ...run(10_000, 0), ...run(20_000, 1)];
  const values = Int32Array.from({ length: 90_000 }, (_, index) => index);
  const page = new Uint8Array([levels.length, 0, 0, 0, ...levels, ...new Uint8Array(values.buffer)]);
  const header = {
    type: "DATA_PAGE",
    uncompressed_page_size: page.length,
    compressed_page_size: page.length,
    data_page_header: { num_values: 100_000, encoding: "PLAIN" },
  } as PageHeader;
  const schema = parquetSchema(
    {
      schema: [
        { name: "root", num_children: 1 },
        { name: "a", type: "INT32", repetition_type: "OPTIONAL" },
      ],
    } as Parameters<typeof parquetSchema>[0],
  );
  const [child = schema] = schema.children;
  const column = { type: "INT32", schemaPath: [schema, child], element: child.element } as Parameters<
    typeof pageSlices
  >[1]["column"];
  const slices = [...pageSlices(page, { header, column, dictionary: undefined })].map((each) =>
    Array.from(each)
  );
  const expected: (number | undefined)[] = Array.from(values);
  expected.splice(70_000, 0, ...new Array(10_000).fill(undefined));
  assertEquals(slices.map(({ length }) => length), [50_000, 50_000]);
  assertEquals(JSON.stringify(slices.flat()), JSON.stringify(expected));
});
