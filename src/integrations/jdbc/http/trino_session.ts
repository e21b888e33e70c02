/** Trino by its client protocol. https://trino.io/docs/current/develop/client-protocol.html */
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from "../../../base/json.ts";
import { tryParseLongJson } from "../../../base/json_turns.ts";
import type { MachineWork } from "../../../model/tasks/machine_task.ts";
import { optionalText, type TaskRequest } from "../../../model/tasks/task_definition.ts";
import { callRepeatedly } from "../../http_calls.ts";
import type { Cell, CellKind, Column } from "../cells.ts";
import { addRows, cellOfJson } from "../json_cells.ts";
import { NO_ROWS, type RowSink, type SqlSession, type StatementResult } from "../session.ts";
import { type BoundStatement, withLiterals } from "../sql_text.ts";
import {
  basicAuthorization,
  type HttpServer,
  httpServerOf,
  sendStatement,
  statementError,
  statementUntilStop,
} from "./http_server.ts";

/** Of a response, to which the following requests belong. */
const SESSION_HEADERS: ReadonlyMap<string, string> = new Map([
  ["x-trino-set-catalog", "x-trino-catalog"],
  ["x-trino-set-schema", "x-trino-schema"],
]);

/** Opens a session. @throws Error the url is invalid */
export function openTrino(context: MachineWork): Promise<SqlSession> {
  const server = httpServerOf(context, { kinds: ["trino", "presto"], port: 8080, tlsPort: 443 });
  return Promise.resolve(new TrinoSession(context, server));
}

class TrinoSession implements SqlSession {
  readonly #context: MachineWork;
  readonly #server: HttpServer;
  readonly #headers: Record<string, string>;
  /** Of the statement that runs. */
  #nextUri: string | undefined;

  constructor(context: MachineWork, server: HttpServer) {
    this.#context = context;
    this.#server = server;
    const { username, password, url: { database } } = server;
    const [catalog = "", schema = ""] = database.split("/");
    const zone = optionalText(context.properties.timeZoneId);
    this.#headers = {
      "x-trino-user": username === "" ? "sluice" : username,
      "x-trino-source": "sluice",
      ...password !== "" && basicAuthorization(server),
      ...catalog !== "" && { "x-trino-catalog": catalog },
      ...schema !== "" && { "x-trino-schema": schema },
      ...zone !== undefined && { "x-trino-time-zone": zone },
    };
    if (password !== "" && !server.origin.startsWith("https:")) {
      throw new Error("Invalid url: Trino accepts passwords over TLS alone; add ?SSL=true");
    }
  }

  /** @inheritdoc */
  async run(statement: BoundStatement, sink: RowSink): Promise<StatementResult> {
    return await statementUntilStop(
      this.#context,
      () => this.#read(statement, sink),
      () =>
        this.#nextUri === undefined
          ? undefined
          : { url: this.#nextUri, method: "DELETE", headers: this.#headers },
    );
  }

  async #read(statement: BoundStatement, sink: RowSink): Promise<StatementResult> {
    const { origin } = this.#server;
    let page = await this.#page({ url: `${origin}/v1/statement`, body: withLiterals(statement) });
    let columns: readonly Column[] | undefined, rowCount = 0;
    let isUpdate = false;
    for (;;) {
      const { nextUri, updateType, updateCount } = page;
      isUpdate ||= updateType !== undefined;
      if (isUpdate) rowCount = Number(updateCount ?? rowCount);
      else {
        columns ??= this.#begin(page, sink);
        const cell = (value: JsonValue, index: number) => cellOf(columns?.[index]?.kind, value);
        if (columns) rowCount += await addRows(page.data, sink, cell);
      }
      this.#nextUri = typeof nextUri === "string" ? this.#checked(nextUri) : undefined;
      if (this.#nextUri === undefined) return { hasRows: columns !== undefined, rowCount };
      page = await this.#page({ url: this.#nextUri });
    }
  }

  /** @inheritdoc */
  async command(sql: string): Promise<void> {
    await this.run({ sql, values: [] }, NO_ROWS);
  }

  /** Queries have ended, or were cancelled. */
  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve();
  }

  #begin({ columns: given }: JsonObject, sink: RowSink): readonly Column[] | undefined {
    if (!Array.isArray(given)) return undefined;
    const columns = given.filter(isJsonObject).map(columnOf);
    sink.columns(columns);
    return columns;
  }

  /** Credentials are sent to the server of the url alone. */
  #checked(uri: string): string {
    const { origin } = this.#server;
    if (URL.canParse(uri) && new URL(uri).origin === new URL(origin).origin) return uri;
    throw statementError(
      origin,
      "its next page is at another address; let Trino use the forwarded headers of its proxy",
    );
  }

  async #page(request: Pick<TaskRequest, "url" | "body">): Promise<JsonObject> {
    const { http, signal } = this.#context;
    const sender = {
      signal,
      http: (each: TaskRequest) => sendStatement({ http: http.bind(this.#context) }, each),
    };
    // 502 to 504 ask for the same request again; a first one could then run twice.
    const { status, text, headers } = await callRepeatedly(
      sender,
      () => ({ ...request, headers: this.#headers }),
      {
        isRepeatable: request.body === undefined,
      },
    );
    const page = status === 200 ? await tryParseLongJson(text) : undefined;
    const { origin } = this.#server;
    if (!isJsonObject(page)) throw statementError(origin, `the response was ${status}: ${text}`);
    const { error } = page;
    if (isJsonObject(error)) {
      throw statementError(origin, `${String(error.message)} (${String(error.errorName)})`);
    }
    for (const [given, sent] of SESSION_HEADERS) {
      const value = headers[given];
      if (value !== undefined) this.#headers[sent] = value;
    }
    return page;
  }
}

function cellOf(kind: CellKind | undefined, value: JsonValue): Cell {
  const text = cellOfJson(value);
  if (text === null) return null;
  if (kind === "bytes") return `\\x${Uint8Array.fromBase64(text).toHex()}`;
  return kind === "instant" ? text.replace(/ UTC$/, "+00") : text;
}

const KINDS: readonly (readonly [RegExp, CellKind])[] = [
  [/^(?:tiny|small|big)?int(?:eger)?$/, "integer"],
  [/^decimal/, "decimal"],
  [/^(?:double|real)$/, "float"],
  [/^boolean$/, "boolean"],
  [/^date$/, "date"],
  [/^timestamp.* with time zone$/, "instant"],
  [/^timestamp/, "timestamp"],
  [/^(?:array|map|row|json)\b/, "json"],
  [/^varbinary$/, "bytes"],
];

function columnOf(column: JsonObject): Column {
  const type = String(ownProperty(column, "type"));
  const kind = KINDS.find(([pattern]) => pattern.test(type))?.[1] ?? "text";
  return { name: String(ownProperty(column, "name")), kind };
}
