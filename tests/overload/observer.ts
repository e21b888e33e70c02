/** Measures the server for ordinary clients: they read and start executions at a steady rate. */
import { type Answer, KeepAliveClient } from "../bench/load/keep_alive_client.ts";
import type { Target } from "./target.ts";

/** What the clients have seen. */
export interface Observation {
  readonly reads: readonly number[];
  readonly starts: readonly number[];
  readonly refused: number;
  readonly failed: number;
  /** Ids of the executions whose start was acknowledged. */
  readonly acknowledged: readonly string[];
}

/** Kinds of responses. */
export type Outcome = "served" | "refused" | "failed";

const READ_INTERVAL_MS = 20;
const START_INTERVAL_MS = 40;
/** Requests that are not sent any more after the end: a server that stood still has made them wait. */
const MAX_LATE_MS = 30_000;

/** What a response means for its client: a refusal must say when to try again. */
export function outcomeOf({ status, head }: Pick<Answer, "status" | "head">): Outcome {
  if (status >= 200 && status < 300) return "served";
  const isRefusal = status === 429 || status === 503;
  return isRefusal && /\r\nretry-after: *\d+/i.test(head) ? "refused" : "failed";
}

/** Observes the server for some seconds. */
export async function observe(target: Target, seconds: number): Promise<Observation> {
  const readers = new Pace(target, READ_INTERVAL_MS, () => ({ method: "GET", path: target.readPath }));
  const starters = new Pace(target, START_INTERVAL_MS, () => ({ method: "POST", path: target.startPath }));
  await Promise.all([readers.run(seconds), starters.run(seconds)]);
  return {
    reads: readers.times,
    starts: starters.times,
    refused: readers.refused + starters.refused,
    failed: readers.failed + starters.failed,
    acknowledged: starters.bodies.map((body) => JSON.parse(body).id as string),
  };
}

/**
 * Sends a request at each date of a fixed rate. A time counts from that date: otherwise a server that stands still for ten
 * seconds would delay one request only.
 */
class Pace {
  readonly times: number[] = [];
  readonly bodies: string[] = [];
  refused = 0;
  failed = 0;
  readonly #target: Target;
  readonly #intervalMs: number;
  readonly #next: () => { readonly method: string; readonly path: string };
  #client: KeepAliveClient | undefined;

  constructor(target: Target, intervalMs: number, next: () => { method: string; path: string }) {
    this.#target = target;
    this.#intervalMs = intervalMs;
    this.#next = next;
  }

  async run(seconds: number): Promise<void> {
    const startedAt = performance.now();
    const count = Math.floor(seconds * 1_000 / this.#intervalMs);
    for (let index = 0; index < count; index++) {
      const dueAt = startedAt + index * this.#intervalMs;
      const now = performance.now();
      if (now > startedAt + seconds * 1_000 + MAX_LATE_MS) break;
      if (dueAt > now) await new Promise((resolve) => setTimeout(resolve, dueAt - now));
      await this.#send(dueAt);
    }
    this.#client?.close();
  }

  async #send(dueAt: number): Promise<void> {
    const { method, path } = this.#next();
    try {
      this.#client ??= await KeepAliveClient.connect(this.#target.url, this.#target.headers);
      const answer = await this.#client.request(method, path);
      const outcome = outcomeOf(answer);
      this.times.push(performance.now() - dueAt);
      if (outcome === "refused") this.refused++;
      if (outcome === "failed") this.failed++;
      if (outcome === "served" && method === "POST") this.bodies.push(answer.body);
      if (/\r\nconnection: *close/i.test(answer.head)) this.#disconnect();
    } catch {
      this.failed++;
      this.#disconnect();
    }
  }

  #disconnect(): void {
    this.#client?.close();
    this.#client = undefined;
  }
}
