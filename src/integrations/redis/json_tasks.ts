/** `redis.json.Get`, `Set`, `Delete` and `Increment`, of servers with RedisJSON. */
import { isJsonObject, type JsonObject, type JsonValue, parseJson, stringifyJson } from "../../base/json.ts";
import { readStructure } from "../../base/json_text.ts";
import { dynamicFlag, dynamicProperty, dynamicText } from "../../model/flows/schema.ts";
import { defineTask, type TaskDefinition } from "../../model/tasks/task_definition.ts";
import { EXPIRY_OPTIONS, expiryOf } from "./expiry.ts";
import type { Reply } from "./redis_package.ts";
import { CONNECTION_PROPERTIES, KEY, withRedis } from "./session.ts";
import { FAILED_ON_MISSING, KEY_OUTPUT } from "./string_tasks.ts";

const PATH = dynamicText("Path within the value, such as `$.items[0]`.", { default: "$" });
const URL_EXAMPLE = `url: "{{ secret('REDIS_URL') }}"`;

/** A path with `$` gives a list of all matches; a single one stands for itself. */
function matchesOf(reply: Reply): JsonValue {
  if (reply === null) return null;
  const value = parseJson(String(reply));
  if (!Array.isArray(value)) return value;
  return value.length === 0 ? null : value.length === 1 ? value[0] ?? null : value;
}

const jsonGet = defineTask({
  type: "redis.json.Get",
  title: "Read JSON of Redis",
  description: "Reads a JSON value, or a part of it. The server needs the module RedisJSON.",
  properties: { ...CONNECTION_PROPERTIES, ...KEY, path: PATH, failedOnMissing: FAILED_ON_MISSING },
  outputs: { ...KEY_OUTPUT, data: { type: "any", description: "The value; null if it does not exist." } },
  examples: [{
    title: "Read a part",
    yaml: `id: read\ntype: io.svc.plugin.redis.json.Get\n${URL_EXAMPLE}\nkey: order\npath: $.total`,
  }],
  run: (context) =>
    withRedis(context, async ({ command }) => {
      const { path, failedOnMissing } = context.properties, key = String(context.properties.key);
      const data = matchesOf(await command("JSON.GET", key, String(path)));
      if (data === null && failedOnMissing) throw new Error(`The key "${key}" has no value at "${path}"`);
      return { key, data };
    }),
});

const jsonSet = defineTask({
  type: "redis.json.Set",
  title: "Write JSON to Redis",
  description: "Stores a JSON value, or a part of it. The server needs the module RedisJSON.",
  properties: {
    ...CONNECTION_PROPERTIES,
    ...KEY,
    value: dynamicProperty("any", "The value.", { required: true }),
    path: PATH,
    get: dynamicFlag(false, "Whether the former value is an output."),
    options: dynamicProperty("object", "Limits of the write.", {
      properties: {
        mustExist: dynamicFlag(false, "Whether only an existing value is written."),
        mustNotExist: dynamicFlag(false, "Whether only a new value is written."),
      },
    }),
  },
  outputs: { oldValue: { type: "any", description: "Former value, with `get`." } },
  examples: [{
    title: "Write a value",
    yaml: `id: write\ntype: io.svc.plugin.redis.json.Set\n${URL_EXAMPLE}\nkey: order\nvalue: {total: 3}`,
  }],
  run: (context) =>
    withRedis(context, async ({ command }): Promise<JsonObject> => {
      const { key, path, value, get, options } = context.properties;
      const place = [String(key), String(path)] as const;
      const oldValue = get ? matchesOf(await command("JSON.GET", ...place)) : null;
      const { mustExist = false, mustNotExist = false } = isJsonObject(options) ? options : {};
      const condition = mustExist ? ["XX"] : mustNotExist ? ["NX"] : [];
      await command("JSON.SET", ...place, stringifyJson(readStructure(value ?? null)), ...condition);
      return oldValue === null ? {} : { oldValue };
    }),
});

const jsonDelete = defineTask({
  type: "redis.json.Delete",
  title: "Delete JSON of Redis",
  description: "Deletes JSON values, or parts of them. The server needs the module RedisJSON.",
  properties: {
    ...CONNECTION_PROPERTIES,
    keys: dynamicProperty("map", "Lists of paths by key; an empty list deletes the whole value.", {
      required: true,
    }),
    failedOnMissing: FAILED_ON_MISSING,
  },
  outputs: { count: { type: "integer", description: "Number of deleted values." } },
  metrics: { "deleted.records.count": { type: "counter", description: "Number of deleted values." } },
  examples: [{
    title: "Delete a part",
    yaml: `id: delete\ntype: io.svc.plugin.redis.json.Delete\n${URL_EXAMPLE}\nkeys:\n  order: [$.total]`,
  }],
  run: (context) =>
    withRedis(context, async ({ command }) => {
      const { keys, failedOnMissing } = context.properties;
      const entries = isJsonObject(keys) ? Object.entries(keys) : [];
      let count = 0;
      for (const [key, given] of entries) {
        const paths = Array.isArray(given) && given.length > 0 ? given.map(String) : ["$"];
        for (const path of paths) count += Number(await command("JSON.DEL", key, path));
      }
      if (failedOnMissing && count < entries.length) {
        throw new Error(`Only ${count} values existed for ${entries.length} keys`);
      }
      context.metric("deleted.records.count", count);
      return { count };
    }),
});

const jsonIncrement = defineTask({
  type: "redis.json.Increment",
  title: "Increment a number within JSON of Redis",
  description: "Adds to a number within a JSON value. The server needs the module RedisJSON.",
  properties: {
    ...CONNECTION_PROPERTIES,
    ...KEY,
    path: { ...PATH, default: undefined, required: true },
    amount: dynamicProperty("number", "What is added; default is 1."),
    options: dynamicProperty("object", "How long the key is kept.", { properties: EXPIRY_OPTIONS }),
  },
  outputs: { ...KEY_OUTPUT, value: { type: "number", description: "The new number." } },
  examples: [{
    title: "Count",
    yaml: `id: count\ntype: io.svc.plugin.redis.json.Increment\n${URL_EXAMPLE}\nkey: order\npath: $.count`,
  }],
  run: (context) =>
    withRedis(context, async ({ command }) => {
      const { key, path, amount = 1, options } = context.properties;
      const value = matchesOf(await command("JSON.NUMINCRBY", String(key), String(path), Number(amount)));
      const expiry = isJsonObject(options) ? expiryOf(options) : undefined;
      if (expiry) await command(expiry[0] === "PX" ? "PEXPIRE" : "PEXPIREAT", String(key), expiry[1]);
      return { key: String(key), value };
    }),
});

/** Types below `redis.json.`. */
export const JSON_TASKS: readonly TaskDefinition[] = [jsonDelete, jsonGet, jsonIncrement, jsonSet];
