/** Functions on lists: order, groups, sums, search. */
import { indexOfText } from "../../../base/text/find_text.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../base/json.ts";
import { isNumber, toFloat } from "../../values/mod.ts";
import { indexValue } from "../access.ts";
import { add } from "../arithmetic.ts";
import type { Machine } from "../code.ts";
import { raise } from "../errors.ts";
import { checkDepth, compareValues, describe, toJson, typeName } from "../values.ts";
import { type FunctionEntry, listOf } from "./entry.ts";

/** Functions on lists; the argument of those with `_` is the sort keys of the elements. */
export const LIST_FUNCTIONS: readonly FunctionEntry[] = [
  ["add/0", (value, _, machine) => sum(value, machine)],
  ["join/1", (value, [separator = null], machine) => join(value, separator, machine)],
  ["flatten/0", (value, _, machine) => flatten(value, 1e9, machine)],
  ["flatten/1", (value, [depth = null], machine) => flatten(value, depth, machine)],
  ["reverse/0", reverse],
  ["sort/0", (value, _, machine) => sorted(pairs(value, listOf(value, "sorted")), machine).map(itemOf)],
  ["_sort_by/1", (value, [keys = null], machine) => sorted(pairs(value, keys), machine).map(itemOf)],
  ["_group_by/1", (value, [keys = null], machine) => groups(value, keys, machine)],
  ["unique/0", (value, _, machine) => unique(value, listOf(value, "sorted"), machine)],
  ["_unique_by/1", (value, [keys = null], machine) => unique(value, keys, machine)],
  ["min/0", (value, _, machine) => extreme(pairs(value, value), -1, machine)],
  ["max/0", (value, _, machine) => extreme(pairs(value, value), 1, machine)],
  ["_min_by/1", (value, [keys = null], machine) => extreme(pairs(value, keys), -1, machine)],
  ["_max_by/1", (value, [keys = null], machine) => extreme(pairs(value, keys), 1, machine)],
  ["transpose/0", (value, _, machine) => transpose(value, machine)],
  ["bsearch/1", (value, [sought = null], machine) => binarySearch(value, sought, machine)],
  ["indices/1", (value, [sought = null], machine) => indices(value, sought, machine)],
  [
    "index/1",
    (value, [sought = null], machine) => listOrEmpty(indices(value, sought, machine)).at(0) ?? null,
  ],
  [
    "rindex/1",
    (value, [sought = null], machine) => listOrEmpty(indices(value, sought, machine)).at(-1) ?? null,
  ],
];

interface Pair {
  readonly key: JsonValue;
  readonly item: JsonValue;
}

function pairs(value: JsonValue, keys: JsonValue): Pair[] {
  const by = listOf(keys, "sorted");
  return listOf(value, "sorted").map((item, at) => ({ key: by[at] ?? null, item }));
}

function itemOf({ item }: Pair): JsonValue {
  return item;
}

function sorted(list: Pair[], machine: Machine): Pair[] {
  machine.spendElements(list.length * 8);
  return list.sort((a, b) => {
    machine.spend(1);
    return compareValues(a.key, b.key, machine);
  });
}

function groups(value: JsonValue, keys: JsonValue, machine: Machine): JsonValue[][] {
  const found: JsonValue[][] = [];
  let last: Pair | undefined;
  for (const pair of sorted(pairs(value, keys), machine)) {
    if (last && compareValues(last.key, pair.key, machine) === 0) found.at(-1)?.push(pair.item);
    else found.push([pair.item]);
    last = pair;
  }
  return found;
}

function unique(value: JsonValue, keys: JsonValue, machine: Machine): JsonValue {
  return groups(value, keys, machine).map((group) => group[0] ?? null);
}

/** The first of equal elements is the least, the last the greatest. */
function extreme(list: readonly Pair[], sign: number, machine: Machine): JsonValue {
  let best: Pair | undefined;
  for (const pair of list) {
    machine.spend(1);
    const order = best ? compareValues(pair.key, best.key, machine) * sign : 1;
    if (order > 0 || order === 0 && sign > 0) best = pair;
  }
  return best ? best.item : null;
}

function membersOf(value: JsonValue, machine: Machine): JsonValue[] {
  if (!Array.isArray(value) && !isJsonObject(value)) {
    return raise(`Cannot iterate over ${value === null ? "null" : describe(value)}`);
  }
  const members = Array.isArray(value) ? value : Object.values(value);
  // Counted first: the caller may fail at the first member, after the list was made.
  machine.spendElements(members.length);
  return members;
}

function sum(value: JsonValue, machine: Machine): JsonValue {
  const members = membersOf(value, machine);
  if (members.length > 1 && members.every(Array.isArray)) {
    const length = (members as JsonValue[][]).reduce((total, list) => total + list.length, 0);
    machine.spendElements(length);
    return (members as JsonValue[][]).flat();
  }
  if (members.length > 1 && members.every(isJsonObject)) return mergedAll(members, machine);
  let total: JsonValue = null;
  for (const item of members) {
    machine.spend(1);
    total = add(total, item, machine);
  }
  return total;
}

function mergedAll(maps: readonly JsonObject[], machine: Machine): JsonValue {
  const entries = maps.flatMap((map) => Object.entries(map));
  machine.spendElements(entries.length * 8);
  return Object.fromEntries(entries);
}

function join(value: JsonValue, separator: JsonValue, machine: Machine): JsonValue {
  const members = membersOf(value, machine);
  if (members.length === 0) return "";
  if (typeof separator !== "string") {
    return raise(`${describe(separator)} cannot join texts, as it is not a string`);
  }
  let length = 0;
  const texts = members.map((item) => {
    const text = joinable(item);
    length += text.length + separator.length;
    machine.spendText(text.length);
    return text;
  });
  machine.spendText(length);
  return texts.join(separator);
}

function joinable(item: JsonValue): string {
  if (item === null) return "";
  if (typeof item === "string") return item;
  if (typeof item === "boolean" || isNumber(item)) return toJson(item);
  return raise(`string ("") and ${describe(item)} cannot be added`);
}

function flatten(value: JsonValue, depth: JsonValue, machine: Machine): JsonValue {
  if (!isNumber(depth)) return raise("flatten depth must be a number");
  if (toFloat(depth) < 0) return raise("flatten depth must not be negative");
  const flat: JsonValue[] = [];
  const visit = (items: readonly JsonValue[], left: number, level: number): void => {
    checkDepth(level);
    for (const item of items) {
      machine.spend(1);
      if (Array.isArray(item) && left > 0) visit(item, left - 1, level + 1);
      else flat.push(item);
    }
  };
  visit(membersOf(value, machine), toFloat(depth), 0);
  return flat;
}

function reverse(value: JsonValue, _: readonly JsonValue[], machine: Machine): JsonValue {
  if (value === null) return [];
  if (typeof value === "string") {
    machine.spendText(value.length * 4);
    return [...value].reverse().join("");
  }
  const list = listOf(value, "reversed");
  machine.spendElements(list.length);
  return list.toReversed();
}

function transpose(value: JsonValue, machine: Machine): JsonValue {
  const list = listOf(value, "transposed");
  machine.spendElements(list.length);
  const rows = list.map((row) => listOf(row, "transposed"));
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  machine.spendElements(width * rows.length * 8);
  return Array.from({ length: width }, (_, column) => rows.map((row) => row[column] ?? null));
}

/** The index of a value in a sorted list, or `-1 - index` of its insertion point. */
function binarySearch(value: JsonValue, sought: JsonValue, machine: Machine): JsonValue {
  const list = listOf(value, "searched from");
  let low = 0, high = list.length - 1;
  while (low <= high) {
    machine.spend(1);
    const middle = (low + high) >>> 1;
    const order = compareValues(list[middle] as JsonValue, sought, machine);
    if (order === 0) return middle;
    if (order < 0) low = middle + 1;
    else high = middle - 1;
  }
  return -1 - low;
}

function listOrEmpty(value: JsonValue): JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function indices(value: JsonValue, sought: JsonValue, machine: Machine): JsonValue {
  if (value === null) return null;
  if (typeof value === "string" && typeof sought === "string") return textIndices(value, sought, machine);
  if (Array.isArray(value)) return indexValue(value, Array.isArray(sought) ? sought : [sought], machine);
  return raise(`Cannot look for ${typeName(sought)} in ${typeName(value)}`);
}

/** Offsets in code points; matches may overlap. */
function textIndices(text: string, sought: string, machine: Machine): JsonValue {
  if (sought === "") return null;
  machine.spendText(text.length * 4);
  const found: number[] = [];
  let units = 0, points = 0;
  for (let at = indexOfText(text, sought); at >= 0; at = indexOfText(text, sought, at + 1)) {
    machine.spend(1 + (sought.length >>> 5));
    for (; units < at; points++) units += (text.codePointAt(units) ?? 0) > 0xffff ? 2 : 1;
    found.push(points);
  }
  return found;
}
