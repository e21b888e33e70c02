/**
 * Column chunks of Parquet. The package hyparquet decodes their pages, but does not check the counts and lengths in them: a run of
 * six bytes stands for 2^31 values. They are checked here first. https://parquet.apache.org/docs/file-format/data-pages/
 */
import { brotliDecompressSync, gunzipSync, inflateRawSync, zstdDecompressSync } from "node:zlib";
import type { DecodedArray, PageHeader, RowGroup, SchemaTree } from "hyparquet";
import { compressors } from "hyparquet-compressors";
import { parquetHeader } from "hyparquet/src/column.js";
import { DEFAULT_PARSERS } from "hyparquet/src/convert.js";
import { decompressPage } from "hyparquet/src/datapage.js";
import { assembleAsync } from "hyparquet/src/rowgroup.js";
import { isFlatColumn } from "hyparquet/src/schema.js";
import { joinBytes } from "../../../base/bytes.ts";
import { systemClock } from "../../../base/time/clock.ts";
import { Turns } from "../../../base/time/turn.ts";
import { checkEncoding, type PageColumn, whole } from "./parquet_encodings.ts";
import { ParquetJson } from "./parquet_json.ts";
import { dictionarySlices, pageSlices } from "./parquet_slices.ts";
import { countVariants } from "./parquet_variants.ts";

const MAX_GROUP_ROWS = 4_000_000;
/**
 * Of a row group: values, each counted for every further level of lists and objects around it, and bytes. Columns with such levels
 * are in memory, of others the chunks without compression of the values.
 */
const MAX_GROUP_VALUES = 32_000_000;
/** The root, and both levels of a list. */
const SIMPLE_LEVELS = 3;
const MAX_GROUP_BYTES = 1024 * 1024 * 1024;
/** As they are in the file: all chunks are in memory. */
const MAX_STORED_BYTES = 512 * 1024 * 1024;
/** Of a page, which is unpacked in one turn. Most writers make pages of 1 MB, DuckDB of up to 100 MB. */
const MAX_PAGE_BYTES = 256 * 1024 * 1024;
/** Of a page, whose levels are read in one turn: 1 MB of single bits. */
const MAX_PAGE_VALUES = 8 * 1024 * 1024;
const TURN_MS = 10;

const PARSERS: typeof DEFAULT_PARSERS = {
  ...DEFAULT_PARSERS,
  jsonFromBytes: (bytes) => bytes && new ParquetJson(bytes),
  // That of the package takes 3 µs.
  uuidFromBytes: (bytes) => bytes?.toHex().replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-"),
};

/** Parts of a file. */
export interface ParquetBytes {
  readonly byteLength: number;
  /** The bytes from `start` to before `end`. */
  slice(start: number, end?: number): Promise<ArrayBuffer>;
}

/** The values of a column, in parts that are read when they are asked for. @throws Error a page is malformed, or too large */
export interface GroupColumn {
  readonly name: string;
  readonly parts: AsyncIterable<ArrayLike<unknown>>;
}

/** What a row group may still have. */
interface GroupLimits {
  values: number;
  bytes: number;
  /** Of the chunks in the file. */
  stored: number;
}

/** A column of values within a row group. */
interface Chunk {
  readonly column: PageColumn & { readonly pathInSchema: string[] };
  readonly rows: number;
  readonly limits: GroupLimits;
  /** Reads its bytes. */
  read(): Promise<ArrayBuffer>;
}

/** The columns of a row group. @throws Error it is malformed, or too large */
export function readGroup(
  file: ParquetBytes,
  { group, schema }: { readonly group: RowGroup; readonly schema: SchemaTree },
): GroupColumn[] {
  checkGroup(group);
  const chunks = Map.groupBy(
    chunksOf(file, { group, schema }),
    ({ column: { pathInSchema } }) => pathInSchema[0] ?? "",
  );
  return schema.children.flatMap((child) => {
    const { element: { name }, children } = child;
    const [chunk, ...others] = chunks.get(name) ?? [];
    if (!chunk) return [];
    const parts = children.length === 0 ? partsOf(chunk) : nestedParts(child, [chunk, ...others], schema);
    return [{ name, parts }];
  });
}

function chunksOf(
  file: ParquetBytes,
  { group, schema }: { readonly group: RowGroup; readonly schema: SchemaTree },
): Chunk[] {
  const limits = { values: MAX_GROUP_VALUES, bytes: MAX_GROUP_BYTES, stored: MAX_STORED_BYTES };
  return group.columns.map(({ file_path, meta_data: meta }) => {
    if (file_path || !meta) throw new Error("Cannot read the file: a column is in another file");
    const start = whole(
      Number(meta.dictionary_page_offset || meta.data_page_offset),
      file.byteLength,
      "bytes before its column",
    );
    const size = whole(
      Number(meta.total_compressed_size),
      Math.min(file.byteLength - start, limits.stored),
      "bytes",
    );
    limits.stored -= size;
    const schemaPath = treePath(schema, meta.path_in_schema);
    const { element } = schemaPath.at(-1) ?? schema;
    const column = { ...meta, pathInSchema: meta.path_in_schema, schemaPath, element, parsers: PARSERS };
    return { column, rows: Number(group.num_rows), limits, read: () => file.slice(start, start + size) };
  });
}

const childrenByName = new WeakMap<SchemaTree, ReadonlyMap<string, SchemaTree>>();

/** The path of a column. The package reads all columns for each. @throws Error it is not in the schema */
function treePath(schema: SchemaTree, names: readonly string[]): SchemaTree[] {
  const path = [schema];
  let tree = schema;
  for (const name of names) {
    const known = childrenByName.get(tree) ??
      new Map(tree.children.toReversed().map((child) => [child.element.name, child]));
    childrenByName.set(tree, known);
    const child = known.get(name);
    if (!child) throw new Error(`Cannot read the file: its schema has no column "${names.join(".")}"`);
    path.push(child);
    tree = child;
  }
  return path;
}

/** The values of a column that has columns itself: they are put together when all of them are read. */
async function* nestedParts(
  child: SchemaTree,
  chunks: readonly Chunk[],
  schema: SchemaTree,
): AsyncGenerator<ArrayLike<unknown>> {
  const asyncColumns = [];
  for (const chunk of chunks) {
    const { column: { schemaPath, pathInSchema }, limits } = chunk;
    const data = await Array.fromAsync(partsOf(chunk));
    if (isVariant(schemaPath)) {
      for (const part of data) limits.values -= countVariants(part, limits.values);
    }
    asyncColumns.push({ pathInSchema, data: Promise.resolve({ data, skipped: 0 }) });
  }
  const groupRows = chunks[0]?.rows ?? 0;
  const assembled = assembleAsync({ groupStart: 0, groupRows, asyncColumns }, {
    ...schema,
    children: [child],
  });
  for (const { data } of assembled.asyncColumns) yield* (await data).data;
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

/** The values of a chunk. As in the package, a flat column ends with the rows, any other with the bytes, in one part. */
async function* partsOf({ column, rows, limits, read }: Chunk): AsyncGenerator<DecodedArray> {
  const turns = new Turns(systemClock, TURN_MS);
  const bytes = await read();
  const reader = { view: new DataView(bytes), offset: 0 };
  const isFlat = isFlatColumn(column.schemaPath);
  const lists: unknown[] = [];
  let dictionary: DecodedArray | undefined;
  let count = 0;
  while (reader.offset < bytes.byteLength - 1 && !(isFlat && count >= rows)) {
    const header = parquetHeader(reader);
    const size = whole(header.compressed_page_size, bytes.byteLength - reader.offset, "bytes");
    const stored = new Uint8Array(bytes, reader.offset, size);
    reader.offset += size;
    const page = plainPage(stored, header, { column, limits });
    limits.bytes -= whole(checkEncoding(page, header, column), limits.bytes, "bytes");
    await turns.next();
    const options = { header, column, dictionary };
    if (header.type === "DICTIONARY_PAGE") {
      dictionary = await joined(dictionarySlices(page, options), turns);
      continue;
    }
    for (const slice of pageSlices(page, options, isFlat ? undefined : lists)) {
      if (slice !== lists && slice.length > 0) yield slice;
      count += slice.length;
      await turns.next();
    }
  }
  if (lists.length > 0) yield lists;
}

/** One slice as it is, several in one list. */
async function joined(slices: Iterable<DecodedArray>, turns: Turns): Promise<DecodedArray> {
  const parts: DecodedArray[] = [];
  for (const slice of slices) {
    parts.push(slice);
    await turns.next();
  }
  return parts.length > 1 ? parts.flatMap((part) => Array.from<unknown>(part)) : parts[0] ?? [];
}

interface PageOptions {
  readonly column: PageColumn;
  readonly limits: GroupLimits;
}

/** The page without compression. Its sizes are taken from the limits. */
function plainPage(stored: Uint8Array, header: PageHeader, { column, limits }: PageOptions): Uint8Array {
  const size = whole(header.uncompressed_page_size, Math.min(limits.bytes, MAX_PAGE_BYTES), "bytes");
  const { data_page_header: v1, data_page_header_v2: v2, dictionary_page_header: entries } = header;
  const isDictionary = header.type === "DICTIONARY_PAGE", isSecond = header.type === "DATA_PAGE_V2";
  const levels = Math.max(1, column.schemaPath.length - SIMPLE_LEVELS);
  const values = (isDictionary ? entries : isSecond ? v2 : v1)?.num_values;
  const count = whole(values, Math.min(Math.floor(limits.values / levels), MAX_PAGE_VALUES), "values");
  limits.values -= count * (isDictionary ? 1 : levels);
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
  BROTLI: (bytes, size) => brotliDecompressSync(bytes, { maxOutputLength: size }),
  ZSTD: (bytes, size) => zstdDecompressSync(bytes, { maxOutputLength: size }),
};

function plain(bytes: Uint8Array, size: number, codec: PageColumn["codec"]): Uint8Array {
  return size === 0 ? new Uint8Array() : decompressPage(bytes, size, codec, DECOMPRESSORS);
}
