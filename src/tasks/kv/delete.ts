/** `core.kv.Delete`: deletes a key-value pair. */
import type { PlannedTaskType } from "../../model/task_catalog.ts";
import { ERROR_ON_MISSING, KV_KEY, KV_NAMESPACE } from "./kv_properties.ts";

/** Output: `deleted`. */
export const kvDeleteTask: PlannedTaskType = {
  form: "planned",
  type: "core.kv.Delete",
  aliases: [],
  description: "Deletes a key-value pair.",
  properties: { key: KV_KEY, namespace: KV_NAMESPACE, errorOnMissing: ERROR_ON_MISSING },
  outputs: {
    deleted: { type: "boolean", description: "Whether there was such a pair." },
  },
};
