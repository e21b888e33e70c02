/** `core.kv.PurgeKV`: deletes key-value pairs, by default only expired ones. */
import type { JsonObject } from "../../base/json.ts";
import type { RunnableTaskType } from "../../model/tasks/task_catalog.ts";
import { compileGlobs } from "../../model/namespaces/glob.ts";
import { flagOf, mapOf, textOf } from "../property_values.ts";
import {
  PURGED_NAMESPACES,
  purgedNamespaces,
  VERSION_BEHAVIOR,
  versionPurgeOf,
} from "../purge_properties.ts";
import {
  dynamicFlag,
  dynamicProperty,
  dynamicText,
  type PropertySchema,
  type PropertySchemas,
} from "../../model/flows/schema.ts";

const BEHAVIOR: PropertySchemas = Object.freeze({
  type: {
    type: "string",
    required: true,
    values: ["key", "version"],
    description: "What is deleted: pairs, or versions of them.",
  },
});

const EXPIRED_ONLY: PropertySchema = dynamicFlag(true, "Whether only pairs that have expired are deleted.");

/** Legacy form; takes precedence over `behavior`, therefore it has no default. */
const OLD_EXPIRED_ONLY: PropertySchema = dynamicProperty(
  "boolean",
  "Whether only pairs that have expired are deleted; instead of `behavior`.",
);

/** Members of a behaviour, by its type. */
const BEHAVIORS: Readonly<Record<string, PropertySchemas>> = Object.freeze({
  key: { expiredOnly: EXPIRED_ONLY },
  version: VERSION_BEHAVIOR,
});

const WHAT = "KV pairs";

/** Output: `size`. */
export const kvPurgeTask: RunnableTaskType = {
  form: "runnable",
  type: "core.kv.PurgeKV",
  aliases: [],
  description: "Deletes key-value pairs of namespaces, by default only expired ones.",
  pure: false,
  properties: {
    ...PURGED_NAMESPACES,
    expiredOnly: OLD_EXPIRED_ONLY,
    behavior: dynamicProperty("object", "Which pairs are deleted.", {
      properties: BEHAVIOR,
      variants: BEHAVIORS,
    }),
    keyPattern: dynamicText("Glob of the keys; default is all."),
  },
  outputs: {
    size: { type: "integer", description: "Number of pairs deleted." },
  },
  async run(properties, context) {
    const behavior = behaviorOf(properties);
    const isOfVersions = isVersions(behavior);
    // A pair has one version, its value.
    if (isOfVersions && !versionPurgeOf(behavior, WHAT)({ savedAt: 0, age: 0 })) {
      return { state: "SUCCESS", outputs: { size: 0 } };
    }
    const pattern = textOf(properties, "keyPattern") || undefined;
    const size = await context.ports.kvPairs.purge(context.tenant, {
      namespaces: purgedNamespaces(properties, WHAT),
      keys: pattern === undefined ? () => true : compileGlobs([pattern]),
      expiredOnly: !isOfVersions && flagOf(behavior, "expiredOnly", true),
    });
    return { state: "SUCCESS", outputs: { size } };
  },
};

function behaviorOf(properties: JsonObject): JsonObject {
  const expiredOnly = textOf(properties, "expiredOnly") || undefined;
  return expiredOnly === undefined ? mapOf(properties, "behavior") ?? {} : { type: "key", expiredOnly };
}

/** True for a behaviour of type `version`. The value of an expression is not validated yet. @throws Error unknown type */
function isVersions(behavior: JsonObject): boolean {
  const type = textOf(behavior, "type");
  if (type === undefined || Object.hasOwn(BEHAVIORS, type)) return type === "version";
  throw new Error(`Invalid type "${type}": it must be one of ${Object.keys(BEHAVIORS).join(", ")}`);
}
