/** Starts the processes of SQLite databases. */
import { Double, type JsonValue, stringifyJson } from "../../base/json.ts";
import { sourceUrl } from "../../base/source_url.ts";
import type { SqliteDatabase, SqlitePlace, SqlitePort, SqliteRows } from "../../model/ports/sqlite.ts";
import { HostProcess } from "../host_process.ts";
import { FairSlots } from "../../base/fair_slots.ts";
import type { SqliteLine, SqliteValue, ToSqlite } from "./messages.ts";

const HOST = Object.freeze({
  command: "sqlite-host",
  module: sourceUrl("machine/sqlite/host.ts"),
  permissions: ["--allow-read", "--allow-write", "--unstable-worker-options"],
});

/** A row is held several times on its way, by each database that runs. */
const MAX_ROW_CHARS = 16 * 1024 * 1024;

/** Runs databases, a bounded number at a time. */
export class SqliteProcesses implements SqlitePort {
  /** A process takes some 60 MB and one processor. */
  readonly #slots = new FairSlots(Math.max(4, 2 * navigator.hardwareConcurrency));

  /** @inheritdoc */
  async open(place: SqlitePlace): Promise<SqliteDatabase> {
    const { owner, signal } = place;
    const begun = await this.#slots.begin(owner, signal, (release) => new SqliteProcess(place, release));
    if (begun) return begun;
    throw new Error("The attempt must stop");
  }
}

/** One database. */
class SqliteProcess implements SqliteDatabase {
  readonly #process: HostProcess;
  readonly #signal: AbortSignal;
  readonly #release: () => void;

  constructor({ directory, file, signal }: SqlitePlace, release: () => void) {
    this.#release = release;
    this.#signal = signal;
    this.#process = new HostProcess(HOST, { maxLineChars: MAX_ROW_CHARS + 1, signal });
    this.#send({ type: "open", directory, file, maxRowChars: MAX_ROW_CHARS });
  }

  /** @inheritdoc */
  async run(sql: string, values: readonly JsonValue[], rows: SqliteRows): Promise<number> {
    return await this.#response({ type: "run", sql, values: values.map(valueOf) }, rows);
  }

  /** @inheritdoc */
  async close(): Promise<void> {
    await this.#response({ type: "close" });
  }

  /** @inheritdoc */
  async [Symbol.asyncDispose](): Promise<void> {
    // A process that is killed between two statements leaves its file as the last commit did.
    await this.#process[Symbol.asyncDispose]();
    this.#release();
  }

  async #response(message: ToSqlite, rows?: SqliteRows): Promise<number> {
    this.#send(message);
    for (;;) {
      const line = await this.#process.receive();
      if (line === undefined) throw await this.#ended();
      const [kind, content] = [line.charAt(0) as SqliteLine, line.slice(1)];
      if (kind === "R") rows?.row(content.split("\t"));
      else if (kind === "C") rows?.columns(JSON.parse(content));
      else if (kind === "F") throw new Error(JSON.parse(content));
      else return Number(content);
    }
  }

  async #ended(): Promise<Error> {
    if (this.#signal.aborted) return new Error("The attempt must stop");
    const { cause, errors } = await this.#process.end();
    return new Error(`The process of the database ended with ${cause}: ${errors}`);
  }

  #send(message: ToSqlite): void {
    this.#process.send(JSON.stringify(message));
  }
}

/** Lists and objects are JSON. */
function valueOf(value: JsonValue): SqliteValue {
  if (value === null || typeof value === "string") return value;
  if (typeof value === "boolean") return { integer: value ? "1" : "0" };
  if (typeof value === "bigint") return { integer: String(value) };
  if (value instanceof Double) return Number(value);
  if (typeof value === "number") return Number.isInteger(value) ? { integer: String(value) } : value;
  return stringifyJson(value);
}
