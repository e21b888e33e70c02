/**
 * Limits of the topics of a consumer. Version 2.2.4 of the package `kafkajs`, the last one, copies all topics for each of them, and
 * searches all partitions of a topic for each one.
 */
import type { ClassModule } from "./package_limits.ts";

/** Topics that a consumer subscribes to. */
export const MAX_TOPICS = 500;
const MAX_ASSIGNED_PARTITIONS = 50_000;
const MAX_PARTITIONS_OF_TOPIC = 10_000;

interface TopicPartitions {
  readonly topic: string;
  readonly partitions?: readonly unknown[];
}

interface Broker {
  metadata(topics?: readonly string[]): Promise<{
    readonly topicMetadata: readonly { readonly topic: string; readonly partitionMetadata: unknown[] }[];
  }>;
  listOffsets(request: { readonly topics: readonly unknown[] }): Promise<TopicsResponse>;
  offsetFetch(request: { readonly topics: readonly unknown[] }): Promise<TopicsResponse>;
}

interface TopicsResponse {
  readonly responses: readonly unknown[];
}

interface SubscriptionState {
  assignedPartitionsByTopic: Readonly<Record<string, TopicPartitions>>;
  assign(assigned?: readonly TopicPartitions[]): void;
}

interface AssignerProtocol {
  readonly MemberAssignment: {
    decode(bytes: Uint8Array): { readonly assignment: Readonly<Record<string, readonly number[]>> } | null;
  };
}

const limited = new WeakSet<object>();

/** Sets the limits, once. */
export function limitTopics(
  { default: broker }: ClassModule<Broker>,
  { default: state }: ClassModule<SubscriptionState>,
  { default: protocol }: { readonly default: AssignerProtocol },
): void {
  if (limited.has(broker)) return;
  limited.add(broker);
  limitResponses(broker.prototype);
  limitAssignments(protocol);
  state.prototype.assign = function (assigned = []) {
    const entries = assigned.map(({ topic, partitions = [] }) => [topic, { topic, partitions }] as const);
    this.assignedPartitionsByTopic = Object.fromEntries(entries);
  };
}

function limitResponses(prototype: Broker): void {
  const { metadata, listOffsets, offsetFetch } = prototype;
  prototype.metadata = async function (topics = []) {
    const found = await metadata.call(this, topics);
    if (topics.length > 0) checkAsked(found.topicMetadata, topics);
    for (const { topic, partitionMetadata } of found.topicMetadata) {
      checkCount(partitionMetadata, MAX_PARTITIONS_OF_TOPIC, `partitions of the topic "${topic}"`);
    }
    return found;
  };
  prototype.listOffsets = async function (request) {
    const found = await listOffsets.call(this, request);
    checkAsked(found.responses, request.topics);
    return found;
  };
  prototype.offsetFetch = async function (request) {
    const found = await offsetFetch.call(this, request);
    checkAsked(found.responses, request.topics);
    return found;
  };
}

/** The member of a group that distributes the topics need not be this client. */
function limitAssignments({ MemberAssignment }: AssignerProtocol): void {
  const { decode } = MemberAssignment;
  MemberAssignment.decode = (bytes) => {
    const decoded = decode(bytes), assigned = Object.values(decoded?.assignment ?? {});
    checkCount(assigned, MAX_TOPICS, "assigned topics");
    checkCount(assigned.flat(), MAX_ASSIGNED_PARTITIONS, "assigned partitions");
    return decoded;
  };
}

function checkAsked(found: readonly unknown[], asked: readonly unknown[]): void {
  if (found.length > asked.length) {
    throw new Error("Cannot read a response: it names more topics than were asked for");
  }
}

function checkCount({ length }: readonly unknown[], max: number, what: string): void {
  if (length <= max) return;
  throw new Error(`Cannot read a response: it has more than ${max} ${what}`);
}
