/** `gcp.pubsub.Publish`, `Consume`, `Trigger` and `RealtimeTrigger`. https://cloud.google.com/pubsub/docs/reference/rest */
import { type JsonObject, type JsonValue, objectsOf, stringifyJson } from "../../base/json.ts";
import {
  dynamicFlag,
  dynamicProperty,
  dynamicText,
  type PropertySchema,
  type PropertySchemas,
} from "../../model/flows/schema.ts";
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
import { CONNECTION, GcpClient } from "./client.ts";

/** Most messages of a request. */
const BATCH_SIZE = 1000;
/** Most bytes of the messages of a request, before Base64. */
const BATCH_BYTES = 6_000_000;

const TOPIC: PropertySchema = dynamicText("Name of the topic.", { required: true });

/** Output: `messagesCount`. */
export const pubsubPublish = defineTask({
  type: "gcp.pubsub.Publish",
  title: "Send messages to a topic of Pub/Sub",
  description: "Sends messages to a topic of Google Cloud Pub/Sub.",
  properties: {
    ...CONNECTION,
    topic: TOPIC,
    from: dynamicProperty(
      "any",
      `Messages, each with \`data\`, \`attributes\` and \`orderingKey\`: ${GIVEN_MAPS}.`,
      {
        required: true,
      },
    ),
    serdeType: SERDE_TYPE,
  },
  outputs: { messagesCount: { type: "integer", description: "Number of messages." } },
  metrics: { records: { type: "counter", description: "Number of messages." } },
  examples: [{
    title: "Send a message",
    yaml: `id: publish
type: io.svc.plugin.gcp.pubsub.Publish
serviceAccount: "{{ secret('GCP_KEY') }}"
topic: orders
from:
  - data: Hello
    attributes:
      source: flows`,
  }],
  async run(context) {
    const topic = String(context.properties.topic);
    const client = new GcpClient(context);
    let messagesCount = 0;
    const sizeOf = ({ data }: JsonObject) => String(data ?? "").length;
    for await (
      const messages of batches(messagesOf(context), { maxCount: BATCH_SIZE, maxBytes: BATCH_BYTES, sizeOf })
    ) {
      await client.send({
        api: "pubsub",
        path: `${pathOf(client, "topics", topic)}:publish`,
        json: { messages },
        operation: `send messages to the topic "${topic}"`,
      });
      messagesCount += messages.length;
    }
    context.metric("records", messagesCount, { tags: { topic } });
    return { messagesCount };
  },
});

async function* messagesOf(context: WorkContext): AsyncGenerator<JsonObject> {
  for await (const { data, attributes, orderingKey } of givenMaps(context, "from")) {
    const text = typeof data === "string" ? data : stringifyJson(data ?? null);
    yield {
      ...data === undefined || data === null ? {} : { data: new TextEncoder().encode(text).toBase64() },
      ...attributes === undefined || attributes === null ? {} : { attributes },
      ...optionalText(orderingKey) === undefined ? {} : { orderingKey: String(orderingKey) },
    };
  }
}

function pathOf(client: GcpClient, kind: "topics" | "subscriptions", name: string): string {
  return `/v1/projects/${encodeURIComponent(client.projectId)}/${kind}/${encodeURIComponent(name)}`;
}

const RECEIVING: PropertySchemas = Object.freeze({
  ...CONNECTION,
  topic: TOPIC,
  subscription: dynamicText("Name of the subscription.", { required: true }),
  autoCreateSubscription: dynamicFlag(true, "Whether a subscription that does not exist is created."),
  serdeType: SERDE_TYPE,
});

const CONSUMING: PropertySchemas = Object.freeze({ ...RECEIVING, ...LIMITS });

/** A message of Pub/Sub, with what acknowledges it. */
interface PulledMessage {
  readonly message: JsonObject;
  readonly handle: string;
}

/** The subscription that the properties name; it is created if they say so. */
async function subscriptionOf(context: Pick<WorkContext, "properties" | "http" | "signal">) {
  const { topic, subscription, autoCreateSubscription } = context.properties;
  const client = new GcpClient(context);
  const path = pathOf(client, "subscriptions", String(subscription));
  if (autoCreateSubscription === true) {
    await client.send({
      api: "pubsub",
      path,
      method: "PUT",
      json: { topic: pathOf(client, "topics", String(topic)).slice("/v1/".length) },
      // It exists.
      accepted: [409],
      operation: `create the subscription "${subscription}"`,
    });
  }
  return {
    async pull(request: JsonObject): Promise<PulledMessage[]> {
      const { receivedMessages } = await client.json({
        api: "pubsub",
        path: `${path}:pull`,
        json: request,
        operation: `receive messages of the subscription "${subscription}"`,
        // A message whose response is lost is received again later.
        isRepeatable: true,
      });
      return objectsOf(receivedMessages).map(({ ackId, message }) => ({
        message: message as JsonObject,
        handle: String(ackId),
      }));
    },
    async confirm(handles: readonly string[]): Promise<void> {
      for (let at = 0; at < handles.length; at += BATCH_SIZE) {
        await client.send({
          api: "pubsub",
          path: `${path}:acknowledge`,
          json: { ackIds: handles.slice(at, at + BATCH_SIZE) },
          operation: `acknowledge messages of the subscription "${subscription}"`,
          isRepeatable: true,
        });
      }
    },
  };
}

async function sourceOf(context: WorkContext): Promise<MessageSource> {
  const { pull, confirm } = await subscriptionOf(context);
  const { serdeType } = context.properties;
  return {
    async receive(maxCount) {
      const messages = await pull({ maxMessages: Math.min(maxCount, BATCH_SIZE), returnImmediately: true });
      return messages.map(({ message, handle }) => ({
        row: rowOf(message, (text) => messageValueOrText(text, serdeType)),
        handle,
      }));
    },
    confirm,
  };
}

function rowOf(
  { data = "", attributes = {}, messageId = null, orderingKey = "" }: JsonObject,
  read: (text: string) => JsonValue,
): JsonObject {
  const text = new TextDecoder().decode(Uint8Array.fromBase64(String(data)));
  return { data: text === "" ? null : read(text), attributes, messageId, orderingKey };
}

/** Outputs: `uri` and `count`. */
export const pubsubConsume = defineTask({
  type: "gcp.pubsub.Consume",
  title: "Receive messages of Pub/Sub",
  description:
    "Receives messages of a subscription of Google Cloud Pub/Sub, stores them, and then acknowledges them.",
  properties: CONSUMING,
  outputs: CONSUMED,
  metrics: { records: { type: "counter", description: "Number of messages." } },
  examples: [{
    title: "Receive up to 100 messages",
    yaml: `id: consume
type: io.svc.plugin.gcp.pubsub.Consume
serviceAccount: "{{ secret('GCP_KEY') }}"
topic: orders
subscription: flows
maxRecords: 100`,
  }],
  async run(context) {
    const consumed = await consumeMessages(context, await sourceOf(context));
    context.metric("records", consumed.count, { tags: { topic: String(context.properties.topic) } });
    return { ...consumed };
  },
});

/** Outputs: `uri` and `count`. */
export const pubsubTrigger = defineTrigger({
  type: "gcp.pubsub.Trigger",
  title: "Start when there are messages of Pub/Sub",
  description:
    "Receives messages of a subscription of Google Cloud Pub/Sub, and starts one execution for all of them.",
  properties: CONSUMING,
  outputs: CONSUMED,
  poll: async (context) => await polledMessages(context, await sourceOf(context)),
});

/** Few, so that their starts are durable before the acknowledgement is due. */
const REALTIME_BATCH_SIZE = 10;

/** Outputs: `data`, `attributes`, `messageId` and `orderingKey`. */
export const pubsubRealtimeTrigger = defineTrigger({
  type: "gcp.pubsub.RealtimeTrigger",
  title: "Start for each message of Pub/Sub",
  description:
    "Waits for messages of a subscription of Google Cloud Pub/Sub and starts an execution for each of them. A message is acknowledged when its execution is durable. A message that is no JSON, but should be, is given as text.",
  properties: {
    ...RECEIVING,
    maxRecords: dynamicProperty("integer", "Has no effect.", { ignored: true }),
    maxDuration: dynamicProperty("duration", "Has no effect.", { ignored: true }),
    interval: dynamicProperty("duration", "Has no effect.", { ignored: true }),
  },
  outputs: {
    data: { type: "any", description: "The message, a text or the value of its JSON." },
    attributes: { type: "map", description: "Attributes of the message." },
    messageId: { type: "string", description: "Id of the message." },
    orderingKey: { type: "string", description: "Key that orders messages; empty without one." },
  },
  examples: [{
    title: "Start for each order",
    yaml: `id: orders
type: io.svc.plugin.gcp.pubsub.RealtimeTrigger
serviceAccount: "{{ secret('GCP_KEY') }}"
topic: orders
subscription: flows
serdeType: JSON`,
  }],
  async realtime(context) {
    const { pull, confirm } = await subscriptionOf(context);
    const { serdeType } = context.properties;
    await emitMessages(context, {
      async receive() {
        const messages = await pull({ maxMessages: REALTIME_BATCH_SIZE });
        return messages.map(({ message, handle }) => ({
          variables: rowOf(message, (text) => messageValueOrText(text, serdeType)),
          identity: String(message.messageId),
          handle,
        }));
      },
      confirm,
    });
  },
});
