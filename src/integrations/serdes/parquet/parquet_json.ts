/** Values of JSON in Parquet. */

/** A value is read in one turn. */
const MAX_JSON_BYTES = 16 * 1024 * 1024;

/** A value that is read when its row is: a small file may stand for more values than memory can hold. */
export class ParquetJson {
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Reads the value. @throws Error it is malformed, or too large */
  read(): unknown {
    const { length } = this.#bytes;
    if (length <= MAX_JSON_BYTES) return JSON.parse(new TextDecoder().decode(this.#bytes));
    throw new Error(
      `Cannot read the file: a value of JSON has ${length} bytes, and at most ${MAX_JSON_BYTES} are possible`,
    );
  }
}
