/** Druid by its SQL API. https://druid.apache.org/docs/latest/api-reference/sql-api */
import { mkdtemp, rm } from "node:fs/promises";
import { isJsonObject } from "../../../base/json.ts";
import { tryParseShortJson } from "../../../base/json_turns.ts";
import type { MachineWork } from "../../../model/tasks/machine_task.ts";
import { optionalText, type TaskResponse } from "../../../model/tasks/task_definition.ts";
import { linesOf, readTextFile } from "../../row_files.ts";
import type { CellKind, Column } from "../cells.ts";
import { itemsOf, plainText } from "../json_cells.ts";
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
export function openDruid(context: MachineWork): Promise<SqlSession> {
  const { properties } = context;
  // That of the Avatica driver names an HTTP address, of which the host is used.
  const text = optionalText(properties.url) ?? "";
  const [, scheme, rest] = /^jdbc:avatica:remote:(?:.*;)?url=(https?):(\/\/[^;]+)/i.exec(text) ?? [];
  const url = rest === undefined ? text : `jdbc:druid:${scheme}:${rest}`;
  const server = httpServerOf({ properties: { ...properties, url } }, { kinds: ["druid"], port: 8888 });
  return Promise.resolve(new DruidSession(context, server));
}

class DruidSession implements SqlSession {
  readonly #context: MachineWork;
  readonly #server: HttpServer;

  constructor(context: MachineWork, server: HttpServer) {
    this.#context = context;
    this.#server = server;
  }

  /** @inheritdoc */
  async run(statement: BoundStatement, sink: RowSink): Promise<StatementResult> {
    const directory = await this.#context.directory();
    const folder = await mkdtemp(`${directory}/druid-`);
    try {
      const saveTo = `${folder.slice(directory.length + 1)}/rows`;
      const { path = "" } = await this.#sent(withLiterals(statement), saveTo);
      return await this.#read(path, sink);
    } finally {
      await rm(folder, { recursive: true });
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

  async #sent(query: string, saveTo: string): Promise<TaskResponse> {
    const sqlQueryId = crypto.getRandomValues(new Uint8Array(16)).toHex();
    return await statementUntilStop(this.#context, () => this.#send(query, { saveTo, sqlQueryId }), () => ({
      url: `${this.#server.origin}/druid/v2/sql/${sqlQueryId}`,
      method: "DELETE",
      headers: basicAuthorization(this.#server),
    }));
  }

  async #send(
    query: string,
    { saveTo, sqlQueryId }: { readonly saveTo: string; readonly sqlQueryId: string },
  ): Promise<TaskResponse> {
    const { origin } = this.#server;
    const sqlTimeZone = optionalText(this.#context.properties.timeZoneId);
    const response = await sendStatement(this.#context, {
      url: `${origin}/druid/v2/sql`,
      headers: basicAuthorization(this.#server),
      json: {
        query,
        resultFormat: "arrayLines",
        header: true,
        sqlTypesHeader: true,
        context: { sqlQueryId, ...sqlTimeZone !== undefined && { sqlTimeZone } },
      },
      saveTo,
    });
    if (response.status >= 200 && response.status < 300) return response;
    throw statementError(origin, wordsOf(response));
  }

  /** Two lines of names and SQL types, a line a row, and an empty line, without which the result is incomplete. */
  async #read(path: string, sink: RowSink): Promise<StatementResult> {
    const lines = linesOf(readTextFile(path));
    const { value: names = "" } = await lines.next();
    const { value: types = "" } = await lines.next();
    const typeTexts = itemsOf(types);
    const columns = itemsOf(names).map((name, index): Column => ({
      name: plainText(name) ?? "",
      kind: KINDS.get(plainText(typeTexts[index] ?? '""') ?? "") ?? "text",
    }));
    if (columns.length === 0) return { hasRows: false, rowCount: 0 };
    sink.columns(columns);
    let rowCount = 0, isComplete = false;
    for await (const line of lines) {
      isComplete = line === "";
      if (isComplete) break;
      sink.row(itemsOf(line).map((text, index) => columns[index]?.kind === "json" ? text : plainText(text)));
      rowCount++;
    }
    if (!isComplete) throw statementError(this.#server.origin, "the result ends before its last row");
    return { hasRows: true, rowCount };
  }
}

const KINDS: ReadonlyMap<string, CellKind> = new Map<string, CellKind>([
  ["BIGINT", "integer"],
  ["INTEGER", "integer"],
  ["DOUBLE", "float"],
  ["FLOAT", "float"],
  ["DECIMAL", "decimal"],
  ["BOOLEAN", "boolean"],
  ["TIMESTAMP", "instant"],
  ["DATE", "instant"],
  ["ARRAY", "json"],
]);

/** Of the older and of the newer form of errors. */
function wordsOf({ status, text }: TaskResponse): string {
  const body = tryParseShortJson(text);
  if (!isJsonObject(body)) return `the response was ${status}: ${text}`;
  return String(body.errorMessage ?? body.error ?? text);
}
