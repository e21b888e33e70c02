/** In which order inputs are resolved: each after those it depends on. */
import { isJsonObject, type JsonObject, ownProperty } from "../base/json.ts";
import { scalarText } from "./describe.ts";

/** What `dependsOn` of an input says. */
export interface Dependency {
  /** Ids of the inputs that come first. */
  readonly inputs: readonly string[];
  /** Template; the input is asked only when it renders to true. */
  readonly condition?: string;
}

/** The dependency that the members of an input declare, if any. */
export function dependencyOf(properties: JsonObject): Dependency | undefined {
  const dependsOn = ownProperty(properties, "dependsOn");
  if (!isJsonObject(dependsOn)) return undefined;
  const inputs = ownProperty(dependsOn, "inputs");
  return {
    inputs: Array.isArray(inputs) ? inputs.map((id) => scalarText(id) ?? "") : [],
    condition: scalarText(ownProperty(dependsOn, "condition")),
  };
}

/** An input as the order sees it. */
export interface Dependent {
  readonly id: string;
  readonly properties: JsonObject;
}

/** The inputs, each after those it depends on; `cyclic` are the ones that wait for one another. */
export function dependencyOrder<T extends Dependent>(inputs: readonly T[]): { ordered: T[]; cyclic: T[] } {
  const byId = new Map(inputs.map((input) => [input.id, input]));
  const waitsFor = new Map<T, number>();
  const dependents = new Map<T, T[]>();
  for (const input of inputs) {
    const needs = new Set(dependencyOf(input.properties)?.inputs);
    const known = [...needs].flatMap((id) => byId.get(id) ?? []);
    waitsFor.set(input, known.length);
    for (const need of known) {
      const list = dependents.get(need) ?? [];
      list.push(input);
      dependents.set(need, list);
    }
  }
  const ordered = inputs.filter((input) => waitsFor.get(input) === 0);
  for (const input of ordered) { // grows while it is walked
    for (const dependent of dependents.get(input) ?? []) {
      const left = (waitsFor.get(dependent) ?? 0) - 1;
      waitsFor.set(dependent, left);
      if (left === 0) ordered.push(dependent);
    }
  }
  const done = new Set(ordered);
  return { ordered, cyclic: inputs.filter((input) => !done.has(input)) };
}
