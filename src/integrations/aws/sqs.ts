/** `aws.sqs.Publish`, `Consume`, `Trigger` and `RealtimeTrigger`. https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/ */
import { shownUri } from "../../base/network/shown_uri.ts";
import { readDuration } from "../../base/time/duration.ts";
import { type JsonObject, objectsOf, stringifyJson } from "../../base/json.ts";
import { dynamicFlag, dynamicProperty, dynamicText, type PropertySchemas } from "../../model/flows/schema.ts";
import { defineTask, optionalText, type WorkContext } from "../../model/tasks/task_definition.ts";
import { defineTrigger } from "../../model/triggers/trigger_definition.ts";
import {
  CONSUMED,
  consumeMessages,
  emitMessages,
  LIMITS,
  type MessageSource,
  messageValueOrText,
  polledMessages,
  SERDE_TYPE,
} from "../consumed_messages.ts";
import { batches, GIVEN_MAPS, givenMaps } from "../given_maps.ts";
import { AwsClient, CONNECTION } from "./client.ts";

/** Most messages of a request. */
const BATCH_SIZE = 10;
/** Most bytes of the messages of a request, with room for their attributes. */
const BATCH_BYTES = 250_000;
/** A queue is read from all its servers only if the request waits. */
const WAIT_S = 1;

const QUEUE: PropertySchemas = Object.freeze({
  ...CONNECTION,
  queueUrl: dynamicText("URL of the queue.", { required: true }),
  maxConcurrency: dynamicProperty("integer", "Has no effect.", { ignored: true }),
  connectionAcquisitionTimeout: dynamicProperty("duration", "Has no effect.", { ignored: true }),
});

/** Output: `messagesCount`. */
export const sqsPublish = defineTask({
  type: "aws.sqs.Publish",
  title: "Send messages to a queue of SQS",
  description: "Sends messages to a queue of Amazon SQS.",
  properties: {
    ...QUEUE,
    from: dynamicProperty(
      "any",
      "Messages, each with `data`, and maybe `groupId`, `deduplicationId` and `delaySeconds`: " + GIVEN_MAPS +
        ".",
      { required: true },
    ),
  },
  outputs: { messagesCount: { type: "integer", description: "Number of messages." } },
  metrics: { "sqs.publish.messages": { type: "counter", description: "Number of messages." } },
  examples: [{
    title: "Send two messages",
    yaml: `id: publish
type: io.svc.plugin.aws.sqs.Publish
accessKeyId: "{{ secret('AWS_KEY_ID') }}"
secretKeyId: "{{ secret('AWS_SECRET_KEY') }}"
region: eu-central-1
queueUrl: https://sqs.eu-central-1.amazonaws.com/123456789012/orders
from:
  - data: Hello
  - data: World
    delaySeconds: 5`,
  }],
  async run(context) {
    const queueUrl = String(context.properties.queueUrl);
    const client = new AwsClient(context);
    let messagesCount = 0;
    const sizeOf = ({ MessageBody }: JsonObject) => new TextEncoder().encode(String(MessageBody)).length;
    const groups = batches(entriesOf(context), { maxCount: BATCH_SIZE, maxBytes: BATCH_BYTES, sizeOf });
    for await (const entries of groups) {
      await callBatch(client, "SendMessageBatch", { queueUrl, entries });
      messagesCount += entries.length;
    }
    context.metric("sqs.publish.messages", messagesCount, { tags: { queue: queueUrl } });
    return { messagesCount };
  },
});

async function* entriesOf(context: WorkContext): AsyncGenerator<JsonObject> {
  for await (const { data, groupId, deduplicationId, delaySeconds } of givenMaps(context, "from")) {
    if (data === undefined || data === null) throw new Error("Invalid from: a message has no data");
    const group = optionalText(groupId), deduplication = optionalText(deduplicationId);
    yield {
      MessageBody: typeof data === "string" ? data : stringifyJson(data),
      ...group === undefined ? {} : { MessageGroupId: group },
      ...deduplication === undefined ? {} : { MessageDeduplicationId: deduplication },
      ...optionalText(delaySeconds) === undefined ? {} : { DelaySeconds: Number(delaySeconds) },
    };
  }
}

/** @throws Error one of the entries is refused */
async function callBatch(
  client: AwsClient,
  action: "SendMessageBatch" | "DeleteMessageBatch",
  { queueUrl, entries }: { readonly queueUrl: string; readonly entries: readonly JsonObject[] },
): Promise<void> {
  const operation = `${action === "SendMessageBatch" ? "send messages to" : "delete messages of"} "${
    shownUri(queueUrl)
  }"`;
  const { Failed } = await client.call({
    service: "sqs",
    target: `AmazonSQS.${action}`,
    operation,
    isRepeatable: action === "DeleteMessageBatch",
  }, { QueueUrl: queueUrl, Entries: entries.map((entry, index) => ({ Id: String(index), ...entry })) });
  const failed = objectsOf(Failed);
  const [first] = failed;
  if (first) {
    throw new Error(
      `Cannot ${operation}: ${failed.length} of ${entries.length} failed: ${first.Message ?? ""} (${
        first.Code ?? ""
      })`,
    );
  }
}

const RECEIVING: PropertySchemas = Object.freeze({
  ...QUEUE,
  serdeType: SERDE_TYPE,
  autoDelete: dynamicFlag(true, "Whether messages are deleted when they are stored."),
  visibilityTimeout: dynamicProperty("integer", "Seconds in which others do not receive the messages.", {
    default: 30,
    minimum: 0,
    maximum: 43_200,
  }),
});

const CONSUMING: PropertySchemas = Object.freeze({ ...RECEIVING, ...LIMITS });

/** A message of SQS. */
interface QueuedMessage {
  readonly id: string;
  readonly text: string;
  readonly handle: string;
}

/** The queue that the properties name. */
function queueOf(context: Pick<WorkContext, "properties" | "http" | "signal">) {
  const { queueUrl: url, visibilityTimeout, autoDelete } = context.properties;
  const queueUrl = String(url);
  const client = new AwsClient(context);
  return {
    async receive(maxCount: number, waitS: number): Promise<QueuedMessage[]> {
      const { Messages } = await client.call({
        service: "sqs",
        target: "AmazonSQS.ReceiveMessage",
        operation: `receive messages of "${shownUri(queueUrl)}"`,
        // A message whose response is lost is received again later.
        isRepeatable: true,
      }, {
        QueueUrl: queueUrl,
        MaxNumberOfMessages: Math.min(maxCount, BATCH_SIZE),
        VisibilityTimeout: Number(visibilityTimeout),
        WaitTimeSeconds: waitS,
      });
      return objectsOf(Messages).map(({ Body, MessageId, ReceiptHandle }) => ({
        id: String(MessageId),
        text: String(Body ?? ""),
        handle: String(ReceiptHandle),
      }));
    },
    async confirm(handles: readonly string[]): Promise<void> {
      if (autoDelete === false) return;
      for (let at = 0; at < handles.length; at += BATCH_SIZE) {
        const entries = handles.slice(at, at + BATCH_SIZE).map((ReceiptHandle) => ({ ReceiptHandle }));
        await callBatch(client, "DeleteMessageBatch", { queueUrl, entries });
      }
    },
  };
}

function sourceOf(context: WorkContext): MessageSource {
  const { receive, confirm } = queueOf(context);
  const { serdeType } = context.properties;
  return {
    async receive(maxCount) {
      const messages = await receive(maxCount, WAIT_S);
      return messages.map(({ text, handle }) => ({ row: messageValueOrText(text, serdeType), handle }));
    },
    confirm,
  };
}

/** Outputs: `uri` and `count`. */
export const sqsConsume = defineTask({
  type: "aws.sqs.Consume",
  title: "Receive messages of a queue of SQS",
  description:
    "Receives messages of a queue of Amazon SQS, stores them, and then deletes them from the queue.",
  properties: CONSUMING,
  outputs: CONSUMED,
  metrics: { "sqs.consume.messages": { type: "counter", description: "Number of messages." } },
  examples: [{
    title: "Receive up to 100 messages",
    yaml: `id: consume
type: io.svc.plugin.aws.sqs.Consume
accessKeyId: "{{ secret('AWS_KEY_ID') }}"
secretKeyId: "{{ secret('AWS_SECRET_KEY') }}"
region: eu-central-1
queueUrl: https://sqs.eu-central-1.amazonaws.com/123456789012/orders
maxRecords: 100`,
  }],
  async run(context) {
    const consumed = await consumeMessages(context, sourceOf(context));
    context.metric("sqs.consume.messages", consumed.count, {
      tags: { queue: String(context.properties.queueUrl) },
    });
    return { ...consumed };
  },
});

/** Outputs: `uri` and `count`. */
export const sqsTrigger = defineTrigger({
  type: "aws.sqs.Trigger",
  title: "Start when there are messages in a queue of SQS",
  description: "Receives messages of a queue of Amazon SQS, and starts one execution for all of them.",
  properties: CONSUMING,
  outputs: CONSUMED,
  poll: async (context) => await polledMessages(context, sourceOf(context)),
});

/** Longest wait that SQS allows. */
const MAX_WAIT_S = 20;

/** Output: `data`. */
export const sqsRealtimeTrigger = defineTrigger({
  type: "aws.sqs.RealtimeTrigger",
  title: "Start for each message of a queue of SQS",
  description:
    "Waits for messages of a queue of Amazon SQS and starts an execution for each of them. A message is deleted from the queue when its execution is durable. A message that is no JSON, but should be, is given as text.",
  properties: {
    ...RECEIVING,
    autoDelete: dynamicFlag(true, "Whether messages are deleted when their executions are durable."),
    waitTime: dynamicProperty("duration", "How long a request waits for messages, at most 20 seconds.", {
      default: "PT20S",
    }),
    maxNumberOfMessage: dynamicProperty("integer", "Most messages of a request.", {
      default: 5,
      minimum: 1,
      maximum: BATCH_SIZE,
    }),
    clientRetryMaxAttempts: dynamicProperty("integer", "Has no effect.", { ignored: true }),
  },
  outputs: { data: { type: "any", description: "The message, a text or the value of its JSON." } },
  examples: [{
    title: "Start for each order",
    yaml: `id: orders
type: io.svc.plugin.aws.sqs.RealtimeTrigger
accessKeyId: "{{ secret('AWS_KEY_ID') }}"
secretKeyId: "{{ secret('AWS_SECRET_KEY') }}"
region: eu-central-1
queueUrl: https://sqs.eu-central-1.amazonaws.com/123456789012/orders
serdeType: JSON`,
  }],
  async realtime(context) {
    const { waitTime, maxNumberOfMessage, serdeType } = context.properties;
    const waitS = Math.min(Math.floor((readDuration(waitTime) ?? Infinity) / 1000), MAX_WAIT_S);
    const { receive, confirm } = queueOf(context);
    await emitMessages(context, {
      async receive() {
        const messages = await receive(Number(maxNumberOfMessage), waitS);
        return messages.map(({ id, text, handle }) => ({
          variables: { data: messageValueOrText(text, serdeType) },
          identity: id,
          handle,
        }));
      },
      confirm,
    });
  },
});
