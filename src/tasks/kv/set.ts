/** `core.kv.Set`: writes a key-value pair. */
import type { PlannedTaskType } from "../../model/task_catalog.ts";
import { KV_KEY, KV_NAMESPACE } from "./kv_properties.ts";

/** Has no outputs. */
export const kvSetTask: PlannedTaskType = {
  form: "planned",
  type: "core.kv.Set",
  aliases: [],
  description: "Writes a key-value pair of a namespace.",
  properties: {
    key: KV_KEY,
    value: { type: "any", required: true, dynamic: true, description: "Value of the pair." },
    kvDescription: { type: "string", dynamic: true, description: "What the pair is for." },
    namespace: KV_NAMESPACE,
    overwrite: {
      type: "boolean",
      dynamic: true,
      default: true,
      description: "Whether a pair that exists may change; the task fails when it may not.",
    },
    ttl: { type: "duration", dynamic: true, description: "How long the pair lives; for ever without it." },
    kvType: {
      type: "string",
      dynamic: true,
      values: ["STRING", "NUMBER", "BOOLEAN", "DATETIME", "DATE", "DURATION", "JSON"],
      description: "Type of the value; found from the value without it.",
    },
  },
  outputs: {},
};
