/** What bodies hold in memory while they arrive: together and for each sender it is limited, since slow ones arrive for hours. */
import { DomainError } from "../../model/errors.ts";
import { MAX_HELD_BODY_BYTES, MAX_HELD_BODY_BYTES_PER_CALLER } from "../../model/limits.ts";

/** Names the sender in refusals; `undefined`: only the bound of all counts. */
type Holder = string | undefined;

/** The share of a request, and the sender that it counts for. */
interface Share {
  readonly held: HeldBytes;
  readonly holder: () => Holder;
}

/** `Retry-After` of a refused body, in seconds. */
const RETRY_AFTER_S = 10;
const SHARE = Symbol("share of held bytes");

/** The bytes that all bodies of a server hold. */
export class HeldBytes {
  readonly #max: number;
  readonly #maxPerCaller: number;
  #all = 0;
  readonly #ofHolders = new Map<string, number>();

  constructor(max = MAX_HELD_BODY_BYTES, maxPerCaller = MAX_HELD_BODY_BYTES_PER_CALLER) {
    this.#max = max;
    this.#maxPerCaller = maxPerCaller;
  }

  /** Counts what the body of the request will hold. A property, as that of {@link attachWatcher}. */
  attach(request: Request, holder: () => Holder): void {
    (request as Request & { [SHARE]?: Share })[SHARE] = { held: this, holder };
  }

  /** @throws DomainError too_many_requests: the holder has too much; unavailable: all have too much */
  take(holder: Holder, bytes: number): void {
    const own = holder === undefined ? 0 : this.#ofHolders.get(holder) ?? 0;
    if (holder !== undefined && own + bytes > this.#maxPerCaller) {
      throw refusal("too_many_requests", `bodies of ${holder} may hold ${this.#maxPerCaller}`);
    }
    if (this.#all + bytes > this.#max) {
      throw refusal("unavailable", `bodies of all callers may hold ${this.#max}`);
    }
    this.#all += bytes;
    if (holder !== undefined) this.#ofHolders.set(holder, own + bytes);
  }

  /** Gives back what was taken. */
  release(holder: Holder, bytes: number): void {
    this.#all -= bytes;
    if (holder === undefined) return;
    const left = (this.#ofHolders.get(holder) ?? 0) - bytes;
    if (left > 0) this.#ofHolders.set(holder, left);
    else this.#ofHolders.delete(holder);
  }
}

function refusal(code: "too_many_requests" | "unavailable", reason: string): DomainError {
  const message = `Cannot take the body: ${reason} bytes while they arrive; send fewer at a time`;
  return new DomainError(code, message, { retryAfter: RETRY_AFTER_S });
}

/** What the body of one request holds, until it is disposed. Nothing counts for a request that has no share. */
export class HeldBody implements Disposable {
  readonly #held: HeldBytes | undefined;
  readonly #holder: Holder;
  #bytes = 0;

  constructor(request: Request) {
    const share = (request as Request & { [SHARE]?: Share })[SHARE];
    this.#held = share?.held;
    this.#holder = share?.holder();
  }

  /** @throws DomainError as {@link HeldBytes.take} */
  add(bytes: number): void {
    this.#held?.take(this.#holder, bytes);
    this.#bytes += bytes;
  }

  /** The body is over. */
  [Symbol.dispose](): void {
    this.#held?.release(this.#holder, this.#bytes);
    this.#bytes = 0;
  }
}
