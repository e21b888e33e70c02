/**
 * What a page of Parquet says about its values, checked before it is decoded: runs, blocks of deltas, and lengths. The number of
 * its values is checked already. https://parquet.apache.org/docs/file-format/data-pages/encodings/
 */
import type { PageHeader } from "hyparquet";
import type { readPage } from "hyparquet/src/column.js";
import { deltaBinaryUnpack } from "hyparquet/src/delta.js";
import { readRleBitPackedHybrid } from "hyparquet/src/encoding.js";
import { getMaxDefinitionLevel, getMaxRepetitionLevel } from "hyparquet/src/schema.js";
import { readVarInt } from "hyparquet/src/thrift.js";

/** How the package decodes a column. */
export type PageColumn = Parameters<typeof readPage>[2];

type Reader = Parameters<typeof readPage>[0];

/** Packed values are in groups of eight, of which the last may be filled up; some writers fill a run of 504. */
const PADDING = 512;
const MAX_BIT_WIDTH = 32;
/** Texts of a page that are decoded at once. */
const MAX_DELTA_TEXTS = 1_000_000;
/** Bytes before the runs of a first version of pages, which say how long they are. */
const LENGTH_BYTES = 4;

/** The number. @throws Error it is not a whole number from 0 to `max` */
export function whole(value: number | undefined, max: number, what: string): number {
  if (value !== undefined && Number.isInteger(value) && value >= 0 && value <= max) return value;
  throw new Error(`Cannot read the file: a page has ${value} ${what}, and at most ${max} are possible`);
}

/**
 * Bytes that values share with the ones before them, and that are copied when the page is decoded.
 * @throws Error it would be decoded to more values than it has, or without end
 */
export function checkEncoding(page: Uint8Array, header: PageHeader, column: PageColumn): number {
  const { data_page_header: v1, data_page_header_v2: v2 } = header;
  const { schemaPath, element: { type, type_length: typeLength } } = column;
  const maxDefinition = getMaxDefinitionLevel(schemaPath);
  const hasLists = getMaxRepetitionLevel(schemaPath) > 0;
  const reader = readerOf(page);
  if (header.type === "DATA_PAGE" && v1) {
    const { num_values: count, encoding } = v1;
    if (hasLists) skipRuns(reader, widthOf(getMaxRepetitionLevel(schemaPath)), count);
    const nulls = maxDefinition === 0 ? 0 : nullsOf(reader, maxDefinition, count);
    return checkValues(reader, { encoding, count: count - nulls, type, typeLength, isFirst: true });
  }
  if (header.type !== "DATA_PAGE_V2" || !v2) return 0;
  const { num_values: count, encoding, repetition_levels_byte_length: repetition } = v2;
  if (hasLists) checkRuns(reader, widthOf(getMaxRepetitionLevel(schemaPath)), count);
  const definitions = readerOf(page.subarray(repetition));
  if (maxDefinition > 0) checkRuns(definitions, widthOf(maxDefinition), count);
  const values = readerOf(page.subarray(repetition + v2.definition_levels_byte_length));
  return checkValues(values, {
    encoding,
    count: count - whole(v2.num_nulls, count, "nulls"),
    type,
    typeLength,
  });
}

/** A reader from the first byte on. */
export function readerOf(bytes: Uint8Array): Reader {
  return { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), offset: 0 };
}

/** Bits of a level. */
export function widthOf(maxLevel: number): number {
  return 32 - Math.clz32(maxLevel);
}

/** Checks runs with their length, and leaves the reader after them. */
function skipRuns(reader: Reader, width: number, count: number): void {
  const end = reader.offset + LENGTH_BYTES + reader.view.getUint32(reader.offset, true);
  checkRuns({ ...reader, offset: reader.offset + LENGTH_BYTES }, width, count);
  reader.offset = end;
}

/** Levels below the greatest one stand for values that are null. */
function nullsOf(reader: Reader, maxLevel: number, count: number): number {
  const levels = new Array<number>(count), { offset } = reader;
  skipRuns(reader, widthOf(maxLevel), count);
  readRleBitPackedHybrid({ ...reader, offset }, widthOf(maxLevel), levels);
  let nulls = 0;
  for (const level of levels) if (level !== maxLevel) nulls++;
  return nulls;
}

/** Runs of equal or packed values, until there are enough. */
function checkRuns(reader: Reader, width: number, count: number): void {
  whole(width, MAX_BIT_WIDTH, "bits of a value");
  let seen = 0;
  while (seen < count) {
    const head = readVarInt(reader);
    const isPacked = (head & 1) === 1;
    const length = isPacked ? (head >> 1) * 8 : head >>> 1;
    seen += whole(length, count - seen + (isPacked ? PADDING : 0), "values of a run");
    reader.offset += isPacked ? Math.max(1, Math.ceil(length * width / 8)) : Math.ceil(width / 8);
  }
}

interface Values {
  readonly encoding: string;
  readonly count: number;
  readonly type: string | undefined;
  readonly typeLength: number | undefined;
  /** The first version of pages. */
  readonly isFirst?: boolean;
}

function checkValues(reader: Reader, values: Values): number {
  const { encoding, count, type, typeLength = 0, isFirst = false } = values;
  switch (encoding) {
    case "RLE":
    case "RLE_DICTIONARY":
    case "PLAIN_DICTIONARY": {
      if (isFirst ? type === "BOOLEAN" : encoding === "RLE") {
        skipRuns(reader, 1, count);
        return 0;
      }
      const width = reader.view.getUint8(reader.offset++);
      if (!isFirst || width > 0) checkRuns(reader, width, count);
      return 0;
    }
    case "BYTE_STREAM_SPLIT": {
      const width = type === "FIXED_LEN_BYTE_ARRAY" ? typeLength : 4;
      whole(count * width, reader.view.byteLength - reader.offset, "bytes of values");
      return 0;
    }
    case "DELTA_BINARY_PACKED":
      checkDeltas(reader);
      return 0;
    case "DELTA_LENGTH_BYTE_ARRAY":
      whole(count, MAX_DELTA_TEXTS, "values");
      checkDeltas(reader);
      return 0;
    case "DELTA_BYTE_ARRAY": {
      whole(count, MAX_DELTA_TEXTS, "values");
      checkDeltas(reader);
      const prefixes = new Int32Array(count);
      deltaBinaryUnpack(reader, count, prefixes);
      checkDeltas(reader);
      return prefixes.reduce((sum, length) => sum + Math.max(0, length), 0);
    }
    default:
      return 0;
  }
}

/** Blocks of some size would be read without end. */
function checkDeltas({ view, offset }: Reader): void {
  const reader = { view, offset };
  const block = readVarInt(reader), parts = readVarInt(reader);
  if (block > 0 && parts > 0 && parts <= view.byteLength && block % parts === 0) return;
  throw new Error(`Cannot read the file: a page has blocks of ${block} values in ${parts} parts`);
}
