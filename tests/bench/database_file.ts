/** Looks into the database file of a running server, reading only. */
import { DatabaseSync } from "node:sqlite";
import { decodeJson } from "../../src/store/codec.ts";
import { chainKey } from "../../src/store/keys.ts";

/** Instance whose chain a server of one process writes. */
const INSTANCE = "main";

/** The queue's tables, and the chain that each commit of the server advances by one. */
export class DatabaseFile implements Disposable {
  readonly #database: DatabaseSync;

  /** Opens the file. @throws Error when it is not a database */
  constructor(path: string) {
    this.#database = new DatabaseSync(path, { readOnly: true });
  }

  /**
   * Number of the server's last commit. Not the version in the table `data_version`: each commit raises that by a random
   * number from 1 to 9.
   */
  commitNumber(): number {
    const found = this.#database.prepare("select v from kv where k = ?").get(
      encodeKey(chainKey(INSTANCE).map(String)),
    );
    if (!(found?.v instanceof Uint8Array)) throw new Error("Cannot count commits: the chain key is missing");
    return (decodeJson(found.v) as { seq: number }).seq;
  }

  /** Messages that wait or are being delivered. */
  queueRows(): number {
    const query = "select (select count(*) from queue) + (select count(*) from queue_running) as rows";
    return Number(this.#database.prepare(query).get()?.rows ?? NaN);
  }

  /** Ends looking. */
  [Symbol.dispose](): void {
    this.#database.close();
  }
}

/** As Deno KV stores a key of texts without NUL: each is 2, its UTF-8 bytes, 0. */
function encodeKey(parts: readonly string[]): Uint8Array {
  return new TextEncoder().encode(parts.map((part) => `\u0002${part}\u0000`).join(""));
}
