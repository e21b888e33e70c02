/** Texts from grammars: tables of alternatives in which `<name>` stands for another table. */
import type { Chance } from "../crash/chance.ts";

/** Alternatives by name; the first of each list is the one that ends soonest. */
export type Grammar = Readonly<Record<string, readonly string[]>>;

const REFERENCE = /<([a-zA-Z]+)>/g;
const MAX_LENGTH = 4_000;

/** A text of the grammar, from the table of that name; beyond `depth` only first alternatives are used. */
export function derive(grammar: Grammar, start: string, chance: Chance, depth = 8): string {
  let left = MAX_LENGTH;
  const expand = (name: string, depth: number): string => {
    const alternatives = grammar[name];
    if (!alternatives) return `<${name}>`;
    const isEnding = depth <= 0 || left <= 0;
    const chosen = (isEnding ? alternatives[0] : chance.pick(alternatives)) ?? "";
    left -= chosen.length;
    return chosen.replace(REFERENCE, (_whole, inner: string) => expand(inner, depth - 1));
  };
  return expand(start, depth);
}
