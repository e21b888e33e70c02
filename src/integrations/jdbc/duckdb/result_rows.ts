/** Reads the rows that the `duckdb` program has written: a JSON object a line, in which numbers may be NaN or Infinity. */
import { lstat } from "node:fs/promises";
import { isJsonObject, parseJson } from "../../../base/json.ts";
import { linesOf, readTextFile } from "../../row_files.ts";
import type { Cell, CellKind, Column } from "../cells.ts";
import { membersOf, plainText } from "../json_cells.ts";
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

function cellOf(column: Column | undefined, text: string): Cell {
  if (column?.kind === "json") return text === "null" ? null : text;
  const plain = plainText(text);
  return plain !== null && column?.kind === "bytes" ? hexOf(plain) : plain;
}

/** Bytes are written as ASCII, those that are no printable characters as `\xFF`. */
function hexOf(text: string): string {
  const hex = text.replace(
    /\\x([0-9A-Fa-f]{2})|[^]/g,
    (character, digits) => digits ?? character.charCodeAt(0).toString(16).padStart(2, "0"),
  );
  return `\\x${hex}`;
}
