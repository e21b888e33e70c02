/** Rows → an Excel file, as a stream: neither the rows nor the sheets are held in memory. https://ecma-international.org/publications-and-standards/standards/ecma-376/ */
import { Double, isJsonObject, type JsonValue, ownProperty, stringifyJson } from "../../../base/json.ts";
import { systemClock } from "../../../base/time/clock.ts";
import { Turns } from "../../../base/time/turn.ts";

/** A sheet and its rows. */
export interface SheetRows {
  readonly title: string;
  readonly rows: AsyncIterable<JsonValue>;
}

/** Options of the writer. */
interface WriterOptions {
  /** Whether the first row has the names of the columns. */
  readonly hasHeader: boolean;
  /** Whether the names are bold. */
  readonly hasStyles: boolean;
}

/** Bounds of Excel. */
const MAX_ROWS = 1_048_576;
const MAX_COLUMNS = 16_384;
const MAX_CELL_CHARS = 32_767;
const MAX_TITLE_CHARS = 31;
/** Characters of XML that are compressed at once. */
const CHUNK_CHARS = 64 * 1024;
const TURN_MS = 10;

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships";
const OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const TYPES = "application/vnd.openxmlformats-officedocument.spreadsheetml";
/** Style 1 is bold. */
const STYLES =
  `${HEAD}<styleSheet xmlns="${MAIN}"><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="2"><xf/><xf fontId="1" applyFont="1"/></cellXfs></styleSheet>`;

/** The bytes of the file. @throws Error a bound of Excel is exceeded, or two sheets have the same title */
export async function* xlsxBytes(
  sheets: readonly SheetRows[],
  options: WriterOptions,
): AsyncGenerator<Uint8Array> {
  const { Zip, ZipDeflate } = await import("fflate");
  const ready: Uint8Array[] = [];
  const zip = new Zip((error, bytes) => {
    if (error) throw error;
    ready.push(bytes);
  });
  const titles = sheets.map(({ title }) => title);
  checkTitles(titles);
  const entries: [path: string, texts: AsyncIterable<string> | Iterable<string>][] = [
    ...parts(titles).map(([path, text]): [string, string[]] => [path, [text]]),
    ...sheets.map(({ rows }, index): [string, AsyncIterable<string>] => [
      `xl/worksheets/sheet${index + 1}.xml`,
      chunked(sheetTexts(rows, options)),
    ]),
  ];
  const encoder = new TextEncoder();
  for (const [path, texts] of entries) {
    const entry = new ZipDeflate(path, { level: 6 });
    zip.add(entry);
    for await (const text of texts) {
      entry.push(encoder.encode(text));
      yield* ready.splice(0);
    }
    entry.push(new Uint8Array(), true);
  }
  zip.end();
  yield* ready.splice(0);
}

function checkTitles(titles: readonly string[]): void {
  for (const [index, title] of titles.entries()) {
    if (title === "" || title.length > MAX_TITLE_CHARS || /[\\/?*[\]:]/.test(title)) {
      throw new Error(
        `Invalid title of a sheet "${title}": it has 1 to 31 characters, and none of \\ / ? * [ ] :`,
      );
    }
    if (titles.indexOf(title) !== index) throw new Error(`Two sheets have the title "${title}"`);
  }
}

/** The files beside the sheets. */
function parts(titles: readonly string[]): [path: string, text: string][] {
  const sheet = (index: number) => `/xl/worksheets/sheet${index + 1}.xml`;
  const overrides = titles.map((_title, index) =>
    `<Override PartName="${sheet(index)}" ContentType="${TYPES}.worksheet+xml"/>`
  );
  const listed = titles.map((title, index) =>
    `<sheet name="${escaped(title)}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`
  );
  const related = titles.map((_title, index) =>
    `<Relationship Id="rId${index + 1}" Type="${OFFICE}/worksheet" Target="${sheet(index)}"/>`
  );
  const styles = `<Relationship Id="rId${
    titles.length + 1
  }" Type="${OFFICE}/styles" Target="/xl/styles.xml"/>`;
  return [
    [
      "[Content_Types].xml",
      `${HEAD}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${TYPES}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${TYPES}.styles+xml"/>${
        overrides.join("")
      }</Types>`,
    ],
    [
      "_rels/.rels",
      `${HEAD}<Relationships xmlns="${RELATIONS}"><Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="/xl/workbook.xml"/></Relationships>`,
    ],
    [
      "xl/workbook.xml",
      `${HEAD}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets>${listed.join("")}</sheets></workbook>`,
    ],
    [
      "xl/_rels/workbook.xml.rels",
      `${HEAD}<Relationships xmlns="${RELATIONS}">${related.join("")}${styles}</Relationships>`,
    ],
    ["xl/styles.xml", STYLES],
  ];
}

async function* sheetTexts(
  rows: AsyncIterable<JsonValue>,
  { hasHeader, hasStyles }: WriterOptions,
): AsyncGenerator<string> {
  const turns = new Turns(systemClock, TURN_MS);
  yield `${HEAD}<worksheet xmlns="${MAIN}"><sheetData>`;
  let columns: readonly string[] | undefined;
  let count = 0;
  const rowText = (cells: readonly JsonValue[], style = "") => {
    if (cells.length > MAX_COLUMNS) {
      throw new Error(`Cannot write the sheet: a row has more than ${MAX_COLUMNS} columns`);
    }
    if (++count > MAX_ROWS) throw new Error(`Cannot write the sheet: it has more than ${MAX_ROWS} rows`);
    const texts = cells.map((cell, index) =>
      cell === null ? "" : cellText(cell, ` r="${columnName(index)}${count}"${style}`)
    );
    return `<row>${texts.join("")}</row>`;
  };
  for await (const row of rows) {
    if (columns === undefined && isJsonObject(row)) {
      columns = Object.keys(row);
      if (hasHeader) yield rowText(columns, hasStyles ? ' s="1"' : "");
    }
    yield rowText(
      isJsonObject(row)
        ? (columns ?? []).map((name) => ownProperty(row, name) ?? null)
        : Array.isArray(row)
        ? row
        : [row],
    );
    await turns.next();
  }
  yield "</sheetData></worksheet>";
}

/** 1 → `B`, 26 → `AA`. */
function columnName(index: number): string {
  const last = String.fromCharCode(65 + index % 26);
  return index < 26 ? last : columnName(Math.floor(index / 26) - 1) + last;
}

function cellText(value: NonNullable<JsonValue>, attributes: string): string {
  if (typeof value === "boolean") return `<c${attributes} t="b"><v>${value ? 1 : 0}</v></c>`;
  if (typeof value === "number") return `<c${attributes}><v>${value}</v></c>`;
  if (value instanceof Double) return `<c${attributes}><v>${value.value}</v></c>`;
  // Excel has 15 digits: a text keeps those of larger integers.
  const text = typeof value === "object" ? stringifyJson(value) : String(value);
  if (text.length > MAX_CELL_CHARS) {
    throw new Error(`Cannot write a cell: its text has more than ${MAX_CELL_CHARS} characters`);
  }
  return `<c${attributes} t="inlineStr"><is><t xml:space="preserve">${escaped(text)}</t></is></c>`;
}

// deno-lint-ignore no-control-regex
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g;

/** XML has no control characters; Excel has a notation for them. */
function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll(
    '"',
    "&quot;",
  )
    .replace(CONTROL, (sign) => `_x${sign.charCodeAt(0).toString(16).padStart(4, "0").toUpperCase()}_`);
}

async function* chunked(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let chunk = "";
  for await (const text of texts) {
    chunk += text;
    if (chunk.length < CHUNK_CHARS) continue;
    yield chunk;
    chunk = "";
  }
  yield chunk;
}
