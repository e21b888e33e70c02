/** Sends the requests of a run on several connections, judges the responses, and keeps what it found. */
import { afterWarmUp, type Sample, type Trend, trendOf } from "../../soak/trend.ts";
import { boundExecutions, fillServer, tidyServer } from "./fixtures.ts";
import type { FuzzedServer } from "./fuzzed_server.ts";
import type { HttpFinding } from "./findings.ts";
import { type Generator, requestAt } from "./generate.ts";
import { judge, maxMsOf, type Mistake } from "./judge.ts";
import { IdPool } from "./pool.ts";
import { smallerRequest } from "./smaller.ts";
import type { FuzzRequest } from "./message.ts";
import { Wire, WireEnd, type WireResponse, WireTimeout } from "./wire.ts";

/** How to run. */
export interface CampaignOptions {
  readonly requests: number;
  readonly seed: number;
  readonly connections: number;
  /** Requests a second at most. */
  readonly rate: number;
  /** The run ends after them, also before its last request. */
  readonly minutes: number;
  /** Ends the run in good order. */
  readonly signal?: AbortSignal;
  readonly report: (line: string) => void;
  readonly found: (finding: HttpFinding) => Promise<void>;
}

/** What a run did. */
export interface CampaignResult {
  readonly sent: number;
  readonly seconds: number;
  readonly findings: number;
  readonly statuses: ReadonlyMap<number, number>;
  readonly operations: number;
  readonly slowestMs: number;
  /** Resident memory after the warm-up, in bytes. */
  readonly memory: Trend;
}

/** What a connection sends now. */
interface UnderWay {
  readonly request: FuzzRequest;
  readonly index: number;
  readonly sinceMs: number;
  readonly wire: Wire;
}

type Outcome = { readonly response?: WireResponse; readonly ms: number; readonly reason?: string };

const TIDY_EVERY = 10_000;
const FILL_EVERY = 2_500;
/** Requests that replay all executions would soon make so many that a list of them takes long. */
const MAX_EXECUTIONS = 8_000;
const REPORT_EVERY = 20_000;
const WATCH_MS = 200;
const SAMPLE_MS = 5_000;
/** A response that takes longer never comes. */
const HANG_MS = 20_000;
const MAX_FINDINGS = 60;
/** Requests that are kept with a finding. */
const BEFORE = 60;
const SLOW_TRIES = 3;
const WARM_UP_SHARE = 0.4;
/** Growth of the resident memory that counts as flat, in bytes an hour. */
const MAX_GROWTH_AN_HOUR = 64 * 1024 * 1024;
/** A wait is asked for, the flow of a webhook decides, or a stream waits for an execution that has not been started yet. */
const MAY_WAIT = /wait|\/webhook\/|\/follow/i;
/** How long the run waits for those. */
const PATIENCE_MS = 400;

/** Runs on a server that has just started. */
export async function fuzzHttp(server: FuzzedServer, options: CampaignOptions): Promise<CampaignResult> {
  return await new Campaign(server, options).run();
}

class Campaign {
  readonly #server: FuzzedServer;
  readonly #options: CampaignOptions;
  readonly #pool = new IdPool();
  readonly #generator: Generator;
  readonly #underWay = new Map<number, UnderWay>();
  readonly #known = new Set<string>();
  readonly #statuses = new Map<number, number>();
  readonly #operations = new Set<string>();
  readonly #memory: Sample[] = [];
  /** The last requests, of all connections. */
  readonly #before: FuzzRequest[] = [];
  readonly #startedMs = performance.now();
  #next = 0;
  #done = 0;
  #slowestMs = 0;
  #hasEnded = false;
  /** While a request is sent alone, the connections wait for this. */
  #held: Promise<void> | undefined;
  #loggedErrors = 0;
  /** Checks that need the server for themselves, one after the other. */
  #aside: Promise<unknown> = Promise.resolve();

  constructor(server: FuzzedServer, options: CampaignOptions) {
    this.#server = server;
    this.#options = options;
    const { rules: { description }, authorization } = server;
    this.#generator = { description, pool: this.#pool, seed: options.seed, authorization };
  }

  async run(): Promise<CampaignResult> {
    await fillServer(this.#server.send, this.#pool);
    void this.#server.process.finished.then(() => this.#hasEnded = true);
    const watch = setInterval(() => this.#watch(), WATCH_MS);
    const samples = setInterval(() => void this.#sample(), SAMPLE_MS);
    try {
      await Promise.all(Array.from({ length: this.#options.connections }, (_, lane) => this.#lane(lane)));
      await this.#aside;
    } finally {
      clearInterval(watch);
      clearInterval(samples);
    }
    const finding = this.#hasEnded && !this.#isStopped
      ? { kind: "the server ended", detail: this.#server.process.log.slice(-5_000) }
      : undefined;
    if (finding) {
      await this.#note(finding, this.#options.requests, { method: "", target: "", headers: [] });
    }
    return {
      sent: this.#done,
      seconds: (performance.now() - this.#startedMs) / 1_000,
      findings: this.#known.size,
      statuses: this.#statuses,
      operations: this.#operations.size,
      slowestMs: this.#slowestMs,
      memory: trendOf(afterWarmUp(this.#memory, WARM_UP_SHARE), MAX_GROWTH_AN_HOUR),
    };
  }

  /** One connection, renewed when the server closes it. */
  async #lane(lane: number): Promise<void> {
    let wire: Wire | undefined;
    while (this.#next < this.#options.requests && !this.#isOver()) {
      const index = this.#next++;
      await this.#pace(index);
      await this.#held;
      await this.#maintain(index).catch((error) => {
        if (!this.#isStopped) throw error;
      });
      const request = requestAt(this.#generator, index);
      if (request.raw) wire = void wire?.[Symbol.dispose]();
      const outcome = await this.#exchange(lane, index, request, wire);
      wire = outcome.wire;
      // The same signal of a terminal ends the server, too.
      if (this.#isStopped) break;
      this.#done++;
      await this.#check(index, request, outcome);
      this.#before.push(request);
      if (this.#before.length > BEFORE) this.#before.shift();
    }
    wire?.[Symbol.dispose]();
  }

  get #isStopped(): boolean {
    return this.#options.signal?.aborted ?? false;
  }

  #isOver(): boolean {
    const minutes = (performance.now() - this.#startedMs) / 60_000;
    return this.#isStopped || this.#hasEnded || this.#known.size >= MAX_FINDINGS ||
      minutes >= this.#options.minutes;
  }

  async #exchange(
    lane: number,
    index: number,
    request: FuzzRequest,
    open: Wire | undefined,
  ): Promise<Outcome & { readonly wire?: Wire }> {
    const sinceMs = performance.now();
    let isNew = open === undefined;
    for (let wire = open;; wire = undefined, isNew = true) {
      try {
        wire ??= await Wire.connect(this.#server.port);
        this.#underWay.set(lane, { request, index, sinceMs, wire });
        const response = await wire.exchange(request);
        const ms = performance.now() - sinceMs;
        if (!response.isReusable) wire[Symbol.dispose]();
        return { response, ms, wire: response.isReusable ? wire : undefined };
      } catch (error) {
        wire?.[Symbol.dispose]();
        if (!(error instanceof WireEnd) && !(error instanceof Deno.errors.ConnectionRefused)) throw error;
        // The server may close a connection between two requests.
        if (isNew || error instanceof WireTimeout) {
          return { ms: performance.now() - sinceMs, reason: error.message };
        }
      } finally {
        this.#underWay.delete(lane);
      }
    }
  }

  async #check(index: number, request: FuzzRequest, outcome: Outcome): Promise<void> {
    const { response, ms } = outcome;
    if (!MAY_WAIT.test(request.target)) this.#slowestMs = Math.max(this.#slowestMs, ms);
    if (ms > maxMsOf(request, response) && !MAY_WAIT.test(request.target)) {
      this.#suspect([{ request, index }, ...this.#underWay.values()]);
    }
    this.#count(request, response);
    const mistake = this.#mistakeOf(request, outcome);
    if (!mistake) return;
    await this.#note(await this.#explained(mistake, response), index, request);
  }

  #count(request: FuzzRequest, response: WireResponse | undefined): void {
    const status = response?.status ?? 0;
    this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1);
    if (!response || status >= 400 || request.raw) return;
    const path = request.target.split("?", 1)[0] ?? "";
    for (const { key } of this.#server.rules.description.matching(request.method, path).slice(0, 1)) {
      this.#operations.add(key);
    }
    if (request.method !== "GET" || path.includes("/executions/")) {
      this.#pool.learn(path, new TextDecoder().decode(response.body.subarray(0, 20_000)));
    }
  }

  #mistakeOf(request: FuzzRequest, { response, reason }: Outcome): Mistake | undefined {
    if (response) return judge(request, response, this.#server.rules);
    // A message that ends too early has no response.
    if (request.raw || this.#hasEnded || MAY_WAIT.test(request.target)) return undefined;
    return { kind: `no response | ${request.method}`, detail: reason ?? "" };
  }

  /** With the reason that the server has logged. */
  async #explained(mistake: Mistake, response?: WireResponse): Promise<Mistake> {
    if ((response?.status ?? 0) < 500) return mistake;
    const id = response?.headers.get("x-request-id");
    for (let tries = 0; tries < 20; tries++) {
      const reason = this.#server.errors().find(({ requestId }) => requestId === id)?.reason;
      if (reason !== undefined) {
        const [, frame = ""] = /(src\/[\w/]+\.ts:\d+)/.exec(reason) ?? [];
        return {
          kind: `${response?.status} ${kindText(reason)} | ${frame}`,
          detail: `${mistake.kind}\n${reason}`,
        };
      }
      await pause(50);
    }
    return mistake;
  }

  async #note(mistake: Mistake, index: number, request: FuzzRequest): Promise<void> {
    if (this.#known.has(mistake.kind)) return;
    this.#known.add(mistake.kind);
    const smallest = this.#hasEnded ? request : await smallerRequest(request, async (candidate) => {
      const outcome = await this.#alone(candidate);
      const again = this.#mistakeOf(candidate, outcome);
      return again !== undefined && (await this.#explained(again, outcome.response)).kind === mistake.kind;
    });
    const ids = this.#pool.snapshot();
    await this.#options.found({
      ...mistake,
      seed: this.#options.seed,
      index,
      request: smallest,
      before: [...this.#before],
      ids,
    });
  }

  /** A request was slow: it is sent again alone, and so are those that were under way beside it. */
  #suspect(suspects: readonly { readonly request: FuzzRequest; readonly index: number }[]): void {
    if (this.#known.size >= MAX_FINDINGS) return;
    this.#aside = this.#aside.then(async () => {
      for (const { request, index } of suspects) {
        if (request.raw || MAY_WAIT.test(request.target)) continue;
        if (await this.#withoutOthers(() => this.#isSlow(request))) {
          const key = this.#server.rules.description.matching(
            request.method,
            request.target.split("?")[0] ?? "",
          )[0]?.key;
          const kind = `slow | ${key ?? request.method}`;
          if (!this.#known.has(kind)) {
            this.#known.add(kind);
            const ids = this.#pool.snapshot();
            await this.#options.found({
              kind,
              detail: "It takes too long, also alone",
              seed: this.#options.seed,
              index,
              request,
              before: [],
              ids,
            });
          }
        }
      }
    });
  }

  /** Holds the connections back during `work`: on a server that works without pause, a long response takes its share of each. */
  async #withoutOthers<T>(work: () => Promise<T>): Promise<T> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#held = promise;
    try {
      while (this.#underWay.size > 0) await pause(WATCH_MS);
      return await work();
    } finally {
      this.#held = undefined;
      resolve();
    }
  }

  async #isSlow(request: FuzzRequest): Promise<boolean> {
    for (let tries = 0; tries < SLOW_TRIES; tries++) {
      if (this.#hasEnded) return false;
      await boundExecutions(this.#server.send, MAX_EXECUTIONS);
      const { response, ms } = await this.#alone(request);
      if (ms <= maxMsOf(request, response)) return false;
    }
    return true;
  }

  /** The request on a connection of its own. */
  async #alone(request: FuzzRequest): Promise<Outcome> {
    const lane = -1 - Math.floor(Math.random() * 1e9);
    const { wire, ...outcome } = await this.#exchange(lane, -1, request, undefined);
    wire?.[Symbol.dispose]();
    return outcome;
  }

  async #pace(index: number): Promise<void> {
    const dueMs = this.#startedMs + index * 1_000 / this.#options.rate;
    const waitMs = dueMs - performance.now();
    if (waitMs > 0) await pause(waitMs);
  }

  async #maintain(index: number): Promise<void> {
    if (index > 0 && index % TIDY_EVERY === 0) await tidyServer(this.#server.send);
    if (index > 0 && index % FILL_EVERY === 0) {
      await boundExecutions(this.#server.send, MAX_EXECUTIONS);
      await fillServer(this.#server.send, this.#pool);
    }
    if (index > 0 && index % REPORT_EVERY === 0) await this.#reportProgress();
  }

  async #reportProgress(): Promise<void> {
    const seconds = (performance.now() - this.#startedMs) / 1_000;
    const megabytes = (this.#memory.at(-1)?.value ?? 0) / 1e6;
    this.#options.report(
      `${this.#done} requests, ${
        Math.round(this.#done / seconds)
      } a second, ${this.#operations.size} operations, ` +
        `${megabytes.toFixed(0)} MB, ${this.#known.size} findings`,
    );
    const errors = this.#server.errors();
    for (const { message = "", error = "", reason = error } of errors.slice(this.#loggedErrors)) {
      const [, frame = ""] = /(src\/[\w/]+\.ts:\d+)/.exec(reason) ?? [];
      const kind = `log: ${message} | ${frame}`;
      if (message === "A request failed" || this.#known.has(kind)) continue;
      await this.#note({ kind, detail: reason }, this.#done, { method: "", target: "", headers: [] });
    }
    this.#loggedErrors = errors.length;
  }

  #watch(): void {
    for (const { wire, sinceMs, request } of this.#underWay.values()) {
      if (performance.now() - sinceMs > patienceFor(request)) wire[Symbol.dispose]();
    }
  }

  async #sample(): Promise<void> {
    if (this.#hasEnded) return;
    this.#memory.push({ atMs: performance.now(), value: await this.#server.residentBytes() });
  }
}

/** The first line of a reason, without what differs between requests. */
function kindText(reason: string): string {
  const [first = ""] = reason.split("\n", 1);
  return first.replace(/'[^']*'|"(?:[^"\\]|\\.)*"|\d+/g, "…").slice(0, 80);
}

function patienceFor({ target }: FuzzRequest): number {
  return MAY_WAIT.test(target) ? PATIENCE_MS : HANG_MS;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
