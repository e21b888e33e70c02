/** Properties that many types of a group share, so that a table names each set once. */

/** A type as a table shows it. */
export interface ListedType {
  /** Canonical name, without prefix. */
  readonly name: string;
  /** Properties as they are shown; equal texts are equal properties. */
  readonly properties: readonly string[];
}

/** Properties of types whose names have the same beginning, or the same last part. */
export interface PropertySet {
  /** The beginning, such as `gcp.bigquery`, or the last part, such as `Query`. */
  readonly label: string;
  readonly properties: readonly string[];
}

/** A set must spare this many names: those that its types have instead of it, less its own line and the labels. */
const LEAST_SPARED = 8;
/** A property is in a set if this part of the types that its label names has it; the part that spares most names is taken. */
const PARTS = [0.9, 0.6, 0.4, 0.25];

/** The sets that make the rows of a group shorter, those of more types first. */
export function propertySets(types: readonly ListedType[]): PropertySet[] {
  const sets: PropertySet[] = [];
  for (const [label, members] of candidates(types)) {
    const rest = members.map((type) => split(type, sets).rest);
    const [best] = PARTS.map((part) => commonIn(rest, part * members.length)).sort((a, b) =>
      b.spared - a.spared
    );
    if (best && best.spared >= LEAST_SPARED) sets.push({ label, properties: best.properties });
  }
  return sets;
}

/** Properties that so many of the lists have, and the names that they spare. */
function commonIn(lists: readonly (readonly string[])[], least: number) {
  const counts = new Map<string, number>();
  for (const property of lists.flat()) counts.set(property, (counts.get(property) ?? 0) + 1);
  const properties = [...counts].filter(([, count]) => count >= least).map(([property]) => property);
  const users = lists.filter((list) => properties.every((property) => list.includes(property))).length;
  const isSet = users >= 3 && properties.length >= 3;
  return { properties, spared: isSet ? (properties.length - 1) * users - properties.length : 0 };
}

/** The sets that a type has in full, and its other properties. */
export function split(
  { name, properties }: ListedType,
  sets: readonly PropertySet[],
): { readonly sets: readonly PropertySet[]; readonly rest: readonly string[] } {
  const labels = labelsOf(name);
  const own = sets.filter((set) =>
    labels.includes(set.label) && set.properties.every((each) => properties.includes(each))
  );
  const shared = new Set(own.flatMap((set) => set.properties));
  return { sets: own, rest: properties.filter((each) => !shared.has(each)) };
}

/** Labels with the types that they name: beginnings first, the shortest at the start, then last parts. */
function candidates(types: readonly ListedType[]): [string, ListedType[]][] {
  const found = new Map<string, ListedType[]>();
  for (const type of types) {
    for (const label of labelsOf(type.name)) found.set(label, [...found.get(label) ?? [], type]);
  }
  return [...found].sort(([a], [b]) => order(a) - order(b));
}

function labelsOf(name: string): string[] {
  const parts = name.split(".");
  return parts.map((part, index) => index === parts.length - 1 ? part : parts.slice(0, index + 1).join("."));
}

function order(label: string): number {
  return /^[A-Z]/.test(label) ? Infinity : label.split(".").length;
}
