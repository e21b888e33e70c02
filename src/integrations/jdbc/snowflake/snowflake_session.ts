/** Snowflake by its SQL API. https://docs.snowflake.com/en/developer-guide/sql-api/reference */
import { isJsonObject, type JsonObject, objectsOf } from "../../../base/json.ts";
import { tryParseLongJson } from "../../../base/json_turns.ts";
import type { MachineWork } from "../../../model/tasks/machine_task.ts";
import { optionalText, type TaskRequest } from "../../../model/tasks/task_definition.ts";
import { callRepeatedly, pause, type Sender } from "../../http_calls.ts";
import { addRows, cellOfJson } from "../json_cells.ts";
import {
  type HttpServer,
  httpServerOf,
  sendStatement,
  statementError,
  statementUntilStop,
} from "../http/http_server.ts";
import {
  NO_ROWS,
  type RowSink,
  type SqlSession,
  type StatementPlan,
  type StatementResult,
} from "../session.ts";
import { type BoundStatement, escapedText, withLiterals } from "../sql_text.ts";
import { statementPlace } from "./statement_place.ts";
import { newUuid } from "../../uuid.ts";
import { authorization } from "./token.ts";
import { cellOf, columnOf } from "./value_texts.ts";

/** Pauses between two looks at a statement: most end soon, and none is seen much later than it ends. */
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS, PAUSE_GROWTH] = [100, 2_000, 1.5];
const PATH = "/api/v2/statements";
/** Statements whose result is rows; others report what they changed. */
const WITH_ROWS =
  /^(?:\s|--[^\n]*\n|\/\*(?:[^*]|\*(?!\/))*\*\/|\()*(?:select|with|show|desc|describe|list|ls|call|values|explain|table|execute)\b/i;
/** Opens a session. @throws Error the url is invalid, or there is no credential that the API accepts */
export function openSnowflake(context: MachineWork): Promise<SnowflakeSession> {
  const server = httpServerOf(context, { kinds: ["snowflake"], port: 443, isTls: true });
  return Promise.resolve(new SnowflakeSession(context, server));
}

/** Requests with the same credentials: Snowflake keeps nothing between them. */
export class SnowflakeSession implements SqlSession {
  readonly #context: MachineWork;
  readonly #server: HttpServer;
  /** Of the statements of a plan that still have to be read. */
  #handles: string[] | undefined;

  constructor(context: MachineWork, server: HttpServer) {
    this.#context = context;
    this.#server = server;
  }

  /** Several statements are one request, so that they share a session and can be a transaction. */
  async prepare({ statements, after, isTransaction }: StatementPlan): Promise<void> {
    if (statements.length + after.length < 2) return;
    const texts = [...statements.map((each) => withLiterals(each, escapedText)), ...after];
    const all = isTransaction ? ["BEGIN", ...texts, "COMMIT"] : texts;
    const parameters = { MULTI_STATEMENT_COUNT: String(all.length) };
    const { statementHandles } = await this.#submit(`${all.join(";\n")};`, { parameters });
    const handles = Array.isArray(statementHandles) ? statementHandles.map(String) : [];
    this.#handles = isTransaction ? handles.slice(1) : handles;
  }

  /** @inheritdoc */
  async run(statement: BoundStatement, sink: RowSink): Promise<StatementResult> {
    const handle = this.#handles?.shift();
    const first = handle === undefined
      ? await this.#submit(withLiterals(statement, escapedText), {})
      : await this.#page(`/${encodeURIComponent(handle)}`);
    if (!WITH_ROWS.test(statement.sql)) return { hasRows: false, rowCount: changedRows(first) };
    return { hasRows: true, rowCount: await this.#read(first, sink) };
  }

  /** @inheritdoc */
  async command(sql: string): Promise<void> {
    if (!this.#handles) await this.run({ sql, values: [] }, NO_ROWS);
  }

  /** Statements have ended, or were cancelled. */
  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve();
  }

  async #read(first: JsonObject, sink: RowSink): Promise<number> {
    const { resultSetMetaData, statementHandle } = first;
    const { rowType, partitionInfo } = isJsonObject(resultSetMetaData) ? resultSetMetaData : {};
    const columns = objectsOf(rowType).map(columnOf);
    sink.columns(columns);
    const add = ({ data }: JsonObject) =>
      addRows(data, sink, (value, index) => {
        const text = cellOfJson(value);
        return text === null ? null : cellOf(columns[index]?.type ?? "", text);
      });
    let count = await add(first);
    for (let at = 1; at < objectsOf(partitionInfo).length; at++) {
      const path = `/${encodeURIComponent(String(statementHandle))}?partition=${at}`;
      count += await add(await this.#page(path));
    }
    return count;
  }

  async #submit(
    statement: string,
    { parameters }: { readonly parameters?: JsonObject },
  ): Promise<JsonObject> {
    const { properties } = this.#context;
    const [tag, timezone] = [optionalText(properties.queryTag), optionalText(properties.timeZoneId)];
    const json = {
      statement,
      ...statementPlace(this.#context.properties, this.#server),
      parameters: {
        ...parameters,
        ...tag !== undefined && { query_tag: tag },
        ...timezone !== undefined && { timezone },
      },
    };
    // Else the handle, without which it cannot be cancelled, would come after 45 seconds.
    const url = `${PATH}?requestId=${newUuid()}&async=true&nullable=true`;
    let first: SnowflakeResponse | undefined;
    return await statementUntilStop(this.#context, async () => {
      // The first request could have been carried out although its response is lost.
      first = await this.#send({ url, json }, false);
      return await this.#ended(first);
    }, async (sender) => {
      // Snowflake does not run a statement again that it knows by this id, and gives its handle.
      first ??= await this.#sendBy(sender, { url: `${url}&retry=true`, json }, true);
      return {
        url: `${this.#server.origin}${statementPath(first)}/cancel`,
        method: "POST",
        headers: this.#headers(),
      };
    });
  }

  async #page(path: string): Promise<JsonObject> {
    return await this.#ended(await this.#send({ url: `${PATH}${path}` }, true));
  }

  /** Waits while the statement runs. */
  async #ended(response: SnowflakeResponse): Promise<JsonObject> {
    let current = response;
    for (
      let waitMs = FIRST_PAUSE_MS;
      current.status === 202;
      waitMs = Math.min(waitMs * PAUSE_GROWTH, LONGEST_PAUSE_MS)
    ) {
      await pause(waitMs, this.#context.signal);
      current = await this.#send({ url: statementPath(current) }, true);
    }
    return current.body;
  }

  #headers(): Record<string, string> {
    return { accept: "application/json", ...authorization(this.#context.properties, this.#server) };
  }

  async #send(request: StatementRequest, isRepeatable: boolean): Promise<SnowflakeResponse> {
    return await this.#sendBy(this.#context, request, isRepeatable);
  }

  async #sendBy(
    { signal, http }: Sender,
    request: StatementRequest,
    isRepeatable: boolean,
  ): Promise<SnowflakeResponse> {
    const { origin } = this.#server;
    const headers = this.#headers();
    const sender = { signal, http: (each: TaskRequest) => sendStatement({ http }, each) };
    const full = { ...request, url: `${origin}${request.url}`, headers };
    const { status, text } = await callRepeatedly(sender, () => full, { isRepeatable });
    const body = await tryParseLongJson(text);
    if ((status === 200 || status === 202) && isJsonObject(body)) return { status, body };
    const words = isJsonObject(body) && body.message !== undefined
      ? `${String(body.message)} (${String(body.code)})`
      : text;
    throw statementError(origin, words.trim() || `the response was ${status}`);
  }
}

type StatementRequest = Pick<TaskRequest, "url" | "json">;

interface SnowflakeResponse {
  readonly status: number;
  readonly body: JsonObject;
}

function statementPath({ body }: SnowflakeResponse): string {
  return `${PATH}/${encodeURIComponent(String(body.statementHandle))}`;
}

/** Of INSERT, UPDATE and DELETE. */
function changedRows({ stats }: JsonObject): number {
  if (!isJsonObject(stats)) return 0;
  const names = ["numRowsInserted", "numRowsUpdated", "numRowsDeleted"];
  return names.reduce((sum, name) => sum + Number(stats[name] ?? 0), 0);
}
