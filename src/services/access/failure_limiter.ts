/** Counts failures of callers, to prevent guessing: of passwords, and of the keys of webhooks. */
import { createHash } from "node:crypto";

/** Failures that are accepted within a window. */
interface FailureLimits {
  /** Of one network with one name. */
  readonly ofName: number;
  /** Of one network with any names; bounds the names that are counted for it. */
  readonly ofNetwork: number;
  readonly windowMs: number;
}

/** A name that a caller gave, such as that of a user, and its network, as `networkOf` gives it. */
interface FailurePlace {
  readonly name: string;
  readonly network: string;
}

interface Counter {
  failures: number;
  /** By the hash of the name. */
  readonly ofNames: Map<string, number>;
  readonly endsMs: number;
}

/** Networks with failures. Beyond it the counter that began first is dropped; names never cause that. */
const MAX_NETWORKS = 10_000;
/** Bytes of the hash that stands for a name: 90 bytes of memory for each name, while 200 characters of it took 260. */
const NAME_BYTES = 16;

/** Counts per network, and per name and network, in windows that begin with the first failure of the network. */
export class FailureLimiter {
  readonly #limits: FailureLimits;
  /** In order of their ends. */
  readonly #counters = new Map<string, Counter>();

  constructor(limits: FailureLimits) {
    this.#limits = limits;
  }

  /** Milliseconds until another attempt is accepted; `undefined` if it is now. */
  waitMs({ name, network }: FailurePlace, nowMs: number): number | undefined {
    const counter = this.#counters.get(network);
    if (!counter || counter.endsMs <= nowMs) return undefined;
    const ofName = counter.ofNames.get(hashOf(name)) ?? 0;
    const isOver = ofName >= this.#limits.ofName || counter.failures >= this.#limits.ofNetwork;
    return isOver ? counter.endsMs - nowMs : undefined;
  }

  /** Counts a failure. */
  add({ name, network }: FailurePlace, nowMs: number): void {
    const counter = this.#counterOf(network, nowMs);
    const hash = hashOf(name);
    counter.ofNames.set(hash, (counter.ofNames.get(hash) ?? 0) + 1);
    counter.failures++;
  }

  /** Takes back a failure that was counted before its end was known, and forgets those of the name. */
  forgive({ name, network }: FailurePlace): void {
    const counter = this.#counters.get(network);
    if (!counter) return;
    counter.ofNames.delete(hashOf(name));
    counter.failures--;
  }

  #counterOf(network: string, nowMs: number): Counter {
    const known = this.#counters.get(network);
    if (known && known.endsMs > nowMs) return known;
    this.#counters.delete(network);
    this.#makeRoom(nowMs);
    const counter = { failures: 0, ofNames: new Map(), endsMs: nowMs + this.#limits.windowMs };
    this.#counters.set(network, counter);
    return counter;
  }

  #makeRoom(nowMs: number): void {
    for (const [network, { endsMs }] of this.#counters) {
      if (endsMs > nowMs && this.#counters.size < MAX_NETWORKS) return;
      this.#counters.delete(network);
    }
  }
}

function hashOf(name: string): string {
  return createHash("sha256").update(name).digest().subarray(0, NAME_BYTES).toString("base64");
}
