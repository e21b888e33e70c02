/** Fingerprints of what callers send, so that it need not be kept to be compared. */
import { type BinaryToTextEncoding, createHash, type Hash } from "node:crypto";
import { type JsonObject, stringifyJson } from "../../base/json.ts";
import type { GivenValue } from "../../model/flows/input_value.ts";
import type { StoreFile } from "./given_files.ts";

/** The SHA-256 of some texts, which keeps them apart. */
export function hashText(texts: readonly string[], encoding: BinaryToTextEncoding = "base64url"): string {
  return createHash("sha256").update(JSON.stringify(texts)).digest(encoding);
}

/** A fingerprint of values and files: the same ones give the same, however they were sent and wherever they are kept. */
export class ContentHash {
  readonly #values = new Map<string, string>();
  readonly #files = new Map<string, readonly [name: string, digest: string]>();

  /** Takes in files as they pass through. */
  hashing(store: StoreFile): StoreFile {
    return async (inputId, { name, stream }) => {
      const hash = createHash("sha256");
      const given = await store(inputId, { name, stream: ReadableStream.from(throughHash(stream, hash)) });
      this.#files.set(inputId, [name, hash.digest("base64url")]);
      return given;
    };
  }

  /** Takes in the values given for inputs, whose files have passed through {@link hashing}. */
  addGiven(given: ReadonlyMap<string, GivenValue>): void {
    for (const [id, value] of given) if (value.kind !== "file") this.#values.set(id, stringifyJson(value));
    // Of what was sent twice the last counts.
    for (const id of this.#files.keys()) if (given.get(id)?.kind !== "file") this.#files.delete(id);
  }

  /** Takes in a body; where its files are kept is no part of it. */
  addBody(body: JsonObject): void {
    this.#values.set("body", stringifyJson(body));
  }

  /** The fingerprint of all that was taken in. */
  digest(): string {
    const values = [...this.#values].sort(byName).flat();
    const files = [...this.#files].sort(byName).flat(2);
    return hashText([String(values.length), ...values, ...files]);
  }
}

async function* throughHash(stream: ReadableStream<Uint8Array>, hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const chunk of stream) {
    hash.update(chunk);
    yield chunk;
  }
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
