/** Writes the response to one posted request into the database, no faster than the follower reads it. */
import type { Clock } from "../../base/time/clock.ts";
import type { Committer } from "../../store/committer.ts";
import {
  bellMutation,
  responseHeadMutations,
  type ResponsePart,
  responsePartMutation,
} from "../../store/records/mailbox_records.ts";
import type { Mutation } from "../../store/store.ts";
import { endToEndHeaders } from "../proxy/end_to_end_headers.ts";
import { partsOf } from "./body_parts.ts";

interface ResponseWriterOptions {
  readonly id: string;
  /** Process that waits for the response. */
  readonly follower: string;
  readonly committer: Pick<Committer, "commit">;
  readonly clock: Clock;
}

/** Parts that are written before the follower has read earlier ones. */
const MAX_AHEAD = 48;
/** Parts that are written by one commit. */
const PARTS_PER_COMMIT = 16;
/** Longest wait for a follower that does not read. */
const MAX_WAIT_MS = 60_000;
/** Turns in which a short body arrives with its end, so that all is one commit. */
const MAX_TURNS = 20;
/** Tries to write parts, and the wait between them. */
const MAX_TRIES = 60;
const RETRY_MS = 1_000;
const NO_BYTES = new Uint8Array();

/** Writes one response. */
export class ResponseWriter {
  readonly #options: ResponseWriterOptions;
  readonly #abort = new AbortController();
  #isLeft = false;
  #written = 0;
  #read = 0;
  #progress = Promise.withResolvers<void>();

  constructor(options: ResponseWriterOptions) {
    this.#options = options;
  }

  /** Aborted when no client waits for the response. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** The follower has read so many parts; -1: its client is gone. */
  onProgress(count: number): void {
    if (count < 0) {
      this.#isLeft = true;
      return this.stop();
    }
    this.#read = Math.max(this.#read, count);
    this.#progress.resolve();
    this.#progress = Promise.withResolvers();
  }

  /** Whether the client is gone. */
  get isLeft(): boolean {
    return this.#isLeft;
  }

  /** The parts that the follower has not read: from the first to before the second number. */
  get unread(): readonly [number, number] {
    return [this.#read, this.#written + 1];
  }

  /** Ends the response early. */
  stop(): void {
    this.#abort.abort();
    this.#progress.resolve();
  }

  /** Writes head and body; settles when all is durable. @throws DomainError what the committer refuses */
  async write({ status, headers, body }: Response): Promise<void> {
    const head = responseHeadMutations(this.#options.id, { status, headers: endToEndHeaders(headers) });
    if (body === null) return await this.#put([{ mark: "last", bytes: NO_BYTES }], head);
    const reader = body.getReader();
    const stop = () => void reader.cancel().catch(() => {});
    this.signal.addEventListener("abort", stop);
    try {
      if (this.signal.aborted) stop();
      await this.#copy(reader, head);
      const isCut = this.signal.aborted && !this.#isLeft && this.#written > 0;
      if (isCut) await this.#put([{ mark: "broken", bytes: NO_BYTES }], []);
    } finally {
      this.signal.removeEventListener("abort", stop);
      await reader.cancel().catch(() => {});
    }
  }

  async #copy(reader: ReadableStreamDefaultReader<Uint8Array>, head: Mutation[]): Promise<void> {
    let first = head;
    let reading = reader.read();
    if (!await settles(reading)) {
      await this.#put([], first);
      first = [];
    }
    for (;;) {
      const result = await reading.catch(() => undefined);
      if (this.signal.aborted) return;
      const parts: ResponsePart[] = result?.done === false ? moreParts(result.value) : [];
      let isOver = result?.done !== false;
      if (!isOver) {
        reading = reader.read();
        isOver = await settles(reading) && (await reading.catch(() => undefined))?.done === true;
      }
      if (isOver) parts.push({ mark: result ? "last" : "broken", bytes: NO_BYTES });
      await this.#putAll(parts, first);
      if (isOver) return;
      first = [];
    }
  }

  async #putAll(parts: readonly ResponsePart[], first: Mutation[]): Promise<void> {
    for (let i = 0; i < Math.max(parts.length, 1); i += PARTS_PER_COMMIT) {
      await this.#untilRead();
      if (this.signal.aborted) return;
      await this.#put(parts.slice(i, i + PARTS_PER_COMMIT), i === 0 ? first : []);
    }
  }

  async #put(parts: readonly ResponsePart[], first: Mutation[]): Promise<void> {
    const { id, follower, committer, clock } = this.#options;
    const mutations = [...first, ...parts.map((part) => responsePartMutation(id, ++this.#written, part))];
    for (let tries = MAX_TRIES;; tries--) {
      try {
        return await committer.commit({ mutations: [...mutations, bellMutation(follower, clock.now())] });
      } catch (error) {
        if (tries <= 1 || this.signal.aborted) throw error;
      }
      // The follower waits until the response is there: an outage of the database must not lose it.
      await pause(clock, RETRY_MS);
    }
  }

  /** Waits while the follower is too far behind; gives up on one that does not read. */
  async #untilRead(): Promise<void> {
    const { clock } = this.#options;
    while (this.#written - this.#read >= MAX_AHEAD && !this.signal.aborted) {
      const { promise } = this.#progress;
      const cancel = clock.setTimer(MAX_WAIT_MS, () => this.stop());
      await promise;
      cancel();
    }
  }
}

async function pause(clock: Clock, ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  clock.setTimer(ms, resolve);
  await promise;
}

function moreParts(bytes: Uint8Array): ResponsePart[] {
  return partsOf(bytes).map((part) => ({ mark: "more", bytes: part }));
}

/** Whether it settles within some turns. */
async function settles(reading: Promise<unknown>): Promise<boolean> {
  let isSettled = false;
  const settle = () => void (isSettled = true);
  reading.then(settle, settle);
  for (let turn = 0; turn < MAX_TURNS && !isSettled; turn++) await Promise.resolve();
  return isSettled;
}
