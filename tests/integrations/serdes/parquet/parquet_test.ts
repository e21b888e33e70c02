/** Row groups of Parquet that other programs write. */
import { assertEquals, assertRejects } from "@std/assert";
import { open } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import { parquetToIon } from "../../../../src/integrations/serdes/parquet/parquet_conversions.ts";
import { runDefinition } from "../../../support/flows/definition_run.ts";

const FROM = "kestra:///demo/source";

/** A file with one row group. */
function fileOf(data: readonly unknown[]): Uint8Array {
  const writer = new ByteWriter();
  const schema = [
    { name: "root", num_children: 1 },
    { name: "a", type: "INT32" as const, repetition_type: "OPTIONAL" as const },
  ];
  const parquet = new ParquetWriter({ writer, schema });
  parquet.write({ columnData: [{ name: "a", data: [...data] }], rowGroupSize: data.length, pageSize: 4_096 });
  parquet.finish();
  return new Uint8Array(writer.getBuffer());
}

/** Calls of `read` of all files while `work` runs. */
async function readsOf(work: () => Promise<void>): Promise<number> {
  const handle = await open("/dev/null");
  const prototype = Object.getPrototypeOf(handle);
  await handle.close();
  const { read } = prototype;
  let reads = 0;
  prototype.read = function (...args: unknown[]) {
    reads++;
    return read.apply(this, args);
  };
  try {
    await work();
  } finally {
    prototype.read = read;
  }
  return reads;
}

Deno.test("ParquetToIon decodes a row group once, however many rows it has", async () => {
  const values = Array.from({ length: 35_000 }, (_, index) => index % 7 === 0 ? null : index);
  const files = { [FROM]: fileOf(values) };
  const reads = await readsOf(async () => {
    const run = await runDefinition(parquetToIon, { from: FROM }, { files });
    assertEquals([...run.files.values()].join(""), values.map((a) => `{"a":${a}}\n`).join(""));
  });
  assertEquals(reads, 2, "one of the metadata, one of the column");
});

Deno.test("ParquetToIon refuses a footer with more than 32 MiB", async () => {
  const file = new Uint8Array(37_000_000);
  const view = new DataView(file.buffer);
  view.setUint32(file.length - 8, 36_000_000, true);
  view.setUint32(file.length - 4, 0x31524150, true);
  await assertRejects(
    () => runDefinition(parquetToIon, { from: FROM }, { files: { [FROM]: file } }),
    Error,
    "Cannot read the file: its footer has",
  );
});

Deno.test("ParquetToIon refuses a row group with too many rows before it decodes it", async () => {
  const files = { [FROM]: fileOf(new Array(4_000_001).fill(null)) };
  await assertRejects(
    () => runDefinition(parquetToIon, { from: FROM }, { files }),
    Error,
    "a row group has 4000001 rows and 4000001 values: the limits are 4000000 rows and 32000000 values",
  );
});

/** A file with a column of JSON. */
function jsonFile(data: readonly unknown[]): Uint8Array {
  const writer = new ByteWriter();
  const schema = [
    { name: "root", num_children: 1 },
    { name: "a", type: "BYTE_ARRAY" as const, converted_type: "JSON" as const },
  ];
  const parquet = new ParquetWriter({ writer, schema, statistics: false });
  parquet.write({ columnData: [{ name: "a", data: [...data] }] });
  parquet.finish();
  return new Uint8Array(writer.getBuffer());
}

Deno.test("ParquetToIon reads values of JSON one by one, with their rows", async () => {
  const values = [{ b: [1, 1.5, null, "x"], c: {} }, [], "text", 2];
  const events: string[] = [];
  const { parse } = JSON;
  JSON.parse = (text, reviver) => {
    events.push(text);
    return parse(text, reviver);
  };
  const { stringify } = JSON;
  JSON.stringify = (value: unknown, ...rest: never[]) => {
    events.push("row");
    return stringify(value, ...rest);
  };
  try {
    const run = await runDefinition(parquetToIon, { from: FROM }, { files: { [FROM]: jsonFile(values) } });
    assertEquals([...run.files.values()].join(""), values.map((a) => `{"a":${stringify(a)}}\n`).join(""));
  } finally {
    Object.assign(JSON, { parse, stringify });
  }
  assertEquals(events.slice(-8), values.flatMap((value) => [stringify(value), "row"]));
});

Deno.test("ParquetToIon refuses a value of JSON with more than 16 MiB", async () => {
  const file = jsonFile(["x".repeat(16_777_215)]);
  await assertRejects(
    () => runDefinition(parquetToIon, { from: FROM }, { files: { [FROM]: file } }),
    Error,
    "Cannot read the file: a value of JSON has 16777217 bytes, and at most 16777216 are possible",
  );
});

/** A file with one row of binary columns. */
function binaryFile(
  columns: readonly { readonly isText: boolean; readonly value: Uint8Array }[],
): Uint8Array {
  const writer = new ByteWriter();
  const schema = [
    { name: "root", num_children: columns.length },
    ...columns.map(({ isText }, index) => ({
      name: `c${index}`,
      type: "BYTE_ARRAY" as const,
      ...isText && { converted_type: "UTF8" as const },
    })),
  ];
  const codec = "GZIP", compressors = { GZIP: (bytes: Uint8Array) => new Uint8Array(gzipSync(bytes)) };
  const parquet = new ParquetWriter({ writer, schema, codec, compressors });
  parquet.write({ columnData: columns.map(({ value }, index) => ({ name: `c${index}`, data: [value] })) });
  parquet.finish();
  return new Uint8Array(writer.getBuffer());
}

Deno.test("ParquetToIon refuses a row whose texts have more than 64 Mi characters together", async () => {
  const text = { isText: true, value: new Uint8Array(33_554_433).fill(0x79) };
  await assertRejects(
    () => runDefinition(parquetToIon, { from: FROM }, { files: { [FROM]: binaryFile([text, text]) } }),
    Error,
    "Cannot read the file: the texts of a row have more than 67108864 characters",
  );
});

for (const value of [new Array(1_048_577).fill(0), { a: { b: new Array(1_048_575).fill(0) } }]) {
  Deno.test(`ParquetToIon refuses a row with more than 1 Mi values in ${Array.isArray(value) ? "a list" : "objects"}`, async () => {
    const file = jsonFile([value]);
    await assertRejects(
      () => runDefinition(parquetToIon, { from: FROM }, { files: { [FROM]: file } }),
      Error,
      "more than 67108864 characters, as 64 of which each value of a list or object counts",
    );
  });
}
