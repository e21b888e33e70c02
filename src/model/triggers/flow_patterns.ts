/** Patterns of flows as texts: an index of them finds all that match a flow without a comparison with each. */
import { type JsonObject, ownProperty } from "../../base/json.ts";
import type { FlowKey } from "../flows/flow.ts";

/** How a namespace is compared with a text. */
type NamespaceComparison = "EQUALS" | "PREFIX" | "SUFFIX";

/** Kinds of patterns, the narrowest first: a flow, its id, its namespace, the end or the begin of its namespace, any flow. */
const KINDS = "=insp*";

/** The pattern of all flows. */
export const ANY_FLOW = "*";

/** The pattern of flows with that id and that namespace; where more is demanded than a pattern says, a wider one. */
export function flowPattern(
  { namespace, id }: Partial<FlowKey>,
  comparison: NamespaceComparison = "EQUALS",
): string {
  if (namespace === undefined) return id === undefined ? ANY_FLOW : `i${id}`;
  if (comparison === "EQUALS") return id === undefined ? `n${namespace}` : `=${namespace}/${id}`;
  if (id !== undefined) return `i${id}`;
  return comparison === "PREFIX" ? `p${namespace}` : `s${namespace}`;
}

/** True for the pattern of one flow. */
export function isOneFlow(pattern: string): boolean {
  return pattern.startsWith("=");
}

/** All patterns that match a flow. */
function patternsOf({ namespace, id }: FlowKey): string[] {
  return [`=${namespace}/${id}`, `i${id}`, ...patternsOfNamespace(namespace)];
}

/** Those of these patterns that match all flows of a namespace. */
export function patternsOfNamespace(namespace: string): string[] {
  const patterns = [ANY_FLOW, `n${namespace}`];
  for (let at = 0; at <= namespace.length; at++) {
    patterns.push(`p${namespace.slice(0, at)}`, `s${namespace.slice(at)}`);
  }
  return patterns;
}

/** Selects the list that the fewest other flows match. Each list has a pattern for every flow that is wanted. */
export function narrowest(lists: readonly (readonly string[])[]): readonly string[] {
  const [first = [ANY_FLOW], ...others] = lists;
  return others.reduce((best, each) => isNarrower(each, best) ? each : best, first);
}

function isNarrower(left: readonly string[], right: readonly string[]): boolean {
  const widths = [left, right].map((patterns) =>
    Math.max(-1, ...patterns.map((pattern) => KINDS.indexOf(pattern.charAt(0))))
  );
  const [ofLeft = 0, ofRight = 0] = widths;
  return ofLeft === ofRight ? left.length < right.length : ofLeft < ofRight;
}

/** The `comparison` of a condition on a namespace, or its older `prefix`. */
export function namespaceComparison(condition: JsonObject): NamespaceComparison {
  const written = ownProperty(condition, "comparison") ?? "";
  if (written === "PREFIX" || written === "SUFFIX") return written;
  const isPrefix = written === "" && String(ownProperty(condition, "prefix") ?? false) === "true";
  return isPrefix ? "PREFIX" : "EQUALS";
}

/** What waits for flows, by the patterns of these. */
export class PatternIndex<T> {
  readonly #byPattern = new Map<string, Set<T>>();
  /** Items with several patterns, of which more than one may match a flow. */
  readonly #several = new Set<T>();

  /** Those of all items. */
  get patterns(): Iterable<string> {
    return this.#byPattern.keys();
  }

  /** Adds an item. */
  add(patterns: readonly string[], item: T): void {
    if (patterns.length > 1) this.#several.add(item);
    for (const pattern of patterns) {
      const items = this.#byPattern.get(pattern);
      if (items) items.add(item);
      else this.#byPattern.set(pattern, new Set([item]));
    }
  }

  /** Removes an item that was added with these patterns. */
  delete(patterns: readonly string[], item: T): void {
    this.#several.delete(item);
    for (const pattern of patterns) {
      const items = this.#byPattern.get(pattern);
      if (items?.delete(item) && items.size === 0) this.#byPattern.delete(pattern);
    }
  }

  /** The items with a pattern that matches the flow, each once. */
  *of(flow: FlowKey): Generator<T> {
    const found = new Set<T>();
    for (const pattern of patternsOf(flow)) {
      for (const item of this.#byPattern.get(pattern) ?? []) {
        if (!this.#several.has(item)) yield item;
        else if (!found.has(item)) {
          found.add(item);
          yield item;
        }
      }
    }
  }
}
