/** `core.kv.Set`: writes a key-value pair. */
import { type JsonObject, type JsonValue, ownProperty } from "../../base/json.ts";
import { sizeOf } from "../../base/json_size.ts";
import { dynamicFlag, dynamicText } from "../../model/flows/schema.ts";
import { MAX_KV_VALUE_BYTES } from "../../model/limits.ts";
import { KV_TYPES } from "../../model/namespaces/kv_pair.ts";
import type { RunContext } from "../../model/ports/run_context.ts";
import type { RunnableTaskType } from "../../model/tasks/task_catalog.ts";
import { flagOf, oneOf, textOf } from "../property_values.ts";
import { KV_KEY, KV_NAMESPACE, kvPairIdOf } from "./kv_pair_id.ts";
import { typedKvValue } from "./kv_value.ts";

/** Has no outputs. */
export const kvSetTask: RunnableTaskType = {
  form: "runnable",
  type: "core.kv.Set",
  aliases: [],
  description: "Writes a key-value pair of a namespace.",
  pure: false,
  properties: {
    key: KV_KEY,
    value: { type: "any", required: true, dynamic: true, description: "Value of the pair." },
    kvDescription: dynamicText("Description of the pair."),
    namespace: KV_NAMESPACE,
    overwrite: dynamicFlag(true, "Whether an existing pair may be replaced; otherwise the task fails."),
    ttl: { type: "duration", dynamic: true, description: "Time to live of the pair; default is forever." },
    kvType: {
      type: "string",
      dynamic: true,
      values: KV_TYPES,
      description: "Type of the value; by default derived from the value.",
    },
  },
  outputs: {},
  async run(properties, context) {
    const type = textOf(properties, "kvType");
    const id = kvPairIdOf(properties, context);
    const kvType = type ? oneOf(KV_TYPES, type.trim().toUpperCase(), "kvType") : undefined;
    const value = typedKvValue(await givenValue(properties, context), kvType);
    if (sizeOf(value.value, MAX_KV_VALUE_BYTES) > MAX_KV_VALUE_BYTES) {
      const reason = `it is larger than ${MAX_KV_VALUE_BYTES} bytes; write it to a file`;
      throw new Error(`Cannot set value for key "${id.key}": ${reason}`);
    }
    await context.ports.kvPairs.set(context.tenant, id, {
      value,
      ttl: textOf(properties, "ttl"),
      description: textOf(properties, "kvDescription"),
      overwrite: flagOf(properties, "overwrite", true),
    });
    return { state: "SUCCESS", outputs: {} };
  },
};

/** Renders the value again to keep its type: a template that is a single expression may give a number. */
async function givenValue(properties: JsonObject, context: RunContext): Promise<JsonValue> {
  const written = ownProperty(context.written, "value");
  if (typeof written === "string" && written.includes("{")) return await context.render(written);
  return ownProperty(properties, "value") ?? null;
}
