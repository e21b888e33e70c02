/** Dremio by its REST API. https://docs.dremio.com/current/reference/api/sql/ and https://docs.dremio.com/dremio-cloud/api/sql/ */
import { isJsonObject, type JsonObject, objectsOf, ownProperty } from "../../../base/json.ts";
import { tryParseLongJson } from "../../../base/json_turns.ts";
import { systemClock } from "../../../base/time/clock.ts";
import { Turns } from "../../../base/time/turn.ts";
import type { MachineWork } from "../../../model/tasks/machine_task.ts";
import { optionalText, type TaskRequest } from "../../../model/tasks/task_definition.ts";
import { callRepeatedly, pause } from "../../http_calls.ts";
import type { CellKind, Column } from "../cells.ts";
import { cellOfJson } from "../json_cells.ts";
import { NO_ROWS, type RowSink, type SqlSession, type StatementResult } from "../session.ts";
import { type BoundStatement, withLiterals } from "../sql_text.ts";
import { sendStatement, statementError, statementUntilStop } from "./http_server.ts";

const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [200, 5_000];
const TURN_MS = 10;
/** Most rows of a response. */
const PAGE_ROWS = 500;
/** The port of the REST API beside that of the driver. */
const REST_PORT = "9047";
const CLOUD = /^(?:sql|data)(\.eu)?\.dremio\.cloud$/i;
/** The name of a user whose password is a token. */
const TOKEN_USER = "$token";
const WAITING: ReadonlySet<unknown> = new Set([
  ...["NOT_SUBMITTED", "PENDING", "METADATA_RETRIEVAL", "PLANNING", "QUEUED", "ENGINE_START"],
  ...["EXECUTION_PLANNING", "STARTING", "RUNNING", "ENQUEUED", "CANCELLATION_REQUESTED"],
]);

/** Where the API is. */
interface DremioServer {
  readonly origin: string;
  /** Begin of the paths of statements and jobs. */
  readonly base: string;
}

/** Opens a session. @throws Error the url is invalid, or the user is refused */
export async function openDremio(context: MachineWork): Promise<SqlSession> {
  const { properties } = context;
  const server = dremioServerOf(optionalText(properties.url) ?? "");
  const username = optionalText(properties.username) ?? "",
    password = optionalText(properties.password) ?? "";
  const isToken = username === "" || username === TOKEN_USER || server.base.startsWith("/v0/");
  const session = new DremioSession(context, server);
  if (isToken) session.authorization = `Bearer ${password}`;
  else {
    const { token } = await session.send("/apiv2/login", { userName: username, password });
    session.authorization = `_dremio${String(token)}`;
  }
  return session;
}

/** From `jdbc:dremio:direct=host:port;name=value`. @throws Error it is invalid */
function dremioServerOf(url: string): DremioServer {
  const [, host, given = ""] = /^(?:jdbc:)?dremio:direct=([^:;]+)(?::\d+)?((?:;[^;]*)*)$/i.exec(url.trim()) ??
    [];
  if (host === undefined) {
    throw new Error("Invalid url: it must be like jdbc:dremio:direct=host:31010;ssl=true");
  }
  const options = new Map(
    given.split(";").map((part): [string, string] => {
      const [name = "", value = ""] = part.split("=", 2);
      return [name.trim().toLowerCase(), value.trim()];
    }),
  );
  const project = options.get("project_id");
  const [, region = ""] = CLOUD.exec(host) ?? [];
  if (project !== undefined) {
    const apiHost = CLOUD.test(host) ? `api${region}.dremio.cloud` : host;
    return { origin: `https://${apiHost}`, base: `/v0/projects/${encodeURIComponent(project)}` };
  }
  const scheme = options.get("ssl") === "true" ? "https" : "http";
  return { origin: `${scheme}://${host}:${options.get("restport") ?? REST_PORT}`, base: "/api/v3" };
}

class DremioSession implements SqlSession {
  authorization: string | undefined;
  readonly #context: MachineWork;
  readonly #server: DremioServer;

  constructor(context: MachineWork, server: DremioServer) {
    this.#context = context;
    this.#server = server;
  }

  /** Every statement of Dremio returns rows: one that changes data returns their number. */
  async run(statement: BoundStatement, sink: RowSink): Promise<StatementResult> {
    const { base } = this.#server;
    const { id } = await this.send(`${base}/sql`, { sql: withLiterals(statement) });
    const job = `${base}/job/${encodeURIComponent(String(id))}`;
    const rowCount = await statementUntilStop(
      this.#context,
      () => this.#ended(job),
      () => ({ url: `${this.#server.origin}${job}/cancel`, method: "POST", headers: this.#headers() }),
    );
    let columns: readonly Column[] | undefined;
    let offset = 0;
    do {
      const page = await this.send(`${job}/results?offset=${offset}&limit=${PAGE_ROWS}`);
      if (!columns) sink.columns(columns = objectsOf(page.schema).map(columnOf));
      const rows = objectsOf(page.rows).slice(0, PAGE_ROWS);
      const turns = new Turns(systemClock, TURN_MS);
      for (const row of rows) {
        sink.row(columns.map(({ name }) => cellOfJson(ownProperty(row, name) ?? null)));
        await turns.next();
      }
      if (rows.length === 0) break;
      offset += rows.length;
    } while (offset < rowCount);
    return { hasRows: true, rowCount: offset };
  }

  /** @inheritdoc */
  async command(sql: string): Promise<void> {
    await this.run({ sql, values: [] }, NO_ROWS);
  }

  /** Jobs have ended, or were cancelled. */
  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve();
  }

  /** Waits for the end of a job; returns the number of its rows. @throws Error it failed */
  async #ended(path: string): Promise<number> {
    for (let waitMs = FIRST_PAUSE_MS;; waitMs = Math.min(waitMs * 2, LONGEST_PAUSE_MS)) {
      const { jobState, rowCount, errorMessage, cancellationReason } = await this.send(path);
      if (jobState === "COMPLETED") return Number(rowCount ?? 0);
      if (!WAITING.has(jobState)) {
        const words = optionalText(errorMessage) ?? optionalText(cancellationReason) ?? "";
        throw statementError(this.#server.origin, words || `the job ended with ${String(jobState)}`);
      }
      await pause(waitMs, this.#context.signal);
    }
  }

  #headers(): Record<string, string> {
    const { authorization } = this;
    return { accept: "application/json", ...authorization !== undefined && { authorization } };
  }

  /** Sends a request, with a body by POST. @throws Error it is refused */
  async send(path: string, json?: JsonObject): Promise<JsonObject> {
    const { origin } = this.#server;
    const sender = {
      signal: this.#context.signal,
      http: (each: TaskRequest) => sendStatement({ http: (inner) => this.#context.http(inner) }, each),
    };
    const request = { url: `${origin}${path}`, headers: this.#headers(), ...json && { json } };
    // A statement could run twice.
    const { status, text } = await callRepeatedly(sender, () => request, {
      isRepeatable: json === undefined,
    });
    const body = await tryParseLongJson(text);
    if (status === 200 && isJsonObject(body)) return body;
    const words = isJsonObject(body) ? optionalText(body.errorMessage) ?? text : text;
    throw statementError(origin, words.trim() || `the response was ${status}`);
  }
}

const KINDS: ReadonlyMap<unknown, CellKind> = new Map([
  ["INTEGER", "integer"],
  ["BIGINT", "integer"],
  ["DECIMAL", "decimal"],
  ["FLOAT", "float"],
  ["DOUBLE", "float"],
  ["BOOLEAN", "boolean"],
  ["DATE", "date"],
  ["TIMESTAMP", "timestamp"],
  ["LIST", "json"],
  ["STRUCT", "json"],
  ["MAP", "json"],
]);

function columnOf({ name, type }: JsonObject): Column {
  return { name: String(name), kind: KINDS.get(isJsonObject(type) ? type.name : undefined) ?? "text" };
}
