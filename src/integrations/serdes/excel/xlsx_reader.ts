/** An Excel file → the rows of its sheets. https://ecma-international.org/publications-and-standards/standards/ecma-376/ */
import { Double, isJsonObject, type JsonObject, type JsonValue, objectsOf } from "../../../base/json.ts";
import { xmlElements, type XmlForm } from "../../xml_elements.ts";
import { ZipParts } from "./zip_parts.ts";

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

/** 16,384 cells with 12 elements and attributes each. */
const MAX_ROW_ELEMENTS = 200_000;
/** Texts and styles that cells refer to; they are held in memory. */
const MAX_HELD = 2_000_000;
const MAX_HELD_CHARS = 128 * 1024 * 1024;
/** Limit of Excel for the code of a format. A longer code does not count as a date format. */
const MAX_FORMAT_CHARS = 255;
const WORKBOOK = "xl/workbook.xml";
const STYLES = "xl/styles.xml";
const DAY_MS = 86_400_000;
/** Days from the first day of Excel to 1970; of files with the date system of 1904. */
const EPOCH_DAYS = 25_569;
const EPOCH_DAYS_1904 = 24_107;
const MAX_COLUMNS = 16_384;

/** An open file. Disposal closes it. */
export class Workbook implements Disposable {
  /** In their order. */
  readonly sheets: readonly Sheet[];
  readonly #parts: Parts;

  private constructor(parts: Parts, sheets: readonly Sheet[]) {
    this.#parts = parts;
    this.sheets = sheets;
  }

  /** Reads all but the rows. @throws Error it is no such file, or too large */
  static async open(path: string, options: ReaderOptions): Promise<Workbook> {
    using opened = new DisposableStack();
    const parts = opened.use(await Parts.open(path));
    const sheets = await sheetsOf(parts, await bookOf(parts, options));
    opened.move();
    return new Workbook(parts, sheets);
  }

  /** @inheritdoc */
  [Symbol.dispose](): void {
    this.#parts[Symbol.dispose]();
  }
}

async function bookOf(parts: Parts, options: ReaderOptions): Promise<Book> {
  const [properties] = await parts.held(WORKBOOK, "workbook", "workbookPr");
  return {
    options,
    texts: await parts.held("xl/sharedStrings.xml", "sst", "si", richText),
    dateStyles: await dateStylesOf(parts),
    epochDays: properties?.["@date1904"] === "1" ? EPOCH_DAYS_1904 : EPOCH_DAYS,
  };
}

async function sheetsOf(parts: Parts, book: Book): Promise<Sheet[]> {
  const relations = await parts.held("xl/_rels/workbook.xml.rels", "Relationships", "Relationship");
  const targets = new Map(relations.map((each) => [String(each["@Id"]), String(each["@Target"])]));
  const names = new Set<string>();
  return await parts.held(WORKBOOK, "sheets", "sheet", (sheet) => {
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

const FORM: XmlForm = Object.freeze({
  attribute: (name: string) => `@${name}`,
  text: "#text",
  keepsSpace: true,
  lists: new Set(["r", "c"]),
});

/** The parts of a file. */
class Parts implements Disposable {
  readonly #zip: ZipParts;
  #heldChars = 0;

  private constructor(zip: ZipParts) {
    this.#zip = zip;
  }

  /** @throws Error it is no file of Excel, or too large */
  static async open(path: string): Promise<Parts> {
    const zip = await ZipParts.open(path, "the Excel file");
    if (zip.has(WORKBOOK)) return new Parts(zip);
    zip[Symbol.dispose]();
    throw new Error("Cannot read the file: it is no Excel file (.xlsx)");
  }

  /** The elements `name` in elements `container` of a part; empty if there is no such part. @throws Error it is malformed */
  async *elements(part: string, container: string, name: string): AsyncGenerator<JsonObject> {
    if (!this.#zip.has(part)) return;
    const elements = xmlElements(this.#zip.texts(part), {
      what: "the Excel file",
      isSelected: (path) => path.at(-1) === name && path.at(-2) === container,
      form: FORM,
      maxElements: MAX_ROW_ELEMENTS,
    });
    for await (const element of elements) yield isJsonObject(element) ? element : { "#text": element };
  }

  /** What becomes of all elements; see {@link elements}. @throws Error they are too many */
  async held<T = JsonObject>(
    part: string,
    container: string,
    name: string,
    convert: (element: JsonObject) => T = (element) => element as T,
  ): Promise<T[]> {
    const all: T[] = [];
    for await (const element of this.elements(part, container, name)) {
      const held = convert(element);
      if (all.push(held) > MAX_HELD) {
        throw new Error(`Cannot read the Excel file: it has more than ${MAX_HELD} elements "${name}"`);
      }
      this.#heldChars += charsOf(held);
      if (this.#heldChars > MAX_HELD_CHARS) {
        throw new Error(
          `Cannot read the Excel file: the texts of its cells have more than ${MAX_HELD_CHARS} characters; split it`,
        );
      }
    }
    return all;
  }

  /** @inheritdoc */
  [Symbol.dispose](): void {
    this.#zip[Symbol.dispose]();
  }
}

/** Characters of the texts of a value. */
function charsOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce((sum: number, member: unknown) => sum + charsOf(member), 0);
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
  const formats = await parts.held(
    STYLES,
    "numFmts",
    "numFmt",
    (each) => [Number(each["@numFmtId"]), isDateFormat(String(each["@formatCode"]))] as const,
  );
  const own = new Map(formats);
  return await parts.held(STYLES, "cellXfs", "xf", (style) => {
    const id = Number(style["@numFmtId"]);
    return DATE_FORMATS.has(id) || own.get(id) === true;
  });
}

function isDateFormat(code: string): boolean {
  return code.length <= MAX_FORMAT_CHARS &&
    /[ymdhs]/i.test(code.replace(/"[^"]*"?|\\.|\[[^\]]*\]?/g, ""));
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
