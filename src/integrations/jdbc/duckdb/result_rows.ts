/** Reads the rows that the `duckdb` program has written: a JSON object a line, in which numbers may be NaN or Infinity. */
import { lstat } from "node:fs/promises";
import { isJsonObject, parseJson } from "../../../base/json.ts";
import { linesOf, readTextFile } from "../../row_files.ts";
import type { Cell, CellKind, Column } from "../cells.ts";
import type { RowSink, StatementResult } from "../session.ts";

/** The files of a statement; that of the types may be missing. */
interface ResultFiles {
  readonly rows: string;
  readonly types: string;
}

/** Passes the rows of a statement to the sink. */
export async function readResult(files: ResultFiles, sink: RowSink): Promise<StatementResult> {
  const described = await describedColumns(files.types);
  let columns = described;
  if (columns) sink.columns(columns);
  let rowCount = 0;
  for await (const line of existingLines(files.rows)) {
    const members = membersOf(line);
    if (!columns) {
      columns = members.map(({ name }): Column => ({ name, kind: "json" }));
      sink.columns(columns);
    }
    const known = columns;
    sink.row(members.map(({ text }, index) => described ? cellOf(known[index], text) : text));
    rowCount++;
  }
  return { hasRows: columns !== undefined, rowCount };
}

/** The lines of a file. SQL may have put a link in its place: it is not followed. */
async function* existingLines(path: string): AsyncGenerator<string> {
  const info = await lstat(path).catch(() => undefined);
  if (!info?.isFile()) return;
  for await (const line of linesOf(readTextFile(path))) {
    if (line !== "") yield line;
  }
}

async function describedColumns(path: string): Promise<Column[] | undefined> {
  const columns: Column[] = [];
  for await (const line of existingLines(path)) {
    const row = parseJson(line);
    if (!isJsonObject(row)) continue;
    columns.push({ name: String(row.column_name), kind: kindOf(String(row.column_type)) });
  }
  return columns.length > 0 ? columns : undefined;
}

const KINDS: readonly (readonly [RegExp, CellKind])[] = [
  [/(?:\[\d*\]|^STRUCT\b.*|^MAP\b.*|^UNION\b.*|^JSON)$/, "json"],
  [/^U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?$/, "integer"],
  [/^DECIMAL\b/, "decimal"],
  [/^(?:DOUBLE|FLOAT|REAL)$/, "float"],
  [/^BOOLEAN$/, "boolean"],
  [/^DATE$/, "date"],
  [/^TIMESTAMP WITH TIME ZONE$/, "instant"],
  [/^TIMESTAMP(?:_\w+)?$/, "timestamp"],
  [/^BLOB$/, "bytes"],
];

function kindOf(type: string): CellKind {
  return KINDS.find(([pattern]) => pattern.test(type))?.[1] ?? "text";
}

interface Member {
  readonly name: string;
  /** As it is written. */
  readonly text: string;
}

const NAME = /[{,]\s*("(?:[^"\\]|\\.)*")\s*:\s*/y;
const SCALAR = /"(?:[^"\\]|\\.)*"|[^\s,{}[\]"]+/y;
const NESTED_TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]]/g;

/** The members of an object, also those of the same name. */
function membersOf(line: string): Member[] {
  const members: Member[] = [];
  for (let at = 0;;) {
    NAME.lastIndex = at;
    const [begin, quoted] = NAME.exec(line) ?? [];
    if (begin === undefined || quoted === undefined) return members;
    at += begin.length;
    const end = endOfValue(line, at);
    members.push({ name: JSON.parse(quoted), text: line.slice(at, end) });
    at = end;
  }
}

function endOfValue(line: string, at: number): number {
  SCALAR.lastIndex = at;
  if (SCALAR.test(line)) return SCALAR.lastIndex;
  NESTED_TOKEN.lastIndex = at;
  let depth = 0;
  for (let token = NESTED_TOKEN.exec(line); token; token = NESTED_TOKEN.exec(line)) {
    if (token[0] === "{" || token[0] === "[") depth++;
    else if (token[0] === "}" || token[0] === "]") depth--;
    if (depth === 0) return NESTED_TOKEN.lastIndex;
  }
  throw new Error("Cannot read the rows of DuckDB: a line is incomplete");
}

function cellOf(column: Column | undefined, text: string): Cell {
  if (text === "null") return null;
  if (column?.kind === "json" || !text.startsWith('"')) return text;
  const plain: string = JSON.parse(text);
  return column?.kind === "bytes" ? hexOf(plain) : plain;
}

/** Bytes are written as ASCII, those that are no printable characters as `\xFF`. */
function hexOf(text: string): string {
  const hex = text.replace(/\\x([0-9A-Fa-f]{2})|[^]/g, (character, digits) =>
    digits ?? character.charCodeAt(0).toString(16).padStart(2, "0"));
  return `\\x${hex}`;
}
