/** Cells of rows that databases send as JSON. Numbers keep their digits, since their text is not parsed. */
import { Double, type JsonValue, stringifyJson } from "../../base/json.ts";
import { systemClock } from "../../base/time/clock.ts";
import { Turns } from "../../base/time/turn.ts";
import type { Cell } from "./cells.ts";
import type { RowSink } from "./session.ts";

const TURN_MS = 10;

/** A member of an object. */
interface Member {
  readonly name: string;
  /** Its value as it is written. */
  readonly text: string;
}

const NAME = /[{,]\s*("(?:[^"\\]|\\.)*")\s*:\s*/y;
const ITEM = /[[,]\s*/y;
const SCALAR = /"(?:[^"\\]|\\.)*"|[^\s,{}[\]"]+/y;
const NESTED_TOKEN = /"(?:[^"\\]|\\.)*"?|[{}[\]]/gs;

/** The members of an object, also those of the same name. @throws Error it is incomplete */
export function membersOf(line: string): Member[] {
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

/** The values of a list as they are written. @throws Error it is incomplete */
export function itemsOf(line: string): string[] {
  const items: string[] = [];
  for (let at = 0;;) {
    ITEM.lastIndex = at;
    const [begin] = ITEM.exec(line) ?? [];
    if (begin === undefined || line[at + begin.length] === "]") return items;
    at += begin.length;
    const end = endOfValue(line, at);
    items.push(line.slice(at, end));
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
  throw new Error("Cannot read a row: its text is incomplete");
}

/** A value as it is written without the quotes of a text; `null` for null. */
export function plainText(text: string): Cell {
  if (text === "null") return null;
  return text.startsWith('"') ? JSON.parse(text) : text;
}

/** A parsed value as a cell. */
export function cellOfJson(value: JsonValue): Cell {
  if (value === null) return null;
  return typeof value === "object" && !(value instanceof Double) ? stringifyJson(value) : String(value);
}

/** Passes rows, each a list of values, to the sink in turns; returns their number. */
export async function addRows(
  rows: JsonValue | undefined,
  sink: RowSink,
  cellOf: (value: JsonValue, index: number) => Cell,
): Promise<number> {
  if (!Array.isArray(rows)) return 0;
  const turns = new Turns(systemClock, TURN_MS);
  for (const row of rows) {
    if (!Array.isArray(row)) continue;
    sink.row(row.map(cellOf));
    await turns.next();
  }
  return rows.length;
}
