/** Hashes of request contents, to compare requests without storing them. */
import { type BinaryToTextEncoding, createHash } from "node:crypto";
import { type JsonObject, stringifyJson } from "../../base/json.ts";
import type { GivenValue } from "../../model/flows/input_value.ts";
import { throughHash } from "../files/through_hash.ts";
import type { StoreFile } from "./given_files.ts";

/** The SHA-256 of a list of texts. */
export function hashText(texts: readonly string[], encoding: BinaryToTextEncoding = "base64url"): string {
  return createHash("sha256").update(JSON.stringify(texts)).digest(encoding);
}

/** A hash of values and files: independent of how they were sent and where they are stored. */
export class ContentHash {
  readonly #values = new Map<string, string>();
  readonly #files = new Map<string, readonly [name: string, digest: string]>();

  /** Adds the files that are stored through the returned function. */
  hashing(store: StoreFile): StoreFile {
    return async (inputId, { name, stream }) => {
      const hash = createHash("sha256");
      const given = await store(inputId, { name, stream: ReadableStream.from(throughHash(stream, hash)) });
      this.#files.set(inputId || name, [name, hash.digest("base64url")]);
      return given;
    };
  }

  /** Adds the values of inputs, whose files were stored through {@link hashing}. */
  addGiven(given: ReadonlyMap<string, GivenValue>): void {
    for (const [id, value] of given) if (value.kind !== "file") this.#values.set(id, stringifyJson(value));
    // If an input was sent twice, the last value counts.
    for (const id of this.#files.keys()) if (given.get(id)?.kind !== "file") this.#files.delete(id);
  }

  /** Adds a body. */
  addBody(body: JsonObject): void {
    this.#values.set("body", stringifyJson(body));
  }

  /** The hash of all that was added. */
  digest(): string {
    const values = [...this.#values].sort(byName).flat();
    const files = [...this.#files].sort(byName).flat(2);
    return hashText([String(values.length), ...values, ...files]);
  }
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
