/** Loads groups of integrations for the whole process. */
import { INTEGRATION_GROUPS, type IntegrationGroup, type IntegrationTypes } from "./registry.ts";

const loaded: IntegrationTypes[] = [];
const waiting = new Map<IntegrationGroup, Promise<void> | undefined>(
  INTEGRATION_GROUPS.map((group) => [group, undefined]),
);

/** A name of a type or of a prefix of types: after a prefix of platforms, or with dots and the name of a class. */
const NAME = new RegExp(
  String.raw`(?:(?:plugin|kestra|svc)\.|(?<![\w./-])(?=[\w.]*\.[A-Z]))(${
    [...new Set(INTEGRATION_GROUPS.flatMap(({ prefixes }) => prefixes))].join("|")
  })\b`,
  "g",
);

/** The types of the groups that are loaded, in the order of loading; the list only grows. */
export function loadedTypes(): readonly IntegrationTypes[] {
  return loaded;
}

/** Loads the groups whose types a text names; `undefined` if all of them are loaded. */
export function loadTypes(text: string): Promise<void> | undefined {
  if (waiting.size === 0) return undefined;
  const named = new Set([...text.matchAll(NAME)].map(([, prefix = ""]) => prefix));
  return loadGroups([...waiting.keys()].filter(({ prefixes }) => prefixes.some((each) => named.has(each))));
}

/** Loads all groups; `undefined` if they are loaded. */
export function loadAllTypes(): Promise<void> | undefined {
  return loadGroups([...waiting.keys()]);
}

function loadGroups(groups: readonly IntegrationGroup[]): Promise<void> | undefined {
  if (groups.length === 0) return undefined;
  return Promise.all(groups.map(loadGroup)).then(() => undefined);
}

function loadGroup(group: IntegrationGroup): Promise<void> {
  const under = waiting.get(group) ?? group.load().then((types) => {
    loaded.push(types);
    waiting.delete(group);
  });
  waiting.set(group, under);
  return under;
}
