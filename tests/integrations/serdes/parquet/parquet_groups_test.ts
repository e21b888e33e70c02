/** Row groups of Parquet that is written. */
import { assertEquals, assertNotEquals, assertRejects, assertThrows } from "@std/assert";
import { type FileMetaData, parquetMetadata, type SchemaElement } from "hyparquet";
import { ParquetWriter } from "hyparquet-writer";
import type { JsonObject } from "../../../../src/base/json.ts";
import { ParquetGroups } from "../../../../src/integrations/serdes/parquet/parquet_groups.ts";
import { withTempDir } from "../../../support/temp_dir.ts";

const { signal } = new AbortController();
const codec = "UNCOMPRESSED";

function columnsOf(count: number, encode: (value: unknown) => unknown = (value) => value) {
  return Array.from({ length: count }, (_, index) => {
    const element: SchemaElement = {
      name: `c${index}`,
      type: "BYTE_ARRAY",
      converted_type: "UTF8",
      repetition_type: "OPTIONAL",
    };
    return { element, encode };
  });
}

async function metadataOf(
  columns: ReturnType<typeof columnsOf>,
  rows: Iterable<JsonObject>,
): Promise<FileMetaData> {
  return await withTempDir(async (folder) => {
    const path = `${folder}/rows.parquet`;
    const file = new ParquetGroups(path, { columns, codec, signal });
    for (const row of rows) await file.add(row);
    await file.end();
    return parquetMetadata((await Deno.readFile(path)).buffer);
  });
}

/** Calls of the package with their numbers of columns; they write nothing if `isSkipped`. */
async function writesOf(work: () => Promise<unknown>, isSkipped = false): Promise<number[]> {
  const { write } = ParquetWriter.prototype;
  const writes: number[] = [];
  ParquetWriter.prototype.write = function (options) {
    writes.push(options.columnData.length);
    if (!isSkipped) return write.call(this, options);
    this.row_groups.push({ columns: [], total_byte_size: 0n, num_rows: 0n });
  };
  try {
    await work();
  } finally {
    ParquetWriter.prototype.write = write;
  }
  return writes;
}

const [TEXT, MIB] = ["x".repeat(3 * 1024 * 1024), 1024 * 1024];

const GROUPS: readonly (readonly [what: string, row: JsonObject, count: number, groups: number[]])[] = [
  ["10,000 rows", { c0: "x" }, 10_001, [10_000, 1]],
  ["16 Mi characters of texts", { c0: TEXT }, 7, [6, 1]],
  ["16 Mi characters of names", { [TEXT]: null }, 7, [6, 1]],
  ["4 Mi values", { c0: "x", other: Array(MIB).fill(1) }, 5, [4, 1]],
];

for (const [what, row, count, groups] of GROUPS) {
  Deno.test(`a row group of Parquet ends with ${what}`, async () => {
    const { num_rows: rows, row_groups: found } = await metadataOf(columnsOf(1), Array(count).fill(row));
    assertEquals(found.map((group) => Number(group.num_rows)), groups);
    assertEquals(Number(rows), count);
  });
}

Deno.test("the columns of a row group of Parquet are written one by one", async () => {
  const row = { c0: "a", c2: "b" };
  const writes = await writesOf(async () => {
    const { row_groups: [group] } = await metadataOf(columnsOf(3), [row, row]);
    assertEquals(group?.columns.map(({ meta_data: meta }) => meta?.path_in_schema), [["c0"], ["c1"], ["c2"]]);
    assertEquals(group?.columns.map(({ meta_data: meta }) => meta?.statistics?.null_count), [0n, 2n, 0n]);
    assertEquals(
      group?.total_byte_size,
      group?.columns.reduce((sum, { meta_data: meta }) => sum + (meta?.total_uncompressed_size ?? 0n), 0n),
    );
  });
  assertEquals(writes, [1, 1, 1]);
});

Deno.test("others run between the columns of a row group of Parquet", async () => {
  let ticks = 0;
  const timer = setInterval(() => ticks++, 0);
  const slow = () => {
    for (const end = performance.now() + 11; performance.now() < end;);
    return null;
  };
  try {
    await withTempDir(async (folder) => {
      const file = new ParquetGroups(`${folder}/rows`, { columns: columnsOf(20, slow), codec, signal });
      await file.add({});
      const before = ticks;
      await file.end();
      assertNotEquals(ticks, before);
    });
  } finally {
    clearInterval(timer);
  }
});

Deno.test("a file of Parquet has at most 16,384 columns, and 100,000 parts of columns", async () => {
  const create = (count: number) =>
    new ParquetGroups("/dev/null", { columns: columnsOf(count), codec, signal });
  assertThrows(() => create(16_385), Error, "the schema has more than 16384 columns");
  const file = create(16_384), row = { other: "x".repeat(16 * MIB) };
  const writes = await writesOf(async () => {
    for (let group = 0; group < 6; group++) await file.add(row);
    await assertRejects(() => file.add(row), Error, "16384 columns have more than 100000 parts");
  }, true);
  assertEquals(writes.length, 6 * 16_384);
});

Deno.test("Parquet has no bounds of a column with long texts", async () => {
  const rows: JsonObject[] = [{ c0: "x".repeat(1_001), c1: "x".repeat(1_000) }, {}];
  const { row_groups: [group] } = await metadataOf(columnsOf(2), rows);
  const [long, short] = group?.columns.map(({ meta_data: meta }) => meta?.statistics) ?? [];
  assertEquals([long?.max_value, long?.null_count], [undefined, 1n]);
  assertEquals([short?.max_value, short?.null_count], [`${"x".repeat(15)}y`, 1n]);
});

Deno.test("no further column of Parquet is written after a stop", async () => {
  const controller = new AbortController();
  const file = new ParquetGroups("/dev/null", { columns: columnsOf(3), codec, signal: controller.signal });
  await file.add({});
  controller.abort();
  assertEquals(await writesOf(() => assertRejects(() => file.end()) as Promise<unknown>), [1]);
});
