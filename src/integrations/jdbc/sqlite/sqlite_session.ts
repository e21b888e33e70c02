/** A database of SQLite in the working directory. */
import type { JsonObject } from "../../../base/json.ts";
import type { SqliteDatabase } from "../../../model/ports/sqlite.ts";
import type { MachineWork } from "../../../model/tasks/machine_task.ts";
import { optionalText } from "../../../model/tasks/task_definition.ts";
import { NO_ROWS, type RowSink, type SqlSession, type StatementResult } from "../session.ts";
import type { BoundStatement } from "../sql_text.ts";

/** Opens the file that `url` names, with the content of `sqliteFile`. @throws Error the name leaves the working directory */
export async function openSqlite(context: MachineWork): Promise<SqlSession> {
  const file = fileOf(optionalText(context.properties.url) ?? "");
  const uri = optionalText(context.properties.sqliteFile);
  if (uri !== undefined) await context.createFiles({ [file]: uri });
  return new SqliteSession(context, file, await context.openSqlite(file));
}

/** The name of the file; that of a database in memory is one of its own. */
function fileOf(url: string): string {
  const [, name] = /^(?:jdbc:)?sqlite:([^?]*)/.exec(url.trim()) ?? [];
  if (name === undefined || name.startsWith("/")) {
    throw new Error("Invalid url: it must be like jdbc:sqlite:shop.db, with a file of the working directory");
  }
  return name === "" || name === ":memory:" ? "database.db" : name;
}

class SqliteSession implements SqlSession {
  readonly #context: MachineWork;
  readonly #file: string;
  readonly #database: SqliteDatabase;

  constructor(context: MachineWork, file: string, database: SqliteDatabase) {
    this.#context = context;
    this.#file = file;
    this.#database = database;
  }

  /** @inheritdoc */
  async run({ sql, values }: BoundStatement, sink: RowSink): Promise<StatementResult> {
    let hasRows = false;
    try {
      const rowCount = await this.#database.run(sql, values, {
        columns(names) {
          hasRows = true;
          // Columns of SQLite have no types: each value has one.
          sink.columns(names.map((name) => ({ name, kind: "json" })));
        },
        row: (texts) => sink.row(texts),
      });
      return { hasRows, rowCount };
    } catch (error) {
      throw new Error(`Cannot query "${this.#file}": ${(error as Error).message}`, { cause: error });
    }
  }

  /** @inheritdoc */
  async command(sql: string): Promise<void> {
    await this.run({ sql, values: [] }, NO_ROWS);
  }

  /** @inheritdoc */
  async finish(): Promise<JsonObject> {
    await this.#database.close();
    if (this.#context.properties.outputDbFile !== true) return {};
    const [uri = null] = Object.values(await this.#context.storeFiles([this.#file]));
    return { databaseUri: uri };
  }

  /** @inheritdoc */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#database[Symbol.asyncDispose]();
  }
}
