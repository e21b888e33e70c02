/** The order in which inputs are resolved: each after those it depends on. */
import { isJsonObject, type JsonObject, ownProperty } from "../../base/json.ts";
import { elementsOf, scalarText, textOf } from "../schema/describe.ts";

interface Dependency {
  /** Ids of the inputs that come first. */
  readonly inputs: readonly string[];
  /** Template; the input is enabled only when it renders to true. */
  readonly condition?: string;
}

/** The declared dependency of an input, if any. */
export function dependencyOf(properties: JsonObject): Dependency | undefined {
  const dependsOn = ownProperty(properties, "dependsOn");
  if (!isJsonObject(dependsOn)) return undefined;
  return {
    inputs: elementsOf(dependsOn, "inputs").map((id) => scalarText(id) ?? ""),
    condition: textOf(dependsOn, "condition"),
  };
}

interface Dependent {
  readonly id: string;
  readonly properties: JsonObject;
}

/** The inputs, each after those it depends on. */
export function dependencyOrder<T extends Dependent>(inputs: readonly T[]): { ordered: T[]; cyclic: T[] } {
  return orderByNeeds(inputs, (input) => dependencyOf(input.properties)?.inputs ?? []);
}

/** Items in topological order of their needs, which are ids; unknown ids are ignored. Linear time. */
export function orderByNeeds<T extends { readonly id: string }>(
  items: readonly T[],
  needsOf: (item: T) => Iterable<string>,
): { ordered: T[]; cyclic: T[] } {
  const byId = new Map(items.map((item) => [item.id, item]));
  const waitsFor = new Map<T, number>();
  const dependents = new Map<T, T[]>();
  for (const item of items) {
    const known = [...new Set(needsOf(item))].flatMap((id) => byId.get(id) ?? []);
    waitsFor.set(item, known.length);
    for (const need of known) {
      const list = dependents.get(need) ?? [];
      list.push(item);
      dependents.set(need, list);
    }
  }
  const ordered = items.filter((item) => waitsFor.get(item) === 0);
  for (const item of ordered) { // grows while it is walked
    for (const dependent of dependents.get(item) ?? []) {
      const left = (waitsFor.get(dependent) ?? 0) - 1;
      waitsFor.set(dependent, left);
      if (left === 0) ordered.push(dependent);
    }
  }
  const done = new Set(ordered);
  return { ordered, cyclic: items.filter((item) => !done.has(item)) };
}
