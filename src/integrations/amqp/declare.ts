/** `amqp.CreateQueue`, `amqp.DeclareExchange` and `amqp.QueueBind`. */
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import {
  dynamicChoice,
  dynamicFlag,
  dynamicProperty,
  dynamicText,
  type PropertySchema,
} from "../../model/flows/schema.ts";
import { defineTask, optionalText } from "../../model/tasks/task_definition.ts";
import { tableOf } from "./messages.ts";
import { CONNECTION_PROPERTIES, withAmqp } from "./session.ts";

const BROKER_EXAMPLE = `host: broker.example.com
username: flows
password: "{{ secret('AMQP_PASSWORD') }}"
virtualHost: /orders`;

const ARGUMENTS = (what: string): PropertySchema =>
  dynamicProperty("map", `Further arguments of the ${what}.`, {
    items: { type: "any", description: "Value of an argument." },
  });

function argumentsOf({ args }: JsonObject): ReturnType<typeof tableOf> {
  return isJsonObject(args) ? tableOf(args) : {};
}

/** Declares a queue. */
export const createQueue = defineTask({
  type: "amqp.CreateQueue",
  title: "Create a queue of AMQP",
  description:
    "Creates a queue unless it exists; the task fails if it exists with other properties. An exclusive queue is deleted at the end of the task.",
  properties: {
    ...CONNECTION_PROPERTIES,
    name: dynamicText("Name of the queue.", { required: true }),
    durability: dynamicFlag(true, "Whether the queue survives a restart of the broker."),
    exclusive: dynamicFlag(false, "Whether the queue belongs to this connection alone."),
    autoDelete: dynamicFlag(false, "Whether the broker deletes the queue when its last consumer is gone."),
    args: ARGUMENTS("queue, for example `x-message-ttl`"),
  },
  outputs: { queue: { type: "string", description: "Name of the queue." } },
  examples: [{
    title: "Create a queue",
    yaml: `id: queue\ntype: io.svc.plugin.amqp.CreateQueue\n${BROKER_EXAMPLE}\nname: orders`,
  }],
  async run(context) {
    const { name, durability, exclusive, autoDelete } = context.properties;
    const options = {
      durable: durability === true,
      exclusive: exclusive === true,
      autoDelete: autoDelete === true,
    };
    const args = argumentsOf(context.properties);
    const { name: queue } = await withAmqp(
      context,
      (channel) => channel.queueDeclare(String(name), options, args),
    );
    return { queue };
  },
});

/** Declares an exchange. */
export const declareExchange = defineTask({
  type: "amqp.DeclareExchange",
  title: "Create an exchange of AMQP",
  description: "Creates an exchange unless it exists; the task fails if it exists with other properties.",
  properties: {
    ...CONNECTION_PROPERTIES,
    name: dynamicText("Name of the exchange.", { required: true }),
    exchangeType: dynamicChoice(
      ["DIRECT", "FANOUT", "TOPIC", "HEADERS"],
      "DIRECT",
      "How the exchange chooses the queues of a message.",
    ),
    durability: dynamicFlag(true, "Whether the exchange survives a restart of the broker."),
    autoDelete: dynamicFlag(
      false,
      "Whether the broker deletes the exchange when no queue is bound any more.",
    ),
    internal: dynamicFlag(false, "Whether clients cannot publish to the exchange."),
    args: ARGUMENTS("exchange, for example `alternate-exchange`"),
  },
  outputs: { exchange: { type: "string", description: "Name of the exchange." } },
  examples: [{
    title: "Create an exchange",
    yaml:
      `id: exchange\ntype: io.svc.plugin.amqp.DeclareExchange\n${BROKER_EXAMPLE}\nname: orders\nexchangeType: TOPIC`,
  }],
  async run(context) {
    const { name, exchangeType, durability, autoDelete, internal } = context.properties;
    const options = {
      durable: durability === true,
      autoDelete: autoDelete === true,
      internal: internal === true,
    };
    const exchange = String(name), type = String(exchangeType).toLowerCase();
    const args = argumentsOf(context.properties);
    await withAmqp(context, (channel) => channel.exchangeDeclare(exchange, type, options, args));
    return { exchange };
  },
});

/** Binds a queue to an exchange. */
export const queueBind = defineTask({
  type: "amqp.QueueBind",
  title: "Bind a queue to an exchange of AMQP",
  description: "From then on the queue gets the messages of the exchange that fit.",
  properties: {
    ...CONNECTION_PROPERTIES,
    exchange: dynamicText("Name of the exchange.", { required: true }),
    queue: dynamicText("Name of the queue.", { required: true }),
    routingKey: dynamicText("Routing key of the messages; a pattern for an exchange of the type TOPIC."),
    args: ARGUMENTS("binding, for example those that the headers of messages must have"),
  },
  outputs: {
    queue: { type: "string", description: "Name of the queue." },
    exchange: { type: "string", description: "Name of the exchange." },
  },
  examples: [{
    title: "Bind a queue",
    yaml:
      `id: bind\ntype: io.svc.plugin.amqp.QueueBind\n${BROKER_EXAMPLE}\nexchange: orders\nqueue: orders\nroutingKey: orders.*`,
  }],
  async run(context) {
    const exchange = String(context.properties.exchange), queue = String(context.properties.queue);
    const routingKey = optionalText(context.properties.routingKey) ?? "";
    const args = argumentsOf(context.properties);
    await withAmqp(context, (channel) => channel.queueBind(queue, exchange, routingKey, args));
    return { queue, exchange };
  },
});
