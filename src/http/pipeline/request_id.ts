/** Ids of requests: the id of the caller if valid, else a new one. */
import type { RandomBytes } from "../../base/id.ts";

const MAX_LENGTH = 64;
const PREFIX_BYTES = 5;

/** Creates ids that are unique within the process and, by a random prefix, most likely globally. */
export class RequestIds {
  readonly #prefix: string;
  #count = 0;

  constructor(randomBytes: RandomBytes) {
    const bytes = new Uint8Array(PREFIX_BYTES);
    randomBytes(bytes);
    this.#prefix = `${bytes.toHex()}-`;
  }

  /** The id of a request that carries this `X-Request-Id`. */
  of(given: string | null): string {
    return given !== null && isValid(given) ? given : this.#prefix + (++this.#count).toString(36);
  }
}

/** Letters, digits and `. _ - : /`, which are safe in log lines and headers. */
function isValid(id: string): boolean {
  return id.length <= MAX_LENGTH && /^[\w.:/-]+$/.test(id);
}
