/** What becomes of the rows of a statement: `fetchType` and its older forms. */
import { mkdtemp } from "node:fs/promises";
import type { JsonObject, JsonValue } from "../../base/json.ts";
import type { WorkContext } from "../../model/tasks/task_definition.ts";
import { OutputRows } from "../fetched_rows.ts";
import { checkColumns, checkRow } from "../result_columns.ts";
import { type Cell, type Column, jsonRow } from "./cells.ts";
import { IonFile } from "./ion_file.ts";
import type { RowSink, StatementResult } from "./session.ts";

/** `fetchType`. */
type FetchType = "NONE" | "FETCH" | "FETCH_ONE" | "STORE";

/** The way that the properties name. */
export function fetchTypeOf(
  { fetchType, store, fetch, fetchOne }: JsonObject,
  fallback: FetchType,
): FetchType {
  if (store === true) return "STORE";
  if (fetchOne === true) return "FETCH_ONE";
  if (fetch === true) return "FETCH";
  return typeof fetchType === "string" ? fetchType as FetchType : fallback;
}

/** The outputs of one statement, and its number of rows. */
export interface Fetched {
  readonly size: number;
  readonly outputs: JsonObject;
}

/** Runs a statement; its rows become outputs, or a file in Ion. `run` passes them to the sink that it is given. */
export async function fetchRows(
  type: FetchType,
  context: WorkContext,
  run: (sink: RowSink) => Promise<StatementResult>,
): Promise<Fetched & { readonly result: StatementResult }> {
  if (type === "STORE") return await storeRows(context, run);
  const rows = new FetchedRows(type === "FETCH" ? Infinity : type === "FETCH_ONE" ? 1 : 0);
  const result = await run(rows);
  const { size } = rows;
  const [row] = rows.list;
  const found: JsonObject = type === "FETCH" ? { rows: rows.list } : row ? { row } : {};
  return { result, size, outputs: { ...found, size: type === "FETCH_ONE" ? rows.list.length : size } };
}

async function storeRows(
  context: WorkContext,
  run: (sink: RowSink) => Promise<StatementResult>,
): Promise<Fetched & { readonly result: StatementResult }> {
  const path = `${await mkdtemp(`${await context.directory()}/rows-`)}/rows.ion`;
  let size = 0, result: StatementResult;
  {
    using file = new IonFile(path, context.maxFileBytes);
    result = await run(file);
    size = file.rowCount;
  }
  return { result, size, outputs: { uri: await context.storeFile(path), size } };
}

/** Keeps the first rows and counts all. */
class FetchedRows implements RowSink {
  readonly #rows = new OutputRows();
  readonly #maxRows: number;
  #columns: readonly Column[] = [];
  size = 0;

  constructor(maxRows: number) {
    this.#maxRows = maxRows;
  }

  columns(columns: readonly Column[]): void {
    checkColumns(columns);
    this.#columns = columns;
  }

  row(cells: readonly Cell[]): void {
    checkRow(this.#columns, cells);
    this.size++;
    if (this.list.length < this.#maxRows) this.#rows.add(jsonRow(this.#columns, cells));
  }

  get list(): JsonValue[] {
    return this.#rows.list;
  }
}
