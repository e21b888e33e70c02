/** `amqp.Consume`, `amqp.Trigger` and `amqp.RealtimeTrigger`. */
import type { AMQPMessage } from "@cloudamqp/amqp-client/amqp-message";
import { dynamicFlag, dynamicText, type PropertySchemas } from "../../model/flows/schema.ts";
import { defineTask, optionalText, type WorkContext } from "../../model/tasks/task_definition.ts";
import { defineTrigger } from "../../model/triggers/trigger_definition.ts";
import {
  CONSUMED,
  consumeMessages,
  LIMITS,
  type MessageSource,
  messageValueOrText,
  polledMessages,
  SERDE_TYPE,
} from "../consumed_messages.ts";
import { MESSAGE_OUTPUTS, messageOf } from "./messages.ts";
import { AmqpSession, CONNECTION_PROPERTIES } from "./session.ts";

/** Messages that the broker sends ahead to a realtime trigger. */
const PREFETCH = 20;
const BROKER_EXAMPLE = `host: broker.example.com
username: flows
password: "{{ secret('AMQP_PASSWORD') }}"
virtualHost: /orders
queue: orders`;

const QUEUE: PropertySchemas = Object.freeze({
  ...CONNECTION_PROPERTIES,
  queue: dynamicText("Name of the queue.", { required: true }),
  serdeType: SERDE_TYPE,
});

const CONSUMING: PropertySchemas = Object.freeze({
  ...QUEUE,
  autoAck: dynamicFlag(
    false,
    "Whether the broker removes messages when it sends them: a failure loses them. Else they are removed when they are stored.",
  ),
  consumerTag: dynamicText("Has no effect: messages are fetched without a consumer.", { ignored: true }),
  ...LIMITS,
});

/** Messages are fetched one by one: so no more are in memory, and none is taken from the queue in vain. */
function sourceOf({ properties }: WorkContext, session: AmqpSession): MessageSource {
  const queue = String(properties.queue), noAck = properties.autoAck === true;
  return {
    async receive() {
      const message = await session.run((channel) => channel.basicGet(queue, { noAck }));
      if (!message) return [];
      const data = messageValueOrText(textOf(message), properties.serdeType);
      return [{ row: messageOf(message, data), handle: String(message.deliveryTag) }];
    },
    async confirm(handles) {
      if (noAck) return;
      await session.run((channel) => channel.basicAck(Number(handles.at(-1)), true));
    },
  };
}

function textOf({ body }: AMQPMessage): string {
  return new TextDecoder().decode(body ?? new Uint8Array());
}

/** Outputs: `uri` and `count`. */
export const consume = defineTask({
  type: "amqp.Consume",
  title: "Receive messages by AMQP",
  description:
    "Receives messages of a queue until a bound is reached, stores them, and then acknowledges them: if the task fails before, they return to the queue.",
  properties: CONSUMING,
  outputs: CONSUMED,
  metrics: { "consumed.records": { type: "counter", description: "Number of messages." } },
  examples: [{
    title: "Receive up to 1000 messages",
    yaml: `id: receive\ntype: io.svc.plugin.amqp.Consume\n${BROKER_EXAMPLE}\nmaxRecords: 1000`,
  }],
  async run(context) {
    const session = await AmqpSession.open(context);
    try {
      const consumed = await consumeMessages(context, sourceOf(context, session));
      context.metric("consumed.records", consumed.count, {
        tags: { queue: String(context.properties.queue) },
      });
      return { ...consumed };
    } finally {
      await session.close();
    }
  },
});

/** Outputs: `uri` and `count`. */
export const amqpTrigger = defineTrigger({
  type: "amqp.Trigger",
  title: "Start when messages arrive by AMQP",
  description:
    "Receives the messages of a queue and starts one execution for all of them. They are acknowledged when that is durable.",
  properties: CONSUMING,
  outputs: CONSUMED,
  examples: [{
    title: "Start for new orders",
    yaml: `id: orders\ntype: io.svc.plugin.amqp.Trigger\n${BROKER_EXAMPLE}\nmaxRecords: 1000\ninterval: PT1M`,
  }],
  async poll(context) {
    const session = await AmqpSession.open(context);
    // Only the connection that has received a message can acknowledge it.
    context.whenOver(() => session.close());
    return await polledMessages(context, sourceOf(context, session));
  },
});

/** Outputs: the properties of the message and `data`. */
export const amqpRealtimeTrigger = defineTrigger({
  type: "amqp.RealtimeTrigger",
  title: "Start for each message by AMQP",
  description:
    "Holds a connection to a broker and starts an execution for each message of a queue, which is acknowledged when that is durable. A message that is no JSON, but should be, is given as text.",
  properties: {
    ...QUEUE,
    autoAck: dynamicFlag(
      false,
      "Whether the broker removes messages when it sends them: a crash loses those that have not started an execution.",
    ),
    consumerTag: dynamicText(
      "Name of the consumer, which the broker shows. Default is one that the broker chooses.",
    ),
  },
  outputs: MESSAGE_OUTPUTS,
  examples: [{
    title: "Start for each order",
    yaml: `id: orders\ntype: io.svc.plugin.amqp.RealtimeTrigger\n${BROKER_EXAMPLE}\nserdeType: JSON`,
  }],
  async realtime(context) {
    const { queue, serdeType, autoAck, consumerTag } = context.properties;
    const session = await AmqpSession.open(context);
    const take = async (message: AMQPMessage) => {
      const data = messageValueOrText(textOf(message), serdeType);
      await context.emit(messageOf(message, data));
    };
    const consumer = { queue: String(queue), tag: optionalText(consumerTag) ?? "", noAck: autoAck === true };
    try {
      await session.run(async (channel) => {
        await channel.basicQos(PREFETCH);
        await session.client.consume(channel, consumer, take);
        context.connected();
        await session.client.broken;
      });
    } finally {
      await session.close();
    }
  },
});
