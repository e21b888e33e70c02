/**
 * A store of embeddings in a table of PostgreSQL with the extension pgvector. The table has the columns that other servers of
 * this language give it, so that it can be shared with them. https://github.com/pgvector/pgvector
 */
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  stringifyJson,
  tryParseJson,
} from "../../../base/json.ts";
import type { ServerTaskContext } from "../../../model/tasks/server_task.ts";
import type { Cell } from "../../jdbc/cells.ts";
import { POSTGRESQL_ADDRESS } from "../../jdbc/postgresql/database.ts";
import { openPostgresql, type PostgresqlSession } from "../../jdbc/postgresql/postgresql_session.ts";
import { NO_ROWS } from "../../jdbc/session.ts";
import type { EmbeddedText, EmbeddingStore, FoundText, StoreOptions, StoreQuery } from "./embedded_text.ts";

/** Rows of a list of the index, as the documentation of pgvector advises for up to a million rows. */
const ROWS_PER_LIST = 1_000;
const TABLE = /^[\p{L}_][\p{L}\p{N}_$]*(?:\.[\p{L}_][\p{L}\p{N}_$]*)?$/u;

/** An open store: changes are one transaction, which `save` commits. */
export class PgVectorStore implements EmbeddingStore {
  readonly #session: PostgresqlSession;
  readonly #part: JsonObject;
  readonly #table: string;
  #isDropping: boolean;
  /** Within a transaction. */
  #isChanging = false;
  #hasNewRows = false;

  private constructor(
    session: PostgresqlSession,
    part: JsonObject,
    { table, isDropped }: StoreOptions & { readonly table: string },
  ) {
    this.#session = session;
    this.#part = part;
    this.#table = table;
    this.#isDropping = isDropped;
  }

  /** Connects. @throws Error the table has no valid name, or the database refuses the user */
  static async open(
    context: ServerTaskContext,
    part: JsonObject,
    { isDropped }: StoreOptions,
  ): Promise<PgVectorStore> {
    const table = String(part.table);
    // It is not quoted, as others do it: capital letters mean small ones.
    if (!TABLE.test(table)) throw new Error(`Invalid table: "${table}" is no name of a table`);
    const { host, port, user, password, database } = part;
    const name = String(host).includes(":") ? `[${host}]` : String(host);
    const url = `jdbc:postgresql://${name}:${port}/${encodeURIComponent(String(database))}`;
    const session = await openPostgresql({
      properties: { url, username: user ?? null, password: password ?? null },
      signal: context.signal,
      log: (level, message) => context.log(level, message),
      connectAddress: (target, at) => context.connectAddress(target, at),
    }, POSTGRESQL_ADDRESS);
    return new PgVectorStore(session, part, { table, isDropped });
  }

  /** @inheritdoc */
  async add(texts: readonly EmbeddedText[]): Promise<void> {
    const [first] = texts;
    if (!first) return;
    await this.#begin();
    await this.#session.command(
      `CREATE TABLE IF NOT EXISTS ${this.#table} (embedding_id UUID PRIMARY KEY, embedding vector(${first.vector.length}), ` +
        "text TEXT NULL, metadata JSON NULL)",
    );
    const rows = texts.map(({ text, metadata, vector }) => ({
      embedding: stringifyJson([...vector]),
      text,
      metadata,
    }));
    await this.#session.run({
      sql: `INSERT INTO ${this.#table} (embedding_id, embedding, text, metadata) ` +
        "SELECT gen_random_uuid(), embedding::vector, text, metadata " +
        "FROM json_to_recordset($1) AS given(embedding text, text text, metadata json)",
      values: [stringifyJson(rows)],
    }, NO_ROWS);
    this.#hasNewRows = true;
  }

  /** @inheritdoc */
  async search({ vector, maxResults, minScore }: StoreQuery): Promise<FoundText[]> {
    const found: FoundText[] = [];
    // A vector without length has the distance NaN, which is sorted last; its score is 0.
    const sql = "SELECT text, metadata::text, score FROM (" +
      "SELECT text, metadata, COALESCE(NULLIF(1 - distance / 2, 'NaN'), 0) AS score FROM (" +
      `SELECT text, metadata, embedding <=> $1::vector AS distance FROM ${this.#table} ORDER BY distance LIMIT $2::int` +
      ") AS nearest) AS scored WHERE score >= $3::float8 ORDER BY score DESC";
    await this.#session.run({ sql, values: [stringifyJson([...vector]), maxResults, minScore] }, {
      columns: () => {},
      row: (cells) => void found.push(foundText(cells)),
    });
    return found;
  }

  /** @inheritdoc */
  async save(): Promise<JsonObject> {
    if (this.#isDropping) await this.#begin();
    if (this.#part.useIndex === true && this.#hasNewRows) await this.#createIndex();
    if (this.#isChanging) await this.#session.command("COMMIT");
    this.#isChanging = false;
    return { table: this.#table };
  }

  /** Closes the connection; what was not saved is undone. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#session[Symbol.asyncDispose]();
  }

  async #begin(): Promise<void> {
    if (this.#isChanging) return;
    // Only owners of the database may create the extension; often it is there. Else each use would log that it exists.
    await this.#session.command("SET client_min_messages TO warning");
    await this.#session.command("BEGIN");
    this.#isChanging = true;
    await this.#session.command("CREATE EXTENSION IF NOT EXISTS vector");
    if (this.#isDropping) await this.#session.command(`DROP TABLE IF EXISTS ${this.#table}`);
    this.#isDropping = false;
  }

  /** After the rows are there: the lists of the index follow from them. */
  async #createIndex(): Promise<void> {
    let rows = 0;
    const sql = `SELECT count(*)::text FROM ${this.#table}`;
    await this.#session.run({ sql, values: [] }, {
      columns: () => {},
      row: ([count]) => {
        rows = Number(count);
      },
    });
    const lists = Math.max(1, Math.ceil(rows / ROWS_PER_LIST));
    const name = `${this.#table.slice(this.#table.indexOf(".") + 1)}_ivfflat_index`;
    await this.#session.command(
      `CREATE INDEX IF NOT EXISTS ${name} ON ${this.#table} USING ivfflat (embedding vector_cosine_ops) WITH (lists = ${lists})`,
    );
  }
}

function foundText([text, metadata, score]: readonly Cell[]): FoundText {
  const facts: JsonValue | undefined = metadata === null ? undefined : tryParseJson(String(metadata));
  return {
    text: String(text ?? ""),
    metadata: isJsonObject(facts) ? facts : {},
    score: Number(score),
  };
}
