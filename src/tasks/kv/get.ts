/** `core.kv.Get`: reads a key-value pair. */
import type { PlannedTaskType } from "../../model/task_catalog.ts";
import { ERROR_ON_MISSING, KV_KEY, KV_NAMESPACE } from "./kv_properties.ts";

/** Output: `value`. */
export const kvGetTask: PlannedTaskType = {
  form: "planned",
  type: "core.kv.Get",
  aliases: [],
  description: "Reads the value of a key-value pair.",
  properties: { key: KV_KEY, namespace: KV_NAMESPACE, errorOnMissing: ERROR_ON_MISSING },
  outputs: {
    value: { type: "any", description: "Value of the pair; absent when there is none." },
  },
};
