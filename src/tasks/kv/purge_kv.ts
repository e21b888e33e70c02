/** `core.kv.PurgeKV`: deletes key-value pairs, mostly those that have expired. */
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import type { RunContext } from "../../model/run_context.ts";
import type { AttemptOutcome, RunnableTaskType } from "../../model/task_catalog.ts";
import { matchesGlob } from "../glob.ts";
import { flagOf, textOf, textsOf } from "../property_values.ts";
import type { PropertySchemas } from "../../model/schema.ts";

const BEHAVIOR: PropertySchemas = Object.freeze({
  type: {
    type: "string",
    required: true,
    values: ["key"],
    description: "What is deleted: whole pairs.",
  },
  expiredOnly: {
    type: "boolean",
    dynamic: true,
    default: true,
    description: "Whether only pairs that have expired are deleted.",
  },
});

/** Output: `size`. */
export const kvPurgeTask: RunnableTaskType = {
  form: "runnable",
  type: "core.kv.PurgeKV",
  aliases: [],
  description: "Deletes the key-value pairs of namespaces, those that have expired unless told otherwise.",
  pure: false,
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
  run: purgePairs,
};

async function purgePairs(properties: JsonObject, context: RunContext): Promise<AttemptOutcome> {
  const behavior = isJsonObject(properties.behavior) ? properties.behavior : {};
  const pattern = textOf(properties, "keyPattern");
  const size = await context.ports.kvPairs.purge(context.tenant, {
    namespaces: namespaceFilter(properties),
    keys: (key) => pattern === undefined || matchesGlob(pattern, key),
    expiredOnly: flagOf(behavior, "expiredOnly", flagOf(properties, "expiredOnly", true)),
  });
  return { state: "SUCCESS", outputs: { size } };
}

/** Which namespaces `namespaces` or `namespacePattern` mean; all of the tenant without either. */
function namespaceFilter(properties: JsonObject): (namespace: string) => boolean {
  const names = textsOf(properties, "namespaces");
  const pattern = textOf(properties, "namespacePattern");
  if (names && pattern !== undefined) {
    throw new Error("Cannot purge KV pairs: give either namespaces or namespacePattern");
  }
  if (pattern !== undefined) return (namespace) => matchesGlob(pattern, namespace);
  if (!names) return () => true;
  const isBelow = flagOf(properties, "includeChildNamespaces", true);
  return (namespace) =>
    names.some((name) => namespace === name || isBelow && namespace.startsWith(`${name}.`));
}
