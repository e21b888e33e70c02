/** Messages between the server and the process of a SQLite database, one line each. */

/** A value of a placeholder; integers are texts, since they may be too large for a number. */
export type SqliteValue = { readonly integer: string } | string | number | null;

/** To the process, as JSON. */
export type ToSqlite =
  | {
    readonly type: "open";
    readonly directory: string;
    readonly file: string;
    /** Longest line of a row; a longer one fails its statement. */
    readonly maxRowChars: number;
  }
  /** Completes the file; the response is the end of a statement. */
  | { readonly type: "close" }
  | { readonly type: "run"; readonly sql: string; readonly values: readonly SqliteValue[] };

/**
 * First character of a line of the process. C: names of the columns, a JSON list; R: values of a row, each as JSON, separated by
 * tabs; E: the statement has ended, the number of rows that it has returned or changed; F: it has failed, the message as JSON.
 */
export type SqliteLine = "C" | "R" | "E" | "F";
