/** All trigger and condition types. A new one is a file of its own and a line here. */
import type { ConditionType, TriggerCatalog, TriggerType } from "../model/trigger_catalog.ts";
import type { TypeDeclaration } from "../model/type_declaration.ts";
import { webhookTrigger } from "./webhook.ts";

const TRIGGER_TYPES: readonly TriggerType[] = [webhookTrigger];
const CONDITION_TYPES: readonly ConditionType[] = [];

/** The catalog of the built-in types. */
export function createTriggerCatalog(): TriggerCatalog {
  const triggers = byName(TRIGGER_TYPES);
  const conditions = byName(CONDITION_TYPES);
  return {
    find: (kind) => triggers.get(kind),
    list: () => sorted(TRIGGER_TYPES),
    findCondition: (kind) => conditions.get(kind),
    listConditions: () => sorted(CONDITION_TYPES),
  };
}

function byName<T extends TypeDeclaration>(types: readonly T[]): ReadonlyMap<string, T> {
  return new Map(types.flatMap((type) => [type.type, ...type.aliases].map((name) => [name, type] as const)));
}

function sorted<T extends TypeDeclaration>(types: readonly T[]): readonly T[] {
  return [...types].sort((a, b) => a.type < b.type ? -1 : 1);
}
