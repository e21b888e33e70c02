/** `core.kv.Set`: writes a key-value pair. */
import { formatDuration, parseDuration, readDuration } from "../../base/time/duration.ts";
import { type JsonObject, type JsonValue, ownProperty, parseJson, tryParseJson } from "../../base/json.ts";
import { normalizeDay, normalizeTimestamp } from "../../base/time/iso_8601.ts";
import { printValue } from "../../expr/mod.ts";
import { dynamicFlag, dynamicProperty, dynamicText } from "../../model/flows/schema.ts";
import { KV_TYPES, type KvType, type KvValue, kvValueOf } from "../../model/namespaces/kv_pair.ts";
import type { RunnableTaskType } from "../../model/tasks/task_catalog.ts";
import { flagOf, oneOf, textOf } from "../property_values.ts";
import { KV_KEY, KV_NAMESPACE, kvPairIdOf } from "./kv_pair_id.ts";
import { checkKvSize, givenKvValue } from "./kv_pair_value.ts";

/** Has no outputs. */
export const kvSetTask: RunnableTaskType = {
  form: "runnable",
  type: "core.kv.Set",
  aliases: [],
  description: "Writes a key-value pair of a namespace.",
  pure: false,
  properties: {
    key: KV_KEY,
    value: dynamicProperty("any", "Value of the pair.", { required: true }),
    kvDescription: dynamicText("Description of the pair."),
    namespace: KV_NAMESPACE,
    overwrite: dynamicFlag(true, "Whether an existing pair may be replaced; otherwise the task fails."),
    ttl: dynamicProperty("duration", "Time to live of the pair; default is forever."),
    kvType: dynamicText("Type of the value; by default derived from the value.", { values: KV_TYPES }),
  },
  outputs: {},
  async run(properties, context) {
    const type = textOf(properties, "kvType");
    const id = await kvPairIdOf(properties, context);
    const kvType = type ? oneOf(KV_TYPES, type.trim().toUpperCase(), "kvType") : undefined;
    const value = typedKvValue(await givenKvValue(properties, context), kvType);
    checkKvSize(id, value.value);
    await context.ports.kvPairs.set(context.tenant, id, {
      value,
      ttl: ttlOf(properties),
      description: textOf(properties, "kvDescription"),
      overwrite: flagOf(properties, "overwrite", true),
    });
    return { state: "SUCCESS", outputs: {} };
  },
};

/** The time to live as ISO 8601 text; a text that is no duration is refused where the pair is written. */
function ttlOf(properties: JsonObject): string | undefined {
  const ms = readDuration(ownProperty(properties, "ttl"));
  return ms === undefined ? textOf(properties, "ttl") : formatDuration(ms);
}

/** Converts a text to the type; without a type, or for other values, the type follows from the value. @throws Error not convertible */
function typedKvValue(value: JsonValue, type: KvType | undefined): KvValue {
  if (type === undefined || typeof value !== "string") return kvValueOf(value);
  const read = READERS[type](value.trim(), value);
  if (read !== undefined) return { type, value: read };
  throw new Error(`Invalid value "${printValue(value).slice(0, 100)}": it is not a ${type}`);
}

type Reader = (trimmed: string, text: string) => JsonValue | undefined;

const READERS: Readonly<Record<KvType, Reader>> = {
  STRING: (_trimmed, text) => text,
  NUMBER: (text) => isNumber(text) ? parseJson(text) : undefined,
  BOOLEAN: (text) => text.toLowerCase() === "true",
  DATETIME: (text) => normalizeTimestamp(text),
  DATE: (text) => normalizeDay(text) ?? normalizeTimestamp(text)?.slice(0, 10),
  DURATION: (text) => parseDuration(text) === undefined ? undefined : text,
  JSON: tryParseJson,
};

function isNumber(text: string): boolean {
  return /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text) && text.length <= 1_000;
}
