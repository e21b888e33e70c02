/** Databases of SQLite. Each runs in a process of its own: a statement cannot be interrupted otherwise. */
import type { JsonValue } from "../../base/json.ts";

/** Where a database is. */
export interface SqlitePlace {
  /** The only directory that its process may read and change. */
  readonly directory: string;
  /** Name of the file in that directory. */
  readonly file: string;
  /** Who waits for a process, if too many run. */
  readonly owner: string;
  /** Ends the process at once. */
  readonly signal: AbortSignal;
}

/** Receives the rows of a statement. */
export interface SqliteRows {
  /** Called once, before the rows. */
  columns(names: readonly string[]): void;
  /** Called for each row, with its values as JSON texts; bytes are base64. */
  row(values: readonly string[]): void;
}

/** An open database, used by one statement at a time. */
export interface SqliteDatabase extends AsyncDisposable {
  /** Runs a statement; gives the number of rows that it has returned, or changed. @throws Error with the words of SQLite */
  run(sql: string, values: readonly JsonValue[], rows: SqliteRows): Promise<number>;
  /** Completes the file. Without it a running transaction is undone, and journals are left for the next one who opens it. */
  close(): Promise<void>;
}

/** Opens databases. */
export interface SqlitePort {
  /** Opens a database; its file is created if it does not exist. @throws Error the signal is aborted */
  open(place: SqlitePlace): Promise<SqliteDatabase>;
}
