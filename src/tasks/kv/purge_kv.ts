/** `core.kv.PurgeKV`: deletes key-value pairs, by default only expired ones. */
import type { JsonObject } from "../../base/json.ts";
import type { RunnableTaskType } from "../../model/tasks/task_catalog.ts";
import { compileGlobs } from "../glob.ts";
import { flagOf, instantOf, mapOf, textOf, textsOf, wholeNumberOf } from "../property_values.ts";
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

/** Members of a behaviour, by its type. This server stores only one version of each pair, its value. */
const BEHAVIORS: Readonly<Record<string, PropertySchemas>> = Object.freeze({
  key: { expiredOnly: EXPIRED_ONLY },
  version: {
    before: dynamicProperty(
      "dateTime",
      "Deletes versions before that time, but never the last one; this server stores no others.",
    ),
    keepAmount: dynamicProperty(
      "integer",
      "Number of versions of each pair to keep; without it and `before` the pairs are deleted.",
      { minimum: 0 },
    ),
  },
});

/** Output: `size`. */
export const kvPurgeTask: RunnableTaskType = {
  form: "runnable",
  type: "core.kv.PurgeKV",
  aliases: [],
  description: "Deletes key-value pairs of namespaces, by default only expired ones.",
  pure: false,
  properties: {
    namespaces: dynamicProperty("list", "Namespaces of the pairs; default is all.", {
      items: { type: "string", description: "Name of a namespace." },
    }),
    namespacePattern: dynamicText("Glob of the namespaces, such as `company.*`, instead of `namespaces`."),
    expiredOnly: OLD_EXPIRED_ONLY,
    behavior: dynamicProperty("object", "Which pairs are deleted.", {
      properties: BEHAVIOR,
      variants: BEHAVIORS,
    }),
    includeChildNamespaces: dynamicFlag(true, "Whether namespaces below the given ones are included."),
    keyPattern: dynamicText("Glob of the keys; default is all."),
  },
  outputs: {
    size: { type: "integer", description: "Number of pairs deleted." },
  },
  async run(properties, context) {
    const behavior = behaviorOf(properties);
    const isOfVersions = isVersions(behavior);
    if (isOfVersions && !mayDeleteLast(behavior)) return { state: "SUCCESS", outputs: { size: 0 } };
    const pattern = textOf(properties, "keyPattern") || undefined;
    const size = await context.ports.kvPairs.purge(context.tenant, {
      namespaces: namespaceFilter(properties),
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

/** True if the last version, and thereby the pair, may be deleted. @throws Error contradictory properties */
function mayDeleteLast(behavior: JsonObject): boolean {
  const isDated = instantOf(behavior, "before") !== undefined;
  const keepAmount = wholeNumberOf(behavior, "keepAmount", { fallback: 0, minimum: 0 });
  if (isDated && textOf(behavior, "keepAmount") !== undefined) {
    throw new Error("Cannot purge KV pairs: give either before or keepAmount");
  }
  return !isDated && keepAmount === 0;
}

/** Filter of `namespaces` or `namespacePattern`; all namespaces of the tenant without either. @throws Error both are given */
function namespaceFilter(properties: JsonObject): (namespace: string) => boolean {
  const names = textsOf(properties, "namespaces");
  const pattern = textOf(properties, "namespacePattern") || undefined;
  if (names && pattern !== undefined) {
    throw new Error("Cannot purge KV pairs: give either namespaces or namespacePattern");
  }
  if (pattern !== undefined) return compileGlobs([pattern]);
  if (!names) return () => true;
  const isBelow = flagOf(properties, "includeChildNamespaces", true);
  return (namespace) =>
    names.some((name) => namespace === name || isBelow && namespace.startsWith(`${name}.`));
}
