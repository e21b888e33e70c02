/** Hashes a few passwords at a time: each takes 32 MiB. Networks that wait are served in turn. */
import { DomainError } from "../../model/errors.ts";

const MAX_RUNNING = 2;
/** Log-ins that wait; at the default work the last of them waits eight seconds. */
const MAX_WAITING = 62;
const MAX_WAITING_OF_NETWORK = 16;
const RETRY_AFTER_S = 1;

interface Waiter {
  readonly serve: () => void;
  readonly refuse: (error: DomainError) => void;
}

/** Log-ins that are checked or wait for it. */
export class LoginQueue {
  #running = 0;
  #waitingCount = 0;
  /** By network; the first network is served next. */
  readonly #waiting = new Map<string, Waiter[]>();

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

  /** Refuses all that wait. */
  [Symbol.dispose](): void {
    for (const waiter of [...this.#waiting.values()].flat()) {
      waiter.refuse(new DomainError("unavailable", "The server is stopping", { retryAfter: RETRY_AFTER_S }));
    }
    this.#waiting.clear();
    this.#waitingCount = 0;
  }

  async #turn(network: string): Promise<void> {
    const queue = this.#waiting.get(network) ?? [];
    if (queue.length >= MAX_WAITING_OF_NETWORK) throw tooMany();
    if (this.#waitingCount >= MAX_WAITING) this.#displaceFor(queue.length);
    const { promise, resolve: serve, reject: refuse } = Promise.withResolvers<void>();
    queue.push({ serve, refuse });
    this.#waiting.set(network, queue);
    this.#waitingCount++;
    await promise;
  }

  /** Makes room for a network with that many waiters: refuses the last one of the network with the most. */
  #displaceFor(length: number): void {
    let longest: Waiter[] = [];
    for (const queue of this.#waiting.values()) if (queue.length > longest.length) longest = queue;
    if (longest.length <= length + 1) throw tooMany();
    longest.pop()?.refuse(tooMany());
    this.#waitingCount--;
  }

  #release(): void {
    const [next] = this.#waiting;
    if (!next) return void this.#running--;
    const [network, queue] = next;
    const waiter = queue.shift();
    this.#waiting.delete(network);
    if (queue.length > 0) this.#waiting.set(network, queue);
    this.#waitingCount--;
    waiter?.serve();
  }
}

function tooMany(): DomainError {
  return new DomainError("too_many_requests", "Too many log-ins at a time: try again later", {
    retryAfter: RETRY_AFTER_S,
  });
}
