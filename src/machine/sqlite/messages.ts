/** Messages between the server and the process of a SQLite database, one line each. */

/** A value of a placeholder; integers are texts, since they may be too large for a number. */
export type SqliteValue = { readonly integer: string } | string | number | null;

/** To the process, as JSON. */
export type ToSqlite =
  | { readonly type: "open"; readonly directory: string; readonly file: string }
  /** Completes the file; the response is the end of a statement. */
  | { readonly type: "close" }
  | { readonly type: "run"; readonly sql: string; readonly values: readonly SqliteValue[] };

/** First characters of the lines of the process. */
export const SQLITE_LINES = Object.freeze({
  /** Names of the columns, a JSON list. */
  columns: "C",
  /** Values of a row, each as JSON, separated by tabs. */
  row: "R",
  /** The statement has ended; the number of rows that it has returned, or changed. */
  end: "E",
  /** The statement has failed; the message as JSON. */
  failure: "F",
});
