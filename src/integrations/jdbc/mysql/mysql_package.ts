/** The part of the package `mysql2` that is used here. */
import type { Socket } from "node:net";
import type { Readable } from "node:stream";

/** An error of the server or of the connection. */
export interface MysqlError extends Error {
  readonly code?: string;
  readonly errno?: number;
  readonly sqlState?: string;
}

/** A column as the server describes it. */
export interface MysqlField {
  readonly name: string;
  /** Number of the protocol. */
  readonly columnType: number;
  readonly columnLength: number;
  /** 63: no text. */
  readonly characterSet: number;
}

/** A value as the package gives it, with the options of `mysql_session.ts`. */
export type MysqlValue = string | number | bigint | Uint8Array | null | undefined;

/** A command under way. */
interface MysqlCommand {
  on(event: "fields", listener: (fields: readonly MysqlField[] | undefined) => void): MysqlCommand;
  on(
    event: "result",
    listener: (row: readonly MysqlValue[] | { readonly affectedRows: number }) => void,
  ): MysqlCommand;
  on(event: "error", listener: (error: MysqlError) => void): MysqlCommand;
  on(event: "end", listener: () => void): MysqlCommand;
}

/** TLS of a connection. */
export interface MysqlTls {
  readonly rejectUnauthorized: boolean;
  readonly verifyIdentity: boolean;
}

interface MysqlOptions {
  /** Named in TLS; the stream leads to its checked address. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string | undefined;
  readonly stream: () => Socket;
  readonly ssl: MysqlTls | undefined;
  readonly connectTimeout: number;
  readonly dateStrings: true;
  readonly supportBigNumbers: true;
  readonly bigNumberStrings: true;
  readonly jsonStrings: true;
  /** Rows are read without generated code. */
  readonly disableEval: true;
  readonly flags: readonly string[];
  /** Opens the file that the server reads; absent: it gets none. */
  readonly infileStreamFactory: (() => Readable) | undefined;
}

interface MysqlCall {
  readonly sql: string;
  readonly values?: readonly (string | null)[];
  readonly rowsAsArray: true;
}

/** A connection. */
export interface MysqlConnection {
  readonly threadId: number;
  /** Calls back when the connection breaks or is refused. */
  on(event: "error", listener: (error: MysqlError) => void): void;
  /** Calls back after the log-in. */
  on(event: "connect", listener: () => void): void;
  /** Runs a statement without values. */
  query(call: MysqlCall): MysqlCommand;
  /** Prepares and runs a statement with values. */
  execute(call: MysqlCall): MysqlCommand;
  /** Ends the session. */
  end(done: () => void): void;
  /** Closes the connection at once. */
  destroy(): void;
}

interface Mysql {
  createConnection(options: MysqlOptions): MysqlConnection;
}

/** Loads the package. */
export async function loadMysql(): Promise<Mysql> {
  return (await import("mysql2")).default as unknown as Mysql;
}
