/** An Excel file → the rows of its sheets. https://ecma-international.org/publications-and-standards/standards/ecma-376/ */
import { readFile, stat } from "node:fs/promises";
import { Double, isJsonObject, type JsonObject, type JsonValue, objectsOf } from "../../base/json.ts";
import { systemClock } from "../../base/time/clock.ts";
import { Turns } from "../../base/time/turn.ts";
import { checkElements } from "../xml.ts";
import { elementTexts } from "./element_texts.ts";

/** Options of the reader. */
export interface ReaderOptions {
  readonly dateTimeRender: "SERIAL_NUMBER" | "FORMATTED_STRING" | "UNFORMATTED_VALUE";
  readonly valueRender: "FORMATTED_VALUE" | "UNFORMATTED_VALUE" | "FORMULA";
}

/** A sheet. */
interface Sheet {
  readonly title: string;
  /** Cells by their columns; columns without a cell have null. */
  rows(): AsyncGenerator<JsonValue[]>;
}

/** Largest sum of the unpacked files in bytes: they are held in memory. */
const MAX_UNPACKED_BYTES = 256 * 1024 * 1024;
/** Most elements and attributes that are parsed in one turn: 16,384 cells with 12 each. */
const MAX_PARSED_ELEMENTS = 200_000;
const TURN_MS = 10;
const WORKBOOK = "xl/workbook.xml";
const STYLES = "xl/styles.xml";
const DAY_MS = 86_400_000;
/** Days from the first day of Excel to 1970; of files with the date system of 1904. */
const EPOCH_DAYS = 25_569;
const EPOCH_DAYS_1904 = 24_107;
const MAX_COLUMNS = 16_384;

/** The sheets in their order. @throws Error it is no such file, or too large */
export async function readXlsx(path: string, options: ReaderOptions): Promise<Sheet[]> {
  const parts = await Parts.open(path);
  const relations = await Array.fromAsync(
    parts.elements("xl/_rels/workbook.xml.rels", "Relationships", "Relationship"),
  );
  const targets = new Map(relations.map((each) => [String(each["@Id"]), String(each["@Target"])]));
  const [properties] = await Array.fromAsync(parts.elements(WORKBOOK, "workbook", "workbookPr"));
  const book: Book = {
    options,
    texts: await Array.fromAsync(parts.elements("xl/sharedStrings.xml", "sst", "si"), richText),
    dateStyles: await dateStylesOf(parts),
    epochDays: properties?.["@date1904"] === "1" ? EPOCH_DAYS_1904 : EPOCH_DAYS,
  };
  const names = new Set<string>();
  return await Array.fromAsync(parts.elements(WORKBOOK, "sheets", "sheet"), (sheet) => {
    const target = targets.get(String(sheet["@r:id"])) ?? "";
    const name = target.startsWith("/") ? target.slice(1) : `xl/${target}`;
    // Each would be read anew: a small file could have very many.
    if (names.has(name)) throw new Error("Cannot read the Excel file: several sheets have the same part");
    names.add(name);
    return {
      title: String(sheet["@name"]),
      async *rows() {
        for await (const row of parts.elements(name, "sheetData", "row")) yield cellsOf(row, book);
      },
    };
  });
}

/** What cells refer to. */
interface Book {
  readonly options: ReaderOptions;
  readonly texts: readonly string[];
  /** Whether the style of that number shows a date. */
  readonly dateStyles: readonly boolean[];
  readonly epochDays: number;
}

/** The parts of a file. */
class Parts {
  readonly #texts: ReadonlyMap<string, string>;
  readonly #parse: (text: string) => JsonObject;
  readonly #turns = new Turns(systemClock, TURN_MS);

  private constructor(texts: ReadonlyMap<string, string>, parse: (text: string) => JsonObject) {
    this.#texts = texts;
    this.#parse = parse;
  }

  /** @throws Error it is no file of Excel, or too large */
  static async open(path: string): Promise<Parts> {
    const texts = new Map<string, string>();
    let counted = 0;
    for (const [name, bytes] of Object.entries(await unpacked(path))) {
      const text = new TextDecoder().decode(bytes);
      counted = await checkElements(text, { counted });
      texts.set(name, text);
    }
    if (!/<workbook[\s>]/.test(texts.get(WORKBOOK) ?? "")) {
      throw new Error("Cannot read the file: it is no Excel file (.xlsx)");
    }
    return new Parts(texts, await xmlParser());
  }

  /**
   * The elements `name` in the first element `container` of a part; none if there is no such part. They are parsed one by one,
   * with turns between them: a whole part took half a minute and up to 3 GB.
   * @throws Error one has too many elements, the part is malformed
   */
  async *elements(part: string, container: string, name: string): AsyncGenerator<JsonObject> {
    for (const text of elementTexts(this.#texts.get(part) ?? "", container, name)) {
      await checkElements(text, { what: `an element "${name}"`, max: MAX_PARSED_ELEMENTS });
      yield* objectsOf(this.#parse(text)[name]);
      await this.#turns.next();
    }
  }
}

async function unpacked(path: string): Promise<Record<string, Uint8Array>> {
  const { unzipSync } = await import("fflate");
  let bytes = 0;
  try {
    if ((await stat(path)).size > MAX_UNPACKED_BYTES) {
      throw new Error(`it has more than ${MAX_UNPACKED_BYTES} bytes`);
    }
    return unzipSync(await readFile(path), {
      filter({ name, originalSize }) {
        if (
          !/^xl\/(?:workbook|styles|sharedStrings|worksheets\/[^/]+|_rels\/workbook)\.xml(?:\.rels)?$/.test(
            name,
          )
        ) return false;
        bytes += originalSize;
        if (bytes > MAX_UNPACKED_BYTES) throw new Error(`it has more than ${MAX_UNPACKED_BYTES} bytes`);
        return true;
      },
    });
  } catch (error) {
    throw new Error(`Cannot read the Excel file: ${error instanceof Error ? error.message : error}`, {
      cause: error,
    });
  }
}

async function xmlParser(): Promise<(text: string) => JsonObject> {
  const { XMLParser } = await import("fast-xml-parser");
  const lists = new Set(["sheet", "workbookPr", "Relationship", "si", "r", "row", "c", "xf", "numFmt"]);
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: "@",
    parseTagValue: false,
    trimValues: false,
    ignoreDeclaration: true,
    isArray: (name, _path, _isLeaf, isAttribute) => !isAttribute && lists.has(name),
  });
  return (text) => parser.parse(text);
}

function childOf(element: JsonObject, name: string): JsonObject {
  const child = element[name];
  return isJsonObject(child) ? child : {};
}

/** The text of an element with `t`, or with runs of different styles. */
function richText(element: JsonObject): string {
  if (element.r === undefined) return textOf(element.t);
  return objectsOf(element.r).map(({ t }) => textOf(t)).join("");
}

function textOf(value: JsonValue | undefined): string {
  const text = isJsonObject(value) ? value["#text"] : value;
  return String(text ?? "").replace(
    /_x([0-9A-F]{4})_/gi,
    (_all, code) => String.fromCharCode(Number.parseInt(code, 16)),
  );
}

/** Numbers of the formats of dates that each file has. */
const DATE_FORMATS: ReadonlySet<number> = new Set([14, 15, 16, 17, 18, 19, 20, 21, 22, 45, 46, 47]);

async function dateStylesOf(parts: Parts): Promise<boolean[]> {
  const formats = await Array.fromAsync(
    parts.elements(STYLES, "numFmts", "numFmt"),
    (each) => [Number(each["@numFmtId"]), String(each["@formatCode"])] as const,
  );
  const own = new Map(formats);
  return await Array.fromAsync(parts.elements(STYLES, "cellXfs", "xf"), (style) => {
    const id = Number(style["@numFmtId"]);
    const code = own.get(id)?.replace(/"[^"]*"?|\\.|\[[^\]]*\]?/g, "") ?? "";
    return DATE_FORMATS.has(id) || /[ymdhs]/i.test(code);
  });
}

function cellsOf(row: JsonObject, book: Book): JsonValue[] {
  const cells: JsonValue[] = [];
  for (const cell of Array.isArray(row.c) ? row.c : []) {
    // An empty element without attributes is a text.
    if (!isJsonObject(cell)) {
      cells.push(null);
      continue;
    }
    const at = columnOf(cell["@r"]) ?? cells.length;
    while (cells.length < at) cells.push(null);
    cells[at] = valueOf(cell, book);
  }
  return cells;
}

/** `B3` → 1. @throws Error beyond the last column of Excel */
function columnOf(reference: JsonValue | undefined): number | undefined {
  const letters = /^[A-Z]+/.exec(String(reference ?? ""))?.[0];
  if (letters === undefined) return undefined;
  const column = [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
  if (column < MAX_COLUMNS) return column;
  throw new Error(`Cannot read the Excel file: the cell "${reference}" is beyond its last column`);
}

function valueOf(cell: JsonObject, book: Book): JsonValue {
  const { valueRender } = book.options;
  if (valueRender === "FORMULA" && cell.f !== undefined) return `=${textOf(cell.f)}`;
  const value = plainValue(cell, book);
  return valueRender === "FORMATTED_VALUE" && value !== null ? String(value) : value;
}

function plainValue(cell: JsonObject, { texts, dateStyles, epochDays, options }: Book): JsonValue {
  if (cell["@t"] === "inlineStr") return richText(childOf(cell, "is"));
  const text = textOf(cell.v);
  if (text === "") return null;
  switch (cell["@t"]) {
    case "s":
      return texts[Number(text)] ?? null;
    case "b":
      return text === "1";
    case "str":
    case "e":
    case "d":
      return text;
  }
  const value = Number(text);
  const isDate = options.dateTimeRender !== "SERIAL_NUMBER" && dateStyles[Number(cell["@s"] ?? 0)] === true;
  if (isDate) return dateText(value, epochDays);
  return Number.isSafeInteger(value) ? value : new Double(value);
}

/** A date has no zone in Excel. */
function dateText(serial: number, epochDays: number): string {
  const iso = new Date(Math.round((serial - epochDays) * DAY_MS)).toISOString();
  return Number.isInteger(serial) ? iso.slice(0, 10) : iso.slice(0, 19);
}
