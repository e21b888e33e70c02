/** `kafka.RealtimeTrigger`. */
import type { PropertySchemas } from "../../model/flows/schema.ts";
import { defineTrigger } from "../../model/triggers/trigger_definition.ts";
import { CONNECTION_PROPERTIES } from "./connection.ts";
import { CONSUMER_PROPERTIES, MESSAGE_OUTPUTS, Positions, receive } from "./consumer.ts";

/** Messages after which the position is stored; fewer than a trigger remembers. */
const COMMIT_EVERY = 50;

/** Starts an execution for each message. */
export const kafkaRealtimeTrigger = defineTrigger({
  type: "kafka.RealtimeTrigger",
  title: "Start for each message of Kafka",
  description:
    "Holds a connection to Kafka and starts an execution for each message. The position of the group follows when executions are durable: after a crash messages are delivered again, and those of the last executions are recognised.",
  properties: {
    ...CONNECTION_PROPERTIES,
    ...CONSUMER_PROPERTIES,
    groupId: { ...CONSUMER_PROPERTIES.groupId, required: true } as PropertySchemas[string],
  },
  outputs: MESSAGE_OUTPUTS,
  examples: [{
    title: "Start for each order",
    yaml: `id: orders
type: io.svc.plugin.kafka.RealtimeTrigger
properties:
  bootstrap.servers: kafka.example.com:9092
topic: orders
groupId: flows
valueDeserializer: JSON`,
  }],
  async realtime(context) {
    const positions = new Positions();
    const over = Promise.withResolvers<void>();
    const stop = () => over.resolve();
    context.signal.addEventListener("abort", stop, { once: true });
    let uncommitted = 0;
    await receive(context, {
      joined: () => context.connected(),
      over: over.promise,
      async take(taken, commit) {
        if (context.signal.aborted) return false;
        if (positions.has(taken)) return true;
        const { message: variables, topic, partition, offset } = taken;
        if (variables) await context.emit(variables, { identity: `${topic}/${partition}/${offset}` });
        positions.pass(taken);
        if (++uncommitted < COMMIT_EVERY) return true;
        uncommitted = 0;
        await commit(positions.list());
        return true;
      },
      batchTaken: (commit) => commit(positions.list()),
      finish: (commit) => commit(positions.list()),
    });
  },
});
