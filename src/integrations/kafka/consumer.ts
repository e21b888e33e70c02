/** Receives messages of topics, for tasks and triggers. */
import { isJsonObject, type JsonObject, type JsonValue, setOwnProperty } from "../../base/json.ts";
import { systemClock, toIso } from "../../base/time/clock.ts";
import { Turns } from "../../base/time/turn.ts";
import { readStructure } from "../../base/json_text.ts";
import { dynamicProperty, dynamicText, type PropertySchemas } from "../../model/flows/schema.ts";
import { optionalText } from "../../model/tasks/task_definition.ts";
import { unlessStopped } from "../http_calls.ts";
import { connectKafka, type Connector, kafkaError } from "./connection.ts";
import type {
  GroupOffset,
  HeaderValue,
  KafkaClient,
  KafkaConsumer,
  ReceivedMessage,
} from "./kafka_package.ts";
import { ResponseLimit } from "./batch_limits.ts";
import { nameTest } from "../remote_files.ts";
import { RegistryError } from "./schema_registry.ts";
import { serdeProperty, Serdes } from "./serdes.ts";
import { MAX_TOPICS } from "./topic_limits.ts";

const SESSION_TIMEOUT_MS = 30_000;
/** Longest wait of a broker for messages. */
const FETCH_WAIT_MS = 500;
/** Most bytes of a response, with compression; of a partition 1 MiB. A larger first message comes, too. */
const FETCH_BYTES = 4 * 1024 * 1024;
const TURN_MS = 8;

/** Properties of types that receive. */
export const CONSUMER_PROPERTIES: PropertySchemas = Object.freeze({
  topic: dynamicProperty("any", "Topic, or a list of topics."),
  topicPattern: dynamicText("Regular expression of topics, in place of `topic`."),
  groupId: dynamicText("Group whose position is kept by the cluster. Without it all messages are read."),
  groupType: dynamicProperty("string", "Only groups of consumers are supported.", {
    values: ["CONSUMER"],
    default: "CONSUMER",
  }),
  acknowledgeType: dynamicText("Has no effect: only share groups acknowledge single messages.", {
    ignored: true,
  }),
  keyDeserializer: serdeProperty("Form of keys."),
  valueDeserializer: serdeProperty("Form of values."),
  headerFilters: dynamicProperty(
    "map",
    "Headers that a message must have, with these values; others are skipped.",
    {
      items: { type: "string", description: "Value of the header." },
    },
  ),
  onSerdeError: dynamicProperty(
    "map",
    "What happens to malformed messages: `type: SKIPPED` leaves them out.",
  ),
  since: dynamicText("Messages before this date are skipped."),
});

/** What expressions read of a message. */
export const MESSAGE_OUTPUTS: PropertySchemas = Object.freeze({
  key: { type: "any", description: "Key of the message." },
  value: { type: "any", description: "Value of the message." },
  topic: { type: "string", description: "Topic of the message." },
  headers: { type: "map", description: "Headers of the message." },
  partition: { type: "integer", description: "Partition of the message." },
  timestamp: { type: "string", description: "Time of the message." },
  offset: { type: "integer", description: "Offset of the message in its partition." },
});

/** A message with its position. */
interface TakenMessage {
  /** `undefined` for one that is skipped. */
  readonly message: JsonObject | undefined;
  readonly topic: string;
  readonly partition: number;
  readonly offset: bigint;
}

/** Stores positions of the group; without a group it does nothing. */
type Commit = (offsets: readonly GroupOffset[]) => Promise<void>;

/** The positions of these that are ahead of those of the group. */
type Ahead = (offsets: readonly GroupOffset[]) => Promise<GroupOffset[]>;

/** How messages are taken. */
export interface TakeOptions {
  /** Group of a reception without `groupId`; no other one may have it. */
  readonly ownGroup?: string;
  /** Called when the group has been joined. */
  readonly joined: () => void;
  /** Takes a message; false ends the reception. */
  readonly take: (taken: TakenMessage, commit: Commit) => Promise<boolean>;
  /** Ends the reception. */
  readonly over: Promise<void>;
  /** Called before the connection is closed. */
  readonly finish: (commit: Commit, ahead: Ahead) => Promise<void>;
  /** Called after each batch of messages. */
  readonly batchTaken?: (commit: Commit) => Promise<void>;
}

interface RunOptions extends TakeOptions {
  readonly commit: Commit;
  /** Ends the reception with an error. */
  readonly failed: (error: Error) => void;
}

/** Receives messages until the options end it. @throws Error the reception failed */
export async function receive(context: Connector, options: TakeOptions): Promise<void> {
  const { client, properties } = await connectKafka(context);
  const { groupId: given } = context.properties;
  const groupId = optionalText(given), joinedGroup = groupId ?? options.ownGroup;
  if (joinedGroup === undefined) throw new Error("Missing groupId: it is empty");
  const reset = properties.text("auto.offset.reset") ?? (groupId === undefined ? "earliest" : "latest");
  const consumer = client.consumer({
    groupId: joinedGroup,
    allowAutoTopicCreation: false,
    sessionTimeout: properties.milliseconds("session.timeout.ms", SESSION_TIMEOUT_MS),
    maxWaitTimeInMs: FETCH_WAIT_MS,
    maxBytes: FETCH_BYTES,
    retry: { retries: 3, restartOnFailure: () => Promise.resolve(false) },
  });
  const crashed = Promise.withResolvers<never>();
  consumer.on(
    consumer.events.CRASH,
    ({ payload }) => crashed.reject(payload.error ?? new Error("It crashed")),
  );
  consumer.on(consumer.events.GROUP_JOIN, options.joined);
  const limit = new ResponseLimit();
  consumer.on(consumer.events.FETCH_START, limit.begin);
  crashed.promise.catch(() => {}); // Read below, once the consumer runs.
  try {
    const { signal } = context;
    await unlessStopped(consumer.connect(), signal);
    const topics = topicsOf(context.properties);
    await unlessStopped(consumer.subscribe({ topics, fromBeginning: reset === "earliest" }), signal);
    const commit: Commit = (offsets) =>
      groupId === undefined || offsets.length === 0 ? Promise.resolve() : consumer.commitOffsets(offsets);
    await limit.run(() => run(consumer, context, { ...options, commit, failed: crashed.reject }));
    await Promise.race([options.over, crashed.promise]);
    await options.finish(commit, (offsets) => offsetsAhead(client, joinedGroup, offsets));
  } catch (error) {
    throw kafkaError("receive messages", context, error);
  } finally {
    await consumer.disconnect();
  }
}

async function offsetsAhead(
  client: KafkaClient,
  groupId: string,
  offsets: readonly GroupOffset[],
): Promise<GroupOffset[]> {
  if (offsets.length === 0) return [];
  const admin = client.admin();
  try {
    await admin.connect();
    const topics = [...new Set(offsets.map(({ topic }) => topic))];
    const known = await admin.fetchOffsets({ groupId, topics });
    const ofGroup = new Map(
      known.flatMap(({ topic, partitions }) =>
        partitions.map(({ partition, offset }) => [`${topic}/${partition}`, BigInt(offset)])
      ),
    );
    return offsets.filter(({ topic, partition, offset }) =>
      BigInt(offset) > (ofGroup.get(`${topic}/${partition}`) ?? -1n)
    );
  } finally {
    await admin.disconnect();
  }
}

async function run(
  consumer: KafkaConsumer,
  context: Connector,
  { take, batchTaken, commit, failed }: RunOptions,
): Promise<void> {
  const { properties } = context, serdes = new Serdes(context);
  const accepts = messageFilter(properties);
  const isLenient = isJsonObject(properties.onSerdeError) && properties.onSerdeError.type === "SKIPPED";
  const turns = new Turns(systemClock, TURN_MS);
  let isOver = false;
  await consumer.run({
    autoCommit: false,
    eachBatchAutoResolve: true,
    eachBatch: async ({ batch: { topic, partition, messages }, heartbeat, isRunning, isStale }) => {
      try {
        for (const received of messages) {
          if (isOver || !isRunning() || isStale()) return;
          const place = { topic, partition, properties, serdes, isLenient };
          const message = accepts(received) ? await messageOf(received, place) : undefined;
          isOver = !await take({ message, topic, partition, offset: BigInt(received.offset) }, commit);
          await turns.next();
        }
        await batchTaken?.(commit);
        await heartbeat();
      } catch (error) {
        // The package would deliver the batch again, after pauses of its own.
        isOver = true;
        failed(error as Error);
      }
    },
  });
}

function topicsOf({ topic, topicPattern }: JsonObject): (string | RegExp)[] {
  const given = readStructure(topic ?? null);
  const names = (Array.isArray(given) ? given : [given]).map((each) => optionalText(each)).filter((each) =>
    each !== undefined
  );
  if (names.length > MAX_TOPICS) throw tooManyTopics(`${names.length} are given`);
  if (names.length > 0) return names;
  const pattern = optionalText(topicPattern);
  if (pattern === undefined) throw new Error("Missing topic: give topic or topicPattern");
  return [new TopicPattern(pattern)];
}

/** The package takes regular expressions alone; this one is matched in linear time. */
class TopicPattern extends RegExp {
  readonly #pattern: string;
  readonly #matches: (name: string) => boolean;
  #count = 0;

  constructor(pattern: string) {
    super("");
    this.#pattern = pattern;
    this.#matches = nameTest(pattern);
  }

  override test(name: string): boolean {
    const isMatch = this.#matches(name);
    if (isMatch && ++this.#count > MAX_TOPICS) throw tooManyTopics(`more match "${this.#pattern}"`);
    return isMatch;
  }
}

function tooManyTopics(reason: string): Error {
  return new Error(
    `a consumer has at most ${MAX_TOPICS} topics, and ${reason}; share them among several tasks or triggers`,
  );
}

function messageFilter({ headerFilters, since }: JsonObject): (message: ReceivedMessage) => boolean {
  const wanted = isJsonObject(headerFilters) ? Object.entries(headerFilters) : [];
  const from = optionalText(since) === undefined ? 0 : Date.parse(String(since));
  if (Number.isNaN(from)) throw new Error("Invalid since: it must be a date with a zone");
  return ({ headers = {}, timestamp }) =>
    Number(timestamp) >= from &&
    wanted.every(([name, value]) =>
      Object.hasOwn(headers, name) && textsOf(headers[name]).at(-1) === String(value)
    );
}

interface MessageOptions {
  readonly topic: string;
  readonly partition: number;
  readonly properties: JsonObject;
  readonly serdes: Serdes;
  /** Malformed messages are left out. */
  readonly isLenient: boolean;
}

async function messageOf(
  { key, value, offset, timestamp, headers = {} }: ReceivedMessage,
  { topic, partition, properties: { keyDeserializer, valueDeserializer }, serdes, isLenient }: MessageOptions,
): Promise<JsonObject | undefined> {
  try {
    return {
      key: await serdes.read(keyDeserializer, key, "key"),
      value: await serdes.read(valueDeserializer, value, "value"),
      topic,
      headers: headersOf(headers),
      partition,
      timestamp: toIso(Number(timestamp)),
      offset: Number(offset),
    };
  } catch (error) {
    if (error instanceof RegistryError) throw error;
    if (isLenient) return undefined;
    const place = `offset ${offset} of partition ${partition} of the topic "${topic}"`;
    const reason = (error as Error).message;
    throw new Error(
      `${reason}; the message is at ${place}: \`onSerdeError: {type: SKIPPED}\` leaves it out`,
      {
        cause: error,
      },
    );
  }
}

function headersOf(headers: NonNullable<ReceivedMessage["headers"]>): JsonObject {
  const texts: JsonObject = {};
  for (const [name, value] of Object.entries(headers)) {
    const all: JsonValue[] = textsOf(value);
    setOwnProperty(texts, name, all.length === 1 ? all[0] ?? null : all);
  }
  return texts;
}

function textsOf(value: HeaderValue | undefined): string[] {
  const values = Array.isArray(value) ? value : value === undefined ? [] : [value];
  return values.map((each) => typeof each === "string" ? each : new TextDecoder().decode(each as Uint8Array));
}

/** Next positions by topic and partition. */
export class Positions {
  readonly #next = new Map<string, GroupOffset>();

  /** Starts with stored positions. */
  constructor(stored: JsonValue | undefined = null) {
    for (const each of Array.isArray(stored) ? stored.filter(isJsonObject) : []) {
      const { topic, partition, offset } = each;
      this.#set({ topic: String(topic), partition: Number(partition), offset: String(offset) });
    }
  }

  #set(offset: GroupOffset): void {
    this.#next.set(`${offset.topic}/${offset.partition}`, offset);
  }

  /** Whether a message was taken before. */
  has({ topic, partition, offset }: TakenMessage): boolean {
    const known = this.#next.get(`${topic}/${partition}`);
    return known !== undefined && BigInt(known.offset) > offset;
  }

  /** Moves behind a message. */
  pass({ topic, partition, offset }: TakenMessage): void {
    this.#set({ topic, partition, offset: String(offset + 1n) });
  }

  /** The positions. */
  list(): GroupOffset[] {
    return [...this.#next.values()];
  }
}
