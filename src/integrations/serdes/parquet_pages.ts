/**
 * Column chunks of Parquet. The package hyparquet decodes their pages, but does not check the counts and lengths in them: a run of
 * six bytes stands for 2^31 values. They are checked here first. https://parquet.apache.org/docs/file-format/data-pages/
 */
import { gunzipSync, inflateRawSync, zstdDecompressSync } from "node:zlib";
import type { DecodedArray, PageHeader, RowGroup, SchemaTree } from "hyparquet";
import { compressors } from "hyparquet-compressors";
import { parquetHeader, readPage } from "hyparquet/src/column.js";
import { convert, DEFAULT_PARSERS } from "hyparquet/src/convert.js";
import { decompressPage } from "hyparquet/src/datapage.js";
import { assembleAsync } from "hyparquet/src/rowgroup.js";
import { getTreePath, isFlatColumn } from "hyparquet/src/schema.js";
import { joinBytes } from "../../base/bytes.ts";
import { systemClock } from "../../base/time/clock.ts";
import { Turns } from "../../base/time/turn.ts";
import { checkEncoding, type PageColumn, whole } from "./parquet_encodings.ts";
import { ParquetJson } from "./parquet_json.ts";
import { countVariants } from "./parquet_variants.ts";

const MAX_GROUP_ROWS = 4_000_000;
/** All of a row group is in memory: values, each counted for every further level of lists and objects around it, and bytes. */
const MAX_GROUP_VALUES = 32_000_000;
/** The root, and both levels of a list. */
const SIMPLE_LEVELS = 3;
const MAX_GROUP_BYTES = 1024 * 1024 * 1024;
const TURN_MS = 10;

const PARSERS: typeof DEFAULT_PARSERS = {
  ...DEFAULT_PARSERS,
  jsonFromBytes: (bytes) => bytes && new ParquetJson(bytes),
};

/** Parts of a file. */
export interface ParquetBytes {
  readonly byteLength: number;
  /** The bytes from `start` to before `end`. */
  slice(start: number, end?: number): Promise<ArrayBuffer>;
}

/** The values of a column, in parts. */
export interface GroupColumn {
  readonly name: string;
  readonly parts: readonly ArrayLike<unknown>[];
}

/** What a row group may still have. */
interface GroupLimits {
  values: number;
  bytes: number;
}

/** The columns of a row group. @throws Error it is malformed, or too large */
export async function readGroup(
  file: ParquetBytes,
  { group, schema }: { readonly group: RowGroup; readonly schema: SchemaTree },
): Promise<GroupColumn[]> {
  checkGroup(group);
  const limits = { values: MAX_GROUP_VALUES, bytes: MAX_GROUP_BYTES };
  const groupRows = Number(group.num_rows);
  const asyncColumns = [];
  for (const { file_path, meta_data: meta } of group.columns) {
    if (file_path || !meta) throw new Error("Cannot read the file: a column is in another file");
    const start = whole(
      Number(meta.dictionary_page_offset || meta.data_page_offset),
      file.byteLength,
      "bytes before its column",
    );
    const size = whole(
      Number(meta.total_compressed_size),
      Math.min(file.byteLength - start, limits.bytes),
      "bytes",
    );
    const schemaPath = getTreePath(schema, meta.path_in_schema);
    const { element } = schemaPath.at(-1) ?? schema;
    const pathInSchema = meta.path_in_schema;
    const column = { ...meta, pathInSchema, schemaPath, element, parsers: PARSERS };
    const data = await readChunk(await file.slice(start, start + size), { column, rows: groupRows, limits });
    if (isVariant(schemaPath)) {
      for (const part of data) limits.values -= countVariants(part, limits.values);
    }
    asyncColumns.push({ pathInSchema, data: Promise.resolve({ data, skipped: 0 }) });
  }
  const columns = assembleAsync({ groupStart: 0, groupRows, asyncColumns }, schema).asyncColumns;
  return await Promise.all(columns.map(async ({ pathInSchema, data }) => ({
    name: pathInSchema[0] ?? "",
    parts: (await data).data,
  })));
}

/** @throws Error the group is too large, as it says itself */
function checkGroup({ num_rows, columns }: RowGroup): void {
  const rows = Number(num_rows);
  const values = columns.reduce((sum, { meta_data }) => sum + Number(meta_data?.num_values ?? 0), 0);
  if (rows <= MAX_GROUP_ROWS && values <= MAX_GROUP_VALUES) return;
  throw new Error(
    `Cannot read the file: a row group has ${rows} rows and ${values} values: the limits are ${MAX_GROUP_ROWS} rows and ${MAX_GROUP_VALUES} values`,
  );
}

/** A column of values, not one of names. */
function isVariant(path: readonly SchemaTree[]): boolean {
  return path.some(({ element }) => element.logical_type?.type === "VARIANT") &&
    path.at(-1)?.element.name !== "metadata";
}

/** The values of a chunk. As in the package, a flat column ends with the rows, any other with the bytes. */
async function readChunk(
  bytes: ArrayBuffer,
  { column, rows, limits }: {
    readonly column: PageColumn;
    readonly rows: number;
    readonly limits: GroupLimits;
  },
): Promise<DecodedArray[]> {
  const turns = new Turns(systemClock, TURN_MS);
  const reader = { view: new DataView(bytes), offset: 0 };
  const isFlat = isFlatColumn(column.schemaPath);
  const parts: DecodedArray[] = [];
  let dictionary: DecodedArray | undefined, last: DecodedArray | undefined;
  let count = 0;
  while (reader.offset < bytes.byteLength - 1 && !(isFlat && count >= rows)) {
    const header = parquetHeader(reader);
    const size = whole(header.compressed_page_size, bytes.byteLength - reader.offset, "bytes");
    const stored = new Uint8Array(bytes, reader.offset, size);
    reader.offset += size;
    const page = plainPage(stored, header, { column, limits });
    limits.bytes -= whole(checkEncoding(page, header, column), limits.bytes, "bytes");
    const before = last?.length ?? 0;
    const { data } = decoded(page, header, { column, dictionary, last });
    if (header.type === "DICTIONARY_PAGE") {
      dictionary = data && convert(data, column);
    } else if (data === last) {
      count += (data?.length ?? 0) - before;
    } else if (data && data.length > 0) {
      parts.push(data);
      count += data.length;
      last = data;
    }
    await turns.next();
  }
  return parts;
}

interface PageOptions {
  readonly column: PageColumn;
  readonly limits: GroupLimits;
}

/** The page without compression. Its sizes are taken from the limits. */
function plainPage(stored: Uint8Array, header: PageHeader, { column, limits }: PageOptions): Uint8Array {
  const size = whole(header.uncompressed_page_size, limits.bytes, "bytes");
  const { data_page_header: v1, data_page_header_v2: v2, dictionary_page_header: entries } = header;
  const isDictionary = header.type === "DICTIONARY_PAGE", isSecond = header.type === "DATA_PAGE_V2";
  const levels = Math.max(1, column.schemaPath.length - SIMPLE_LEVELS);
  const values = (isDictionary ? entries : isSecond ? v2 : v1)?.num_values;
  const count = whole(values, Math.floor(limits.values / levels), "values");
  if (!isDictionary) limits.values -= count * levels;
  limits.bytes -= size;
  if (!isSecond || !v2) return plain(stored, size, column.codec);
  const maxLevels = Math.min(stored.length, size);
  const repetition = whole(v2.repetition_levels_byte_length, maxLevels, "bytes of levels");
  const levelBytes = repetition +
    whole(v2.definition_levels_byte_length, maxLevels - repetition, "bytes of levels");
  if (v2.is_compressed === false) return plain(stored, size, "UNCOMPRESSED");
  const data = plain(stored.subarray(levelBytes), size - levelBytes, column.codec);
  return joinBytes([stored.subarray(0, levelBytes), data]);
}

/** Those of the package read on behind the size that is given, or have no limit of memory. */
const DECOMPRESSORS: typeof compressors = {
  ...compressors,
  GZIP: (bytes, size) =>
    (bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync : inflateRawSync)(bytes, { maxOutputLength: size }),
  ZSTD: (bytes, size) => zstdDecompressSync(bytes, { maxOutputLength: size }),
};

function plain(bytes: Uint8Array, size: number, codec: PageColumn["codec"]): Uint8Array {
  return size === 0 ? new Uint8Array() : decompressPage(bytes, size, codec, DECOMPRESSORS);
}

interface Decoding {
  readonly column: PageColumn;
  readonly dictionary: DecodedArray | undefined;
  readonly last: DecodedArray | undefined;
}

function decoded(page: Uint8Array, header: PageHeader, { column, dictionary, last }: Decoding) {
  const reader = { view: new DataView(page.buffer, page.byteOffset, page.length), offset: 0 };
  const plainHeader = { ...header, compressed_page_size: page.length, uncompressed_page_size: page.length };
  return readPage(reader, plainHeader, { ...column, codec: "UNCOMPRESSED" }, dictionary, last, 0);
}
