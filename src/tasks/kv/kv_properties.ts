/** How tasks name a key-value pair. */
import { dynamicFlag, type PropertySchema } from "../../model/flows/schema.ts";

/** `key` of a pair. */
export const KV_KEY: PropertySchema = Object.freeze({
  type: "string",
  required: true,
  dynamic: true,
  pattern: "[a-zA-Z0-9][a-zA-Z0-9._-]*",
  description: "Name of the pair: begins with a letter or digit, then also has `.`, `_` and `-`.",
});

/** `namespace` of a pair. */
export const KV_NAMESPACE: PropertySchema = Object.freeze({
  type: "string",
  dynamic: true,
  default: "{{ flow.namespace }}",
  description: "Namespace of the pair.",
});

/** `errorOnMissing` of tasks that need the pair. */
export const ERROR_ON_MISSING: PropertySchema = dynamicFlag(false, "Whether a missing pair is a failure.");
