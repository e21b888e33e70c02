/** Values of columns: from the texts that databases send to JSON and to Ion. */
import {
  type JsonObject,
  type JsonValue,
  numberOrText,
  setOwnProperty,
  tryParseJson,
} from "../../base/json.ts";

/** How the text of a cell is read. `timestamp` has no time zone, `instant` has one; `bytes` is hexadecimal after `\\x`. */
export type CellKind =
  | "integer"
  | "decimal"
  | "float"
  | "boolean"
  | "text"
  | "json"
  | "date"
  | "timestamp"
  | "instant"
  | "bytes";

/** A column of a result. */
export interface Column {
  readonly name: string;
  readonly kind: CellKind;
  /** Cells are lists of such values, in the notation of PostgreSQL. */
  readonly isList?: boolean;
}

/** A cell as the database sends it. */
export type Cell = string | null;

const NOT_FINITE: ReadonlyMap<string, string> = new Map([
  ["NaN", "nan"],
  ["Infinity", "+inf"],
  ["-Infinity", "-inf"],
  // As ClickHouse writes them.
  ["nan", "nan"],
  ["inf", "+inf"],
  ["-inf", "-inf"],
]);
/** A day or time that Ion has too: years from 1 to 9999. */
const ION_DATE = /^(?!0000)\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d))?$/;

/** A row as JSON; of columns with the same name the last one counts. */
export function jsonRow(columns: readonly Column[], cells: readonly Cell[]): JsonObject {
  const row: JsonObject = {};
  columns.forEach((column, index) =>
    setOwnProperty(row, column.name, jsonCell(column, cells[index] ?? null))
  );
  return row;
}

/** Indexes of the columns that no later column of the same name replaces. */
export function lastOfNames(columns: readonly Column[]): number[] {
  const last = new Map(columns.map(({ name }, index) => [name, index]));
  return columns.flatMap(({ name }, index) => last.get(name) === index ? [index] : []);
}

function jsonCell({ kind, isList }: Column, cell: Cell): JsonValue {
  if (cell === null) return null;
  return isList ? mapList(readList(cell), (item) => jsonOf(kind, item)) : jsonOf(kind, cell);
}

function jsonOf(kind: CellKind, text: string): JsonValue {
  switch (kind) {
    case "integer":
    case "decimal":
    case "float":
      return NOT_FINITE.has(text) ? text : numberOrText(text);
    case "boolean":
      return isTrue(text);
    case "json":
      return parsedOr(text);
    case "timestamp":
    case "instant":
      return isoTime(text);
    case "bytes":
      return base64Of(text);
    default:
      return text;
  }
}

/** JSON may be `null`. */
function parsedOr(text: string): JsonValue {
  const parsed = tryParseJson(text);
  return parsed === undefined ? text : parsed;
}

function base64Of(text: string): string {
  return Uint8Array.fromHex(text.slice(2)).toBase64();
}

/** The Ion text of a cell. */
export function ionCell({ kind, isList }: Column, cell: Cell): string {
  if (cell === null) return "null";
  return isList ? ionList(readList(cell), kind) : ionOf(kind, cell);
}

function ionList(list: List, kind: CellKind): string {
  const items = list.map((item) =>
    item === null ? "null" : typeof item === "string" ? ionOf(kind, item) : ionList(item, kind)
  );
  return `[${items.join(",")}]`;
}

function ionOf(kind: CellKind, text: string): string {
  switch (kind) {
    case "integer":
    case "decimal":
      return NOT_FINITE.get(text) ?? text;
    case "float":
      return NOT_FINITE.get(text) ?? (/e/i.test(text) ? text.replace("+", "") : `${text}e0`);
    case "boolean":
      return String(isTrue(text));
    case "json":
      // Its strings have no line breaks, so that those between its parts may go.
      return text.replaceAll(/[\r\n]/g, " ");
    case "date":
      return ION_DATE.test(text) ? text : JSON.stringify(text);
    case "instant":
      return ION_DATE.test(isoTime(text)) ? isoTime(text) : JSON.stringify(isoTime(text));
    case "timestamp":
      return JSON.stringify(isoTime(text));
    case "bytes":
      return `{{${base64Of(text)}}}`;
    default:
      return JSON.stringify(text);
  }
}

function isTrue(text: string): boolean {
  return text === "t" || text === "1" || text === "true";
}

/** `2004-10-19 10:23:54.25+02` as ISO 8601; other forms, such as `infinity`, as they are. */
function isoTime(text: string): string {
  const [, day, time, hours, minutes = "00"] =
    /^(\d{4,}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d(?:\.\d+)?)(?:Z|([+-]\d\d)(?::?(\d\d))?)?$/.exec(text) ?? [];
  if (day === undefined) return text;
  if (hours === undefined) return `${day}T${time}${text.endsWith("Z") ? "Z" : ""}`;
  return `${day}T${time}${hours === "+00" && minutes === "00" ? "Z" : `${hours}:${minutes}`}`;
}

type List = (string | null | List)[];

/** The closing quote may be missing: else each quote of a text without one would be read to the end. */
const LIST_TOKEN = /\{|\}|,|"((?:[^"\\]|\\[^])*)("?)|[^{},"]+/g;
/** Items of a list, with the lists in it: they are in memory together. */
const MAX_LIST_ITEMS = 1_000_000;

/** The elements of a list as PostgreSQL writes it, such as `{1,NULL,{"a b"}}`, also with bounds before it. @throws Error it is malformed, or too long */
function readList(text: string): List {
  const root: List = [];
  const open: List[] = [root];
  let items = 0;
  for (const [token, quoted, quote] of text.slice(text.indexOf("{")).matchAll(LIST_TOKEN)) {
    if (quote === "") throw new Error("Cannot read a list: a text in it has no closing quote");
    if (token !== "," && token !== "}" && ++items > MAX_LIST_ITEMS) {
      throw new Error(`Cannot read a list: it has more than ${MAX_LIST_ITEMS} items`);
    }
    const current = open.at(-1) ?? root;
    if (token === "{") {
      const inner: List = [];
      current.push(inner);
      open.push(inner);
    } else if (token === "}") open.pop();
    else if (quoted !== undefined) current.push(quoted.replaceAll(/\\([^])/g, "$1"));
    else if (token !== ",") current.push(token === "NULL" ? null : token);
  }
  const [list] = root;
  return Array.isArray(list) ? list : [];
}

function mapList(list: List, map: (text: string) => JsonValue): JsonValue[] {
  return list.map((item) => item === null ? null : typeof item === "string" ? map(item) : mapList(item, map));
}
