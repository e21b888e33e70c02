/** Variants in Parquet are read if each of their members has a place of its own. */
import { assertEquals, assertRejects } from "@std/assert";
import { parquetMetadata } from "hyparquet";
import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import { writeMetadata } from "hyparquet-writer/src/metadata.js";
import { parquetToIon } from "../../../../src/integrations/serdes/parquet/parquet_conversions.ts";
import { runDefinition } from "../../../support/flows/definition_run.ts";

const FROM = "kestra:///demo/source";
const VARIANT = { type: "VARIANT" } as const;

async function read(file: Uint8Array): Promise<string> {
  const { files } = await runDefinition(parquetToIon, { from: FROM }, { files: { [FROM]: file } });
  return [...files.values()].join("");
}

function written(data: readonly unknown[], logicalType?: typeof VARIANT): Uint8Array {
  const writer = new ByteWriter();
  const schema = [
    { name: "root", num_children: 1 },
    { name: "v", num_children: 2, repetition_type: "REQUIRED" as const, logical_type: logicalType },
    { name: "metadata", type: "BYTE_ARRAY" as const, repetition_type: "REQUIRED" as const },
    { name: "value", type: "BYTE_ARRAY" as const, repetition_type: "REQUIRED" as const },
  ];
  const parquet = new ParquetWriter({ writer, schema });
  parquet.write({ columnData: [{ name: "v", data: [...data] }] });
  parquet.finish();
  return new Uint8Array(writer.getBuffer());
}

/** A file with one variant of these bytes. */
function fileOf(value: readonly number[]): Uint8Array {
  const file = written([{ metadata: Uint8Array.of(1, 0, 0), value: Uint8Array.from(value) }]);
  const metadata = parquetMetadata(file);
  const schema = metadata.schema.map((each) => each.name === "v" ? { ...each, logical_type: VARIANT } : each);
  const writer = new ByteWriter();
  writer.appendBytes(file.subarray(0, file.length - 8 - metadata.metadata_length));
  writeMetadata(writer, { ...metadata, schema });
  writer.appendUint32(0x31524150);
  return new Uint8Array(writer.getBuffer());
}

Deno.test("ParquetToIon reads variants", async () => {
  const values = [{ a: [1, { b: "x".repeat(300) }, []], c: null }, "text", 1.5, [true]];
  const expected = values.map((v) => `${JSON.stringify({ v })}\n`).join("");
  assertEquals(await read(written(values, VARIANT)), expected);
});

Deno.test("ParquetToIon refuses a variant whose members share a place", async () => {
  // Each list of 30 has the next one twice.
  const lists = Array.from({ length: 30 }, () => [3, 2, 0, 0, 0]).flat();
  await assertRejects(
    () => read(fileOf([...lists, 0])),
    Error,
    "values of a variant, and at most 151 are possible",
  );
});
