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
import { defineTrigger, type TriggerContext } from "../../model/triggers/trigger_definition.ts";
import { batchesOf, BOUND_PROPERTIES, MessageCollector, messagesIn, millisecondsOf } from "../messages.ts";
import { messageValueOrText } from "../consumed_messages.ts";
import type { Reply } from "./redis_package.ts";
import { CONNECTION_PROPERTIES, KEY, SERDE_PROPERTIES, stored, withRedis } from "./session.ts";

/** Seconds that the server waits for an element. */
const BLOCK_SECONDS = 1;
/** Time in which values are given back after a stop: then the work must end within a second. */
const GIVE_BACK_MS = 500;
/** Commands that are sent at once to give values back. */
const MOVES = 1_000;
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

/**
 * Moves values from the head of the list to the list `taken` until it is empty or a bound is reached, and stores them. What is
 * in `taken` comes first: a crash has left it. Outputs: `count`, `uri`.
 */
async function store(context: WorkContext, taken: string, command: Command) {
  const { key, count, maxRecords, maxDuration, serdeType } = context.properties;
  const most = maxRecords === undefined ? Infinity : Number(maxRecords);
  const endAt = systemClock.monotonicMs() + (millisecondsOf(maxDuration) ?? Infinity);
  const collector = new MessageCollector(context, {});
  const next = async () => {
    const size = Math.min(Number(count), most - collector.count);
    const left = await command("LRANGE", taken, collector.count, collector.count + size - 1) as Reply[];
    if (left.length > 0) return left;
    const moves = Math.min(size, Number(await command("LLEN", String(key))));
    const move = () => command("LMOVE", String(key), taken, "LEFT", "RIGHT");
    return (await Promise.all(Array.from({ length: moves }, move))).filter((value) => value !== null);
  };
  const take = async () => {
    while (!collector.isOver && collector.count < most && systemClock.monotonicMs() < endAt) {
      const values = await next();
      if (values.length === 0) return;
      for (const value of values) await collector.add(messageValueOrText(String(value), serdeType));
    }
  };
  const taking = take().then(() => collector.end(), (error) => collector.end(error));
  try {
    const uri = await collector.stored();
    return { count: collector.count, uri };
  } finally {
    collector.end();
    await taking;
  }
}

/** Removes the values that are durable elsewhere. */
async function forget(taken: string, count: number, command: Command): Promise<void> {
  await command("LTRIM", taken, count, -1);
}

/** Takes the values of a list; they return to its head at a failure. Outputs: `count`, `uri`. */
async function pop(context: TaskContext): Promise<JsonObject> {
  const { tenant, executionId, taskRunId } = context.attempt;
  const key = String(context.properties.key), taken = takenOf(key, [tenant, executionId, taskRunId]);
  using ending = new LaterSignal(context.signal);
  return await withRedis({ ...context, signal: ending.signal }, async ({ command }) => {
    try {
      const outputs = await store(context, taken, command);
      await forget(taken, outputs.count, command);
      return outputs;
    } catch (error) {
      await giveBack(taken, key, command).catch((failure: Error) =>
        context.log("WARN", `Values stay in the list "${taken}": ${failure.message}`)
      );
      throw error;
    }
  });
}

async function giveBack(taken: string, key: string, command: Command): Promise<void> {
  const move = () => command("LMOVE", taken, key, "RIGHT", "LEFT");
  for (let left = Number(await command("LLEN", taken)); left > 0; left -= MOVES) {
    const moved = await Promise.all(Array.from({ length: Math.min(left, MOVES) }, move));
    if (moved.includes(null)) return;
  }
}

/** Is aborted some time after another one: a connection lasts until values are given back. */
class LaterSignal {
  readonly #controller = new AbortController();
  readonly #first: AbortSignal;
  #cancel: (() => void) | undefined;

  constructor(first: AbortSignal) {
    this.#first = first;
    first.addEventListener("abort", this.#start, { once: true });
    if (first.aborted) this.#controller.abort();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  readonly #start = () => {
    this.#cancel = systemClock.setTimer(GIVE_BACK_MS, () => this.#controller.abort());
  };

  [Symbol.dispose](): void {
    this.#first.removeEventListener("abort", this.#start);
    this.#cancel?.();
  }
}

/** The list of values that are taken and not yet durable elsewhere; its owner is a trigger or a task run. */
function takenOf(key: string, owner: readonly string[]): string {
  return `${key}:taken:${owner.join(".")}`;
}

function ownerOf({ tenant, namespace, flowId, triggerId }: TriggerContext["trigger"]): readonly string[] {
  return [tenant, namespace, flowId, triggerId];
}

const listPop = defineTask({
  type: "redis.list.ListPop",
  aliases: ["redis.ListPop"],
  title: "Pop values of a list of Redis",
  description:
    "Takes values from the head of a list until it is empty, or a bound is reached, and stores them. Until then they are in a second list, `<key>:taken:<tenant>.<execution>.<task run>`: after a failure they return to the first one, and what a crash leaves is taken by the next attempt. A value that is no JSON, but should be, is given as text. The server must be Redis 6.2 or later.",
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
    "Moves the values of a list to a second list, `<key>:taken:<tenant>.<namespace>.<flow>.<trigger>`, starts an execution with them, and deletes them there when that is durable. What a failure leaves in the second list is taken by the next poll. A value that is no JSON, but should be, is given as text. The server must be Redis 6.2 or later.",
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
    const taken = takenOf(String(context.properties.key), ownerOf(context.trigger));
    const outputs = await withRedis(context, ({ command }) => store(context, taken, command));
    if (outputs.count === 0) return undefined;
    context.whenDurable(() => withRedis(context, ({ command }) => forget(taken, outputs.count, command)));
    return outputs;
  },
});

/** Starts an execution for each value of a list. */
export const listRealtimeTrigger = defineTrigger({
  type: "redis.list.RealtimeTrigger",
  aliases: ["redis.RealtimeTrigger", "redis.RealtimeTriggerList"],
  title: "Start for each value of a list of Redis",
  description:
    "Moves each value of a list to a second list, `<key>:taken:<tenant>.<namespace>.<flow>.<trigger>`, starts an execution, and deletes it there. A value that a crash leaves in the second list starts an execution at the next connection. A value that is no JSON, but should be, is given as text. The server must be Redis 6.2 or later.",
  properties: { ...CONNECTION_PROPERTIES, ...KEY, ...SERDE_PROPERTIES },
  outputs: { value: { type: "any", description: "The value." } },
  examples: [{
    title: "Start for each job",
    yaml: `id: jobs\ntype: io.svc.plugin.redis.list.RealtimeTrigger\n${URL_EXAMPLE}\nkey: jobs`,
  }],
  async realtime(context) {
    const { properties, signal, trigger } = context;
    const key = String(properties.key);
    const taken = takenOf(key, ownerOf(trigger));
    await withRedis(context, async ({ command }) => {
      await command("PING");
      context.connected();
      while (!signal.aborted) {
        const left = await command("LINDEX", taken, 0);
        const value = left ?? await command("BLMOVE", key, taken, "LEFT", "RIGHT", BLOCK_SECONDS);
        if (value === null) continue;
        await context.emit({ value: messageValueOrText(String(value), properties.serdeType) });
        // Not its head: a connection that ends may have moved another value there meanwhile.
        await command("LREM", taken, 1, String(value));
      }
    });
  },
});

/** Types below `redis.list.` and `redis.pubsub.`. */
export const LIST_TASKS: readonly TaskDefinition[] = [listPop, listPush, publish];
