/** `core.kv.PurgeKV`: deletes key-value pairs, mostly those that have expired. */
import type { PropertySchemas } from "../../model/schema.ts";
import type { PlannedTaskType } from "../../model/task_catalog.ts";

const BEHAVIOR: PropertySchemas = Object.freeze({
  type: { type: "string", required: true, description: "Which pairs are deleted." },
  expiredOnly: {
    type: "boolean",
    dynamic: true,
    default: true,
    description: "Whether only pairs that have expired are deleted.",
  },
});

/** Output: `size`. */
export const kvPurgeTask: PlannedTaskType = {
  form: "planned",
  type: "core.kv.PurgeKV",
  aliases: [],
  description: "Deletes the key-value pairs of namespaces, those that have expired unless told otherwise.",
  properties: {
    namespaces: {
      type: "list",
      dynamic: true,
      items: { type: "string", description: "Name of a namespace." },
      description: "Namespaces of the pairs; all without it.",
    },
    namespacePattern: {
      type: "string",
      dynamic: true,
      description: "Glob of the namespaces, such as `company.*`, instead of `namespaces`.",
    },
    expiredOnly: {
      type: "boolean",
      dynamic: true,
      default: true,
      description: "Whether only pairs that have expired are deleted.",
    },
    behavior: {
      type: "object",
      dynamic: true,
      properties: BEHAVIOR,
      planned: true,
      description: "Which pairs are deleted.",
    },
    includeChildNamespaces: {
      type: "boolean",
      dynamic: true,
      default: true,
      description: "Whether the namespaces below the given ones count too.",
    },
    keyPattern: { type: "string", dynamic: true, description: "Glob of the keys; all without it." },
  },
  outputs: {
    size: { type: "integer", description: "Number of pairs deleted." },
  },
};
