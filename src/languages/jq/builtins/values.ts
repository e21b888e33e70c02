/** Functions on values of every kind: kinds, sizes, members, entries, paths, streams. */
import { includesText } from "../../../base/text/find_text.ts";
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownProperty,
  parseJson,
  setOwnProperty,
} from "../../../base/json.ts";
import { isNumber, toFloat } from "../../values/mod.ts";
import { deletePaths, Editor } from "../access.ts";
import type { Machine } from "../code.ts";
import { raise } from "../errors.ts";
import {
  checkDepth,
  compareValues,
  describe,
  fromFloat,
  isTruthy,
  sortedNames,
  toDisplay,
  toJson,
  typeName,
} from "../values.ts";
import { type FunctionEntry, listOf } from "./entry.ts";

const KEY_NAMES = ["key", "k", "name", "Name", "Key", "K"];
const VALUE_NAMES = ["value", "v", "Value", "V"];
const NUMBER = /^\s*(-?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)\s*$/;

/** Functions on values. */
export const VALUE_FUNCTIONS: readonly FunctionEntry[] = [
  ["not/0", (value) => !isTruthy(value)],
  ["type/0", (value) => typeName(value)],
  ["length/0", (value, _, machine) => lengthOf(value, machine)],
  ["keys/0", (value, _, machine) => namesOf(value, sortedNames, machine)],
  ["keys_unsorted/0", (value, _, machine) => namesOf(value, Object.keys, machine)],
  ["has/1", (value, [key = null]) => has(value, key)],
  ["contains/1", (value, [part = null], machine) => contains(value, part, { machine, depth: 0 })],
  ["to_entries/0", (value, _, machine) => toEntries(value, machine)],
  ["from_entries/0", (value, _, machine) => fromEntries(value, machine)],
  ["setpath/2", (value, [keys = null, child = null], machine) => setPath(value, [keys, child], machine)],
  ["delpaths/1", (value, [paths = null], machine) => deleteAll(value, paths, machine)],
  ["tojson/0", (value, _, machine) => counted(toJson(value, machine), machine)],
  ["tostring/0", (value, _, machine) => counted(toDisplay(value, machine), machine)],
  ["fromjson/0", (value, _, machine) => fromJson(value, machine)],
  ["tonumber/0", (value, _, machine) => toNumber(value, machine)],
  ["toarray/0", (value) => Array.isArray(value) ? value : [value]],
  ["now/0", (_, __, machine) => fromFloat(machine.context.now / 1000)],
  ["_stream/0", (value, _, machine) => streamOf(value, machine)],
  ["have_literal_numbers/0", () => true],
  ["have_decnum/0", () => false],
];

function counted(text: string, machine: Machine): string {
  machine.spendText(text.length);
  return text;
}

function lengthOf(value: JsonValue, machine: Machine): JsonValue {
  if (value === null) return 0;
  if (typeof value === "string") {
    machine.spendText(value.length);
    let count = value.length;
    for (const pair of value.matchAll(/[\ud800-\udbff][\udc00-\udfff]/g)) count -= pair.length;
    return count;
  }
  if (Array.isArray(value)) return value.length;
  if (isNumber(value)) {
    return typeof value === "bigint" ? value < 0n ? -value : value : fromFloat(Math.abs(toFloat(value)));
  }
  if (!isJsonObject(value)) return raise(`${describe(value)} has no length`);
  const { length } = Object.keys(value);
  machine.spend(length);
  return length;
}

function namesOf(value: JsonValue, names: (map: JsonObject) => string[], machine: Machine): JsonValue {
  if (Array.isArray(value)) {
    machine.spendElements(value.length);
    return value.map((_, index) => index);
  }
  if (!isJsonObject(value)) return raise(`${describe(value)} has no keys`);
  const found = names(value);
  machine.spendElements(found.length * 4);
  return found;
}

function has(value: JsonValue, key: JsonValue): boolean {
  if (isJsonObject(value) && typeof key === "string") return Object.hasOwn(value, key);
  if (Array.isArray(value) && isNumber(key)) {
    const index = toFloat(key);
    return index >= 0 && index < value.length;
  }
  return raise(`Cannot check whether ${typeName(value)} has a ${typeName(key)} key`);
}

interface Walk {
  readonly machine: Machine;
  readonly depth: number;
}

/** Whether the value contains the part: texts by substring, lists and maps by members. */
function contains(value: JsonValue, part: JsonValue, { machine, depth }: Walk): boolean {
  machine.spend(1);
  checkDepth(depth);
  const within = { machine, depth: depth + 1 };
  if (isJsonObject(value) && isJsonObject(part)) {
    return Object.keys(part).every((name) => {
      const member = ownProperty(value, name);
      return member !== undefined && holds(member, part[name] as JsonValue, within);
    });
  }
  if (Array.isArray(value) && Array.isArray(part)) {
    return part.every((sought) => value.some((item) => holds(item, sought, within)));
  }
  if (typeof value === "string" && typeof part === "string") {
    machine.spend((value.length + part.length) >>> 5);
    return includesText(value, part);
  }
  if (typeName(value) === typeName(part)) return compareValues(value, part, machine) === 0;
  return raise(`${describe(value)} and ${describe(part)} cannot have their containment checked`);
}

/** Members of different kinds are different, not an error. */
function holds(value: JsonValue, part: JsonValue, walk: Walk): boolean {
  walk.machine.spend(1);
  return typeName(value) === typeName(part) && contains(value, part, walk);
}

function toEntries(value: JsonValue, machine: Machine): JsonValue {
  const isList = Array.isArray(value);
  if (!isList && !isJsonObject(value)) return raise(`${describe(value)} has no keys`);
  const entries = isList
    ? value.map((item, key) => ({ key, value: item }))
    : Object.keys(value).map((key) => ({ key, value: value[key] as JsonValue }));
  machine.spendElements(entries.length * 8);
  return entries;
}

function fromEntries(value: JsonValue, machine: Machine): JsonValue {
  const map: JsonObject = {};
  const entries = Array.isArray(value) ? value : isJsonObject(value) ? Object.values(value) : undefined;
  if (!entries) return raise(`Cannot iterate over ${describe(value)}`);
  machine.spendElements(entries.length * 8);
  for (const entry of entries) {
    if (!isJsonObject(entry)) return raise(`Cannot index ${typeName(entry)} with string "key"`);
    const key = firstMember(entry, KEY_NAMES) ?? null;
    if (Array.isArray(key) || isJsonObject(key)) raise(`Cannot use ${describe(key)} as object key`);
    setOwnProperty(map, toDisplay(key), firstMember(entry, VALUE_NAMES) ?? null);
  }
  return map;
}

/** The first member of those names that is not null. */
function firstMember(entry: JsonObject, names: readonly string[]): JsonValue | undefined {
  for (const name of names) {
    const value = ownProperty(entry, name);
    if (value !== undefined && value !== null) return value;
  }
  return undefined;
}

function setPath(
  value: JsonValue,
  [keys, child]: readonly [JsonValue, JsonValue],
  machine: Machine,
): JsonValue {
  if (!Array.isArray(keys)) return raise("Path must be specified as an array");
  const editor = new Editor(value, machine);
  checkDepth(keys.length);
  editor.set(keys, child);
  return editor.value;
}

function deleteAll(value: JsonValue, paths: JsonValue, machine: Machine): JsonValue {
  if (!Array.isArray(paths)) return raise("Paths must be specified as an array");
  const lists = paths.map((path) => Array.isArray(path) ? path : raise("Path must be specified as an array"));
  for (const path of lists) checkDepth(path.length);
  return deletePaths(value, lists, machine);
}

function fromJson(value: JsonValue, machine: Machine): JsonValue {
  if (typeof value !== "string") return raise(`${describe(value)} cannot be parsed as JSON`);
  machine.spendText(value.length);
  try {
    return parseJson(value);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return raise(`${error.message} (while parsing '${value.slice(0, 100)}')`);
  }
}

function toNumber(value: JsonValue, machine: Machine): JsonValue {
  if (isNumber(value)) return value;
  if (typeof value !== "string") return raise(`${describe(value)} cannot be parsed as a number`);
  machine.spend(value.length >>> 3);
  const digits = NUMBER.exec(value)?.[1];
  if (digits === undefined || digits.length > 1000) {
    return raise(`Invalid numeric literal (while parsing '${value.slice(0, 100)}')`);
  }
  const number = Number(digits);
  return /^-?\d+$/.test(digits) && !Number.isSafeInteger(number) && digits.length <= 20
    ? BigInt(digits)
    : fromFloat(number);
}

/** The events of a value: the path and value of each leaf, and the path of the last member at the end of a list or map. */
function streamOf(value: JsonValue, machine: Machine): JsonValue {
  const events: JsonValue[] = [];
  const visit = (item: JsonValue, path: readonly JsonValue[]): void => {
    checkDepth(path.length);
    machine.spend(1 + (path.length >>> 2));
    const keys = Array.isArray(item) ? [...item.keys()] : isJsonObject(item) ? Object.keys(item) : [];
    if (keys.length === 0) return void events.push([[...path], item]);
    for (const key of keys) visit((item as JsonObject)[key as string] as JsonValue, [...path, key]);
    events.push([[...path, keys.at(-1) as JsonValue]]);
  };
  visit(value, []);
  // The closing event of the top value has a path of one key.
  return listOf(events, "streamed");
}
