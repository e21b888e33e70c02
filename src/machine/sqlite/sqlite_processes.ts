/** Starts the processes of SQLite databases. */
import { Double, type JsonValue, stringifyJson } from "../../base/json.ts";
import { sourceUrl } from "../../base/source_url.ts";
import type { SqliteDatabase, SqlitePlace, SqlitePort, SqliteRows } from "../../model/ports/sqlite.ts";
import { killHostProcess, readErrors, startHostProcess } from "../host_process.ts";
import { readLines } from "../json_lines.ts";
import { FairSlots } from "../scripts/process_slots.ts";
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
  readonly #child: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Uint8Array>;
  readonly #lines: AsyncGenerator<string>;
  readonly #errors: Promise<string>;
  readonly #signal: AbortSignal;
  readonly #release: () => void;
  readonly #stop = () => killHostProcess(this.#child);

  constructor({ directory, file, signal }: SqlitePlace, release: () => void) {
    this.#release = release;
    this.#signal = signal;
    this.#child = startHostProcess(HOST);
    this.#input = this.#child.stdin.getWriter();
    this.#input.closed.catch(() => {}); // The end of the process is seen at its output.
    this.#lines = readLines(this.#child.stdout, MAX_ROW_CHARS + 1);
    this.#errors = readErrors(this.#child.stderr);
    signal.addEventListener("abort", this.#stop, { once: true });
    if (signal.aborted) this.#stop();
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
    this.#signal.removeEventListener("abort", this.#stop);
    // A process that is killed between two statements leaves its file as the last commit did.
    killHostProcess(this.#child);
    await this.#input.abort().catch(() => {});
    await this.#lines.return(undefined);
    await this.#child.stdout.cancel().catch(() => {});
    await this.#errors;
    await this.#child.status;
    this.#release();
  }

  async #response(message: ToSqlite, rows?: SqliteRows): Promise<number> {
    this.#send(message);
    for (;;) {
      const { value: line } = await this.#lines.next();
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
    const { code, signal } = await this.#child.status;
    const errors = (await this.#errors).trim();
    return new Error(`The process of the database ended with ${signal ?? `code ${code}`}: ${errors}`);
  }

  #send(message: ToSqlite): void {
    this.#input.write(new TextEncoder().encode(`${JSON.stringify(message)}\n`)).catch(() => {});
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
