/** Inserts the rows of a file. */
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from "../../base/json.ts";
import type { MachineWork } from "../../model/tasks/machine_task.ts";
import { readRows } from "../row_files.ts";
import { type Database, NO_ROWS, type SqlSession, textProperty } from "./session.ts";
import { inTransaction } from "./run_queries.ts";

/** The protocol counts values with 16 bits. */
const MAX_VALUES = 32_000;
const MAX_ROWS = 5_000;
const VALUES = /^([^]*?\bvalues\s*)\(\s*(\?(?:\s*,\s*\?)*)\s*\)([^]*)$/i;

/** Rows of the file, and rows that the server has changed. */
interface BatchCounts {
  readonly rowCount: number;
  readonly updatedCount: number;
  readonly queryCount: number;
}

/** How rows are inserted: values are placed between `begin` and `end`. */
export interface Insert {
  readonly begin: string;
  readonly end: string;
  /** The values of a row. */
  valuesOf(row: JsonValue): readonly JsonValue[];
}

/** Runs a Batch with `from`, `sql` or `table`, `columns` and `chunk`. All rows are inserted, or none. */
export async function runBatch(
  context: MachineWork,
  database: Database,
): Promise<BatchCounts & { readonly further: JsonObject }> {
  const { properties } = context;
  const path = await context.fetchFile(textProperty(properties, "from") ?? "");
  const chunk = Math.min(Number(properties.chunk ?? 1_000), MAX_ROWS);
  let counts: BatchCounts = { rowCount: 0, updatedCount: 0, queryCount: 0 };
  await using session = await database.open(context);
  await inTransaction(session, !database.transactions, async () => {
    let insert: Insert | undefined;
    for await (const rows of chunksOf(path, chunk)) {
      insert ??= insertOf(properties, rows[0] ?? null, database);
      counts = await insertRows(session, { database, insert, rows }, counts);
    }
  });
  return { ...counts, further: await session.finish?.() ?? {} };
}

async function* chunksOf(path: string, size: number): AsyncGenerator<JsonValue[]> {
  let rows: JsonValue[] = [];
  for await (const row of readRows(path)) {
    if (rows.push(row) < size) continue;
    yield rows;
    rows = [];
  }
  if (rows.length > 0) yield rows;
}

async function insertRows(
  session: SqlSession,
  { database, insert, rows }: {
    readonly database: Database;
    readonly insert: Insert;
    readonly rows: readonly JsonValue[];
  },
  counts: BatchCounts,
): Promise<BatchCounts> {
  let { rowCount, updatedCount, queryCount } = counts;
  const width = Math.max(insert.valuesOf(rows[0] ?? null).length, 1);
  const most = Math.max(Math.floor(MAX_VALUES / width), 1);
  for (let from = 0; from < rows.length; from += most) {
    const some = rows.slice(from, from + most);
    const values = some.flatMap((row) => [...insert.valuesOf(row)]);
    const groups = some.map((_row, index) => {
      const places = Array.from(
        { length: width },
        (_none, at) => database.placeholder(index * width + at + 1),
      );
      return `(${places.join(",")})`;
    });
    const sql = `${insert.begin}${groups.join(",")}${insert.end}`;
    updatedCount += (await session.run({ sql, values }, NO_ROWS)).rowCount;
    rowCount += some.length;
    queryCount++;
  }
  return { rowCount, updatedCount, queryCount };
}

/** How the rows are inserted: from `sql` with `VALUES (?, …)`, else from `table` and the names of `columns` or of the first row. */
export function insertOf(properties: JsonObject, first: JsonValue, database: Database): Insert {
  const named = Array.isArray(properties.columns) ? properties.columns.map(String) : undefined;
  const columns = named ?? (isJsonObject(first) ? Object.keys(first) : undefined);
  const sql = textProperty(properties, "sql");
  if (sql === undefined) {
    const table = textProperty(properties, "table");
    if (table === undefined || columns === undefined) {
      throw new Error("Missing sql or table: one of them is needed");
    }
    const names = columns.map((name) => database.quoted(name)).join(",");
    const target = table.split(".").map((name) => database.quoted(name)).join(".");
    return {
      begin: `INSERT INTO ${target} (${names}) VALUES `,
      end: "",
      valuesOf: (row) => valuesOf(row, columns),
    };
  }
  const [, begin = "", places, end = ""] = VALUES.exec(sql.replace(/;\s*$/, "")) ?? [];
  if (places === undefined) throw new Error("Invalid sql: a Batch needs one INSERT with VALUES (?, …)");
  const width = places.split(",").length;
  return { begin, end, valuesOf: (row) => checkWidth(valuesOf(row, columns), width) };
}

function valuesOf(row: JsonValue, columns: readonly string[] | undefined): readonly JsonValue[] {
  if (Array.isArray(row)) return row;
  if (isJsonObject(row)) return (columns ?? Object.keys(row)).map((name) => ownProperty(row, name) ?? null);
  return [row];
}

function checkWidth(values: readonly JsonValue[], width: number): readonly JsonValue[] {
  if (values.length === width) return values;
  throw new Error(`Cannot insert a row of ${values.length} values: the sql has ${width} places`);
}
