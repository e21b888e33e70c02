/** SQL Server by its own protocol. https://learn.microsoft.com/openspecs/windows_protocols/ms-tds */
import { connect } from "node:net";
import { systemClock } from "../../../base/time/clock.ts";
import { Turns } from "../../../base/time/turn.ts";
import type { MachineWork } from "../../../model/tasks/machine_task.ts";
import { optionalText } from "../../../model/tasks/task_definition.ts";
import { isFlagSet } from "../../../base/text/truthy_text.ts";
import { NO_ROWS, type RowSink, type SqlSession, type StatementResult } from "../session.ts";
import { type BoundStatement, quotedText, withLiterals } from "../sql_text.ts";
import { readSqlserverUrl, type SqlserverUrl } from "./sqlserver_url.ts";
import { MESSAGE, TdsConnection } from "./tds_connection.ts";
import {
  batchRequest,
  ENCRYPTION,
  loginRequest,
  preloginEncryption,
  preloginRequest,
} from "./tds_requests.ts";
import { type TdsEvent, TokenParser } from "./tds_tokens.ts";
import { kindOf } from "./tds_types.ts";
import { serverNameOf } from "../../tls_sockets.ts";

const LOGIN_TIMEOUT_MS = 30_000;
const APPLICATION = "sluice";
const TURN_MS = 10;
/** Messages of a lower level are notes. */
const FIRST_ERROR_LEVEL = 11;
const TRANSACTION_COMMANDS: ReadonlyMap<string, string> = new Map([
  ["BEGIN", "BEGIN TRANSACTION"],
  ["COMMIT", "COMMIT TRANSACTION"],
]);

/** Opens a session. @throws Error the url is invalid, the server cannot be reached, or it refuses the user */
export async function openSqlserver(context: MachineWork): Promise<SqlSession> {
  const { properties } = context;
  const url = readSqlserverUrl(optionalText(properties.url) ?? "");
  const address = await context.connectAddress(url.host, url.port);
  const connection = new TdsConnection(connect({ host: address.hostname, port: address.port }));
  const session = new SqlserverSession(connection, context.signal, url);
  const late = () => connection.fail(new Error(`There was no login within ${LOGIN_TIMEOUT_MS / 1000} s`));
  const cancel = systemClock.setTimer(LOGIN_TIMEOUT_MS, late);
  try {
    await session.begin({
      username: optionalText(properties.username) ?? url.options.get("user") ?? url.options.get("username") ??
        "",
      password: optionalText(properties.password) ?? url.options.get("password") ?? "",
    });
    return session;
  } catch (error) {
    await session[Symbol.asyncDispose]();
    throw error;
  } finally {
    cancel();
  }
}

/** What one request gave. */
interface RequestResult {
  readonly hasRows: boolean;
  readonly rowCount: number;
}

class SqlserverSession implements SqlSession {
  readonly #connection: TdsConnection;
  readonly #signal: AbortSignal;
  readonly #url: SqlserverUrl;
  readonly #parser = new TokenParser();
  readonly #stop = () => this.#connection.fail(new Error("The work was stopped"));
  #transaction: Uint8Array = new Uint8Array(8);

  constructor(connection: TdsConnection, signal: AbortSignal, url: SqlserverUrl) {
    this.#connection = connection;
    this.#signal = signal;
    this.#url = url;
    signal.addEventListener("abort", this.#stop, { once: true });
    if (signal.aborted) this.#stop();
  }

  /** Agrees on TLS and logs in. @throws Error the server refuses it */
  async begin(user: { readonly username: string; readonly password: string }): Promise<void> {
    const { host, options } = this.#url;
    const database = options.get("databasename") ?? options.get("database") ?? "";
    try {
      const isLoginOnly = await this.#secure();
      const login = loginRequest({ ...user, host, database, application: APPLICATION });
      await this.#connection.send(MESSAGE.login, login);
      if (isLoginOnly) this.#connection.useNoTls();
      await this.#result(NO_ROWS);
    } catch (error) {
      throw this.#errorOf("log in to", error);
    }
  }

  /** Begins TLS as the url and the server want it; returns whether it protects the login alone. */
  async #secure(): Promise<boolean> {
    const { host, options } = this.#url;
    const wish = (options.get("encrypt") ?? "true").toLowerCase();
    if (wish === "strict") throw new Error("encrypt=strict is not supported: use encrypt=true");
    const isWanted = isFlagSet(wish);
    const connection = this.#connection;
    await connection.send(MESSAGE.prelogin, preloginRequest(isWanted ? ENCRYPTION.on : ENCRYPTION.off));
    const parts: Uint8Array[] = [];
    for await (const { content } of connection.message()) parts.push(content);
    const given = preloginEncryption(parts[0] ?? new Uint8Array());
    if (given === ENCRYPTION.unsupported) {
      if (isWanted) throw new Error("the server has no TLS; add encrypt=false to the url to go without");
      return false;
    }
    // An attacker on the way could have written this value.
    if (given === ENCRYPTION.off && isWanted) {
      throw new Error("the server has no TLS for queries; add encrypt=false to the url to go without");
    }
    const isChecked = isWanted && !isFlagSet(options.get("trustservercertificate"));
    const name = options.get("hostnameincertificate") ?? host;
    await connection.secure({ rejectUnauthorized: isChecked, ...serverNameOf(name) });
    return given === ENCRYPTION.off;
  }

  /** @inheritdoc */
  async run({ sql, values }: BoundStatement, sink: RowSink): Promise<StatementResult> {
    // It has no literals for flags.
    const numbers = values.map((value) => typeof value === "boolean" ? Number(value) : value);
    const text = withLiterals({ sql, values: numbers }, (literal) => `N${quotedText(literal)}`);
    try {
      await this.#connection.send(MESSAGE.batch, batchRequest(text, this.#transaction));
      return await this.#result(sink);
    } catch (error) {
      throw this.#errorOf("query", error);
    }
  }

  /** @inheritdoc */
  async command(sql: string): Promise<void> {
    await this.run({ sql: TRANSACTION_COMMANDS.get(sql) ?? sql, values: [] }, NO_ROWS);
  }

  /** The server rolls back what is open. */
  [Symbol.asyncDispose](): Promise<void> {
    this.#signal.removeEventListener("abort", this.#stop);
    this.#connection.fail(new Error("The session is closed"));
    return Promise.resolve();
  }

  /** Reads a response to its end. Of several results with rows the first one counts. @throws Error the server reports one */
  async #result(sink: RowSink): Promise<RequestResult> {
    let resultCount = 0, rows = 0, changed = 0;
    let failure: Error | undefined;
    const take = (event: TdsEvent) => {
      if (event.type === "columns") {
        const receiver = ++resultCount === 1 ? sink : NO_ROWS;
        receiver.columns(event.columns.map(({ name, type }) => ({ name, kind: kindOf(type) })));
      } else if (event.type === "row") {
        if (resultCount !== 1) return;
        rows++;
        sink.row(event.cells);
      } else if (event.type === "done") changed += resultCount === 0 ? event.rowCount ?? 0 : 0;
      else if (event.type === "transaction") this.#transaction = event.descriptor;
      else failure ??= failureOf(event);
    };
    const turns = new Turns(systemClock, TURN_MS);
    for await (const { content, isLast } of this.#connection.message()) {
      for (const event of this.#parser.events(content, isLast)) {
        take(event);
        await turns.next();
      }
    }
    if (failure) throw failure;
    return { hasRows: resultCount > 0, rowCount: resultCount > 0 ? rows : changed };
  }

  #errorOf(operation: string, error: unknown): Error {
    const { host, port } = this.#url;
    return new Error(`Cannot ${operation} "${host}:${port}": ${(error as Error).message}`, { cause: error });
  }
}

function failureOf(event: TdsEvent): Error | undefined {
  if (event.type === "routing") {
    return new Error(`the server sends its clients to "${event.host}:${event.port}"; use that address`);
  }
  if (event.type !== "message" || event.level < FIRST_ERROR_LEVEL) return undefined;
  return new Error(`${event.text} (error ${event.number})`);
}
