/** Hashes one password at a time: it takes a processor and 32 MiB. Networks that wait are served in turn, known ones first. */
import { DomainError } from "../../model/errors.ts";

/** A second one would take the other processor of a small machine from those who are logged in. */
const MAX_RUNNING = 1;
/** Log-ins that wait; at the default work the last of them waits eight seconds. */
const MAX_WAITING = 31;
const MAX_WAITING_OF_NETWORK = 8;
/** Networks with a successful log-in; the oldest is forgotten. */
const MAX_KNOWN = 1_000;
const RETRY_AFTER_S = 1;

interface Waiter {
  readonly serve: () => void;
  readonly refuse: (error: DomainError) => void;
}

/** Log-ins that are checked or wait for it. */
export class LoginQueue {
  #running = 0;
  readonly #known = new Set<string>();
  readonly #knownLine = new Line();
  readonly #line = new Line();

  /** Whether log-ins wait for one that is checked. */
  get isWaitedFor(): boolean {
    return this.#waiting > 0;
  }

  get #waiting(): number {
    return this.#knownLine.size + this.#line.size;
  }

  /** Does the work when it is the turn of the network. @throws DomainError too_many_requests */
  async run<T>(network: string, work: () => Promise<T>): Promise<T> {
    if (this.#running < MAX_RUNNING) this.#running++;
    else await this.#turn(network);
    try {
      return await work();
    } finally {
      this.#release();
    }
  }

  /** Call this after a successful log-in: an attacker with many networks must not keep out those that users have. */
  remember(network: string): void {
    this.#known.delete(network);
    this.#known.add(network);
    const [oldest] = this.#known;
    if (this.#known.size > MAX_KNOWN && oldest !== undefined) this.#known.delete(oldest);
  }

  /** Refuses all that wait. */
  [Symbol.dispose](): void {
    for (let waiter = this.#next(); waiter; waiter = this.#next()) {
      waiter.refuse(new DomainError("unavailable", "The server is stopping", { retryAfter: RETRY_AFTER_S }));
    }
  }

  async #turn(network: string): Promise<void> {
    const isKnown = this.#known.has(network);
    const line = isKnown ? this.#knownLine : this.#line;
    const length = line.lengthOf(network);
    if (length >= MAX_WAITING_OF_NETWORK) throw tooMany();
    if (this.#waiting >= MAX_WAITING) {
      const displaced = this.#line.takeOfLongest(isKnown ? 1 : length + 2);
      if (!displaced) throw tooMany();
      displaced.refuse(tooMany());
    }
    const { promise, resolve: serve, reject: refuse } = Promise.withResolvers<void>();
    line.add(network, { serve, refuse });
    await promise;
  }

  #next(): Waiter | undefined {
    return this.#knownLine.take() ?? this.#line.take();
  }

  #release(): void {
    const next = this.#next();
    if (next) next.serve();
    else this.#running--;
  }
}

/** Waiters by network, in turn. */
class Line {
  size = 0;
  /** The first network is served next. */
  readonly #queues = new Map<string, Waiter[]>();

  lengthOf(network: string): number {
    return this.#queues.get(network)?.length ?? 0;
  }

  add(network: string, waiter: Waiter): void {
    const queue = this.#queues.get(network) ?? [];
    queue.push(waiter);
    this.#queues.set(network, queue);
    this.size++;
  }

  /** The next one. */
  take(): Waiter | undefined {
    const [first] = this.#queues;
    if (!first) return undefined;
    const [network, queue] = first;
    this.#queues.delete(network);
    const waiter = queue.shift();
    if (queue.length > 0) this.#queues.set(network, queue);
    this.size--;
    return waiter;
  }

  /** The last one of the network that has most, if they are at least so many. */
  takeOfLongest(min: number): Waiter | undefined {
    let [longest] = this.#queues;
    for (const entry of this.#queues) if (entry[1].length > (longest?.[1].length ?? 0)) longest = entry;
    if (!longest || longest[1].length < min) return undefined;
    const [network, queue] = longest;
    const waiter = queue.pop();
    if (queue.length === 0) this.#queues.delete(network);
    this.size--;
    return waiter;
  }
}

function tooMany(): DomainError {
  return new DomainError("too_many_requests", "Too many log-ins at a time: try again later", {
    retryAfter: RETRY_AFTER_S,
  });
}
