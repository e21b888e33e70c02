/** Event streams (server-sent events): limit, keep-alive, end. */
import type { Context } from "hono";
import { joinBytes } from "../../base/bytes.ts";
import type { CancelTimer, Clock } from "../../base/time/clock.ts";
import type { Logger } from "../../base/log.ts";
import type { Actor } from "../../model/access/actor.ts";
import { CallerLimits } from "../../services/access/caller_limits.ts";
import type { Tokens } from "../../services/access/tokens.ts";
import type { Users } from "../../services/access/users.ts";
import { type TransferWatch, watchTransfer } from "../../model/http/transfer_watch.ts";
import {
  MAX_EVENT_STREAMS,
  MAX_EVENT_STREAMS_PER_CALLER,
  MAX_EVENT_STREAMS_PER_TENANT,
  MAX_UNREAD_EVENT_BYTES,
} from "../../model/limits.ts";
import { checkCaller } from "../caller_check.ts";
import type { AppEnv } from "../env.ts";
import { UnreadEvents, type WaitingStream } from "./unread_events.ts";
import { MAX_READER_WAIT_SECONDS, MIN_READ_BYTES, stalledReader } from "./watched_stream.ts";

/** An event; `data` is one line. */
interface ServerEvent {
  /** On streams of executions and logs a marker (`start`, `progress`, `end`), not a number. */
  readonly id?: string;
  /** Text without line breaks, for example JSON; or its bytes in parts, which streams may share. */
  readonly data: string | readonly Uint8Array[];
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
  readonly maxStreamsPerTenant?: number;
  readonly maxStreamsPerCaller?: number;
  readonly maxUnreadBytes?: number;
}

/** Whom a stream is for. */
interface StreamOwner {
  readonly actor: Actor;
  /** Absent: a client that does not read is waited for, whatever the stream holds. */
  readonly request?: Request;
}

/** Proxies drop connections that are silent for a minute; some after 30 s. */
const KEEP_ALIVE_MS = 15_000;
const ENCODER = new TextEncoder();
const KEEP_ALIVE = ENCODER.encode(":\n\n");
const LINE_END = ENCODER.encode("\n\n");
/** Bytes buffered for a slow client before its producer waits. */
const BUFFER_BYTES = 65_536;

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
  readonly #unread: UnreadEvents;
  readonly #limits: CallerLimits;

  constructor(options: EventStreamsOptions) {
    this.#options = options;
    this.#limits = new CallerLimits("event stream", {
      all: options.maxStreams ?? MAX_EVENT_STREAMS,
      perTenant: options.maxStreamsPerTenant ?? MAX_EVENT_STREAMS_PER_TENANT,
      perCaller: options.maxStreamsPerCaller ?? MAX_EVENT_STREAMS_PER_CALLER,
    });
    this.#unread = new UnreadEvents(options.maxUnreadBytes ?? MAX_UNREAD_EVENT_BYTES);
  }

  /** Number of open streams. */
  get count(): number {
    return this.#open.size;
  }

  /**
   * The response that streams the events of `produce`. Refuse requests before: the status is sent first.
   * @throws DomainError unavailable: too many streams are open; too_many_requests: the tenant or the caller has too many
   */
  open(produce: EventProducer, owner?: StreamOwner): Response {
    const place = this.#limits.take(owner?.actor);
    const closed = () => {
      if (this.#open.delete(stream)) place[Symbol.dispose]();
    };
    const shared = { ...this.#options, unread: this.#unread, closed };
    const stream: EventStream = new EventStream(shared, produce, owner);
    this.#open.add(stream);
    return new Response(stream.body, { headers: HEADERS });
  }

  /** Ends streams when the credentials that opened them end: their user has changed or is gone, or their token is revoked. */
  endWithCredentials(
    { users, tokens }: { readonly users: Pick<Users, "listen">; readonly tokens: Pick<Tokens, "listen"> },
  ): void {
    users.listen({ changed: (name) => this.#endOf(({ user }) => user === name) });
    tokens.listen((id) => this.#endOf(({ tokenId }) => tokenId === id));
  }

  #endOf(isOver: (actor: Actor) => boolean): void {
    for (const stream of [...this.#open]) if (stream.actor && isOver(stream.actor)) void stream.end();
  }

  /** Ends all streams; waits for their producers. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#open].map((stream) => stream.end()));
  }
}

interface EventStreamOptions extends Pick<EventStreamsOptions, "clock" | "logger"> {
  readonly unread: UnreadEvents;
  readonly closed: () => void;
}

/** One stream between a producer and a client. */
class EventStream implements EventWriter, WaitingStream {
  readonly body: ReadableStream<Uint8Array>;
  readonly actor: Actor | undefined;
  readonly #watch: TransferWatch | undefined;
  /** What it holds for its client counts. */
  readonly #isLimited: boolean;
  readonly #options: EventStreamOptions;
  readonly #abort = new AbortController();
  /** Parts of events that the buffer has no room for, and the bytes of the first one that were sent. */
  readonly #parts: Uint8Array[] = [];
  #sent = 0;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #cancelKeepAlive: CancelTimer = () => {};
  /** Set while the buffer is full; all senders wait for it. */
  #room: PromiseWithResolvers<void> | undefined;
  #finished: Promise<void> = Promise.resolve();

  constructor(options: EventStreamOptions, produce: EventProducer, owner: StreamOwner | undefined) {
    this.#options = options;
    this.actor = owner?.actor;
    this.#isLimited = owner?.request !== undefined;
    this.#watch = owner?.request &&
      watchTransfer(owner.request, MAX_READER_WAIT_SECONDS, () => this.stall());
    this.body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#controller = controller;
        this.#keepAlive();
        this.#finished = this.#run(produce);
      },
      pull: () => {
        this.#watch?.moved(MIN_READ_BYTES);
        this.#options.unread.moved(this);
        if (this.#fill()) this.#makeRoom();
        else this.#watch?.wait();
      },
      cancel: () => this.#stop(),
    }, new ByteLengthQueuingStrategy({ highWaterMark: BUFFER_BYTES }));
  }

  async send(event: ServerEvent): Promise<void> {
    if (this.#controller === undefined) return;
    this.#parts.push(...partsOf(event));
    if (this.#fill()) return;
    this.#watch?.wait();
    if (this.#isLimited) this.#options.unread.hold(this, [...this.#parts]);
    this.#room ??= Promise.withResolvers<void>();
    await this.#room.promise;
  }

  /** Fills the buffer; true if it has room for more. */
  #fill(): boolean {
    const controller = this.#controller;
    if (controller === undefined) return true;
    for (let room = controller.desiredSize ?? 0; room > 0; room = controller.desiredSize ?? 0) {
      const [part] = this.#parts;
      if (part === undefined) return true;
      // A copy: a part of shared bytes would keep all of them.
      const slice = part.length <= BUFFER_BYTES ? part : part.slice(this.#sent, this.#sent + BUFFER_BYTES);
      this.#sent += slice.length;
      if (this.#sent >= part.length) {
        this.#parts.shift();
        this.#sent = 0;
      }
      if (this.#parts.length === 0) this.#options.unread.release(this);
      controller.enqueue(slice);
    }
    return false;
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

  /** What is buffered is dropped: the client would never read it. */
  stall(): void {
    const controller = this.#controller;
    this.#stop();
    controller?.error(stalledReader());
  }

  #stop(): void {
    if (this.#controller === undefined) return;
    this.#watch?.end();
    this.#controller = undefined;
    this.#cancelKeepAlive();
    this.#parts.length = 0;
    this.#options.unread.release(this);
    this.#abort.abort();
    this.#makeRoom();
    this.#options.closed();
  }

  #makeRoom(): void {
    this.#room?.resolve();
    this.#room = undefined;
  }

  #keepAlive(): void {
    this.#cancelKeepAlive = this.#options.clock.setTimer(KEEP_ALIVE_MS, () => {
      // None for a client that does not read, and none within an event.
      const hasRoom = this.#parts.length === 0 && (this.#controller?.desiredSize ?? 0) > 0;
      if (hasRoom) this.#controller?.enqueue(KEEP_ALIVE);
      this.#keepAlive();
    });
  }
}

/** The bytes of an event; a short one is one part. */
function partsOf({ id, data }: ServerEvent): readonly Uint8Array[] {
  const head = `${id === undefined ? "" : `id: ${oneLine(id)}\n`}data: `;
  if (typeof data === "string") return [ENCODER.encode(`${head}${oneLine(data)}\n\n`)];
  const parts = [ENCODER.encode(head), ...data, LINE_END];
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return length <= BUFFER_BYTES ? [joinBytes(parts)] : parts;
}

/** A line break would end the field, so that data could forge another event. */
function oneLine(text: string): string {
  return /[\r\n]/.test(text) ? text.replace(/\r\n|[\r\n]/g, " ") : text;
}

/** The response of a route that streams events. @throws DomainError as {@link EventStreams.open} */
export function eventStream(c: Context<AppEnv>, produce: EventProducer): Response {
  checkCaller(c);
  return (c as unknown as Context<StreamsEnv>).get("eventStreams").open(produce, {
    actor: c.get("actor"),
    request: c.req.raw,
  });
}

/** The request pipeline sets the streams of the server for every route. */
export interface StreamsEnv {
  Variables: AppEnv["Variables"] & { eventStreams: EventStreams };
}
