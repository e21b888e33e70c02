/** `gcp.pubsub.Publish`, `Consume` and `Trigger`. https://cloud.google.com/pubsub/docs/reference/rest */
import { type JsonObject, objectsOf, stringifyJson } from "../../base/json.ts";
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
  LIMITS,
  type MessageSource,
  messageValue,
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

const CONSUMING: PropertySchemas = Object.freeze({
  ...CONNECTION,
  topic: TOPIC,
  subscription: dynamicText("Name of the subscription.", { required: true }),
  autoCreateSubscription: dynamicFlag(true, "Whether a subscription that does not exist is created."),
  ...LIMITS,
  serdeType: SERDE_TYPE,
});

async function sourceOf(context: WorkContext): Promise<MessageSource> {
  const { topic, subscription, autoCreateSubscription, serdeType } = context.properties;
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
    async receive(maxCount) {
      const { receivedMessages } = await client.json({
        api: "pubsub",
        path: `${path}:pull`,
        json: { maxMessages: Math.min(maxCount, BATCH_SIZE), returnImmediately: true },
        operation: `receive messages of the subscription "${subscription}"`,
        // A message whose response is lost is received again later.
        isRepeatable: true,
      });
      return objectsOf(receivedMessages).map(({ ackId, message }) => ({
        row: rowOf(message as JsonObject, serdeType),
        handle: String(ackId),
      }));
    },
    async confirm(handles) {
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

function rowOf(
  { data = "", attributes = {}, messageId = null, orderingKey = "" }: JsonObject,
  serdeType: JsonObject[string] | undefined,
): JsonObject {
  const text = new TextDecoder().decode(Uint8Array.fromBase64(String(data)));
  return { data: text === "" ? null : messageValue(text, serdeType), attributes, messageId, orderingKey };
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
