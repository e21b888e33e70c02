/** `kafka.Consume` and `kafka.Trigger`. */
import type { JsonObject } from "../../base/json.ts";
import { dynamicProperty, type PropertySchemas } from "../../model/flows/schema.ts";
import { defineTask, type WorkContext } from "../../model/tasks/task_definition.ts";
import { defineTrigger } from "../../model/triggers/trigger_definition.ts";
import { BOUND_PROPERTIES, MESSAGE_FILE_OUTPUTS, MessageCollector, millisecondsOf } from "../messages.ts";
import { CONNECTION_PROPERTIES } from "./connection.ts";
import { REGISTRY_VENDOR } from "./registries.ts";
import { CONSUMER_PROPERTIES, Positions, receive, type TakeOptions } from "./consumer.ts";

const PROPERTIES: PropertySchemas = Object.freeze({
  ...CONNECTION_PROPERTIES,
  ...CONSUMER_PROPERTIES,
  pollDuration: dynamicProperty(
    "duration",
    "Longest wait for the next message, from when the group was joined.",
    {
      default: "PT5S",
    },
  ),
  ...BOUND_PROPERTIES,
});

interface Taking {
  readonly ownGroup?: string;
  readonly positions: Positions;
  readonly finish: TakeOptions["finish"];
}

/** Takes messages to a file. Outputs: `messagesCount`, `uri`. */
async function takeMessages(
  context: WorkContext,
  { ownGroup, positions, finish }: Taking,
): Promise<JsonObject> {
  const { maxRecords, maxDuration, pollDuration } = context.properties;
  const collector = new MessageCollector(context, {
    maxRecords: maxRecords === undefined ? undefined : Number(maxRecords),
    maxDurationMs: millisecondsOf(maxDuration),
    idleMs: () => millisecondsOf(pollDuration),
  });
  const stored = Promise.withResolvers<string>();
  const file = collector.stored();
  file.then(stored.resolve, stored.reject);
  stored.promise.catch(() => {}); // The reception reports it.
  try {
    await receive(context, {
      ownGroup,
      joined: () => collector.touch(),
      over: collector.over,
      async take(taken) {
        if (collector.isOver) return false;
        if (positions.has(taken)) return true;
        positions.pass(taken);
        return taken.message === undefined || await collector.add(taken.message);
      },
      async finish(commit, ahead) {
        await stored.promise;
        await finish(commit, ahead);
      },
    });
  } catch (error) {
    collector.end(error as Error);
    await file.catch(() => {});
    throw error;
  }
  return { messagesCount: collector.count, uri: await file };
}

/** The messages of topics in a file. */
export const consume = defineTask({
  type: "kafka.Consume",
  title: "Receive messages of Kafka",
  description:
    "Receives messages of topics of Kafka until there are no more for some time, or a bound is reached, and stores them. The position of a group is kept after the file is stored.",
  properties: { ...PROPERTIES, schemaRegistryVendor: REGISTRY_VENDOR },
  outputs: MESSAGE_FILE_OUTPUTS,
  metrics: { records: { type: "counter", description: "Number of messages." } },
  examples: [{
    title: "Receive messages as JSON",
    yaml: `id: receive
type: io.svc.plugin.kafka.Consume
properties:
  bootstrap.servers: kafka.example.com:9092
  auto.offset.reset: earliest
topic: orders
groupId: flows
valueDeserializer: JSON
maxRecords: 1000`,
  }],
  async run(context) {
    const positions = new Positions();
    const { taskRunId, attemptNumber } = context.attempt;
    const outputs = await takeMessages(context, {
      ownGroup: `sluice-${taskRunId}-${attemptNumber}`,
      positions,
      finish: (commit) => commit(positions.list()),
    });
    context.metric("records", Number(outputs.messagesCount));
    return outputs;
  },
});

/** Starts an execution for new messages. */
export const kafkaTrigger = defineTrigger({
  type: "kafka.Trigger",
  title: "Start when messages of Kafka arrive",
  description:
    "Starts an execution for the messages that have arrived since the last poll. Positions are stored with the execution; the group follows at the next poll.",
  properties: {
    ...PROPERTIES,
    groupId: { ...PROPERTIES.groupId, required: true } as PropertySchemas[string],
  },
  outputs: MESSAGE_FILE_OUTPUTS,
  examples: [{
    title: "Start for new orders",
    yaml: `id: orders
type: io.svc.plugin.kafka.Trigger
properties:
  bootstrap.servers: kafka.example.com:9092
topic: orders
groupId: flows
interval: PT1M`,
  }],
  async poll(context) {
    const groupId = String(context.properties.groupId);
    const state = context.state.get();
    const known = state?.groupId === groupId ? state.positions : undefined;
    const durable = new Positions(known), positions = new Positions(known);
    const outputs = await takeMessages(context, {
      positions,
      // Someone may have moved the group beyond messages that cannot be read.
      finish: async (commit, ahead) => commit(await ahead(durable.list())),
    });
    if (outputs.messagesCount === 0) return undefined;
    context.state.set({ groupId, positions: positions.list().map((position) => ({ ...position })) });
    return outputs;
  },
});
