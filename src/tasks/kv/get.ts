/** `core.kv.Get`: reads a key-value pair. */
import type { AttemptOutcome, RunnableTaskType } from "../../model/tasks/task_catalog.ts";
import { flagOf } from "../property_values.ts";
import { ERROR_ON_MISSING, KV_KEY, KV_NAMESPACE, kvPairIdOf, missingPair } from "./kv_pair_id.ts";

/** Output: `value`. */
export const kvGetTask: RunnableTaskType = {
  form: "runnable",
  type: "core.kv.Get",
  aliases: [],
  description: "Reads the value of a key-value pair.",
  pure: false,
  properties: { key: KV_KEY, namespace: KV_NAMESPACE, errorOnMissing: ERROR_ON_MISSING },
  outputs: {
    value: { type: "any", description: "Value of the pair; absent if it does not exist." },
  },
  /** In the namespace of the flow, pairs of its parent namespaces are found too. */
  async run(properties, context): Promise<AttemptOutcome> {
    const id = await kvPairIdOf(properties, context);
    const isInherited = id.namespace === context.namespace;
    const value = await context.ports.kvPairs.get(context.tenant, id, { isInherited });
    if (value !== undefined) return { state: "SUCCESS", outputs: { value } };
    if (flagOf(properties, "errorOnMissing", false)) throw missingPair(id);
    return { state: "SUCCESS", outputs: {} };
  },
};
