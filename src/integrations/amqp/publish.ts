/** `amqp.Publish`. */
import type { AMQPChannel } from "@cloudamqp/amqp-client/amqp-channel";
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { dynamicProperty, dynamicText } from "../../model/flows/schema.ts";
import { defineTask, optionalText } from "../../model/tasks/task_definition.ts";
import { SERDE_TYPE } from "../consumed_messages.ts";
import { batchesOf, messagesIn } from "../messages.ts";
import { contentOf, propertiesOf } from "./messages.ts";
import { CONNECTION_PROPERTIES, withAmqp } from "./session.ts";

/** Messages that are sent before their confirmations are awaited. */
const BATCH_SIZE = 100;

/** Sends messages to an exchange. */
export const publish = defineTask({
  type: "amqp.Publish",
  title: "Publish messages by AMQP",
  description:
    "Sends messages to an exchange. The task ends when the broker has confirmed all of them; messages that no queue gets are counted in the log.",
  properties: {
    ...CONNECTION_PROPERTIES,
    exchange: dynamicText("Name of the exchange. Without one the routing key names the queue."),
    routingKey: dynamicText("Routing key."),
    from: dynamicProperty(
      "any",
      "A message, a list of messages, or the storage URI of a file of messages. Each is a map of `data`, and maybe `headers`, `contentType`, `contentEncoding`, `deliveryMode`, `priority`, `messageId`, `correlationId`, `replyTo`, `expiration`, `timestamp`, `type`, `userId` and `appId`; another value is the data itself. Fractions in headers become texts.",
      { required: true },
    ),
    serdeType: SERDE_TYPE,
  },
  outputs: { messagesCount: { type: "integer", description: "Number of messages that were sent." } },
  metrics: { "published.records": { type: "counter", description: "Number of messages that were sent." } },
  examples: [{
    title: "Publish two messages",
    yaml: `id: publish
type: io.svc.plugin.amqp.Publish
host: broker.example.com
username: flows
password: "{{ secret('AMQP_PASSWORD') }}"
virtualHost: /orders
exchange: orders
routingKey: orders.new
from:
  - data: value-1
    headers:
      source: "{{ flow.id }}"
  - data: value-2
    appId: shop`,
  }],
  async run(context) {
    const { properties } = context;
    let messagesCount = 0, returned = 0;
    await withAmqp(context, async (channel) => {
      channel.onReturn = () => void returned++;
      await channel.confirmSelect();
      for await (const batch of batchesOf(messagesIn(context, properties.from), BATCH_SIZE)) {
        await Promise.all(batch.map((value) => send(channel, properties, value)));
        messagesCount += batch.length;
      }
    });
    if (returned > 0) context.log("WARN", `No queue got ${returned} of ${messagesCount} messages`);
    context.metric("published.records", messagesCount);
    return { messagesCount };
  },
});

async function send(channel: AMQPChannel, properties: JsonObject, value: JsonValue): Promise<void> {
  const message: JsonObject = isJsonObject(value) ? value : { data: value };
  if (message.data === undefined) throw new Error("Invalid from: a message has no data");
  const exchange = optionalText(properties.exchange) ?? "",
    routingKey = optionalText(properties.routingKey) ?? "";
  const content = contentOf(properties, message.data);
  await channel.basicPublish(exchange, routingKey, content, propertiesOf(message), true);
}
