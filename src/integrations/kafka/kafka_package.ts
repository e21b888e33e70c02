/** The part of the package `kafkajs` that is used here. */
import type { Socket } from "node:net";
import type { SecureContextOptions } from "node:tls";
import { LIMITED_GZIP } from "./batch_limits.ts";
import { type ClassModule, type CompressionCodecs, limitPackage } from "./package_limits.ts";
import { limitTopics } from "./topic_limits.ts";

const GZIP = 1;

/** TLS of a connection. */
export interface KafkaTls extends SecureContextOptions {
  readonly servername?: string;
  readonly checkServerIdentity?: () => undefined;
}

/** How a user logs in. */
export interface KafkaSasl {
  readonly mechanism: "plain" | "scram-sha-256" | "scram-sha-512";
  readonly username: string;
  readonly password: string;
}

/** Options of a client. */
export interface KafkaOptions {
  readonly clientId: string;
  readonly brokers: readonly string[];
  readonly ssl: KafkaTls | undefined;
  readonly sasl: KafkaSasl | undefined;
  readonly connectionTimeout: number;
  readonly requestTimeout: number;
  readonly logLevel: number;
  readonly retry: {
    readonly retries: number;
    readonly initialRetryTime: number;
    readonly maxRetryTime: number;
  };
  readonly socketFactory: (options: {
    readonly host: string;
    readonly port: number;
    readonly ssl: KafkaTls | undefined;
    readonly onConnect: () => void;
  }) => Socket;
}

/** A header value, or several. */
export type HeaderValue = Uint8Array | string | readonly (Uint8Array | string)[];

/** A message to send. */
export interface SentMessage {
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
  readonly partition?: number;
  readonly timestamp?: string;
  readonly headers?: Readonly<Record<string, HeaderValue>>;
}

/** A message that was received. */
export interface ReceivedMessage {
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
  readonly timestamp: string;
  readonly offset: string;
  readonly headers?: Readonly<Record<string, HeaderValue | undefined>>;
}

/** A position of a group. */
export interface GroupOffset {
  readonly topic: string;
  readonly partition: number;
  readonly offset: string;
}

/** Sends messages. */
interface KafkaProducer {
  /** Opens the connections. */
  connect(): Promise<void>;
  /** Closes the connections; a consumer leaves its group. */
  disconnect(): Promise<void>;
  /** Sends messages; resolves when they are acknowledged. */
  sendBatch(batch: {
    readonly acks: number;
    readonly timeout: number;
    readonly compression: number;
    readonly topicMessages: readonly { readonly topic: string; readonly messages: readonly SentMessage[] }[];
  }): Promise<unknown>;
}

/** Messages of one partition. */
interface KafkaBatch {
  readonly topic: string;
  readonly partition: number;
  readonly messages: readonly ReceivedMessage[];
}

/** Receives messages. */
export interface KafkaConsumer {
  readonly events: {
    readonly CRASH: string;
    readonly FETCH_START: string;
    readonly GROUP_JOIN: string;
  };
  /** Calls back for events of the group; returns what ends that. */
  on(event: string, listener: (event: { readonly payload: { readonly error?: Error } }) => void): () => void;
  /** Opens the connections. */
  connect(): Promise<void>;
  /** Closes the connections; a consumer leaves its group. */
  disconnect(): Promise<void>;
  /** Chooses topics. */
  subscribe(
    options: { readonly topics: readonly (string | RegExp)[]; readonly fromBeginning: boolean },
  ): Promise<void>;
  /** Joins the group; resolves before messages arrive. */
  run(options: {
    readonly autoCommit: false;
    readonly eachBatchAutoResolve: true;
    readonly eachBatch: (payload: {
      readonly batch: KafkaBatch;
      readonly heartbeat: () => Promise<void>;
      readonly isRunning: () => boolean;
      readonly isStale: () => boolean;
    }) => Promise<void>;
  }): Promise<void>;
  /** Stores positions of the group. */
  commitOffsets(offsets: readonly GroupOffset[]): Promise<void>;
}

/** Asks for what the cluster keeps. */
interface KafkaAdmin {
  /** Opens the connections. */
  connect(): Promise<void>;
  /** Closes the connections. */
  disconnect(): Promise<void>;
  /** Positions of a group for each partition; a partition without a position has a negative one. */
  fetchOffsets(request: { readonly groupId: string; readonly topics: readonly string[] }): Promise<
    readonly {
      readonly topic: string;
      readonly partitions: readonly { readonly partition: number; readonly offset: string }[];
    }[]
  >;
}

/** A client. */
export interface KafkaClient {
  /** What asks for positions, and is not connected yet. */
  admin(): KafkaAdmin;
  /** A producer that is not connected yet. */
  producer(options: {
    readonly allowAutoTopicCreation: boolean;
    readonly createPartitioner: unknown;
  }): KafkaProducer;
  /** A consumer that is not connected yet. */
  consumer(options: {
    readonly groupId: string;
    readonly allowAutoTopicCreation: false;
    readonly sessionTimeout: number;
    readonly maxWaitTimeInMs: number;
    readonly maxBytes: number;
    readonly retry: { readonly retries: number; readonly restartOnFailure: () => Promise<boolean> };
  }): KafkaConsumer;
}

interface KafkaPackage {
  readonly Kafka: new (options: KafkaOptions) => KafkaClient;
  readonly Partitioners: { readonly DefaultPartitioner: unknown };
  readonly CompressionCodecs: CompressionCodecs;
}

/** Requests of a connection that wait to be sent. */
interface RequestQueue {
  readonly pending: readonly unknown[];
  /** Plans the next look at `pending`. */
  scheduleCheckPendingRequests(): void;
}

/** Loads the package. */
export async function loadKafka(): Promise<KafkaPackage> {
  const [{ default: kafka }, queue, connection, decoder, scram, ...consuming] = await Promise.all([
    import("kafkajs"),
    import("kafkajs/src/network/requestQueue/index.js"),
    import("kafkajs/src/network/connection.js"),
    import("kafkajs/src/protocol/decoder.js"),
    import("kafkajs/src/broker/saslAuthenticator/scram.js"),
    import("kafkajs/src/broker/index.js"),
    import("kafkajs/src/consumer/subscriptionState.js"),
    import("kafkajs/src/consumer/assignerProtocol.js"),
  ]);
  restQueues((queue as ClassModule<RequestQueue>).default.prototype);
  const loaded = kafka as unknown as KafkaPackage;
  loaded.CompressionCodecs[GZIP] = () => LIMITED_GZIP;
  limitPackage(connection, decoder, scram, loaded.CompressionCodecs);
  limitTopics(...consuming);
  return loaded;
}

const rested = new WeakSet<RequestQueue>();

/**
 * Version 2.2.4, the last one, looks at an empty queue each millisecond as long as the connection is open, by timers with a
 * negative time, of which the runtime warns. A request that has to wait plans the look itself.
 */
function restQueues(prototype: RequestQueue): void {
  if (rested.has(prototype)) return;
  rested.add(prototype);
  const { scheduleCheckPendingRequests: schedule } = prototype;
  prototype.scheduleCheckPendingRequests = function (this: RequestQueue): void {
    if (this.pending.length > 0) schedule.call(this);
  };
}
