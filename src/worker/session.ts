/**
 * The connection of a worker: a stream that brings attempts, and heartbeats that confirm them. When heartbeats are not
 * confirmed for a time, the server is about to give the attempts to others: the worker ends them before.
 */
import type { Logger } from "../base/log.ts";
import { fetchFailure } from "../base/network/fetch_failure.ts";
import {
  HEARTBEAT_MS,
  IDLE_HEARTBEAT_MS,
  type LeasedAttempt,
  UNCONFIRMED_MS,
  type WorkerEvent,
  type WorkerHello,
} from "../model/http/worker_protocol.ts";
import { LeasedRun, type LeasedRunDeps } from "./leased_run.ts";
import { pause } from "./pause.ts";
import { ApiError } from "./server_api.ts";

interface SessionOptions extends LeasedRunDeps {
  readonly hello: Omit<WorkerHello, "id" | "leases">;
  readonly logger: Logger;
}

/** Between the end of a connection and the next try. */
const RECONNECT_MS = 1_000;
/** How often the age of the last confirmation is checked. */
const WATCH_MS = 1_000;
/** The server sends something at least each 15 s. */
const STREAM_SILENCE_MS = 45_000;

/** The session of one worker process. */
export class Session {
  readonly #options: SessionOptions;
  readonly #runs = new Map<string, { readonly run: LeasedRun; readonly ended: Promise<void> }>();
  readonly #ending = new AbortController();
  #id: string;
  #confirmed = { atMs: 0, at: 0 };
  #streamSeenMs = 0;
  #stream = new AbortController();
  #isConnected = false;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#id = this.#newId();
    this.#confirm();
  }

  /** Number of attempts. */
  get attempts(): number {
    return this.#runs.size;
  }

  /** Works until {@link stop} is called or the server refuses the worker; with the reason then. */
  async work(): Promise<string | undefined> {
    const { clock } = this.#options.machine;
    const stopWatch = this.#every(WATCH_MS, () => this.#watch());
    const stopBeats = this.#every(HEARTBEAT_MS, () => this.#beatInTime());
    try {
      while (!this.#ending.signal.aborted) {
        const refusal = await this.#connection();
        if (refusal !== undefined) return refusal;
        await pause(clock, RECONNECT_MS, this.#ending.signal);
      }
      return undefined;
    } finally {
      stopWatch();
      stopBeats();
      await this.#endAll();
    }
  }

  /** Ends all attempts, which the server then starts elsewhere. */
  stop(): void {
    this.#ending.abort();
    this.#stream.abort();
  }

  /** One connection, to its end; the reason if the server refuses the worker. */
  async #connection(): Promise<string | undefined> {
    const { api, hello, logger } = this.#options;
    this.#stream = new AbortController();
    this.#seen();
    try {
      const leases = [...this.#runs.keys()];
      const events = await api.connect(
        { ...hello, id: this.#id, leases },
        this.#stream.signal,
        () => this.#seen(),
      );
      this.#isConnected = true;
      this.#seen();
      this.#confirm();
      logger.info("Connected", { server: api.url, groups: hello.groups.join(",") });
      for await (const event of events) this.#handle(event);
    } catch (error) {
      const refusal = error instanceof ApiError && (error.status === 401 || error.status === 403);
      if (refusal) return error.message;
      if (!this.#ending.signal.aborted) {
        logger.repeated("warn", "Cannot reach the server", { server: api.url, reason: fetchFailure(error) });
      }
    } finally {
      this.#isConnected = false;
      this.#stream.abort();
    }
    return undefined;
  }

  #handle(event: WorkerEvent): void {
    switch (event.type) {
      case "welcome":
        return this.#stopRuns(event.stop);
      case "attempt":
        return this.#start(event.attempt);
      case "stop":
        return this.#stopRuns([event.lease]);
    }
  }

  #start(attempt: LeasedAttempt): void {
    if (this.#runs.has(attempt.lease) || this.#ending.signal.aborted) return;
    // The time in which it must be confirmed begins now.
    if (this.#runs.size === 0 && this.#unconfirmedMs() >= HEARTBEAT_MS) void this.#beat();
    const run = new LeasedRun(attempt, this.#options);
    const ended = run.run().finally(() => this.#runs.delete(attempt.lease));
    this.#runs.set(attempt.lease, { run, ended });
  }

  async #beatInTime(): Promise<void> {
    if (this.#runs.size > 0 || this.#unconfirmedMs() >= IDLE_HEARTBEAT_MS) await this.#beat();
  }

  async #beat(): Promise<void> {
    if (!this.#isConnected) return;
    const { api } = this.#options;
    const sentAt = this.#now();
    try {
      const { stop } = await api.heartbeat(this.#id, [...this.#runs.keys()]);
      this.#confirmed = sentAt;
      this.#stopRuns(stop);
    } catch (error) {
      // The server has forgotten the worker: it was started again, or the worker was silent.
      if (error instanceof ApiError && error.status === 404) this.#stream.abort();
    }
  }

  #watch(): Promise<void> {
    const { clock } = this.#options.machine;
    if (clock.monotonicMs() - this.#streamSeenMs > STREAM_SILENCE_MS) {
      this.#stream.abort();
    }
    if (this.#runs.size > 0 && this.#unconfirmedMs() >= UNCONFIRMED_MS) {
      this.#options.logger.warn("The server confirms nothing: all attempts are ended", {
        attempts: this.#runs.size,
      });
      this.#abandonAll();
      // A worker that connects without its attempts gets them again. These were begun: the server must find their worker silent.
      this.#id = this.#newId();
      this.#stream.abort();
    }
    return Promise.resolve();
  }

  /** The monotonic clock stands still while the machine is suspended, the other one may be set back. */
  #unconfirmedMs(): number {
    const now = this.#now();
    return Math.max(now.atMs - this.#confirmed.atMs, now.at - this.#confirmed.at);
  }

  #now() {
    const { clock } = this.#options.machine;
    return { atMs: clock.monotonicMs(), at: clock.now() };
  }

  #newId(): string {
    const { ids, machine: { clock } } = this.#options;
    return ids.next(clock.now());
  }

  #confirm(): void {
    this.#confirmed = this.#now();
  }

  #seen(): void {
    this.#streamSeenMs = this.#options.machine.clock.monotonicMs();
  }

  /** Their ends are reported, since the server may wait for them. */
  #stopRuns(leases: readonly string[]): void {
    for (const lease of leases) this.#runs.get(lease)?.run.stop();
  }

  #abandonAll(): void {
    for (const { run } of this.#runs.values()) run.abandon();
    this.#runs.clear();
  }

  async #endAll(): Promise<void> {
    const ends = [...this.#runs.values()].map(({ ended }) => ended);
    this.#abandonAll();
    await Promise.all(ends);
    await this.#options.api.leave(this.#id).catch(() => {}); // The server notices the silence.
  }

  /** Calls `work` again and again, `ms` after the last call has ended; returns what stops it. */
  #every(ms: number, work: () => Promise<void>): () => void {
    const { clock } = this.#options.machine;
    let isOver = false;
    let cancel = () => {};
    const next = () => {
      if (!isOver) cancel = clock.setTimer(ms, () => void work().then(next));
    };
    next();
    return () => {
      isOver = true;
      cancel();
    };
  }
}
