/** Ids of requests: the caller's own when it is sane, else a new one. */
import type { RandomBytes } from "../../base/id.ts";

const MAX_LENGTH = 64;
const PREFIX_BYTES = 5;

/** Gives ids that are unique within the process and, by a random beginning, most likely beyond it. */
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
    return given !== null && isSane(given) ? given : this.#prefix + (++this.#count).toString(36);
  }
}

/** Letters, digits and `. _ - : /`, which neither break a log line nor a header. */
function isSane(id: string): boolean {
  return id.length <= MAX_LENGTH && /^[\w.:/-]+$/.test(id);
}
