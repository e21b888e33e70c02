/**
 * The thread that runs the statements of a SQLite database. It may read and change one directory alone, which also forbids
 * ATTACH. It imports no other module, which would need a permission to be read.
 */
import { DatabaseSync, type SQLInputValue, type SQLOutputValue } from "node:sqlite";
import type { SqliteLine, SqliteValue, ToSqlite } from "./messages.ts";

/** Characters that are written together. */
const BUFFER_CHARS = 64 * 1024;

/** SQLite refuses a function with a longer name than 255 bytes. */
const REFUSED_NAME = "n".repeat(256);
/** The message of a connection whose last call has not failed. A trigger that raises the same words is not told from that. */
const NO_ERROR = "not an error";

const encoder = new TextEncoder();

/** What the types of the run-time leave out. */
interface ArrayRows {
  setReturnArrays(isOn: boolean): void;
}

/** Output of the process. */
class Output {
  maxRowChars = 0;
  #text = "";

  /** Writes the values of a row. @throws Error they are too long */
  row(values: readonly SQLOutputValue[]): void {
    let left = this.maxRowChars;
    const texts: string[] = [];
    for (const value of values) {
      // Before its text is made, which may be longer than a text can be.
      const isLong = value instanceof Uint8Array && value.length > left;
      const text = isLong ? "" : textOf(value);
      left -= text.length + 1;
      if (isLong || left < -1) throw new Error(`a row has more than ${this.maxRowChars} characters`);
      texts.push(text);
    }
    this.line("R", texts.join("\t"));
  }

  line(kind: SqliteLine, content: string): void {
    this.#text += `${kind}${content}\n`;
    if (this.#text.length >= BUFFER_CHARS) this.flush();
  }

  flush(): void {
    const bytes = encoder.encode(this.#text);
    for (let at = 0; at < bytes.length;) at += Deno.stdout.writeSync(bytes.subarray(at));
    this.#text = "";
  }
}

function serve(): void {
  const output = new Output();
  let database: DatabaseSync | undefined;
  (globalThis as unknown as { onmessage: (event: { readonly data: string }) => void }).onmessage = (
    { data },
  ) => {
    const message: ToSqlite = JSON.parse(data);
    try {
      if (message.type === "open") {
        output.maxRowChars = message.maxRowChars;
        database = open(message);
      } else if (message.type === "run" && database) run(database, message, output);
      else {
        database?.close();
        output.line("E", "0");
      }
    } catch (error) {
      output.line("F", JSON.stringify((error as Error).message));
    }
    output.flush();
  };
}

function open({ directory, file }: ToSqlite & { readonly type: "open" }): DatabaseSync {
  return new DatabaseSync(`${directory}/${file}`, {
    // As the libraries and the shell of SQLite do.
    enableForeignKeyConstraints: false,
    enableDoubleQuotedStringLiterals: true,
  });
}

function run(
  database: DatabaseSync,
  { sql, values }: ToSqlite & { readonly type: "run" },
  output: Output,
): void {
  const statement = database.prepare(sql);
  const inputs = values.map(inputOf);
  const columns = statement.columns();
  if (columns.length === 0) {
    return output.line("E", String(statement.run(...inputs).changes));
  }
  statement.setReadBigInts(true);
  (statement as unknown as ArrayRows).setReturnArrays(true);
  output.line("C", JSON.stringify(columns.map(({ name }) => name)));
  let count = 0;
  for (const row of statement.iterate(...inputs)) {
    output.row(row as unknown as SQLOutputValue[]);
    count++;
  }
  throwLastError(database);
  output.line("E", String(count));
}

/**
 * Fails if the last call of SQLite has failed: the iterator of Deno 2.9.6 ends at an error as it does after the last row. The
 * connection keeps the message until its next call, but none gives it. The error of a refused name does, since SQLite sets no
 * message for it: it has the last one. If SQLite set one, or Deno refused the name, each query would fail.
 * @throws Error with the words of SQLite
 */
function throwLastError(database: DatabaseSync): void {
  try {
    database.function(REFUSED_NAME, () => null);
  } catch (error) {
    if ((error as Error).message === NO_ERROR) return;
    throw error;
  }
  throw new Error(
    "Cannot tell whether the statement has failed: it needs the version of Deno that CONTRIBUTING.md names",
  );
}

function inputOf(value: SqliteValue): SQLInputValue {
  return value !== null && typeof value === "object" ? BigInt(value.integer) : value;
}

/** JSON without a tab: those of texts are escaped. */
function textOf(value: SQLOutputValue): string {
  if (value === null) return "null";
  if (typeof value === "bigint") return String(value);
  if (typeof value === "number") return realText(value);
  return JSON.stringify(value instanceof Uint8Array ? value.toBase64() : value);
}

/** A real number remains one. */
function realText(value: number): string {
  if (!Number.isFinite(value)) return JSON.stringify(String(value));
  return Number.isInteger(value) && Math.abs(value) < 1e21 ? `${value}.0` : String(value);
}

serve();
