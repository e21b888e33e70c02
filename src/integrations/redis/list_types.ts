/** Lists of Redis as queues, and channels: `redis.list.*` and `redis.pubsub.Publish`. */
import { systemClock } from "../../base/time/clock.ts";
import type { JsonObject } from "../../base/json.ts";
import { dynamicProperty, dynamicText, type PropertySchemas } from "../../model/flows/schema.ts";
import {
  defineTask,
  type TaskContext,
  type TaskDefinition,
  type WorkContext,
} from "../../model/tasks/task_definition.ts";
import { defineTrigger } from "../../model/triggers/trigger_definition.ts";
import { batchesOf, BOUND_PROPERTIES, MessageCollector, messagesIn, millisecondsOf } from "../messages.ts";
import { CONNECTION_PROPERTIES, KEY, restored, SERDE_PROPERTIES, stored, withRedis } from "./session.ts";

/** Seconds that the server waits for an element. */
const BLOCK_SECONDS = 1;
const URL_EXAMPLE = `url: "{{ secret('REDIS_URL') }}"`;

const FROM = dynamicProperty("any", "A list of values, or the storage URI of a file of values.", {
  required: true,
});

const listPush = defineTask({
  type: "redis.list.ListPush",
  aliases: ["redis.ListPush"],
  title: "Push values to a list of Redis",
  description: "Adds values to the head of a list, one after the other.",
  properties: {
    ...CONNECTION_PROPERTIES,
    ...KEY,
    from: FROM,
    ...SERDE_PROPERTIES,
    batchSize: dynamicProperty("integer", "Values of one command.", {
      default: 500,
      minimum: 1,
      maximum: 10_000,
    }),
  },
  outputs: { count: { type: "integer", description: "Number of values." } },
  metrics: { "inserted.records.count": { type: "counter", description: "Number of values." } },
  examples: [{
    title: "Push values",
    yaml: `id: push\ntype: io.svc.plugin.redis.list.ListPush\n${URL_EXAMPLE}\nkey: jobs\nfrom: [one, two]`,
  }],
  async run(context) {
    const { key, batchSize } = context.properties;
    const count = await sendAll(context, Number(batchSize), async (values, command) => {
      await command("LPUSH", String(key), ...values);
    });
    context.metric("inserted.records.count", count);
    return { count };
  },
});

/** Publishes values to a channel. */
const publish = defineTask({
  type: "redis.pubsub.Publish",
  aliases: ["redis.Publish"],
  title: "Publish to a channel of Redis",
  description: "Sends values to those who listen to a channel at that time.",
  properties: {
    ...CONNECTION_PROPERTIES,
    channel: dynamicText("Name of the channel.", { required: true }),
    from: FROM,
    ...SERDE_PROPERTIES,
  },
  outputs: { count: { type: "integer", description: "Number of values." } },
  metrics: { "published.records.count": { type: "counter", description: "Number of values." } },
  examples: [{
    title: "Publish a value",
    yaml:
      `id: publish\ntype: io.svc.plugin.redis.pubsub.Publish\n${URL_EXAMPLE}\nchannel: events\nfrom: [done]`,
  }],
  async run(context) {
    const channel = String(context.properties.channel);
    const count = await sendAll(context, 1, async ([value = ""], command) => {
      await command("PUBLISH", channel, value);
    });
    context.metric("published.records.count", count);
    return { count };
  },
});

type Command = Parameters<Parameters<typeof withRedis>[1]>[0]["command"];

function sendAll(
  context: TaskContext,
  size: number,
  send: (values: readonly string[], command: Command) => Promise<void>,
): Promise<number> {
  return withRedis(context, async ({ command }) => {
    let count = 0;
    for await (const batch of batchesOf(messagesIn(context, context.properties.from), size)) {
      await send(batch.map((value) => stored(context.properties, value)), command);
      count += batch.length;
    }
    return count;
  });
}

const POP_PROPERTIES: PropertySchemas = Object.freeze({
  ...CONNECTION_PROPERTIES,
  ...KEY,
  ...SERDE_PROPERTIES,
  ...BOUND_PROPERTIES,
  count: dynamicProperty("integer", "Values of one command.", { default: 100, minimum: 1, maximum: 10_000 }),
});

const POP_OUTPUTS: PropertySchemas = Object.freeze({
  count: { type: "integer", description: "Number of values." },
  uri: { type: "string", description: "Storage URI of the values as Ion." },
});

/** Takes values from the head of the list until it is empty or a bound is reached. Outputs: `count`, `uri`. */
function pop(context: WorkContext): Promise<JsonObject> {
  const { key, count, maxRecords, maxDuration } = context.properties;
  const most = maxRecords === undefined ? Infinity : Number(maxRecords);
  return withRedis(context, async ({ command }) => {
    // The time ends between commands only: values that were taken are kept.
    const endAt = systemClock.monotonicMs() + (millisecondsOf(maxDuration) ?? Infinity);
    const collector = new MessageCollector(context, {});
    const file = collector.stored();
    const take = async () => {
      while (collector.count < most && systemClock.monotonicMs() < endAt) {
        const size = Math.min(Number(count), most - collector.count);
        const values = await command("LPOP", String(key), size);
        if (!Array.isArray(values) || values.length === 0) break;
        for (const value of values) await collector.add(restored(context.properties, value));
      }
      collector.end();
    };
    await Promise.all([take().catch((error) => collector.end(error)), file]);
    return { count: collector.count, uri: await file };
  });
}

const listPop = defineTask({
  type: "redis.list.ListPop",
  aliases: ["redis.ListPop"],
  title: "Pop values of a list of Redis",
  description:
    "Takes values from the head of a list until it is empty, or a bound is reached, and stores them.",
  properties: POP_PROPERTIES,
  outputs: POP_OUTPUTS,
  metrics: { "popped.records.count": { type: "counter", description: "Number of values." } },
  examples: [{
    title: "Pop values",
    yaml: `id: pop\ntype: io.svc.plugin.redis.list.ListPop\n${URL_EXAMPLE}\nkey: jobs\nmaxRecords: 100`,
  }],
  async run(context) {
    const { maxRecords, maxDuration } = context.properties;
    if (maxRecords === undefined && maxDuration === undefined) {
      throw new Error("Missing maxRecords: give maxRecords or maxDuration");
    }
    const outputs = await pop(context);
    context.metric("popped.records.count", Number(outputs.count));
    return outputs;
  },
});

/** Starts an execution for the values of a list. */
export const listTrigger = defineTrigger({
  type: "redis.list.Trigger",
  aliases: ["redis.TriggerList"],
  title: "Start when a list of Redis has values",
  description:
    "Takes the values of a list and starts an execution with them. A crash between both loses the values: `redis.list.RealtimeTrigger` keeps them.",
  properties: {
    ...POP_PROPERTIES,
    maxRecords: { ...POP_PROPERTIES.maxRecords, default: 10_000 } as PropertySchemas[string],
  },
  outputs: POP_OUTPUTS,
  examples: [{
    title: "Start for new jobs",
    yaml: `id: jobs\ntype: io.svc.plugin.redis.list.Trigger\n${URL_EXAMPLE}\nkey: jobs\ninterval: PT1M`,
  }],
  async poll(context) {
    const outputs = await pop(context);
    return outputs.count === 0 ? undefined : outputs;
  },
});

/** Starts an execution for each value of a list. */
export const listRealtimeTrigger = defineTrigger({
  type: "redis.list.RealtimeTrigger",
  aliases: ["redis.RealtimeTrigger", "redis.RealtimeTriggerList"],
  title: "Start for each value of a list of Redis",
  description:
    "Moves each value of a list to a second list, `<key>:taken:<tenant>.<namespace>.<flow>.<trigger>`, starts an execution, and deletes it there. A value that a crash leaves in the second list starts an execution at the next connection. The server must be Redis 6.2 or later.",
  properties: { ...CONNECTION_PROPERTIES, ...KEY, ...SERDE_PROPERTIES },
  outputs: { value: { type: "any", description: "The value." } },
  examples: [{
    title: "Start for each job",
    yaml: `id: jobs\ntype: io.svc.plugin.redis.list.RealtimeTrigger\n${URL_EXAMPLE}\nkey: jobs`,
  }],
  async realtime(context) {
    const { properties, signal, trigger } = context;
    const key = String(properties.key);
    const owner = [trigger.tenant, trigger.namespace, trigger.flowId, trigger.triggerId].join(".");
    const taken = `${key}:taken:${owner}`;
    await withRedis(context, async ({ command }) => {
      await command("PING");
      context.connected();
      while (!signal.aborted) {
        const left = await command("LINDEX", taken, 0);
        const value = left ?? await command("BLMOVE", key, taken, "LEFT", "RIGHT", BLOCK_SECONDS);
        if (value === null) continue;
        await context.emit({ value: restored(properties, value) });
        // Not its head: a connection that ends may have moved another value there meanwhile.
        await command("LREM", taken, 1, String(value));
      }
    });
  },
});

/** Types below `redis.list.` and `redis.pubsub.`. */
export const LIST_TASKS: readonly TaskDefinition[] = [listPop, listPush, publish];
