/** A connection to MySQL or MariaDB, by the package `mysql2`. */
import { createReadStream } from "node:fs";
import { connect, type Socket } from "node:net";
import { Double, type JsonValue } from "../../../base/json.ts";
import { type Clock, systemClock } from "../../../base/time/clock.ts";
import type { WorkContext } from "../../../model/tasks/task_definition.ts";
import type { Cell, CellKind, Column } from "../cells.ts";
import { type DatabaseUrl, readDatabaseUrl } from "../database_url.ts";
import { NO_ROWS, type RowSink, type SqlSession, type StatementResult, textProperty } from "../session.ts";
import type { BoundStatement } from "../sql_text.ts";
import {
  loadMysql,
  type MysqlConnection,
  type MysqlError,
  type MysqlField,
  type MysqlTls,
  type MysqlValue,
} from "./mysql_package.ts";

const CONNECT_MS = 30_000;
/** Longest wait for a server that is to cancel a query or to end a session. */
const STOP_MS = 2_000;
const BINARY_CHARACTER_SET = 63;
/** Codes of the package: the server has no TLS, or none of these years. */
const NO_TLS: ReadonlySet<string> = new Set(["HANDSHAKE_NO_SSL_SUPPORT", "HANDSHAKE_SSL_ERROR"]);

/** Kinds by the numbers of the protocol. https://mariadb.com/kb/en/result-set-packets/ */
const KINDS: ReadonlyMap<number, CellKind> = new Map([
  ...[1, 2, 3, 8, 9, 13].map((type): [number, CellKind] => [type, "integer"]),
  ...[0, 246].map((type): [number, CellKind] => [type, "decimal"]),
  ...[4, 5].map((type): [number, CellKind] => [type, "float"]),
  [7, "instant"],
  [10, "date"],
  [12, "timestamp"],
  [16, "bytes"],
  [245, "json"],
]);
const [TINY, BLOBS] = [1, new Set([249, 250, 251, 252, 253, 254])];

/** Opens a connection with `url`, `username` and `password` of the properties. @throws Error it names the host */
export async function openMysql(context: WorkContext, clock: Clock = systemClock): Promise<SqlSession> {
  const { properties } = context;
  const kinds = ["mysql", "mariadb"];
  const url = readDatabaseUrl(textProperty(properties, "url") ?? "", { kinds, port: 3306 });
  const address = await context.connectAddress(url.host, url.port);
  const inputFile = textProperty(properties, "inputFile");
  const inputPath = inputFile === undefined ? undefined : await context.fetchFile(inputFile);
  const { createConnection } = await loadMysql();
  const create = (ssl: MysqlTls | undefined): Link => {
    const socket = connect({ host: address.hostname, port: address.port });
    const connection = createConnection({
      host: url.host,
      port: url.port,
      user: textProperty(properties, "username") ?? url.username,
      password: textProperty(properties, "password") ?? url.password,
      database: url.database || undefined,
      stream: () => socket,
      ssl,
      connectTimeout: CONNECT_MS,
      dateStrings: true,
      supportBigNumbers: true,
      bigNumberStrings: true,
      jsonStrings: true,
      disableEval: true,
      // A server could ask for any file of this machine: it gets the given one, whatever it names.
      flags: inputPath === undefined ? ["-LOCAL_FILES"] : [],
      infileStreamFactory: inputPath === undefined ? undefined : () => createReadStream(inputPath),
    });
    return { connection, socket };
  };
  const ways = tlsWays(url);
  for (const [index, ssl] of ways.entries()) {
    if (context.signal.aborted) break;
    const session = new MysqlSession(context, { url, create: () => create(ssl), clock });
    try {
      await session.start();
      return session;
    } catch (error) {
      await session[Symbol.asyncDispose]();
      const { code = "" } = (error as Error).cause as MysqlError | undefined ?? {};
      if (index === ways.length - 1 || !NO_TLS.has(code)) throw error;
    }
  }
  throw new Error("The attempt must stop");
}

/** The ways to try, in their order. Without `sslMode` they are those of the driver that other servers use for such an address. */
function tlsWays({ kind, options }: DatabaseUrl): (MysqlTls | undefined)[] {
  const useSsl = options.get("useSSL");
  const isAsked = useSsl === "true" || options.get("requireSSL") === "true";
  const isPreferred = kind === "mysql" && useSsl !== "false";
  const standard = isAsked ? "REQUIRED" : isPreferred ? "PREFERRED" : "DISABLED";
  const mode = (options.get("sslMode") ?? standard).toUpperCase().replaceAll("-", "_");
  if (mode === "DISABLED" || mode === "DISABLE") return [undefined];
  const tls = {
    rejectUnauthorized: mode.startsWith("VERIFY"),
    verifyIdentity: mode === "VERIFY_IDENTITY" || mode === "VERIFY_FULL",
  };
  return mode === "PREFERRED" ? [tls, undefined] : [tls];
}

/** The package only half-closes its socket: one that the server keeps open would stay. */
interface Link {
  readonly connection: MysqlConnection;
  readonly socket: Socket;
}

interface MysqlOptions {
  readonly url: DatabaseUrl;
  readonly create: () => Link;
  readonly clock: Clock;
}

/** A connection. */
class MysqlSession implements SqlSession {
  readonly #context: WorkContext;
  readonly #options: MysqlOptions;
  readonly #connection: MysqlConnection;
  readonly #socket: Socket;
  readonly #connecting = Promise.withResolvers<void>();
  readonly #stop = () => void this.#cancel();
  #failure: Error | undefined;
  #fail: (error: Error) => void = () => {};
  #cancelling: Promise<void> | undefined;

  constructor(context: WorkContext, options: MysqlOptions) {
    this.#context = context;
    this.#options = options;
    const { connection, socket } = options.create();
    this.#connection = connection;
    this.#socket = socket;
    this.#connection.on("connect", () => this.#connecting.resolve());
    this.#connection.on("error", (error) => {
      this.#connecting.reject(this.#named("connect to", error));
      this.#abandon(this.#named("query", error));
    });
    context.signal.addEventListener("abort", this.#stop);
  }

  /** Waits for the connection, and sets how times are given. @throws Error it names the host */
  async start(): Promise<void> {
    await this.#connecting.promise;
    const zone = textProperty(this.#context.properties, "timeZoneId");
    await this.command(`SET time_zone = '${zone === undefined ? "+00:00" : zone.replaceAll(/['\\]/g, "")}'`);
  }

  /** @inheritdoc */
  async run({ sql, values }: BoundStatement, sink: RowSink): Promise<StatementResult> {
    if (this.#failure) throw this.#failure;
    const { promise, resolve, reject } = Promise.withResolvers<StatementResult>();
    let columns: readonly Column[] | undefined, rowCount = 0;
    const call = { sql, rowsAsArray: true } as const;
    const command = values.length === 0
      ? this.#connection.query(call)
      : this.#connection.execute({ ...call, values: values.map(parameterOf) });
    this.#fail = reject;
    command.on("fields", (fields) => {
      const known = columns = fields?.map((field) => this.#columnOf(field));
      if (known) this.#guard(() => sink.columns(known));
    });
    command.on("result", (row) => {
      if (!("length" in row)) rowCount = row.affectedRows;
      else if (!this.#failure) {
        rowCount++;
        this.#guard(() => sink.row((columns ?? []).map((column, index) => cellOf(column, row[index]))));
      }
    });
    command.on("error", (error) => reject(this.#failure ?? this.#named("query", error)));
    command.on("end", () => resolve({ hasRows: columns !== undefined, rowCount }));
    return await promise;
  }

  /** @inheritdoc */
  async command(sql: string): Promise<void> {
    await this.run({ sql, values: [] }, NO_ROWS);
  }

  /** @inheritdoc */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#context.signal.removeEventListener("abort", this.#stop);
    await this.#cancelling;
    if (!this.#failure) await this.#end();
    this.#destroy();
  }

  /** Ends the session; the server closes the connection then. */
  async #end(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancelTimer = this.#options.clock.setTimer(STOP_MS, resolve);
    if (this.#socket.closed) resolve();
    this.#socket.once("close", resolve);
    this.#connection.end(() => {});
    await promise;
    cancelTimer();
  }

  #destroy(): void {
    this.#connection.destroy();
    this.#socket.destroy();
  }

  /** An error of a receiver ends the connection. */
  #guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#abandon(error as Error);
      this.#destroy();
    }
  }

  #columnOf({ name, columnType, columnLength, characterSet }: MysqlField): Column {
    const isZoned = textProperty(this.#context.properties, "timeZoneId") !== undefined;
    const isBinary = characterSet === BINARY_CHARACTER_SET && BLOBS.has(columnType);
    const kind = KINDS.get(columnType) ?? (isBinary ? "bytes" : "text");
    // TINYINT(1) is what BOOLEAN becomes.
    if (columnType === TINY && columnLength === 1) return { name, kind: "boolean" };
    return { name, kind: kind === "instant" && isZoned ? "timestamp" : kind };
  }

  #abandon(error: Error): void {
    this.#failure ??= error;
    this.#connecting.reject(this.#failure);
    this.#fail(this.#failure);
  }

  #named(operation: string, cause: MysqlError): Error {
    const { host, port } = this.#options.url;
    const { message, sqlState } = cause;
    return new Error(
      `Cannot ${operation} "${host}:${port}": ${message}${sqlState ? ` (${sqlState})` : ""}`,
      { cause },
    );
  }

  /** Ends the statement on the server by another connection, then this one. */
  #cancel(): Promise<void> {
    return this.#cancelling ??= new Promise<void>((resolve) => {
      this.#abandon(new Error("The attempt must stop"));
      const { threadId } = this.#connection;
      this.#destroy();
      if (!threadId) return resolve();
      const { connection: other, socket } = this.#options.create();
      const end = () => {
        cancelTimer();
        other.destroy();
        socket.destroy();
        resolve();
      };
      const cancelTimer = this.#options.clock.setTimer(STOP_MS, end);
      other.on("error", end);
      other.query({ sql: `KILL ${threadId}`, rowsAsArray: true }).on("error", end).on("end", end);
    });
  }
}

/** A value as text, or the bytes in hexadecimal. */
function cellOf({ kind }: Column, value: MysqlValue): Cell {
  if (value === null || value === undefined) return null;
  if (value instanceof Uint8Array) {
    return kind === "bytes" ? `\\x${value.toHex()}` : new TextDecoder().decode(value);
  }
  return kind === "instant" ? `${value}+00` : String(value);
}

function parameterOf(value: JsonValue): string | null {
  if (value === null) return null;
  if (typeof value === "boolean") return value ? "1" : "0";
  return typeof value === "object" && !(value instanceof Double) ? JSON.stringify(value) : String(value);
}
