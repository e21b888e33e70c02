/** `core.kv.Put`: changes the value of a key-value pair, or creates the pair. */
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownProperty,
  setOwnProperty,
} from "../../base/json.ts";
import { dynamicProperty } from "../../model/flows/schema.ts";
import { kvValueOf } from "../../model/namespaces/kv_pair.ts";
import type { RunnableTaskType } from "../../model/tasks/task_catalog.ts";
import { mergeDeep } from "../../base/merge_deep.ts";
import { flagOf } from "../property_values.ts";
import { checkKvSize, givenKvValue } from "./kv_pair_value.ts";
import { ERROR_ON_MISSING, KV_KEY, KV_NAMESPACE, kvPairIdOf, missingPair } from "./kv_pair_id.ts";

/** Has no outputs. */
export const kvPutTask: RunnableTaskType = {
  form: "runnable",
  type: "core.kv.Put",
  aliases: [],
  description:
    "Changes the value of a key-value pair, or creates the pair. Its description and its expiry stay.",
  pure: false,
  properties: {
    key: KV_KEY,
    value: dynamicProperty(
      "any",
      "The new value. A map is merged into a value that is a map; a list of `{key: a.b, value: x}` sets members of such a " +
        "value; `[{value: x}]` replaces it.",
      { required: true },
    ),
    namespace: KV_NAMESPACE,
    errorOnMissing: ERROR_ON_MISSING,
  },
  outputs: {},
  async run(properties, context) {
    const id = await kvPairIdOf(properties, context);
    const mustExist = flagOf(properties, "errorOnMissing", false);
    const given = await givenKvValue(properties, context);
    await context.ports.kvPairs.update(context.tenant, id, (current) => {
      if (mustExist && current === undefined) throw missingPair(id);
      const value = changedValue(current, given);
      checkKvSize(id, value);
      return kvValueOf(value);
    });
    return { state: "SUCCESS", outputs: {} };
  },
};

/** @throws Error entries for a value that is no map, or entries that exclude each other */
function changedValue(current: JsonValue | undefined, given: JsonValue): JsonValue {
  if (isEntryList(given)) return withEntries(current, given);
  return isJsonObject(current) && isJsonObject(given) ? mergeDeep(current, given) : given;
}

/** True for a list of objects with a `value` and at most a `key` beside it. */
function isEntryList(value: JsonValue): value is JsonObject[] {
  return Array.isArray(value) && value.length > 0 &&
    value.every((entry) =>
      isJsonObject(entry) && Object.hasOwn(entry, "value") &&
      Object.keys(entry).every((name) => name === "key" || name === "value")
    );
}

function withEntries(current: JsonValue | undefined, entries: readonly JsonObject[]): JsonValue {
  const keys = entries.map((entry) => ownProperty(entry, "key") ?? null);
  if (entries.length === 1 && keys[0] === null) return ownProperty(entries[0] as JsonObject, "value") ?? null;
  if (!keys.every((key): key is string => typeof key === "string" && key.trim() !== "")) {
    throw new Error(
      "Invalid value: each entry needs a key; only a single entry without a key replaces the value",
    );
  }
  if (current !== undefined && !isJsonObject(current)) {
    throw new Error("Cannot set members of the value: the present value is no map");
  }
  return entries.reduce<JsonObject>(
    (map, entry, index) =>
      mergeDeep(map, nested(String(keys[index]).split("."), ownProperty(entry, "value") ?? null)),
    current ?? {},
  );
}

/** `["a", "b"]` and 1 give `{a: {b: 1}}`. */
function nested(path: readonly string[], value: JsonValue): JsonObject {
  let inner = value;
  for (const name of path.toReversed()) {
    const map: JsonObject = {};
    setOwnProperty(map, name, inner);
    inner = map;
  }
  return inner as JsonObject;
}
