/** Messages of brokers: those that a task sends, and those that arrive until a bound is reached. */
import { systemClock } from "../base/time/clock.ts";
import { readDuration } from "../base/time/duration.ts";
import { parseInstant } from "../base/time/iso_8601.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../base/json.ts";
import { readStructure } from "../base/json_text.ts";
import { dynamicProperty, type PropertySchemas } from "../model/flows/schema.ts";
import { isStorageUri } from "../model/namespaces/storage_uri.ts";
import { limitedContent } from "../model/ports/storage.ts";
import type { WorkContext } from "../model/tasks/task_definition.ts";
import { readRows, rowLines, writePieces } from "./row_files.ts";

/** Messages that wait for the file; a broker is asked for no more meanwhile. */
const MAX_QUEUED = 1_000;

/** Properties: bounds of what a task or a poll takes. */
export const BOUND_PROPERTIES: PropertySchemas = Object.freeze({
  maxRecords: dynamicProperty("integer", "Most messages that are taken.", { minimum: 1 }),
  maxDuration: dynamicProperty("duration", "Longest time in which messages are taken."),
});

/** Outputs: the file of messages. */
export const MESSAGE_FILE_OUTPUTS: PropertySchemas = Object.freeze({
  messagesCount: { type: "integer", description: "Number of messages." },
  uri: { type: "string", description: "Storage URI of the messages as Ion." },
});

/** The values of a property: of a stored file, of a list, or one. */
export async function* messagesIn(
  context: Pick<WorkContext, "fetchFile">,
  given: JsonValue | undefined,
): AsyncGenerator<JsonValue> {
  if (typeof given === "string" && isStorageUri(given.trim())) {
    for await (const value of readRows(await context.fetchFile(given.trim()))) {
      if (Array.isArray(value)) yield* value;
      else yield value;
    }
    return;
  }
  const value = readStructure(given ?? null);
  if (Array.isArray(value)) {
    for (const each of value) yield readStructure(each);
  } else yield value;
}

/** Takes what {@link messagesIn} gives in lists of at most `size`. */
export async function* batchesOf<T>(values: AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
  let batch: T[] = [];
  for await (const value of values) {
    if (batch.push(value) < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** An object among messages. @throws Error another value */
export function asRecord(value: JsonValue): JsonObject {
  if (isJsonObject(value)) return value;
  throw new Error("Cannot send the message: it must be a map");
}

/** The time of a message in milliseconds since 1970. @throws Error it has another form */
export function instantOf(timestamp: JsonValue): number {
  const at = typeof timestamp === "number" ? timestamp : parseInstant(String(timestamp));
  if (at === undefined) throw new Error("Invalid timestamp: it must be milliseconds or a date with a zone");
  return at;
}

/** Milliseconds of a property; `undefined` if it is absent. */
export function millisecondsOf(value: JsonValue | undefined): number | undefined {
  return value === undefined ? undefined : readDuration(value);
}

interface CollectorOptions {
  readonly maxRecords?: number;
  readonly maxDurationMs?: number;
  /**
   * Longest time without a message, if there is one now; counted from the last message or call of {@link MessageCollector.touch}.
   */
  readonly idleMs?: () => number | undefined;
}

/** Writes messages to a file as they arrive, until a bound is reached. */
export class MessageCollector {
  /** Resolves when no more messages are taken; rejects when taking them failed. */
  readonly over: Promise<void>;
  readonly #context: Pick<WorkContext, "directory" | "storeFile" | "signal" | "maxFileBytes">;
  readonly #options: CollectorOptions;
  readonly #ending = Promise.withResolvers<void>();
  readonly #queue: JsonValue[] = [];
  readonly #cancelDuration: (() => void) | undefined;
  #cancelIdle: (() => void) | undefined;
  #count = 0;
  #isOver = false;
  #changed: PromiseWithResolvers<void> = Promise.withResolvers<void>();

  constructor(
    context: Pick<WorkContext, "directory" | "storeFile" | "signal" | "maxFileBytes">,
    options: CollectorOptions,
  ) {
    this.#context = context;
    this.#options = options;
    this.over = this.#ending.promise;
    const { maxDurationMs } = options;
    if (maxDurationMs !== undefined) {
      this.#cancelDuration = systemClock.setTimer(maxDurationMs, () => this.end());
    }
    context.signal.addEventListener("abort", this.#stop, { once: true });
    if (context.signal.aborted) this.#stop();
  }

  /** Messages that were taken. */
  get count(): number {
    return this.#count;
  }

  /** No more messages are taken. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Restarts the time without a message. */
  touch(): void {
    this.#cancelIdle?.();
    const idleMs = this.#options.idleMs?.();
    if (idleMs !== undefined && !this.#isOver) {
      this.#cancelIdle = systemClock.setTimer(idleMs, () => this.end());
    }
  }

  /** Takes a message; false if no more are taken. Resolves when there is room for the next one. */
  async add(message: JsonValue): Promise<boolean> {
    if (this.#isOver) return false;
    this.#queue.push(message);
    this.#count++;
    if (this.#count >= (this.#options.maxRecords ?? Infinity)) this.end();
    this.touch();
    this.#wake();
    while (this.#queue.length >= MAX_QUEUED && !this.#isOver) await this.#changed.promise;
    return true;
  }

  /** Takes no more messages. */
  end(error?: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#cancelIdle?.();
    this.#cancelDuration?.();
    this.#context.signal.removeEventListener("abort", this.#stop);
    if (error) this.#ending.reject(error);
    else this.#ending.resolve();
    this.#wake();
  }

  readonly #stop = () => this.end(new Error("The work was stopped"));

  /** Writes until the end; the storage URI of the file. @throws Error taking messages failed */
  async stored(): Promise<string> {
    const { signal, maxFileBytes } = this.#context;
    const path = `${await this.#context.directory()}/messages.ion`;
    const lines = limitedContent(rowLines(this.#messages()), maxFileBytes);
    await Promise.all([this.over, writePieces(path, lines, signal)]);
    return await this.#context.storeFile(path);
  }

  async *#messages(): AsyncGenerator<JsonValue> {
    for (;;) {
      const message = this.#queue.shift();
      if (message !== undefined) {
        if (this.#queue.length === MAX_QUEUED - 1) this.#wake();
        yield message;
      } else if (this.#isOver) return;
      else await this.#changed.promise;
    }
  }

  #wake(): void {
    const { resolve } = this.#changed;
    this.#changed = Promise.withResolvers<void>();
    resolve();
  }
}
