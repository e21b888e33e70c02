/**
 * Pages of Parquet, decoded in slices. The package decodes a page at once, and some writers make one page of all values of a column.
 * Values as they are stored take up to ten times as much memory as what they stand for, and go with their slice.
 */
import type { DecodedArray, PageHeader } from "hyparquet";
import { assembleLists } from "hyparquet/src/assemble.js";
import { convert, convertWithDictionary } from "hyparquet/src/convert.js";
import { readDataPage, readDataPageV2 } from "hyparquet/src/datapage.js";
import { readRleBitPackedHybrid } from "hyparquet/src/encoding.js";
import { readPlain } from "hyparquet/src/plain.js";
import { getMaxDefinitionLevel, getMaxRepetitionLevel } from "hyparquet/src/schema.js";
import { type PageColumn, readerOf, widthOf } from "./parquet_encodings.ts";

/** Values that are decoded at once. */
const SLICE_VALUES = 50_000;

/** What a page is decoded with. Its bytes have no compression. */
interface PageOptions {
  readonly header: PageHeader;
  readonly column: PageColumn;
  readonly dictionary: DecodedArray | undefined;
}

/** Levels of a page, none if they are all the greatest, and its values. */
interface OpenPage {
  readonly definitions: readonly number[];
  readonly repetitions: readonly number[];
  /** Reads the next values. */
  next(count: number): DecodedArray;
}

/** The entries of a dictionary, in slices. */
export function* dictionarySlices(
  page: Uint8Array,
  { header, column }: PageOptions,
): Generator<DecodedArray> {
  const reader = readerOf(page), { type, element: { type_length: typeLength } } = column;
  const count = header.dictionary_page_header?.num_values ?? 0;
  for (let at = 0; at < count; at += SLICE_VALUES) {
    yield convert(readPlain(reader, type, Math.min(count - at, SLICE_VALUES), typeLength), column);
  }
}

/** The values of a data page, in slices; those of a column with lists are added to `lists`, which is each of them. */
export function* pageSlices(
  page: Uint8Array,
  options: PageOptions,
  lists?: unknown[],
): Generator<DecodedArray> {
  const { column, dictionary } = options, { schemaPath } = column;
  const { count, encoding } = dataOf(options.header);
  const { definitions, repetitions, next } = opened(page, options);
  const maxDefinition = getMaxDefinitionLevel(schemaPath);
  for (let at = 0; at < count; at += SLICE_VALUES) {
    const end = Math.min(count, at + SLICE_VALUES);
    const levels = definitions.slice(at, end);
    const nulls = levels.reduce((sum, level) => sum + Number(level !== maxDefinition), 0);
    const values = convertWithDictionary(next(end - at - nulls), dictionary, encoding, column);
    yield assembleLists(lists ?? [], levels, repetitions.slice(at, end), values, schemaPath);
  }
}

/** What both versions of pages say of their values. */
function dataOf({ type, data_page_header: v1, data_page_header_v2: v2 }: PageHeader) {
  const data = type === "DATA_PAGE" ? v1 : type === "DATA_PAGE_V2" ? v2 : undefined;
  if (data) return { count: data.num_values, encoding: data.encoding };
  throw new Error(`Cannot read the file: a page has the type ${type}`);
}

function opened(page: Uint8Array, { header, column }: PageOptions): OpenPage {
  const { count, encoding } = dataOf(header);
  const { type, element, schemaPath } = column;
  const { data_page_header: v1, data_page_header_v2: v2 } = header;
  if (encoding !== "PLAIN" || type === "BOOLEAN") {
    const data = header.type === "DATA_PAGE" && v1
      ? readDataPage(page, v1, column)
      : readDataPageV2(page, { ...header, uncompressed_page_size: page.length }, {
        ...column,
        codec: "UNCOMPRESSED",
      });
    const { definitionLevels: definitions = [], repetitionLevels: repetitions, dataPage } = data;
    let at = 0;
    return { definitions, repetitions, next: (size) => dataPage.slice(at, at += size) };
  }
  const reader = readerOf(page);
  const levels = (max: number, length: number | undefined): number[] => {
    if (max === 0) return [];
    const found = new Array<number>(count);
    readRleBitPackedHybrid(reader, widthOf(max), found, length);
    return found;
  };
  const second = header.type === "DATA_PAGE_V2" ? v2 : undefined;
  const repetitions = levels(getMaxRepetitionLevel(schemaPath), second?.repetition_levels_byte_length);
  const definitions = levels(getMaxDefinitionLevel(schemaPath), second?.definition_levels_byte_length);
  return { definitions, repetitions, next: (size) => readPlain(reader, type, size, element.type_length) };
}
