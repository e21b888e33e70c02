/** `redis.string.Get`, `Set`, `Delete`, `Increment` and `Ttl`. */
import { Double, isJsonObject, type JsonObject } from "../../base/json.ts";
import {
  dynamicFlag,
  dynamicProperty,
  type PropertySchema,
  type PropertySchemas,
} from "../../model/flows/schema.ts";
import { defineTask, type TaskDefinition } from "../../model/tasks/task_definition.ts";
import { EXPIRY_OPTIONS, expiryOf } from "./expiry.ts";
import { CONNECTION_PROPERTIES, KEY, restored, SERDE_PROPERTIES, stored, withRedis } from "./session.ts";

const URL_EXAMPLE = `url: "{{ secret('REDIS_URL') }}"`;

/** Property: whether a missing key is an error. */
export const FAILED_ON_MISSING: PropertySchema = dynamicFlag(
  false,
  "Whether the task fails if a key does not exist.",
);

/** Output: the key. */
export const KEY_OUTPUT: PropertySchemas = Object.freeze({
  key: { type: "string", description: "The key." },
});

const stringGet = defineTask({
  type: "redis.string.Get",
  aliases: ["redis.Get"],
  title: "Read a value of Redis",
  description: "Reads the text of a key.",
  properties: { ...CONNECTION_PROPERTIES, ...KEY, ...SERDE_PROPERTIES, failedOnMissing: FAILED_ON_MISSING },
  outputs: {
    ...KEY_OUTPUT,
    data: { type: "any", description: "The value; null if the key does not exist." },
  },
  examples: [{
    title: "Read a value",
    yaml: `id: read\ntype: io.svc.plugin.redis.string.Get\n${URL_EXAMPLE}\nkey: last-run`,
  }],
  run: (context) =>
    withRedis(context, async ({ command }) => {
      const key = String(context.properties.key);
      const text = await command("GET", key);
      if (text === null && context.properties.failedOnMissing) {
        throw new Error(`The key "${key}" does not exist`);
      }
      return { key, data: restored(context.properties, text) };
    }),
});

const stringSet = defineTask({
  type: "redis.string.Set",
  aliases: ["redis.Set"],
  title: "Write a value to Redis",
  description: "Stores a text under a key.",
  properties: {
    ...CONNECTION_PROPERTIES,
    ...KEY,
    value: dynamicProperty("any", "The value.", { required: true }),
    ...SERDE_PROPERTIES,
    get: dynamicFlag(false, "Whether the former value is an output."),
    options: dynamicProperty("object", "Limits of the write.", {
      properties: {
        ...EXPIRY_OPTIONS,
        keepTtl: dynamicFlag(false, "Whether the key keeps the time that it has left."),
        mustExist: dynamicFlag(false, "Whether only an existing key is written."),
        mustNotExist: dynamicFlag(false, "Whether only a new key is written."),
      },
    }),
  },
  outputs: { oldValue: { type: "any", description: "Former value, with `get`." } },
  examples: [{
    title: "Write a value for a day",
    yaml:
      `id: write\ntype: io.svc.plugin.redis.string.Set\n${URL_EXAMPLE}\nkey: last-run\nvalue: "{{ execution.id }}"\noptions:\n  expirationDuration: P1D`,
  }],
  run: (context) =>
    withRedis(context, async ({ command }): Promise<JsonObject> => {
      const { properties } = context;
      const args = [...setArguments(properties.options), ...properties.get ? ["GET"] : []];
      const old = await command("SET", String(properties.key), stored(properties, properties.value), ...args);
      return properties.get && old !== null ? { oldValue: restored(properties, old) } : {};
    }),
});

function setArguments(given: JsonObject[string] | undefined): (string | number)[] {
  const options = isJsonObject(given) ? given : {};
  return [
    ...options.mustExist ? ["XX"] : options.mustNotExist ? ["NX"] : [],
    ...options.keepTtl ? ["KEEPTTL"] : expiryOf(options) ?? [],
  ];
}

const stringDelete = defineTask({
  type: "redis.string.Delete",
  aliases: ["redis.Delete"],
  title: "Delete keys of Redis",
  description: "Deletes keys with their values.",
  properties: {
    ...CONNECTION_PROPERTIES,
    keys: dynamicProperty("list", "The keys.", {
      required: true,
      items: { type: "string", description: "A key." },
    }),
    failedOnMissing: FAILED_ON_MISSING,
  },
  outputs: { count: { type: "integer", description: "Number of deleted keys." } },
  metrics: { "deleted.records.count": { type: "counter", description: "Number of deleted keys." } },
  examples: [{
    title: "Delete a key",
    yaml: `id: delete\ntype: io.svc.plugin.redis.string.Delete\n${URL_EXAMPLE}\nkeys: [last-run]`,
  }],
  run: (context) =>
    withRedis(context, async ({ command }) => {
      const { keys, failedOnMissing } = context.properties;
      const names = Array.isArray(keys) ? keys.map(String) : [];
      const count = Number(await command("DEL", ...names));
      if (failedOnMissing && count < names.length) {
        throw new Error(`Only ${count} of ${names.length} keys existed`);
      }
      context.metric("deleted.records.count", count);
      return { count };
    }),
});

const stringIncrement = defineTask({
  type: "redis.string.Increment",
  title: "Increment a number of Redis",
  description: "Adds to the number of a key; a missing key counts as 0.",
  properties: {
    ...CONNECTION_PROPERTIES,
    ...KEY,
    amount: dynamicProperty("number", "What is added; default is 1."),
    options: dynamicProperty("object", "How long the key is kept.", { properties: EXPIRY_OPTIONS }),
  },
  outputs: { ...KEY_OUTPUT, value: { type: "number", description: "The new number." } },
  examples: [{
    title: "Count",
    yaml: `id: count\ntype: io.svc.plugin.redis.string.Increment\n${URL_EXAMPLE}\nkey: runs`,
  }],
  run: (context) =>
    withRedis(context, async ({ command }) => {
      const { key, amount = 1, options } = context.properties;
      const isWhole = Number.isSafeInteger(Number(amount));
      const value = Number(await command(isWhole ? "INCRBY" : "INCRBYFLOAT", String(key), Number(amount)));
      const expiry = isJsonObject(options) ? expiryOf(options) : undefined;
      if (expiry) await command(expiry[0] === "PX" ? "PEXPIRE" : "PEXPIREAT", String(key), expiry[1]);
      return { key: String(key), value: Number.isSafeInteger(value) ? value : new Double(value) };
    }),
});

const stringTtl = defineTask({
  type: "redis.string.Ttl",
  title: "Read how long a key of Redis is kept",
  description: "Reads the seconds that a key has left.",
  properties: { ...CONNECTION_PROPERTIES, ...KEY },
  outputs: {
    ...KEY_OUTPUT,
    ttl: { type: "integer", description: "Seconds; -1 for no limit, -2 for a key that does not exist." },
  },
  examples: [{
    title: "Read the time left",
    yaml: `id: ttl\ntype: io.svc.plugin.redis.string.Ttl\n${URL_EXAMPLE}\nkey: lock`,
  }],
  run: (context) =>
    withRedis(context, async ({ command }) => {
      const key = String(context.properties.key);
      return { key, ttl: Number(await command("TTL", key)) };
    }),
});

/** Types below `redis.string.`. */
export const STRING_TASKS: readonly TaskDefinition[] = [
  stringDelete,
  stringGet,
  stringIncrement,
  stringSet,
  stringTtl,
];
