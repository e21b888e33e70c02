/** Properties of the tasks that purge stored items of namespaces: which namespaces, and which versions. */
import type { Instant } from "../base/time/clock.ts";
import type { JsonObject } from "../base/json.ts";
import { dynamicFlag, dynamicProperty, dynamicText, type PropertySchemas } from "../model/flows/schema.ts";
import { compileGlobs } from "../model/namespaces/glob.ts";
import { flagOf, instantOf, textOf, textsOf, wholeNumberOf } from "./property_values.ts";

/** `namespaces`, `namespacePattern` and `includeChildNamespaces`. */
export const PURGED_NAMESPACES: PropertySchemas = Object.freeze({
  namespaces: dynamicProperty("list", "Namespaces to purge; default is all.", {
    items: { type: "string", description: "Name of a namespace." },
  }),
  namespacePattern: dynamicText("Glob of the namespaces, such as `company.*`, instead of `namespaces`."),
  includeChildNamespaces: dynamicFlag(true, "Whether namespaces below the given ones are included."),
});

/** Members of a behaviour of type `version`. */
export const VERSION_BEHAVIOR: PropertySchemas = Object.freeze({
  before: dynamicProperty("dateTime", "Deletes versions before that time, but never the last one."),
  keepAmount: dynamicProperty(
    "integer",
    "Number of versions of each item to keep; without it and `before` the items are deleted.",
    { minimum: 0 },
  ),
});

/** Which versions are deleted; `age` is 0 for the last one, which is deleted with the item. */
type VersionPurge = (version: { readonly savedAt: Instant; readonly age: number }) => boolean;

/** What a behaviour of type `version` deletes. @throws Error contradictory properties */
export function versionPurgeOf(behavior: JsonObject, what: string): VersionPurge {
  const before = instantOf(behavior, "before");
  const keepAmount = wholeNumberOf(behavior, "keepAmount", { fallback: 0, minimum: 0 });
  if (before === undefined) return ({ age }) => age >= keepAmount;
  if (textOf(behavior, "keepAmount") !== undefined) {
    throw new Error(`Cannot purge ${what}: give either before or keepAmount`);
  }
  return ({ savedAt, age }) => age > 0 && savedAt < before;
}

/** Filter by `namespaces` or `namespacePattern`; all namespaces of the tenant without either. @throws Error both are given */
export function purgedNamespaces(properties: JsonObject, what: string): (namespace: string) => boolean {
  const names = textsOf(properties, "namespaces");
  const pattern = textOf(properties, "namespacePattern") || undefined;
  if (names && pattern !== undefined) {
    throw new Error(`Cannot purge ${what}: give either namespaces or namespacePattern`);
  }
  if (pattern !== undefined) return compileGlobs([pattern]);
  if (!names) return () => true;
  const isBelow = flagOf(properties, "includeChildNamespaces", true);
  return (namespace) =>
    names.some((name) => namespace === name || isBelow && namespace.startsWith(`${name}.`));
}
