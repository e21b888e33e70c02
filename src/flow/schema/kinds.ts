/** Types as flows write them → names in the catalogs. */
import { canonicalType, OLD_TYPE_PREFIXES, TYPE_PREFIXES } from "../../model/flows/flow.ts";
import type { TaskCatalog } from "../../model/tasks/task_catalog.ts";
import type { TypeDeclaration } from "../../model/flows/type_declaration.ts";

/** The only trigger type that has behaviour. */
const WEBHOOK_KIND = "core.trigger.Webhook";

const TRIGGER_ALIASES: ReadonlyMap<string, string> = new Map([
  ["core.models.triggers.types.Webhook", WEBHOOK_KIND],
]);

/** The name under which a type is known today, with the prefix that the author used, if any. */
export function currentName(written: string, canonical: string): string {
  const root = OLD_TYPE_PREFIXES.find((candidate) => written.startsWith(candidate));
  return root ? `${root}plugin.${canonical}` : canonical;
}

/** Names of the types in the form of `written`, so that a slip of the pen can be told: with its prefix, or without any. */
export function namesLike(written: string, types: readonly TypeDeclaration[]): string[] {
  const prefix = TYPE_PREFIXES.find((candidate) => written.startsWith(candidate));
  if (prefix) return types.map(({ type }) => prefix + type);
  const root = OLD_TYPE_PREFIXES.find((candidate) => written.startsWith(candidate));
  if (root) return types.flatMap(({ aliases }) => aliases.map((alias) => root + alias));
  return types.flatMap(({ type }) => [type, TYPE_PREFIXES[0] + type]);
}

/** Canonical name of a task type; without a catalog, or unknown to it, the name as {@link canonicalType} gives it. */
export function taskKind(type: string, catalog?: TaskCatalog): string {
  const name = canonicalType(type);
  return catalog?.find(name)?.type ?? name;
}

/** Canonical name of a trigger type. */
export function triggerKind(type: string): string {
  const name = canonicalType(type);
  return TRIGGER_ALIASES.get(name) ?? name;
}
