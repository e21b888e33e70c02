/** `core.kv.GetKeys`: lists the keys of a namespace. */
import type { PlannedTaskType } from "../../model/task_catalog.ts";
import { KV_NAMESPACE } from "./kv_properties.ts";

/** Output: `keys`. */
export const kvGetKeysTask: PlannedTaskType = {
  form: "planned",
  type: "core.kv.GetKeys",
  aliases: [],
  description: "Lists the keys of the key-value pairs of a namespace.",
  properties: {
    prefix: { type: "string", dynamic: true, description: "Only keys that begin with this." },
    namespace: KV_NAMESPACE,
  },
  outputs: {
    keys: { type: "list", items: { type: "string", description: "A key." }, description: "The keys." },
  },
};
