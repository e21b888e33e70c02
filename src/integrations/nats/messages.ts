/** `nats.core.Produce`, `Request`, `Consume`, `Trigger` and `RealtimeTrigger`. */
import { Buffer } from "node:buffer";
import { isJsonObject, type JsonObject, type JsonValue, stringifyJson } from "../../base/json.ts";
import { dynamicProperty, dynamicText, type PropertySchemas } from "../../model/flows/schema.ts";
import { defineTask, type WorkContext } from "../../model/tasks/task_definition.ts";
import { defineTrigger } from "../../model/triggers/trigger_definition.ts";
import { consumeMessages, emitMessages, polledMessages } from "../consumed_messages.ts";
import { BOUND_PROPERTIES, MESSAGE_FILE_OUTPUTS, messagesIn, millisecondsOf } from "../messages.ts";
import type { SentMessage } from "./client.ts";
import { headersOf } from "./headers.ts";
import { identityOf, MESSAGE_OUTPUTS, messageOf, StreamConsumer, SUBSCRIPTION } from "./jetstream.ts";
import { CONNECTION_PROPERTIES, NatsSession, withNats } from "./session.ts";

/** How long a request of a realtime trigger waits for messages. */
const REALTIME_WAIT_MS = 20_000;
const MAX_RECORDS = 100_000;
const SERVER_EXAMPLE = `url: nats://nats.example.com:4222
username: flows
password: "{{ secret('NATS_PASSWORD') }}"`;

const MESSAGE =
  "a map of `data` and maybe `headers`, texts or lists of texts by name; another value is the data itself";

function messageFor(subject: string, value: JsonValue): SentMessage {
  const message: JsonObject = isJsonObject(value) ? value : { data: value };
  const { data = null } = message;
  if (data === null) throw new Error("Invalid from: a message has no data");
  const text = typeof data === "string" ? data : stringifyJson(data);
  return { subject, headers: headersOf(message.headers), data: Buffer.from(text) };
}

/** Sends messages. Output: `messagesCount`. */
export const produce = defineTask({
  type: "nats.core.Produce",
  aliases: ["nats.Produce"],
  title: "Send messages to a subject of NATS",
  description: "Sends messages to a subject. The task ends when the server has processed all of them.",
  properties: {
    ...CONNECTION_PROPERTIES,
    subject: dynamicText("The subject.", { required: true }),
    from: dynamicProperty(
      "any",
      `A message, a list of messages, or the storage URI of a file of messages. Each is ${MESSAGE}.`,
      { required: true },
    ),
  },
  outputs: { messagesCount: { type: "integer", description: "Number of messages that were sent." } },
  examples: [{
    title: "Send two messages",
    yaml: `id: send
type: io.svc.plugin.nats.core.Produce
${SERVER_EXAMPLE}
subject: orders.new
from:
  - data: one
    headers:
      source: "{{ flow.id }}"
  - data: two`,
  }],
  async run(context) {
    const { subject, from } = context.properties;
    let messagesCount = 0;
    await withNats(context, (session) =>
      session.run(async (client) => {
        for await (const value of messagesIn(context, from)) {
          await client.publish(messageFor(String(subject), value));
          messagesCount++;
        }
        await client.flush();
      }));
    return { messagesCount };
  },
});

/** Sends a message and waits for its reply. Output: `response`. */
export const request = defineTask({
  type: "nats.core.Request",
  aliases: ["nats.Request"],
  title: "Send a request to a subject of NATS",
  description: "Sends a message and gives the first reply; null if no one listens, or the reply is late.",
  properties: {
    ...CONNECTION_PROPERTIES,
    subject: dynamicText("The subject.", { required: true }),
    from: dynamicProperty("any", `The message, or the storage URI of a file with it: ${MESSAGE}.`, {
      required: true,
    }),
    requestTimeout: dynamicProperty("duration", "Longest wait for the reply.", { default: "PT5S" }),
  },
  outputs: { response: { type: "string", description: "Content of the reply." } },
  examples: [{
    title: "Ask a service",
    yaml:
      `id: ask\ntype: io.svc.plugin.nats.core.Request\n${SERVER_EXAMPLE}\nsubject: greet.bob\nfrom:\n  data: Hello\nrequestTimeout: PT2S`,
  }],
  async run(context) {
    const { subject, from, requestTimeout } = context.properties;
    for await (const value of messagesIn(context, from)) {
      const message = messageFor(String(subject), value);
      const reply = await withNats(
        context,
        (session) => session.request(message, millisecondsOf(requestTimeout)),
      );
      return { response: reply?.data.toString() ?? null };
    }
    throw new Error("Missing from: there is no message");
  },
});

const CONSUMING: PropertySchemas = Object.freeze({
  ...SUBSCRIPTION,
  pollDuration: dynamicProperty(
    "duration",
    "How long a request waits for messages; without any the reading ends.",
    {
      default: "PT2S",
    },
  ),
  ...BOUND_PROPERTIES,
});

/** The reading ends when there are no more messages; its limit of time is that of the source. */
function bounded({ directory, storeFile, signal, maxFileBytes, properties }: WorkContext) {
  const maxRecords = properties.maxRecords ?? MAX_RECORDS;
  return { directory, storeFile, signal, maxFileBytes, properties: { maxRecords } };
}

/** Outputs: `messagesCount` and `uri`. */
export const consume = defineTask({
  type: "nats.core.Consume",
  aliases: ["nats.Consume"],
  title: "Receive messages of a stream of NATS",
  description:
    "Receives messages of a JetStream until there are no more, or a bound is reached, stores them, and then acknowledges them.",
  properties: CONSUMING,
  outputs: MESSAGE_FILE_OUTPUTS,
  examples: [{
    title: "Receive new orders",
    yaml:
      `id: receive\ntype: io.svc.plugin.nats.core.Consume\n${SERVER_EXAMPLE}\nsubject: orders.>\ndurableId: flows\nmaxRecords: 1000`,
  }],
  run: (context) =>
    withNats(context, async (session) => {
      const consumer = await StreamConsumer.open(session, context.properties);
      const { uri, count } = await consumeMessages(bounded(context), consumer.source());
      return { messagesCount: count, uri };
    }),
});

/** Outputs: `messagesCount` and `uri`. */
export const natsTrigger = defineTrigger({
  type: "nats.core.Trigger",
  aliases: ["nats.Trigger"],
  title: "Start when a stream of NATS has messages",
  description:
    "Receives the messages of a JetStream and starts one execution for all of them. They are acknowledged when that is durable.",
  properties: CONSUMING,
  outputs: MESSAGE_FILE_OUTPUTS,
  examples: [{
    title: "Start for new orders",
    yaml:
      `id: orders\ntype: io.svc.plugin.nats.core.Trigger\n${SERVER_EXAMPLE}\nsubject: orders.>\ndurableId: flows\ninterval: PT1M`,
  }],
  async poll(context) {
    const session = await NatsSession.open(context);
    context.whenOver(() => session.close());
    const consumer = await StreamConsumer.open(session, context.properties);
    const whenDurable = (confirm: () => Promise<void>) => context.whenDurable(confirm);
    const found = await polledMessages({ ...bounded(context), whenDurable }, consumer.source());
    return found && { messagesCount: found.count ?? 0, uri: found.uri ?? null };
  },
});

/** Outputs: those of a message. */
export const natsRealtimeTrigger = defineTrigger({
  type: "nats.core.RealtimeTrigger",
  aliases: ["nats.RealtimeTrigger"],
  title: "Start for each message of a stream of NATS",
  description:
    "Holds a connection and starts an execution for each message of a JetStream, which is acknowledged when that is durable.",
  properties: SUBSCRIPTION,
  outputs: MESSAGE_OUTPUTS,
  examples: [{
    title: "Start for each order",
    yaml:
      `id: orders\ntype: io.svc.plugin.nats.core.RealtimeTrigger\n${SERVER_EXAMPLE}\nsubject: orders.>\ndurableId: flows`,
  }],
  realtime: (context) =>
    withNats(context, async (session) => {
      const consumer = await StreamConsumer.open(session, context.properties);
      const furtherCount = Number(context.properties.batchSize) - 1;
      context.connected();
      await emitMessages(context, {
        async receive() {
          const first = await consumer.fetch(1, REALTIME_WAIT_MS);
          const further = first.length > 0 && furtherCount > 0 ? await consumer.fetch(furtherCount, 0) : [];
          const messages = [...first, ...further];
          return messages.map((message) => ({
            variables: messageOf(message),
            identity: identityOf(message),
            handle: message.reply ?? "",
          }));
        },
        confirm: (handles) => consumer.confirm(handles),
      });
    }),
});
