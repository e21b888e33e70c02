/** Event streams (server-sent events): limit, keep-alive, end. */
import type { Context } from "hono";
import type { CancelTimer, Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log.ts";
import { DomainError } from "../../model/errors.ts";
import { MAX_EVENT_STREAMS } from "../../model/limits.ts";
import type { AppEnv } from "../forms/env.ts";

/** An event; `data` is one line. */
interface ServerEvent {
  /** On streams of executions and logs a marker (`start`, `progress`, `end`), not a number. */
  readonly id?: string;
  /** Text without line breaks, for example JSON. */
  readonly data: string;
}

/** Writes to one stream. */
export interface EventWriter {
  /** Sends an event; resolves when the buffer has room for the next one, or the client is gone. */
  send(event: ServerEvent): Promise<void>;
}

/** Produces the events of one stream; the stream ends when it settles. `signal` is aborted when the client is gone. */
export type EventProducer = (writer: EventWriter, signal: AbortSignal) => Promise<void>;

interface EventStreamsOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly maxStreams?: number;
}

/** Proxies drop connections that are silent for a minute; some after 30 s. */
const KEEP_ALIVE_MS = 15_000;
const KEEP_ALIVE = new TextEncoder().encode(":\n\n");
/** Bytes buffered for a slow client before its producer waits. */
const BUFFER_BYTES = 65_536;
/** `Retry-After` of a refused client, in seconds. */
const RETRY_AFTER_S = 10;

const HEADERS: Readonly<Record<string, string>> = {
  "content-type": "text/event-stream",
  "cache-control": "no-store",
  // nginx buffers responses without this header.
  "x-accel-buffering": "no",
};

/** The open event streams of the server. */
export class EventStreams {
  readonly #options: EventStreamsOptions;
  readonly #open = new Set<EventStream>();

  constructor(options: EventStreamsOptions) {
    this.#options = options;
  }

  /** Number of open streams. */
  get count(): number {
    return this.#open.size;
  }

  /**
   * The response that streams the events of `produce`. Refuse requests before: the status is sent first.
   * @throws DomainError unavailable: too many streams are open
   */
  open(produce: EventProducer): Response {
    const { maxStreams = MAX_EVENT_STREAMS } = this.#options;
    if (this.#open.size >= maxStreams) {
      throw new DomainError("unavailable", `Cannot open another event stream: ${maxStreams} are open`, {
        retryAfter: RETRY_AFTER_S,
      });
    }
    const stream = new EventStream(this.#options, produce, () => this.#open.delete(stream));
    this.#open.add(stream);
    return new Response(stream.body, { headers: HEADERS });
  }

  /** Ends all streams; waits for their producers. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#open].map((stream) => stream.end()));
  }
}

/** One stream between a producer and a client. */
class EventStream implements EventWriter {
  readonly body: ReadableStream<Uint8Array>;
  readonly #options: EventStreamsOptions;
  readonly #abort = new AbortController();
  readonly #encoder = new TextEncoder();
  readonly #closed: () => void;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #cancelKeepAlive: CancelTimer = () => {};
  /** Set while the buffer is full; all senders wait for it. */
  #room: PromiseWithResolvers<void> | undefined;
  #finished: Promise<void> = Promise.resolve();

  constructor(options: EventStreamsOptions, produce: EventProducer, closed: () => void) {
    this.#options = options;
    this.#closed = closed;
    this.body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#controller = controller;
        this.#keepAlive();
        this.#finished = this.#run(produce);
      },
      pull: () => this.#makeRoom(),
      cancel: () => this.#stop(),
    }, new ByteLengthQueuingStrategy({ highWaterMark: BUFFER_BYTES }));
  }

  async send({ id, data }: ServerEvent): Promise<void> {
    const controller = this.#controller;
    if (controller === undefined) return;
    const head = id === undefined ? "" : `id: ${oneLine(id)}\n`;
    controller.enqueue(this.#encoder.encode(`${head}data: ${oneLine(data)}\n\n`));
    if ((controller.desiredSize ?? 0) > 0) return;
    this.#room ??= Promise.withResolvers<void>();
    await this.#room.promise;
  }

  /** Ends the stream. */
  async end(): Promise<void> {
    this.#close();
    await this.#finished;
  }

  async #run(produce: EventProducer): Promise<void> {
    await Promise.resolve(); // The response must be returned before the first event.
    try {
      if (!this.#abort.signal.aborted) await produce(this, this.#abort.signal);
    } catch (error) {
      const reason = error instanceof Error ? error.stack ?? error.message : String(error);
      if (!this.#abort.signal.aborted) this.#options.logger.error("An event stream failed", { reason });
    } finally {
      this.#close();
    }
  }

  #close(): void {
    const controller = this.#controller;
    this.#stop();
    controller?.close();
  }

  #stop(): void {
    if (this.#controller === undefined) return;
    this.#controller = undefined;
    this.#cancelKeepAlive();
    this.#abort.abort();
    this.#makeRoom();
    this.#closed();
  }

  #makeRoom(): void {
    this.#room?.resolve();
    this.#room = undefined;
  }

  #keepAlive(): void {
    this.#cancelKeepAlive = this.#options.clock.setTimer(KEEP_ALIVE_MS, () => {
      // None for a client that does not read.
      if ((this.#controller?.desiredSize ?? 0) > 0) this.#controller?.enqueue(KEEP_ALIVE);
      this.#keepAlive();
    });
  }
}

/** A line break would end the field, so that data could forge another event. */
function oneLine(text: string): string {
  return /[\r\n]/.test(text) ? text.replace(/\r\n|[\r\n]/g, " ") : text;
}

/** The response of a route that streams events; see {@link EventStreams.open}. @throws DomainError unavailable */
export function eventStream(c: Context<AppEnv>, produce: EventProducer): Response {
  return (c as unknown as Context<StreamsEnv>).get("eventStreams").open(produce);
}

/** The request pipeline sets the streams of the server for every route. */
export interface StreamsEnv {
  Variables: AppEnv["Variables"] & { eventStreams: EventStreams };
}
