/** Namespaces as a tree by the dots of their names. */

import type { NamespaceRow } from "./namespace.ts";

/** A namespace with those below it. */
export interface NamespaceNode {
  readonly id: string;
  /** Last part of the id. */
  readonly name: string;
  readonly description?: string;
  /** True for a parent that is only part of other names. */
  readonly isImplied: boolean;
  readonly children: readonly NamespaceNode[];
}

/** The tree of namespaces, in the order of their names. Missing parents are added. */
export function namespaceTree(rows: readonly NamespaceRow[]): NamespaceNode[] {
  const known = new Map(rows.map((row) => [row.id, row]));
  const ids = new Set(rows.flatMap(({ id }) => [id, ...parentsOf(id)]));
  const childrenOf = new Map<string, string[]>();
  for (const id of [...ids].sort()) {
    const parent = parentsOf(id).at(-1) ?? "";
    childrenOf.set(parent, [...childrenOf.get(parent) ?? [], id]);
  }
  const nodesBelow = (parent: string): NamespaceNode[] =>
    (childrenOf.get(parent) ?? []).map((id) => ({
      id,
      name: id.slice(parent === "" ? 0 : parent.length + 1),
      description: known.get(id)?.description,
      isImplied: !known.has(id),
      children: nodesBelow(id),
    }));
  return nodesBelow("");
}

/** The namespaces above one, the outermost first. */
export function parentsOf(id: string): string[] {
  const parts = id.split(".");
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join("."));
}
