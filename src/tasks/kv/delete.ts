/** `core.kv.Delete`: deletes a key-value pair. */
import type { RunnableTaskType } from "../../model/tasks/task_catalog.ts";
import { flagOf } from "../property_values.ts";
import { ERROR_ON_MISSING, KV_KEY, KV_NAMESPACE, kvPairIdOf, missingPair } from "./kv_pair_id.ts";

/** Output: `deleted`. */
export const kvDeleteTask: RunnableTaskType = {
  form: "runnable",
  type: "core.kv.Delete",
  aliases: [],
  description: "Deletes a key-value pair.",
  pure: false,
  properties: { key: KV_KEY, namespace: KV_NAMESPACE, errorOnMissing: ERROR_ON_MISSING },
  outputs: {
    deleted: { type: "boolean", description: "Whether there was such a pair." },
  },
  async run(properties, context) {
    const id = await kvPairIdOf(properties, context);
    const deleted = await context.ports.kvPairs.delete(context.tenant, id);
    if (!deleted && flagOf(properties, "errorOnMissing", false)) throw missingPair(id);
    return { state: "SUCCESS", outputs: { deleted } };
  },
};
