/** ClickHouse by its HTTP interface. https://clickhouse.com/docs/en/interfaces/http */
import { mkdtemp, rm } from "node:fs/promises";
import type { MachineWork } from "../../../model/tasks/machine_task.ts";
import { optionalText, type TaskResponse } from "../../../model/tasks/task_definition.ts";
import { linesOf, readTextFile } from "../../row_files.ts";
import type { CellKind, Column } from "../cells.ts";
import { itemsOf, plainText } from "../json_cells.ts";
import type { RowSink, SqlSession, StatementResult } from "../session.ts";
import { type BoundStatement, escapedText, withLiterals } from "../sql_text.ts";
import { type HttpServer, httpServerOf, sendStatement, statementError } from "./http_server.ts";

const FORMAT = "JSONCompactEachRowWithNamesAndTypes";
/** Numbers that JSON cannot hold are texts, and an error is never part of the rows. */
const SETTINGS = Object.freeze({
  default_format: FORMAT,
  output_format_json_quote_64bit_integers: "1",
  output_format_json_quote_decimals: "1",
  output_format_json_quote_denormals: "1",
  date_time_output_format: "iso",
  date_time_input_format: "best_effort",
  wait_end_of_query: "1",
  cancel_http_readonly_queries_on_client_close: "1",
});

/** Opens a session: temporary tables and settings last until it ends. @throws Error the url is invalid */
export async function openClickhouse(context: MachineWork): Promise<ClickhouseSession> {
  const kinds = ["clickhouse", "ch"];
  const server = httpServerOf(context, { kinds, port: 8123, tlsPort: 8443 });
  return new ClickhouseSession(context, server, await mkdtemp(`${await context.directory()}/clickhouse-`));
}

/** A session. */
export class ClickhouseSession implements SqlSession {
  readonly #context: MachineWork;
  readonly #server: HttpServer;
  /** Of the result that is read. */
  readonly #folder: string;

  constructor(context: MachineWork, server: HttpServer, folder: string) {
    this.#context = context;
    this.#server = server;
    this.#folder = folder;
  }

  /** @inheritdoc */
  async run(statement: BoundStatement, sink: RowSink): Promise<StatementResult> {
    const name = this.#folder.slice((await this.#context.directory()).length + 1);
    const sql = withLiterals(statement, escapedText);
    const { path = "" } = await this.#send({ body: sql, saveTo: `${name}/rows` });
    return await readRows(path, sink);
  }

  /** @inheritdoc */
  async command(sql: string): Promise<void> {
    await this.#send({ body: sql });
  }

  /** Sends a file as the data of an INSERT that ends with FORMAT; gives the number of written rows. */
  async insert(sql: string, path: string): Promise<number> {
    const { headers } = await this.#send({ bodyFile: path, query: sql });
    const summary = JSON.parse(headers["x-clickhouse-summary"] ?? "{}");
    return Number(summary.written_rows ?? 0);
  }

  /** The session of the server ends after a minute. */
  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#folder, { recursive: true });
  }

  async #send(
    { query, ...request }: {
      readonly body?: string;
      readonly bodyFile?: string;
      readonly saveTo?: string;
      readonly query?: string;
    },
  ): Promise<TaskResponse> {
    const { origin, url, username, password } = this.#server;
    const zone = optionalText(this.#context.properties.timeZoneId);
    const parameters = new URLSearchParams({
      ...SETTINGS,
      // Names of such folders are unique.
      session_id: `sluice-${this.#folder.split("/").slice(-2).join("-")}`,
      ...url.database !== "" && { database: url.database },
      ...zone !== undefined && { session_timezone: zone },
      ...query !== undefined && { query },
    });
    const response = await sendStatement(this.#context, {
      ...request,
      url: `${origin}/?${parameters}`,
      method: "POST",
      headers: {
        "content-type": "text/plain; charset=utf-8",
        "x-clickhouse-user": username === "" ? "default" : username,
        ...password !== "" && { "x-clickhouse-key": password },
      },
    });
    if (response.status === 200) return response;
    throw statementError(origin, response.text || `the response was ${response.status}`);
  }
}

async function readRows(path: string, sink: RowSink): Promise<StatementResult> {
  const lines = linesOf(readTextFile(path));
  const { value: names } = await lines.next();
  if (names === undefined) return { hasRows: false, rowCount: 0 };
  const { value: types } = await lines.next();
  if (types === undefined || !names.startsWith("[")) {
    throw new Error("Invalid sql: its rows have another format; leave FORMAT out");
  }
  const nameTexts = itemsOf(names), typeTexts = itemsOf(types);
  const columns = nameTexts.map((name, index) =>
    columnOf(plainText(name) ?? "", plainText(typeTexts[index] ?? '""') ?? "")
  );
  sink.columns(columns);
  let rowCount = 0;
  for await (const line of lines) {
    sink.row(
      itemsOf(line).map((text, index) =>
        columns[index]?.kind === "json" && text !== "null" ? text : plainText(text)
      ),
    );
    rowCount++;
  }
  return { hasRows: true, rowCount };
}

const KINDS: readonly (readonly [RegExp, CellKind])[] = [
  [/^U?Int\d+$/, "integer"],
  [/^Decimal/, "decimal"],
  [/^(?:Float|BFloat)\d+$/, "float"],
  [/^Bool$/, "boolean"],
  [/^Date(?:32)?$/, "date"],
  [/^DateTime/, "instant"],
  [/^(?:Array|Map|Tuple|Nested|Variant|JSON|Object|Dynamic)\b/, "json"],
];

function columnOf(name: string, type: string): Column {
  const inner = type.replace(/^LowCardinality\((.*)\)$/, "$1").replace(/^Nullable\((.*)\)$/, "$1");
  return { name, kind: KINDS.find(([pattern]) => pattern.test(inner))?.[1] ?? "text" };
}
