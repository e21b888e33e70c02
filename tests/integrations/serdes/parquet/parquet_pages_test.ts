/** Counts and lengths in pages of Parquet are checked before values are decoded by them. */
import { assertEquals, assertRejects } from "@std/assert";
import { gzipSync } from "node:zlib";
import type { SchemaElement } from "hyparquet";
import { ByteWriter } from "hyparquet-writer";
import { writeMetadata } from "hyparquet-writer/src/metadata.js";
import { serializeTCompactProtocol } from "hyparquet-writer/src/thrift.js";
import { parquetToIon } from "../../../../src/integrations/serdes/parquet/parquet_conversions.ts";
import { runDefinition } from "../../../support/flows/definition_run.ts";

const FROM = "kestra:///demo/source";
const [PLAIN, RLE, DELTA, DELTA_LENGTHS, DELTA_BYTES, SPLIT] = [0, 3, 5, 6, 7, 9];
const RLE_DICTIONARY = 8;
const MAX = 2 ** 31 - 1;

interface Page {
  /** Number of a type: a first version, a dictionary or a second version. */
  readonly type?: 0 | 2 | 3;
  readonly values?: number;
  readonly nulls?: number;
  readonly encoding?: number;
  readonly bytes?: readonly number[] | Uint8Array;
  /** Numbers of values of the headers of other types, which have no effect. */
  readonly others?: Record<string, unknown>;
  /** Length without compression, if it is another. */
  readonly size?: number;
  readonly levelBytes?: number;
}

interface Chunk {
  readonly element?: Partial<SchemaElement>;
  readonly codec?: "UNCOMPRESSED" | "GZIP";
  /** Bytes that the file lacks. */
  readonly missing?: number;
}

/** The members of a header by the number of their field. */
function headerOf(page: Page): Record<string, unknown> {
  const { type = 0, values = 1, nulls = 0, encoding = PLAIN, levelBytes = 0, others = {} } = page;
  const bytes = page.bytes ?? [];
  const head = { field_1: type, field_2: page.size ?? bytes.length, field_3: bytes.length };
  if (type === 2) return { ...head, field_7: { field_1: values, field_2: encoding } };
  if (type === 0) {
    return { ...head, field_5: { field_1: values, field_2: encoding, field_3: RLE, field_4: RLE } };
  }
  const lengths = { field_5: levelBytes, field_6: 0 };
  return {
    ...head,
    ...others,
    field_8: { field_1: values, field_2: nulls, field_3: values, field_4: encoding, ...lengths },
  };
}

/** A file with one column of one row. */
function fileOf(pages: readonly Page[], { element, codec = "UNCOMPRESSED", missing = 0 }: Chunk): Uint8Array {
  const writer = new ByteWriter();
  writer.appendUint32(0x31524150);
  for (const page of pages) {
    serializeTCompactProtocol(writer, headerOf(page) as never);
    writer.appendBytes(Uint8Array.from(page.bytes ?? []));
  }
  const size = BigInt(writer.offset - 4 + missing);
  const column = { name: "a", type: "INT32" as const, repetition_type: "REQUIRED" as const, ...element };
  const chunk = {
    type: column.type,
    encodings: [],
    path_in_schema: ["a"],
    codec,
    num_values: 1n,
    total_uncompressed_size: size,
    total_compressed_size: size,
    data_page_offset: 4n,
  };
  const group = { columns: [{ file_offset: 4n, meta_data: chunk }], total_byte_size: size, num_rows: 1n };
  const schema = [{ name: "root", num_children: 1 }, column];
  writeMetadata(writer, { version: 2, schema, num_rows: 1n, row_groups: [group], metadata_length: 0 });
  writer.appendUint32(0x31524150);
  return new Uint8Array(writer.getBuffer());
}

async function read(pages: readonly Page[], chunk: Chunk = {}): Promise<string> {
  const { files } = await runDefinition(parquetToIon, { from: FROM }, {
    files: { [FROM]: fileOf(pages, chunk) },
  });
  return [...files.values()].join("");
}

const OPTIONAL = { repetition_type: "OPTIONAL" as const };
const NUMBER = [7, 0, 0, 0];
/** A run of 2^31 - 1 values, as it is after the length of levels. */
const LONG_RUN = [0xfe, 0xff, 0xff, 0xff, 0x0f, 0];
const LEVELS = [LONG_RUN.length, 0, 0, 0, ...LONG_RUN];
const DICTIONARY: Page = { type: 2, bytes: NUMBER };

Deno.test("ParquetToIon reads pages of both versions, and of dictionaries", async () => {
  assertEquals(await read([{ bytes: NUMBER }]), '{"a":7}\n');
  assertEquals(await read([{ type: 3, bytes: NUMBER }]), '{"a":7}\n');
  assertEquals(await read([DICTIONARY, { encoding: RLE_DICTIONARY, bytes: [1, 2, 0] }]), '{"a":7}\n');
  assertEquals(
    await read([{ bytes: gzipSync(Uint8Array.from(NUMBER)), size: 4 }], { codec: "GZIP" }),
    '{"a":7}\n',
  );
  const levels = [2, 0, 0, 0, 2, 0];
  assertEquals(await read([{ bytes: levels }], { element: OPTIONAL }), '{"a":null}\n');
});

const MALFORMED: readonly (readonly [what: string, pages: readonly Page[], chunk: Chunk, message: string])[] =
  [
    ["a number of values", [{ values: MAX, bytes: NUMBER }], {}, `${MAX} values, and at most 8388608`],
    ["a negative number of values", [{ values: -1, bytes: NUMBER }], {}, "-1 values"],
    [
      "a number of values of the second version",
      [{ type: 3, values: MAX, bytes: NUMBER, others: { field_5: { field_1: 1 } } }],
      {},
      `${MAX} values, and at most 8388608`,
    ],
    ["a number of nulls", [{ type: 3, nulls: -MAX, bytes: NUMBER }], {}, `${-MAX} nulls, and at most 1 are`],
    ["a number of entries", [{ ...DICTIONARY, values: MAX }], {}, `${MAX} values, and at most 8388608`],
    ["a size", [{ bytes: NUMBER, size: MAX }], { codec: "GZIP" }, `${MAX} bytes, and at most 268435456`],
    [
      "a run of levels",
      [{ bytes: LEVELS }],
      { element: OPTIONAL },
      `${MAX} values of a run, and at most 1 are`,
    ],
    [
      "a run of levels of the second version",
      [{ type: 3, bytes: LONG_RUN, levelBytes: LONG_RUN.length }],
      { element: OPTIONAL },
      `${MAX} values of a run, and at most 1 are`,
    ],
    [
      "a run of indexes",
      [DICTIONARY, { encoding: RLE_DICTIONARY, bytes: [1, ...LONG_RUN] }],
      {},
      "values of a run",
    ],
    [
      "packed values without bits",
      [DICTIONARY, { type: 3, encoding: RLE_DICTIONARY, bytes: [0, 0xff, 0xff, 0xff, 0xff, 0x0f] }],
      {},
      "-8 values of a run",
    ],
    [
      "blocks that end before they begin",
      [{ encoding: DELTA, values: 2, bytes: [1, 0xfe, 0xff, 0xff, 0xff, 0x0f, 2, 0, 0, 0, 0] }],
      {},
      "blocks of 1 values in -2 parts",
    ],
    [
      "lengths that values share",
      [{
        encoding: DELTA_BYTES,
        values: 2,
        bytes: [1, 1, 2, ...[0xfe, 0xff, 0xff, 0xff, 0x0f], 0, 0, 1, 1, 2, 0, 0, 0],
      }],
      { element: { type: "BYTE_ARRAY" } },
      "bytes, and at most 10737418",
    ],
    ...[DELTA_LENGTHS, DELTA_BYTES].map((encoding): typeof MALFORMED[number] => [
      `a number of texts of the encoding ${encoding}`,
      [{ encoding, values: 1_000_001, bytes: [1, 1, 2, 0, 0] }],
      { element: { type: "BYTE_ARRAY" } },
      "1000001 values, and at most 1000000 are",
    ]),
    [
      "a length of values",
      [{ encoding: SPLIT, bytes: NUMBER }],
      { element: { type: "FIXED_LEN_BYTE_ARRAY", type_length: 2 ** 30 } },
      "1073741824 bytes of values, and at most 4",
    ],
    ["bytes that the file does not have", [{ bytes: NUMBER }], { missing: 2 ** 40 }, "bytes, and at most"],
  ];
for (const [what, pages, chunk, message] of MALFORMED) {
  Deno.test(`ParquetToIon refuses ${what} beyond what is there`, async () => {
    await assertRejects(() => read(pages, chunk), Error, message);
  });
}

Deno.test("ParquetToIon refuses a page with more bytes than it announces", async () => {
  const bytes = gzipSync(new Uint8Array(10_000_000));
  await assertRejects(() => read([{ bytes, size: 4 }], { codec: "GZIP" }), Error, "larger than 4 bytes");
});
