/** Messages of streams, https://docs.nats.io/reference/reference-protocols/nats_api_reference. */
import { Buffer } from "node:buffer";
import { parseInstant } from "../../base/time/iso_8601.ts";
import { systemClock, toIso } from "../../base/time/clock.ts";
import { type JsonObject, stringifyJson } from "../../base/json.ts";
import {
  dynamicChoice,
  dynamicProperty,
  dynamicText,
  type PropertySchemas,
} from "../../model/flows/schema.ts";
import { optionalText } from "../../model/tasks/task_definition.ts";
import type { MessageSource } from "../consumed_messages.ts";
import { millisecondsOf } from "../messages.ts";
import type { NatsMessage } from "./client.ts";
import { headerLists } from "./headers.ts";
import { CONNECTION_PROPERTIES, type NatsSession } from "./session.ts";

const NS_PER_MS = 1_000_000;
/** A consumer without a name is deleted after that time without a fetch. */
const INACTIVE_MS = 5 * 60_000;
/** How much later than the server a fetch gives up. */
const LATE_MS = 5_000;
/** Bytes of the messages of a fetch, which are held in memory; one message may have 64 MiB. */
const MAX_FETCHED_BYTES = 80 * 1024 * 1024;
/** How the server ends a fetch before a message that would exceed them. */
const TOO_LARGE = 409;
const POLICIES: ReadonlyMap<string, string> = new Map([
  ["All", "all"],
  ["Last", "last"],
  ["New", "new"],
  ["ByStartTime", "by_start_time"],
  ["LastPerSubject", "last_per_subject"],
]);

/** Properties of the types that receive. */
export const SUBSCRIPTION: PropertySchemas = Object.freeze({
  ...CONNECTION_PROPERTIES,
  subject: dynamicText("Subject of a stream; `*` stands for one part, `>` for all further ones.", {
    required: true,
  }),
  durableId: dynamicText(
    "Name of the consumer, whose position the server keeps. Without it all messages are received again.",
  ),
  since: dynamicText("Time of the first message, for a new consumer: a date with a zone."),
  batchSize: dynamicProperty("integer", "Messages of one request.", {
    default: 10,
    minimum: 1,
    maximum: 10_000,
  }),
  deliverPolicy: dynamicChoice(
    [...POLICIES.keys()],
    "All",
    "Where a new consumer begins: with all messages, the last one, new ones, those after `since`, or the last one of each subject.",
  ),
});

/** What expressions read of a message. */
export const MESSAGE_OUTPUTS: PropertySchemas = Object.freeze({
  subject: { type: "string", description: "Subject of the message." },
  headers: {
    type: "map",
    description: "Lists of values by name.",
    items: { type: "any", description: "Values of a header." },
  },
  data: { type: "string", description: "Content of the message." },
  timestamp: { type: "string", description: "Time at which the stream got the message." },
});

/** A consumer of a stream. */
export class StreamConsumer {
  readonly #session: NatsSession;
  readonly #name: string;
  readonly #properties: JsonObject;

  private constructor(session: NatsSession, name: string, properties: JsonObject) {
    this.#session = session;
    this.#name = name;
    this.#properties = properties;
  }

  /** The consumer that the properties name, which is created unless it exists. @throws Error no stream has the subject */
  static async open(session: NatsSession, properties: JsonObject): Promise<StreamConsumer> {
    const subject = String(properties.subject), durable = optionalText(properties.durableId);
    if (durable !== undefined && !/^[^\s.*>/\\]+$/.test(durable)) {
      throw new Error("Invalid durableId: it must not have spaces, dots, stars, slashes or >");
    }
    const config = configOf(properties);
    const streams = await session.call("STREAM.NAMES", { subject });
    const [stream] = Array.isArray(streams?.streams) ? streams.streams : [];
    if (typeof stream !== "string") throw new Error(`Cannot receive "${subject}": no stream has it`);
    const isThere = durable !== undefined && await session.call(`CONSUMER.INFO.${stream}.${durable}`, {});
    if (isThere) return new StreamConsumer(session, `${stream}.${durable}`, properties);
    const operation = durable === undefined ? `CREATE.${stream}` : `DURABLE.CREATE.${stream}.${durable}`;
    const created = await session.call(`CONSUMER.${operation}`, { stream_name: stream, config });
    return new StreamConsumer(session, `${stream}.${created?.name}`, properties);
  }

  /** The next messages, fewer after some time, which may be 0. @throws Error the server refuses */
  async fetch(count: number, waitMs: number): Promise<NatsMessage[]> {
    const { messages, over, take } = fetching(count);
    const { reply, end } = this.#session.listen(take);
    const cancel = systemClock.setTimer(waitMs + LATE_MS, over.resolve);
    const request = {
      batch: count,
      max_bytes: MAX_FETCHED_BYTES,
      ...waitMs > 0 ? { expires: Math.ceil(waitMs) * NS_PER_MS } : { no_wait: true },
    };
    const subject = `$JS.API.CONSUMER.MSG.NEXT.${this.#name}`;
    try {
      await this.#session.run(async (client) => {
        await client.publish({ subject, reply, data: Buffer.from(stringifyJson(request)) });
        await over.promise;
      });
      return messages;
    } finally {
      cancel();
      end();
    }
  }

  /** Acknowledges messages by their subjects for replies. */
  async confirm(handles: readonly string[]): Promise<void> {
    await this.#session.run(async (client) => {
      for (const subject of handles) await client.publish({ subject, data: Buffer.from("+ACK") });
      await client.flush();
    });
  }

  /** Messages until there are none, or the time of the properties is over. */
  source(): MessageSource {
    const { batchSize, pollDuration, maxDuration } = this.#properties;
    const endAt = systemClock.monotonicMs() + (millisecondsOf(maxDuration) ?? Infinity);
    const taken = new Set<string>();
    const isNew = (message: NatsMessage) => {
      const identity = identityOf(message), isKnown = taken.has(identity);
      taken.add(identity);
      return !isKnown;
    };
    return {
      receive: async (maxCount) => {
        const leftMs = endAt - systemClock.monotonicMs();
        if (leftMs <= 0) return [];
        const waitMs = Math.min(millisecondsOf(pollDuration) ?? 0, leftMs);
        const messages = await this.fetch(Math.min(Number(batchSize), maxCount), waitMs);
        // The server delivers again what is not acknowledged in time, 30 seconds by default.
        return messages.filter(isNew).map((message) => ({
          row: messageOf(message),
          handle: message.reply ?? "",
        }));
      },
      confirm: (handles) => this.confirm(handles),
    };
  }
}

/** The messages of a fetch, and when it is over. */
function fetching(count: number) {
  const messages: NatsMessage[] = [], over = Promise.withResolvers<void>();
  let bytes = 0;
  const take = (message: NatsMessage) => {
    const { status, description, size } = message;
    if (status === undefined && messages.length < count) {
      messages.push(message);
      bytes += size;
    }
    const isFull = status === TOO_LARGE && /MaxBytes/i.test(description ?? "") && messages.length > 0;
    // 404 and 408: there are no more messages, or not in time. 100 is a heartbeat.
    if (status !== undefined && !isFull && ![100, 404, 408].includes(status)) {
      over.reject(new Error(description));
    } else if (bytes > MAX_FETCHED_BYTES) {
      over.reject(new Error(`it sent more than ${MAX_FETCHED_BYTES} bytes: use a smaller batchSize`));
    } else if (messages.length >= count || status !== undefined && status !== 100) over.resolve();
  };
  return { messages, over, take };
}

function configOf({ subject, durableId, since, deliverPolicy }: JsonObject): JsonObject {
  const durable = optionalText(durableId), from = optionalText(since);
  const at = from === undefined ? undefined : parseInstant(from);
  if (from !== undefined && at === undefined) throw new Error("Invalid since: it must be a date with a zone");
  if (deliverPolicy === "ByStartTime" && at === undefined) {
    throw new Error("Missing since: ByStartTime needs it");
  }
  return {
    ack_policy: "explicit",
    // Messages are acknowledged when all of them are stored.
    max_ack_pending: -1,
    filter_subject: String(subject),
    deliver_policy: at === undefined ? POLICIES.get(String(deliverPolicy)) ?? "all" : "by_start_time",
    ...at !== undefined && { opt_start_time: toIso(at) },
    ...durable === undefined ? { inactive_threshold: INACTIVE_MS * NS_PER_MS } : { durable_name: durable },
  };
}

/** Stream, sequence and time of a message, from its subject for acknowledgements. */
function placeOf({ reply = "" }: NatsMessage) {
  const parts = reply.split(".");
  // With 12 parts a domain and an account come before.
  const [stream = "", , , sequence = "", , nanoseconds = "0"] = parts.slice(parts.length > 9 ? 4 : 2);
  return { stream, sequence, nanoseconds };
}

/** What identifies a message. */
export function identityOf(message: NatsMessage): string {
  const { stream, sequence, nanoseconds } = placeOf(message);
  return `${stream}/${sequence}/${nanoseconds}`;
}

/** A message for a flow. */
export function messageOf(message: NatsMessage): JsonObject {
  const { subject, headers, data } = message;
  const timestamp = toIso(Math.floor(Number(placeOf(message).nanoseconds) / NS_PER_MS));
  return { subject, headers: headerLists(headers), data: data.toString(), timestamp };
}
