/** Pinot by the query API of its controller. https://docs.pinot.apache.org/users/user-guide-query/querying-pinot */
import { isJsonObject, objectsOf, stringifyJson } from "../../../base/json.ts";
import { tryParseLongJson } from "../../../base/json_turns.ts";
import type { MachineWork } from "../../../model/tasks/machine_task.ts";
import type { TaskResponse } from "../../../model/tasks/task_definition.ts";
import type { CellKind, Column } from "../cells.ts";
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

/** Opens a session. @throws Error the url is invalid */
export function openPinot(context: MachineWork): Promise<SqlSession> {
  const server = httpServerOf(context, { kinds: ["pinot"], port: 9000 });
  return Promise.resolve(new PinotSession(context, server));
}

class PinotSession implements SqlSession {
  readonly #context: MachineWork;
  readonly #server: HttpServer;

  constructor(context: MachineWork, server: HttpServer) {
    this.#context = context;
    this.#server = server;
  }

  /** @inheritdoc */
  async run(statement: BoundStatement, sink: RowSink): Promise<StatementResult> {
    const { origin } = this.#server;
    const { status, text } = await this.#sent(withLiterals(statement));
    const body = status === 200 ? await tryParseLongJson(text) : undefined;
    if (!isJsonObject(body)) throw statementError(origin, `the response was ${status}: ${text}`);
    const [exception] = objectsOf(body.exceptions);
    if (exception) {
      throw statementError(origin, `${String(exception.message)} (${String(exception.errorCode)})`);
    }
    const { resultTable } = body;
    if (!isJsonObject(resultTable) || !isJsonObject(resultTable.dataSchema)) {
      throw statementError(origin, `the response has no result: ${stringifyJson(body)}`);
    }
    const { columnNames, columnDataTypes } = resultTable.dataSchema;
    const types = Array.isArray(columnDataTypes) ? columnDataTypes : [];
    const names = Array.isArray(columnNames) ? columnNames : [];
    sink.columns(
      names.map((name, index): Column => ({ name: String(name), kind: kindOf(String(types[index])) })),
    );
    return { hasRows: true, rowCount: await addRows(resultTable.rows, sink, cellOfJson) };
  }

  async #sent(sql: string): Promise<TaskResponse> {
    const { origin } = this.#server;
    const headers = basicAuthorization(this.#server), id = crypto.getRandomValues(new Uint8Array(16)).toHex();
    const json = { sql, queryOptions: `clientQueryId=${id}` };
    return await statementUntilStop(
      this.#context,
      () => sendStatement(this.#context, { url: `${origin}/sql`, headers, json }),
      () => ({ url: `${origin}/clientQuery/${id}`, method: "DELETE", headers }),
    );
  }

  /** @inheritdoc */
  async command(sql: string): Promise<void> {
    await this.run({ sql, values: [] }, NO_ROWS);
  }

  /** Queries have ended, or were cancelled. */
  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve();
  }
}

const KINDS: ReadonlyMap<string, CellKind> = new Map<string, CellKind>([
  ["INT", "integer"],
  ["LONG", "integer"],
  ["FLOAT", "float"],
  ["DOUBLE", "float"],
  ["BIG_DECIMAL", "decimal"],
  ["BOOLEAN", "boolean"],
  ["TIMESTAMP", "timestamp"],
  ["JSON", "json"],
]);

function kindOf(type: string): CellKind {
  return type.endsWith("_ARRAY") ? "json" : KINDS.get(type) ?? "text";
}
