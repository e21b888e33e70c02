/** `kafka.Produce`. */
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from "../../base/json.ts";
import { dynamicFlag, dynamicProperty, dynamicText } from "../../model/flows/schema.ts";
import { defineTask, optionalText, type TaskContext } from "../../model/tasks/task_definition.ts";
import { unlessStopped } from "../http_calls.ts";
import { asRecord, batchesOf, instantOf, messagesIn } from "../messages.ts";
import { REGISTRY_VENDOR } from "./registries.ts";
import { type ClientProperties, CONNECTION_PROPERTIES, connectKafka, kafkaError } from "./connection.ts";
import { type HeaderValue, loadKafka, type SentMessage } from "./kafka_package.ts";
import { serdeProperty, Serdes } from "./serdes.ts";

/** Messages of one request. */
const BATCH_SIZE = 500;
const SEND_TIMEOUT_MS = 30_000;
const COMPRESSIONS: ReadonlyMap<string, number> = new Map([["none", 0], ["gzip", 1]]);

/** Messages to a topic. */
export const produce = defineTask({
  type: "kafka.Produce",
  title: "Send messages to Kafka",
  description:
    "Sends messages to topics of Kafka. Each is a map of `key`, `value`, `topic`, `partition`, `timestamp` and `headers`.",
  properties: {
    ...CONNECTION_PROPERTIES,
    schemaRegistryVendor: REGISTRY_VENDOR,
    topic: dynamicText("Topic of messages that do not name one."),
    from: dynamicProperty("any", "A message, a list of messages, or the storage URI of a file of messages.", {
      required: true,
    }),
    keySerializer: serdeProperty("Form of keys."),
    valueSerializer: serdeProperty("Form of values."),
    keyAvroSchema: dynamicText("Avro schema of keys as JSON; default is the latest one of the registry."),
    valueAvroSchema: dynamicText("Avro schema of values as JSON; default is the latest one of the registry."),
    transactional: dynamicFlag(true, "Has no effect: messages are sent in batches, without a transaction.", {
      ignored: true,
    }),
  },
  outputs: { messagesCount: { type: "integer", description: "Number of messages that were sent." } },
  metrics: { records: { type: "counter", description: "Number of messages that were sent." } },
  examples: [{
    title: "Send a message",
    yaml: `id: send
type: io.svc.plugin.kafka.Produce
properties:
  bootstrap.servers: kafka.example.com:9092
topic: orders
from:
  key: "{{ execution.id }}"
  value: {status: done}
valueSerializer: JSON`,
  }],
  async run(context) {
    const { client, properties } = await connectKafka(context);
    const { Partitioners } = await loadKafka();
    const producer = client.producer({
      allowAutoTopicCreation: true,
      createPartitioner: Partitioners.DefaultPartitioner,
    });
    const { signal } = context, serdes = new Serdes(context);
    let count = 0;
    try {
      await unlessStopped(producer.connect(), signal);
      for await (const batch of batchesOf(messagesIn(context, context.properties.from), BATCH_SIZE)) {
        const topicMessages = await byTopic(context, serdes, batch);
        await unlessStopped(producer.sendBatch({ ...sendOptions(properties), topicMessages }), signal);
        count += batch.length;
      }
    } catch (error) {
      throw kafkaError("send messages", context, error);
    } finally {
      await producer.disconnect();
    }
    context.metric("records", count);
    return { messagesCount: count };
  },
});

function sendOptions(properties: ClientProperties) {
  const acks = properties.text("acks") ?? "all";
  const compression = COMPRESSIONS.get(properties.text("compression.type")?.toLowerCase() ?? "none");
  if (compression === undefined) throw new Error("Invalid compression.type: it must be none or gzip");
  if (!["all", "-1", "0", "1"].includes(acks)) throw new Error("Invalid acks: it must be all, 0 or 1");
  return { acks: acks === "all" ? -1 : Number(acks), compression, timeout: SEND_TIMEOUT_MS };
}

async function byTopic({ properties }: TaskContext, serdes: Serdes, values: readonly JsonValue[]) {
  const topics = new Map<string, SentMessage[]>();
  for (const value of values) {
    const record = asRecord(value);
    const topic = optionalText(ownProperty(record, "topic")) ?? optionalText(properties.topic);
    if (topic === undefined) throw new Error("Missing topic: neither the task nor the message has one");
    const messages = topics.get(topic) ?? [];
    messages.push(await messageOf(record, topic, { properties, serdes }));
    topics.set(topic, messages);
  }
  return [...topics].map(([topic, messages]) => ({ topic, messages }));
}

async function messageOf(
  record: JsonObject,
  topic: string,
  { properties, serdes }: { readonly properties: JsonObject; readonly serdes: Serdes },
): Promise<SentMessage> {
  const { keySerializer, valueSerializer, keyAvroSchema, valueAvroSchema } = properties;
  const partition = ownProperty(record, "partition") ?? null, headers = ownProperty(record, "headers");
  const timestamp = ownProperty(record, "timestamp") ?? null;
  return {
    key: await serdes.write(keySerializer, ownProperty(record, "key"), {
      topic,
      role: "key",
      schema: optionalText(keyAvroSchema),
    }),
    value: await serdes.write(valueSerializer, ownProperty(record, "value"), {
      topic,
      role: "value",
      schema: optionalText(valueAvroSchema),
    }),
    ...timestamp !== null && { timestamp: String(instantOf(timestamp)) },
    ...partition !== null && { partition: Number(partition) },
    ...isJsonObject(headers) && { headers: headersOf(headers) },
  };
}

function headersOf(headers: JsonObject): Record<string, HeaderValue> {
  const texts = Object.entries(headers).map(([name, value]): [string, HeaderValue] => [
    name,
    Array.isArray(value) ? value.map(String) : String(value),
  ]);
  return Object.fromEntries(texts);
}
