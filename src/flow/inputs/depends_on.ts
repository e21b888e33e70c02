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
export function dependencyOrder<T extends Dependent>(inputs: readonly T[]): Order<T> {
  return orderByNeeds(inputs, (input) => dependencyOf(input.properties)?.inputs ?? []);
}

interface Order<T> {
  /** All items: first those that need none, then those that need only these, and so on; among each other as they were given. */
  readonly ordered: readonly T[];
  /** The items that need themselves, directly or through others, as they were given. */
  readonly cyclic: readonly T[];
}

/** Items in topological order of their needs, which are ids; unknown ids are ignored. */
export function orderByNeeds<T extends { readonly id: string }>(
  items: readonly T[],
  needsOf: (item: T) => Iterable<string>,
): Order<T> {
  const byId = new Map(items.map((item) => [item.id, item]));
  const walk = new NeedsWalk<T>((item) => [...needsOf(item)].flatMap((id) => byId.get(id) ?? []));
  for (const item of items) walk.from(item);
  const layerOf = (item: T) => walk.layers.get(item) ?? 0;
  const ordered = [...items].sort((a, b) => layerOf(a) - layerOf(b));
  return { ordered, cyclic: items.filter((item) => walk.cyclic.has(item)) };
}

/** An item whose needs are being walked. */
interface Step<T> {
  readonly item: T;
  /** Position of the item in the order of the first visits. */
  readonly position: number;
  /** The lowest position among the open items that the item is known to reach. */
  lowest: number;
  readonly needs: readonly T[];
  nextNeed: number;
}

/** Tarjan's algorithm without recursion: items that need each other leave the walk together, after what they need. */
class NeedsWalk<T> {
  /** By item that has left: 0 if it needs none outside of its cycle, else more than those that it needs. */
  readonly layers = new Map<T, number>();
  readonly cyclic = new Set<T>();
  readonly #needsOf: (item: T) => readonly T[];
  readonly #steps = new Map<T, Step<T>>();
  /** Visited items that may be part of a cycle with a later one. */
  readonly #open: T[] = [];

  constructor(needsOf: (item: T) => readonly T[]) {
    this.#needsOf = needsOf;
  }

  /** Walks an item and what it needs, except what was walked before. */
  from(start: T): void {
    if (this.#steps.has(start)) return;
    const path = [this.#enter(start)];
    for (let step = path.at(-1); step; step = path.at(-1)) {
      const need = step.needs[step.nextNeed++];
      if (need === undefined) {
        path.pop();
        this.#leave(step, path.at(-1));
        continue;
      }
      const known = this.#steps.get(need);
      if (!known) path.push(this.#enter(need));
      else if (!this.layers.has(need)) step.lowest = Math.min(step.lowest, known.position);
    }
  }

  #enter(item: T): Step<T> {
    const position = this.#steps.size;
    const step = { item, position, lowest: position, needs: this.#needsOf(item), nextNeed: 0 };
    this.#steps.set(item, step);
    this.#open.push(item);
    return step;
  }

  #leave({ item, position, lowest, needs }: Step<T>, parent: Step<T> | undefined): void {
    if (parent) parent.lowest = Math.min(parent.lowest, lowest);
    if (lowest < position) return;
    const together = this.#open.splice(this.#open.lastIndexOf(item));
    let layer = 0;
    for (const member of together) {
      for (const need of this.#steps.get(member)?.needs ?? []) {
        layer = Math.max(layer, (this.layers.get(need) ?? -1) + 1);
      }
    }
    for (const member of together) this.layers.set(member, layer);
    if (together.length > 1 || needs.includes(item)) {
      for (const member of together) {
        this.cyclic.add(member);
      }
    }
  }
}
