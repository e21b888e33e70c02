/** `mqtt.Publish`, `mqtt.Subscribe`, `mqtt.Trigger` and `mqtt.RealtimeTrigger`. */
import { Buffer } from "node:buffer";
import type { JsonObject } from "../../base/json.ts";
import { readStructure } from "../../base/json_text.ts";
import { systemClock } from "../../base/time/clock.ts";
import { Turns } from "../../base/time/turn.ts";
import { dynamicFlag, dynamicProperty, dynamicText, type PropertySchemas } from "../../model/flows/schema.ts";
import { defineTask, optionalText, type WorkContext } from "../../model/tasks/task_definition.ts";
import { defineTrigger } from "../../model/triggers/trigger_definition.ts";
import {
  BOUND_PROPERTIES,
  MESSAGE_FILE_OUTPUTS,
  MessageCollector,
  messagesIn,
  millisecondsOf,
} from "../messages.ts";
import type { MqttOptions } from "./client.ts";
import { MESSAGE_OUTPUTS, messageOf, payloadOf } from "./payloads.ts";
import { CONNECTION_PROPERTIES, MqttSession, SERDE_PROPERTIES, withMqtt } from "./session.ts";

/** Sends messages to a topic. */
export const publish = defineTask({
  type: "mqtt.Publish",
  title: "Publish messages by MQTT",
  description: "Sends messages to a topic of a broker of MQTT.",
  properties: {
    ...CONNECTION_PROPERTIES,
    topic: dynamicText("The topic.", { required: true }),
    from: dynamicProperty("any", "A payload, a list of payloads, or the storage URI of a file of payloads.", {
      required: true,
    }),
    ...SERDE_PROPERTIES,
    retain: dynamicFlag(false, "Whether the broker keeps the message for later subscribers."),
    responseTopic: dynamicText("Topic for responses, of MQTT 5."),
    correlationData: dynamicText("Data that a response repeats, of MQTT 5, in Base64."),
  },
  outputs: { messagesCount: { type: "integer", description: "Number of messages that were sent." } },
  metrics: { records: { type: "counter", description: "Number of messages that were sent." } },
  examples: [{
    title: "Publish a message",
    yaml:
      `id: publish\ntype: io.svc.plugin.mqtt.Publish\nserver: tcp://broker.example.com:1883\ntopic: flows/done\nfrom:\n  id: "{{ execution.id }}"`,
  }],
  async run(context) {
    const { properties } = context;
    const { from, topic, qos, retain, correlationData } = properties;
    const responseTopic = optionalText(properties.responseTopic), correlation = optionalText(correlationData);
    const further = {
      ...responseTopic !== undefined && { responseTopic },
      ...correlation !== undefined && { correlationData: Buffer.from(correlation, "base64") },
    };
    const options = {
      qos: Number(qos),
      retain: retain === true,
      ...properties.mqttVersion !== "V3" && { properties: further },
    };
    const count = await withMqtt(context, { isKept: false }, async (client) => {
      let sent = 0;
      for await (const value of messagesIn(context, from)) {
        await client.publish({ topic: String(topic), payload: payloadOf(properties, value), ...options });
        sent++;
      }
      return sent;
    });
    context.metric("records", count);
    return { messagesCount: count };
  },
});

const TOPIC: PropertySchemas = Object.freeze({
  topic: dynamicProperty("any", "Topic, or a list of topics; `+` and `#` stand for any.", { required: true }),
});

const SUBSCRIPTION: PropertySchemas = Object.freeze({
  ...CONNECTION_PROPERTIES,
  ...TOPIC,
  ...SERDE_PROPERTIES,
});

function topicsOf({ topic }: JsonObject): string[] {
  const given = readStructure(topic ?? null);
  return Array.isArray(given) ? given.map(String) : [String(given)];
}

/** With a name of its own the broker keeps messages of quality 1 and 2 for the client. */
function isKept({ clientId, qos }: JsonObject): boolean {
  return optionalText(clientId) !== undefined && Number(qos) > 0;
}

/** Messages that any common broker sends without an acknowledgement: Mosquitto 20, RabbitMQ and HiveMQ 10. */
const BROKER_WINDOW = 10;
/** Messages that a broker can send without an acknowledgement; each has a number of 16 bits. */
const MAX_HELD = 65_535;
/** After so many milliseconds without a message a broker may be waiting for acknowledgements. */
const FULL_WINDOW_MS = 5_000;
const TURN_MS = 10;

/** Messages in a file. */
interface Collected {
  /** `messagesCount`, `uri`. */
  readonly outputs: JsonObject;
  /** Acknowledges the messages that the broker still keeps. @throws Error the connection was closed */
  readonly acknowledge: () => Promise<void>;
  /** To be closed after that. */
  readonly session: MqttSession;
}

/**
 * Takes messages to a file. With `isSessionKept` the broker keeps them until they are acknowledged. It sends only some without
 * an acknowledgement: without maxDuration the work ends when no more come after so many.
 */
async function collect(context: WorkContext, isSessionKept: boolean): Promise<Collected> {
  const { properties } = context;
  const { maxRecords, maxDuration } = properties;
  if (maxRecords === undefined && maxDuration === undefined) {
    throw new Error("Missing maxRecords: give maxRecords or maxDuration");
  }
  const held: (() => void)[] = [];
  let window = BROKER_WINDOW;
  const collector = new MessageCollector(context, {
    maxRecords: maxRecords === undefined ? undefined : Number(maxRecords),
    maxDurationMs: millisecondsOf(maxDuration),
    idleMs: () => maxDuration === undefined && held.length >= window ? FULL_WINDOW_MS : undefined,
  });
  const file = collector.stored();
  file.catch(() => {}); // Read below.
  const take: MqttOptions["take"] = async (message, acknowledge) => {
    if (!await collector.add(messageOf(properties, message))) return;
    if (!isSessionKept || message.qos === 0) return acknowledge();
    held.push(acknowledge);
    if (held.length === MAX_HELD) collector.end();
    else collector.touch();
  };
  await using opened = new AsyncDisposableStack();
  try {
    const options = { isKept: isSessionKept, receiveMaximum: MAX_HELD, take };
    const session = opened.use(await MqttSession.open(context, options));
    await session.use(async (client) => {
      window = Math.min(client.receiveMaximum ?? BROKER_WINDOW, BROKER_WINDOW);
      collector.touch();
      await client.subscribe(topicsOf(properties), Number(properties.qos));
      await collector.over;
    });
    const outputs = { messagesCount: collector.count, uri: await file };
    opened.move();
    return { outputs, acknowledge: () => acknowledgeAll(held), session };
  } catch (error) {
    collector.end(error as Error);
    await file.catch(() => {});
    throw error;
  }
}

async function acknowledgeAll(held: readonly (() => void)[]): Promise<void> {
  const turns = new Turns(systemClock, TURN_MS);
  for (const acknowledge of held) {
    acknowledge();
    await turns.next();
  }
}

/** Takes the messages of topics to a file. */
export const subscribe = defineTask({
  type: "mqtt.Subscribe",
  title: "Receive messages by MQTT",
  description: "Receives messages of topics of a broker of MQTT until a bound is reached, and stores them.",
  properties: { ...SUBSCRIPTION, ...BOUND_PROPERTIES },
  outputs: MESSAGE_FILE_OUTPUTS,
  metrics: { records: { type: "counter", description: "Number of messages." } },
  examples: [{
    title: "Receive for a minute",
    yaml:
      `id: receive\ntype: io.svc.plugin.mqtt.Subscribe\nserver: tcp://broker.example.com:1883\ntopic: sensors/#\nmaxDuration: PT1M`,
  }],
  async run(context) {
    const { outputs, session } = await collect(context, false);
    await session[Symbol.asyncDispose]();
    context.metric("records", Number(outputs.messagesCount));
    return outputs;
  },
});

/** Starts an execution for the messages of some time. */
export const mqttTrigger = defineTrigger({
  type: "mqtt.Trigger",
  title: "Start when messages arrive by MQTT",
  description:
    "Receives messages until a bound is reached, and starts an execution with them. With a `clientId` and a quality of service of 1 or 2 the broker keeps messages between polls, and they are acknowledged when the execution is durable. So a poll takes no more than the broker sends without an acknowledgement, and the next poll takes the others. Without maxDuration it ends when no message has come for five seconds after at least ten.",
  properties: { ...SUBSCRIPTION, ...BOUND_PROPERTIES },
  outputs: MESSAGE_FILE_OUTPUTS,
  examples: [{
    title: "Start for messages of ten seconds",
    yaml:
      `id: sensors\ntype: io.svc.plugin.mqtt.Trigger\nserver: tcp://broker.example.com:1883\nclientId: sensors\ntopic: sensors/#\nmaxDuration: PT10S\ninterval: PT1M`,
  }],
  async poll(context) {
    const { outputs, acknowledge, session } = await collect(context, isKept(context.properties));
    context.whenOver(() => session[Symbol.asyncDispose]());
    context.whenDurable(acknowledge);
    return outputs.messagesCount === 0 ? undefined : outputs;
  },
});

/** Starts an execution for each message. */
export const mqttRealtimeTrigger = defineTrigger({
  type: "mqtt.RealtimeTrigger",
  title: "Start for each message by MQTT",
  description:
    "Holds a connection to a broker of MQTT and starts an execution for each message, which is acknowledged when that is durable. With a `clientId` and a quality of service of 1 or 2 the broker keeps messages while the trigger is not connected.",
  properties: SUBSCRIPTION,
  outputs: MESSAGE_OUTPUTS,
  examples: [{
    title: "Start for each alarm",
    yaml:
      `id: alarms\ntype: io.svc.plugin.mqtt.RealtimeTrigger\nserver: tcp://broker.example.com:1883\nclientId: alarms\ntopic: alarms/#\nserdeType: STRING`,
  }],
  async realtime(context) {
    const { properties } = context;
    const take: MqttOptions["take"] = async (message, acknowledge) => {
      await context.emit(messageOf(properties, message));
      acknowledge();
    };
    await withMqtt(context, { isKept: isKept(properties), take }, async (client) => {
      await client.subscribe(topicsOf(properties), Number(properties.qos));
      context.connected();
      await client.broken;
    });
  },
});
