/**
 * Sends the requests of KV Connect. Deno's own client repeats an atomic write whose response was lost, so that it can be
 * applied twice, and waits without a limit. Here a read is repeated, a write is sent once, and all have a time-out.
 */
import type { Clock, Instant } from "../../base/time/clock.ts";
import { UnsentError } from "../store.ts";
import { type Metadata, METADATA_REQUEST, readMetadata } from "./metadata.ts";

/** Where the database is. */
export interface ConnectionOptions {
  readonly url: string;
  /** Access token of the server. */
  readonly token: string;
  readonly clock: Clock;
  /** Longest time of one request. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 10_000;
/** A read without a response after this time is sent again: its connection may hang, and a take-over has some 40 reads in turn. */
const SLOW_READ_MS = 250;
/** The same while reads take longer than that: a database that is busy would get more of them. */
const BUSY_READ_MS = 1_000;
/** Waits before a read is repeated: a server that was restarted is back after some 0.1 s. */
const READ_RETRIES_MS = [50, 250];
/** Wait before a watch that ended is repeated. */
const WATCH_PAUSE_MS = 500;
/** The metadata is renewed this long before it expires, or after half of its life if that is later. */
const RENEW_BEFORE_MS = 300_000;
/** What Deno says when it made no connection. If another version words it differently, the outcome counts as unknown. */
const NOT_CONNECTED = "client error (Connect): ";
/** Error texts of the server are cut. */
const MAX_ERROR_CHARS = 200;

type Bytes = Uint8Array<ArrayBuffer>;

/** When a request is given up. */
interface RequestLimits {
  readonly signal?: AbortSignal;
  /** Absent: that of the connection. */
  readonly timeoutMs?: number;
}

/** The server refused the metadata or its token: they are exchanged again. */
class ExpiredError extends Error {
  override readonly name = "ExpiredError";
}

/** A connection to one database; requests run in parallel. */
export class Connection {
  readonly #options: ConnectionOptions;
  readonly #closed = new AbortController();
  #metadata: Metadata | undefined;
  #renewAt: Instant = 0;
  #exchange: Promise<Metadata> | undefined;
  /** Whether the last read took longer than {@link SLOW_READ_MS}. */
  #isBusy = false;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  /** Exchanges the metadata. @throws Error when the server cannot be reached or refuses the token */
  async open(): Promise<void> {
    await this.#exchangeMetadata();
  }

  /** Ends the requests that run; later ones fail. */
  close(): void {
    this.#closed.abort(new Error("the database is closed"));
  }

  /** Sends a read; repeated when the server is not reached, and when it is slow. @throws Error */
  async read(body: Bytes): Promise<Bytes> {
    for (const waitMs of READ_RETRIES_MS) {
      try {
        return await this.#readTwice(body);
      } catch (error) {
        // Further reads would wait as long, and a closed connection stays closed.
        if (isTimeout(error) || this.#closed.signal.aborted) throw error;
        await this.#pause(waitMs);
      }
    }
    return await this.#readTwice(body);
  }

  /** Sends a read once more when it has no response for a while, and takes the first response. */
  async #readTwice(body: Bytes): Promise<Bytes> {
    const over = new AbortController();
    const { clock } = this.#options;
    const send = async () => {
      const sinceMs = clock.monotonicMs();
      const response = await this.#send("snapshot_read", () => body, { signal: over.signal });
      this.#isBusy = clock.monotonicMs() - sinceMs > SLOW_READ_MS;
      return response;
    };
    const late = Promise.withResolvers<"late">();
    const waitMs = this.#isBusy ? BUSY_READ_MS : SLOW_READ_MS;
    const cancel = clock.setTimer(waitMs, () => late.resolve("late"));
    const first = send();
    try {
      const result = await Promise.race([first, late.promise]);
      return result === "late" ? await Promise.any([first, send()]) : result;
    } catch (error) {
      throw error instanceof AggregateError ? error.errors[0] : error;
    } finally {
      cancel();
      over.abort();
    }
  }

  /**
   * Sends a write, once, and waits that long at most.
   * @throws UnsentError the server received nothing of it; another Error: it may have been applied, or may be later
   */
  async write(body: Bytes, timeoutMs?: number): Promise<Bytes> {
    // `fetch` repeats a request whose reused connection was closed, but not one whose body is a stream.
    return await this.#send("atomic_write", () => new Blob([body]).stream(), { timeoutMs });
  }

  /**
   * Watches keys: calls `onChange` for each part of the response, which the server sends at once, after each change, and now and
   * then without one. Connects again when the response ends. The result ends it.
   */
  watch(body: Bytes, onChange: () => void): () => void {
    const over = new AbortController();
    void this.#watch(body, onChange, AbortSignal.any([over.signal, this.#closed.signal]));
    return () => over.abort();
  }

  async #watch(body: Bytes, onChange: () => void, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        const { endpoint, headers } = await this.#currentMetadata();
        const response = await fetch(`${endpoint}/watch`, { method: "POST", headers, body, signal });
        if (!response.ok) {
          this.#metadata = undefined;
          throw new Error(await errorText(response));
        }
        // The signal of a request has no effect any more once the request has been collected as garbage.
        for await (const _ of response.body?.pipeThrough(new TransformStream(), { signal }) ?? []) onChange();
      } catch {
        // The server is restarting, or the metadata has expired; who watches also looks now and then.
      }
      await this.#pauseWatch(signal);
    }
  }

  async #pauseWatch(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#options.clock.setTimer(WATCH_PAUSE_MS, resolve);
    signal.addEventListener("abort", () => resolve());
    await promise;
    cancel();
  }

  async #send(
    method: string,
    makeBody: () => Bytes | ReadableStream<Bytes>,
    limits: RequestLimits,
  ): Promise<Bytes> {
    try {
      return await this.#sendOnce(method, makeBody(), limits);
    } catch (error) {
      if (!(error instanceof ExpiredError)) throw error;
      this.#metadata = undefined;
      return await this.#sendOnce(method, makeBody(), limits);
    }
  }

  async #sendOnce(
    method: string,
    body: Bytes | ReadableStream<Bytes>,
    { signal, timeoutMs }: RequestLimits,
  ): Promise<Bytes> {
    const { endpoint, headers } = await this.#currentMetadata().catch((error: Error) => {
      throw new UnsentError(error.message, { cause: error });
    });
    const init = { method: "POST", headers, body, redirect: "error", signal, timeoutMs } as const;
    return await this.#fetch(`${endpoint}/${method}`, init, async (response) => {
      if (response.status === 401 || response.status === 403) {
        throw new ExpiredError(await errorText(response));
      }
      if (!response.ok) throw new Error(await errorText(response));
      return await response.bytes();
    });
  }

  async #currentMetadata(): Promise<Metadata> {
    const current = this.#metadata;
    if (!current) return await this.#exchangeMetadata();
    const now = this.#options.clock.now();
    if (now < this.#renewAt) return current;
    const renewed = this.#exchangeMetadata();
    return now < current.expiresAt ? await renewed.catch(() => current) : await renewed;
  }

  #exchangeMetadata(): Promise<Metadata> {
    return this.#exchange ??= this.#requestMetadata().finally(() => this.#exchange = undefined);
  }

  async #requestMetadata(): Promise<Metadata> {
    const { url, token, clock } = this.#options;
    const headers = { "authorization": `Bearer ${token}`, "content-type": "application/json" };
    const init = { method: "POST", headers, body: METADATA_REQUEST };
    const metadata = await this.#fetch(url, init, async (response) => {
      if (!response.ok) throw new Error(await errorText(response));
      return readMetadata(await response.text(), response.url);
    });
    const lifeMs = metadata.expiresAt - clock.now();
    this.#renewAt = metadata.expiresAt - Math.min(RENEW_BEFORE_MS, lifeMs / 2);
    return this.#metadata = metadata;
  }

  async #fetch<T>(
    url: string,
    init: RequestInit & RequestLimits,
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    const { clock } = this.#options;
    const timeoutMs = init.timeoutMs ?? this.#options.timeoutMs ?? TIMEOUT_MS;
    const over = new AbortController();
    const cancel = clock.setTimer(timeoutMs, () => over.abort(timeout(timeoutMs)));
    const signals = [over.signal, this.#closed.signal];
    if (init.signal) signals.push(init.signal);
    try {
      const response = await fetch(url, { ...init, signal: AbortSignal.any(signals) });
      return await read(response);
    } catch (error) {
      throw connectionError(error);
    } finally {
      cancel();
    }
  }

  async #pause(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#options.clock.setTimer(ms, resolve);
    await promise;
  }
}

function timeout(ms: number): DOMException {
  return new DOMException(`the database did not respond within ${ms} ms`, "TimeoutError");
}

function isTimeout(error: unknown): boolean {
  return error instanceof DOMException && error.name === "TimeoutError";
}

/** The error that says what happened to the connection; `fetch` hides it in the cause. */
function connectionError(error: unknown): unknown {
  if (!(error instanceof TypeError)) return error;
  const reason = error.cause instanceof Error ? error.cause : error;
  const [, unsent] = reason.message.split(NOT_CONNECTED);
  return unsent === undefined ? reason : new UnsentError(unsent);
}

async function errorText(response: Response): Promise<string> {
  const text = (await response.text()).slice(0, MAX_ERROR_CHARS).trim();
  return `the database server responded ${response.status}${text ? `: ${text}` : ""}`;
}
