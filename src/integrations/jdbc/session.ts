/** A connection to a database, as the task types use it. */
import type { JsonObject } from "../../base/json.ts";
import type { MachineWork } from "../../model/tasks/machine_task.ts";
import { checkColumns } from "../result_columns.ts";
import type { Cell, Column } from "./cells.ts";
import type { BoundStatement, SqlSyntax } from "./sql_text.ts";

/** Receives the rows of a statement as they arrive. */
export interface RowSink {
  /** Called before the rows. @throws MalformedMessage {@link checkColumns} refuses them */
  columns(columns: readonly Column[]): void;
  /** Called for each row. */
  row(cells: readonly Cell[]): void;
  /** Instead of `row`: a row of the PostgreSQL protocol, from its number of cells on. @throws MalformedMessage */
  frame?(bytes: Uint8Array, start: number, end: number): void;
}

/** For statements whose rows are not wanted. */
export const NO_ROWS: RowSink = Object.freeze({ columns: checkColumns, row: () => {} });

/** What a statement has done. */
export interface StatementResult {
  /** Whether it has a result with columns, even if without rows. */
  readonly hasRows: boolean;
  /** Rows that it has returned, or changed. */
  readonly rowCount: number;
}

/** The statements of a task. */
export interface StatementPlan {
  readonly statements: readonly BoundStatement[];
  /** Run after them, without rows. */
  readonly after: readonly string[];
  readonly isTransaction: boolean;
}

/** A connection. An error names the host and has the words of the server. After an abort of the signal all fails. */
export interface SqlSession extends AsyncDisposable {
  /** Runs one statement. */
  run(statement: BoundStatement, sink: RowSink): Promise<StatementResult>;
  /** Runs a statement without rows and values. */
  command(sql: string): Promise<void>;
  /** Called once with all statements, before the first of them runs. */
  prepare?(plan: StatementPlan): Promise<void>;
  /** Called after the last statement; gives further outputs. */
  finish?(): Promise<JsonObject>;
}

/** A kind of database. */
export interface Database {
  /** Prefix of its types, such as `jdbc.postgresql`. */
  readonly prefix: string;
  readonly title: string;
  /** An address for examples. */
  readonly exampleUrl: string;
  readonly syntax: SqlSyntax;
  /** Absent: statements are enclosed by BEGIN and COMMIT. `plan`: {@link SqlSession.prepare} does it. */
  readonly transactions?: "none" | "plan";
  /** The placeholder of a value, from 1. */
  placeholder(index: number): string;
  /** A name in quotes. */
  quoted(name: string): string;
  /** Opens a connection with the properties of the type. */
  open(context: MachineWork): Promise<SqlSession>;
}

/** Reads a text property; `undefined` if it is absent. */
export function textProperty(properties: JsonObject, name: string): string | undefined {
  const value = properties[name];
  return value === undefined || value === null || value === "" ? undefined : String(value);
}
