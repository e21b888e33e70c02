/** Clients that start executions at all servers of a cluster, and what they were told. */
import { Chance } from "../crash/chance.ts";
import { pause } from "./cluster.ts";

/** A flow whose first task is pure, so that the rest runs after the response. */
const FLOW = `
id: two
namespace: demo
tasks:
  - {id: first, type: io.svc.plugin.core.debug.Return, format: "{{ execution.id }}"}
  - {id: sleep, type: io.svc.plugin.core.flow.Sleep, duration: PT0.1S}
`;
const STARTS = "/api/v1/main/executions/demo/two";
/** A client that waits for a frozen server longer measures nothing else. */
const TIMEOUT_MS = 3_000;
const PAUSE_MS = 20;
/** Interval of reads of all executions. */
const READ_MS = 500;
/** Size of the pages in which executions are read. */
const PAGE = 100;
/** After so long without an end of an execution none is expected. */
const STUCK_MS = 60_000;

/** An acknowledged start. */
interface Acknowledged {
  readonly id: string;
  readonly key: string;
  /** When it was sent, and when it was acknowledged. */
  readonly sentMs: number;
  readonly atMs: number;
}

interface StoredExecution {
  readonly id: string;
  readonly state: { readonly current: string };
  readonly labels?: readonly { readonly key: string; readonly value: string }[];
}

/** What is wrong with the data. */
export interface LoadFindings {
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
  readonly notEnded: readonly string[];
}

/** The clients. */
export class Load {
  readonly acknowledged: Acknowledged[] = [];
  /** Responses that acknowledged nothing, by status; 0: none came. */
  readonly refused = new Map<number, number>();
  readonly #urls: () => readonly string[];
  readonly #chance: Chance;
  readonly #waiters = new Set<() => void>();
  readonly #clients: Promise<void>[];
  #keys = 0;
  #isStopped = false;

  private constructor(urls: () => readonly string[], clients: number, seed: number) {
    this.#urls = urls;
    this.#chance = new Chance(seed);
    this.#clients = Array.from({ length: clients }, () => this.#run());
  }

  /** Saves the flow and starts the clients; `urls` are those of the servers that run. */
  static async start(
    urls: () => readonly string[],
    options: { clients: number; seed: number },
  ): Promise<Load> {
    const headers = { "content-type": "application/x-yaml" };
    const response = await fetch(`${urls()[0]}/api/v1/main/flows`, { method: "POST", headers, body: FLOW });
    const text = await response.text();
    if (!response.ok) throw new Error(`The flow is refused: ${response.status} ${text}`);
    return new Load(urls, options.clients, options.seed);
  }

  /** Waits for the acknowledgement of a start that was sent after `sinceMs`; milliseconds from then to it. */
  async nextAcknowledged(sinceMs: number): Promise<number> {
    for (;;) {
      const found = this.acknowledged.findLast(({ sentMs }) => sentMs >= sinceMs);
      const first = found && this.acknowledged.find(({ sentMs }) => sentMs >= sinceMs);
      if (first) return first.atMs - sinceMs;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiters.add(resolve);
      await promise;
      this.#waiters.delete(resolve);
    }
  }

  /** Stops the clients. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#clients);
  }

  /** Compares what was acknowledged with what is stored, once all executions have ended. */
  async verify(url: string): Promise<LoadFindings> {
    const stored = await untilEnded(url);
    const byId = new Map(stored.map((execution) => [execution.id, execution]));
    const byKey = new Map<string, number>();
    for (const { labels = [] } of stored) {
      const key = labels.find((label) => label.key === "start")?.value ?? "";
      byKey.set(key, (byKey.get(key) ?? 0) + 1);
    }
    return {
      lost: this.acknowledged.filter(({ id }) => !byId.has(id)).map(({ id }) => id),
      doubled: [...byKey].filter(([, count]) => count > 1).map(([key]) => key),
      notEnded: stored.filter(({ state }) => state.current !== "SUCCESS").map(({ id }) => id),
    };
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      const key = `s${++this.#keys}`;
      // Sent again until it is acknowledged: the key makes that one start.
      while (!await this.#send(key) && !this.#isStopped) await pause(PAUSE_MS);
      await pause(PAUSE_MS);
    }
  }

  async #send(key: string): Promise<boolean> {
    const url = this.#chance.pick(this.#urls());
    const sentMs = performance.now();
    try {
      const response = await fetch(`${url}${STARTS}?labels=start:${key}`, {
        method: "POST",
        headers: { "idempotency-key": key },
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const text = await response.text();
      if (!response.ok) return this.#refuse(response.status);
      this.acknowledged.push({ id: JSON.parse(text).id, key, sentMs, atMs: performance.now() });
      for (const resolve of this.#waiters) resolve();
      return true;
    } catch {
      return this.#refuse(0);
    }
  }

  #refuse(status: number): false {
    this.refused.set(status, (this.refused.get(status) ?? 0) + 1);
    return false;
  }
}

/** All executions, once they have ended. */
async function untilEnded(url: string): Promise<StoredExecution[]> {
  let open = Infinity;
  let sinceMs = performance.now();
  for (;;) {
    const stored = await readExecutions(url);
    const left = stored.filter(({ state }) => ["CREATED", "RUNNING"].includes(state.current)).length;
    if (left < open) sinceMs = performance.now();
    open = left;
    if (left === 0 || performance.now() - sinceMs > STUCK_MS) return stored;
    await pause(READ_MS);
  }
}

async function readExecutions(url: string): Promise<StoredExecution[]> {
  const found: StoredExecution[] = [];
  for (let page = 1;; page++) {
    const query = `namespace=demo&size=${PAGE}&page=${page}&sort=state.startDate:asc`;
    const results = await readPage(`${url}/api/v1/main/executions/search?${query}`);
    found.push(...results);
    if (results.length < PAGE) return found;
  }
}

/** A server that has lost its lease on a loaded machine has another leader soon. */
async function readPage(url: string): Promise<readonly StoredExecution[]> {
  for (;;) {
    const response = await fetch(url);
    const text = await response.text();
    if (response.ok) return JSON.parse(text).results;
    if (response.status !== 503) throw new Error(`GET ${url}: ${response.status} ${text}`);
    await pause(PAUSE_MS);
  }
}
