/** A connection to PostgreSQL and to what speaks its protocol, by the package `pg`. */
import { createReadStream } from "node:fs";
import type { Buffer } from "node:buffer";
import { Double, type JsonValue } from "../../../base/json.ts";
import { type Clock, systemClock } from "../../../base/time/clock.ts";
import type { ConnectAddress, WorkContext } from "../../../model/tasks/task_definition.ts";
import { MalformedMessage } from "../../result_columns.ts";
import type { Cell, Column } from "../cells.ts";
import { type DatabaseUrl, readDatabaseUrl } from "../database_url.ts";
import { type RowSink, type SqlSession, type StatementResult, textProperty } from "../session.ts";
import type { BoundStatement } from "../sql_text.ts";
import { columnOf } from "./column_types.ts";
import {
  loadPg,
  type PgClient,
  type PgConnection,
  type PgError,
  type PgTls,
  type ReadStream,
} from "./pg_package.ts";
import { sendCancelRequest } from "./cancel_request.ts";
import { tlsWays } from "./tls.ts";
import { WireRows } from "./wire_rows.ts";

const CONNECT_MS = 30_000;
/** Longest wait for a server that is to cancel a query or to end a session. */
const STOP_MS = 2_000;
const NO_TLS = "The server does not support SSL connections";

const decoder = new TextDecoder();

/** What a connection needs. */
export type PostgresqlContext = Pick<WorkContext, "properties" | "signal" | "log" | "connectAddress">;

/** Kinds of addresses that lead to such a server, and its port. */
interface PostgresqlKind {
  readonly kinds: readonly string[];
  readonly port: number;
}

/** Opens a connection with `url`, `username`, `password` and TLS of the properties. @throws Error it names the host */
export async function openPostgresql(
  context: PostgresqlContext,
  kind: PostgresqlKind,
  clock: Clock = systemClock,
): Promise<PostgresqlSession> {
  const { properties } = context;
  const url = readDatabaseUrl(textProperty(properties, "url") ?? "", kind);
  const address = await context.connectAddress(url.host, url.port);
  const ways = tlsWays(properties, url);
  for (const [index, ssl] of ways.entries()) {
    try {
      return await PostgresqlSession.open(context, { url, address, ssl, clock });
    } catch (error) {
      const isLast = index === ways.length - 1;
      const { message, code } = error as PgError;
      // 28000: the server accepts this user only with TLS, or only without.
      if (isLast || message !== NO_TLS && code !== "28000") {
        throw new Error(`Cannot connect to "${url.host}:${url.port}": ${wordsOf(error as PgError)}`);
      }
    }
  }
  throw new Error("Cannot connect: no way is left");
}

interface OpenOptions {
  readonly url: DatabaseUrl;
  readonly address: ConnectAddress;
  readonly ssl: PgTls | false;
  readonly clock: Clock;
}

/** A connection. */
export class PostgresqlSession implements SqlSession {
  readonly #client: PgClient;
  readonly #Query: Awaited<ReturnType<typeof loadPg>>["Query"];
  readonly #context: PostgresqlContext;
  readonly #place: OpenOptions;
  readonly #stop = () => void this.#cancel();
  #columns: readonly Column[] = [];
  #sink: RowSink | undefined;
  #copied: ((bytes: Uint8Array) => void) | undefined;
  /** Why the connection is of no more use. */
  #failure: Error | undefined;
  #cancelling: Promise<void> | undefined;

  private constructor(
    context: PostgresqlContext,
    place: OpenOptions,
    { client, Query }: {
      readonly client: PgClient;
      readonly Query: Awaited<ReturnType<typeof loadPg>>["Query"];
    },
  ) {
    this.#context = context;
    this.#place = place;
    this.#client = client;
    this.#Query = Query;
  }

  /** Connects. @throws Error as the server gives it */
  static async open(context: PostgresqlContext, place: OpenOptions): Promise<PostgresqlSession> {
    const { Client, Query } = await loadPg();
    const { url, address, ssl } = place;
    const { properties, signal } = context;
    const client = new Client({
      host: address.hostname,
      port: address.port,
      user: textProperty(properties, "username") ?? url.username,
      // An empty one keeps the package from reading the password file of the server's user.
      password: textProperty(properties, "password") ?? url.password,
      database: url.database || textProperty(properties, "username") || url.username,
      ssl,
      application_name: url.options.get("ApplicationName") ?? "sluice",
      connectionTimeoutMillis: CONNECT_MS,
      options: url.options.get("options") ?? "",
    });
    const session = new PostgresqlSession(context, place, { client, Query });
    client.on("error", (error) => session.#failure ??= error);
    client.on("notice", ({ message = "" }) => context.log("INFO", message));
    const stop = () => client.connection.stream.destroy();
    signal.addEventListener("abort", stop);
    try {
      const connected = client.connect();
      // The package replaces the stream by the one of TLS.
      if (ssl) client.connection.on("sslconnect", () => session.#read());
      else session.#read();
      await connected;
    } catch (error) {
      stop();
      throw session.#failure ?? error;
    } finally {
      signal.removeEventListener("abort", stop);
    }
    session.#begin();
    try {
      await session.#configure();
      return session;
    } catch (error) {
      session.#failure ??= error as Error;
      await session[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** @inheritdoc */
  async run({ sql, values }: BoundStatement, sink: RowSink): Promise<StatementResult> {
    this.#sink = sink;
    this.#columns = [];
    const { rowCount } = await this.#query(sql, values);
    return { hasRows: this.#columns.length > 0, rowCount };
  }

  /** @inheritdoc */
  async command(sql: string): Promise<void> {
    await this.#query(sql, []);
  }

  /** Runs COPY … TO STDOUT; `receive` gets the bytes as they arrive. Returns the number of rows. */
  async copyOut(sql: string, receive: (bytes: Uint8Array) => void): Promise<number> {
    this.#copied = receive;
    return (await this.#query(sql, [])).rowCount;
  }

  /** Runs COPY … FROM STDIN with the content of a file. Returns the number of rows. */
  async copyIn(sql: string, path: string): Promise<number> {
    return (await this.#query(sql, [], (connection) => void sendFile(connection, path))).rowCount;
  }

  /** @inheritdoc */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#context.signal.removeEventListener("abort", this.#stop);
    const { stream } = this.#client.connection;
    const closed = new Promise<void>((resolve) =>
      stream.destroyed ? resolve() : stream.once("close", resolve)
    );
    if (this.#failure || this.#cancelling) stream.destroy();
    else {
      const cancelTimer = this.#place.clock.setTimer(STOP_MS, () => stream.destroy());
      await this.#client.end().catch(() => {});
      cancelTimer();
    }
    stream.destroy();
    await closed;
    await this.#cancelling;
  }

  /** Reads the stream before the package does. */
  #read(): void {
    const { stream } = this.#client.connection;
    const [read] = stream.listeners("data") as ReadStream[];
    const rows = new WireRows({
      row: (bytes, start, length) => this.#row(bytes, start, start + length),
      copied: (bytes, start, length) => this.#copied?.(bytes.subarray(start, start + length)),
      others: (bytes) => {
        try {
          read?.(bytes);
        } catch (cause) {
          if (cause instanceof MalformedMessage) throw cause;
          throw new MalformedMessage(`A message cannot be read: ${(cause as Error).message}`, { cause });
        }
      },
    });
    stream.removeAllListeners("data");
    stream.on("data", (bytes: Buffer) => this.#guard(() => rows.receive(bytes)));
  }

  /** Listens for the columns of results and for the stop. */
  #begin(): void {
    this.#client.connection.on("rowDescription", ({ fields }) => {
      this.#columns = fields.map(({ name, dataTypeID }) => columnOf(name, dataTypeID));
      this.#sink?.columns(this.#columns);
    });
    this.#context.signal.addEventListener("abort", this.#stop);
    if (this.#context.signal.aborted) this.#stop();
  }

  async #configure(): Promise<void> {
    const zone = textProperty(this.#context.properties, "timeZoneId");
    await this.command(
      `SET datestyle TO ISO${zone === undefined ? "" : `; SET TIME ZONE '${zone.replaceAll("'", "''")}'`}`,
    );
  }

  #row(bytes: Buffer, start: number, end: number): void {
    const sink = this.#sink;
    if (sink?.frame) return sink.frame(bytes, start, end);
    let at = start + 2;
    const cells = this.#columns.map((): Cell => {
      const length = bytes.readInt32BE(at);
      at += 4 + Math.max(length, 0);
      if (at > end) throw new MalformedMessage("A cell ends after its row");
      return length < 0 ? null : decoder.decode(bytes.subarray(at - length, at));
    });
    sink?.row(cells);
  }

  /** An error of a receiver or of the package ends the connection: thrown to the stream, it would end the process. */
  #guard(work: () => void): void {
    if (this.#failure) return;
    try {
      work();
    } catch (error) {
      this.#failure = error as Error;
      this.#stop();
    }
  }

  async #query(
    text: string,
    values: readonly JsonValue[],
    copyIn?: (connection: PgConnection) => void,
  ): Promise<{ readonly rowCount: number }> {
    if (this.#failure) throw this.#failure;
    const { promise, resolve, reject } = Promise.withResolvers<{ readonly rowCount: number }>();
    const config = values.length === 0 ? { text } : { text, values: values.map(parameterOf) };
    const query = new this.#Query(config, (error, result) => {
      if (error) reject(this.#reasonOf(error));
      else resolve({ rowCount: result?.rowCount ?? 0 });
    });
    if (copyIn) query.handleCopyInResponse = copyIn;
    this.#client.query(query);
    return await promise;
  }

  /** Why a query failed: an error of the server with its host, one of a receiver as it is. */
  #reasonOf(given: PgError): Error {
    const error = this.#failure ?? given;
    if (this.#failure && !(error instanceof MalformedMessage)) return error;
    const { host, port } = this.#place.url;
    return new Error(`Cannot query "${host}:${port}": ${wordsOf(error)}`, { cause: given.code });
  }

  /** Asks the server to cancel what runs, by a connection of its own as the protocol has it, and closes this one. */
  #cancel(): Promise<void> {
    return this.#cancelling ??= new Promise((resolve) => {
      const { address, ssl, clock } = this.#place;
      const { processID, secretKey, connection } = this.#client;
      if (processID === null || secretKey === null) {
        connection.stream.destroy();
        return resolve();
      }
      const end = () => {
        cancelTimer();
        closeRequest();
        connection.stream.destroy();
        resolve();
      };
      const cancelTimer = clock.setTimer(STOP_MS, end);
      const closeRequest = sendCancelRequest({ address, ssl, processID, secretKey }, end);
    });
  }
}

async function sendFile(connection: PgConnection, path: string): Promise<void> {
  const { stream } = connection;
  try {
    for await (const bytes of createReadStream(path, { highWaterMark: 256 * 1024 })) {
      if (stream.destroyed) return;
      connection.sendCopyFromChunk(bytes);
      if (stream.writableNeedDrain) {
        await new Promise<void>((resolve) => stream.once("drain", resolve).once("close", resolve));
      }
    }
    connection.endCopyFrom();
  } catch (error) {
    connection.sendCopyFail((error as Error).message);
  }
}

/** A value as the text that the server reads. Lists and objects are JSON. */
function parameterOf(value: JsonValue): string | null {
  if (value === null) return null;
  return typeof value === "object" && !(value instanceof Double) ? JSON.stringify(value) : String(value);
}

function wordsOf({ message, code, detail, hint, position }: PgError): string {
  const place = position === undefined ? "" : `, at character ${position}`;
  return [`${message}${code === undefined ? "" : ` (${code}${place})`}`, detail, hint].filter(Boolean).join(
    "; ",
  );
}
