/** Members, elements and slices of values: read, set, delete. Values are immutable, except copies of an {@link Editor}. */
import {
  Double,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownProperty,
  setOwnProperty,
} from "../../base/json.ts";
import { isNumber, toFloat } from "../values/mod.ts";
import type { Machine } from "./code.ts";
import { raise } from "./errors.ts";
import { compareValues, typeName } from "./values.ts";

const NO_VALUE = null;

/** `value[key]`; null where there is nothing. @throws JqError when the value has no members of that kind */
export function indexValue(value: JsonValue, key: JsonValue, machine: Machine): JsonValue {
  if (typeof key === "string" && isJsonObject(value)) return ownProperty(value, key) ?? NO_VALUE;
  if (isNumber(key) && Array.isArray(value)) return value.at(listIndex(key, value.length)) ?? NO_VALUE;
  if (isJsonObject(key) && (Array.isArray(value) || typeof value === "string" || value === null)) {
    return sliceValue(value, key, machine);
  }
  if (Array.isArray(key) && Array.isArray(value)) return findLists(value, key, machine);
  if (value === null && (typeof key === "string" || isNumber(key))) return null;
  return refuseKey(value, key);
}

function refuseKey(value: JsonValue, key: JsonValue): never {
  const of = typeof key === "string" ? `string ${JSON.stringify(key.slice(0, 100))}` : typeName(key);
  return raise(`Cannot index ${typeName(value)} with ${of}`);
}

/** The offset of an element; `length` when out of range or not whole. */
function listIndex(key: JsonValue, length: number): number {
  const index = toFloat(key as number);
  return index < -length || !Number.isInteger(index) ? length : index;
}

/** `value[from:to]` for the key `{start, end}`. Texts count in code points. */
function sliceValue(value: JsonValue[] | string | null, key: JsonObject, machine: Machine): JsonValue {
  if (value === null) return null;
  const parts = typeof value === "string" ? [...value] : value;
  machine.spendElements(parts.length);
  const { from, to } = sliceEnds(key, parts.length);
  return typeof value === "string" ? parts.slice(from, to).join("") : value.slice(from, to);
}

/** The ends of a slice within a list of that length. @throws JqError */
function sliceEnds(key: JsonObject, length: number): { readonly from: number; readonly to: number } {
  const start = sliceEnd(ownProperty(key, "start"), length) ?? 0;
  const end = sliceEnd(ownProperty(key, "end"), length) ?? length;
  const from = Math.floor(start);
  return { from, to: Math.max(from, Math.ceil(end)) };
}

/** An end clamped to the length, not rounded; `undefined` when open. */
function sliceEnd(end: JsonValue | undefined, length: number): number | undefined {
  if (end === undefined || end === null) return undefined;
  if (!isNumber(end)) return raise("Start and end indices of an array slice must be numbers");
  const value = toFloat(end);
  return Number.isNaN(value) ? undefined : Math.min(Math.max(value < 0 ? value + length : value, 0), length);
}

/** Offsets at which a list occurs in another. */
function findLists(list: readonly JsonValue[], sought: readonly JsonValue[], machine: Machine): JsonValue {
  if (sought.length === 0) return null;
  machine.spend(list.length);
  const found: number[] = [];
  for (let at = 0; at + sought.length <= list.length; at++) {
    const isHere = sought.every((item, offset) => {
      machine.spend(1);
      return compareValues(list[at + offset] as JsonValue, item, machine) === 0;
    });
    if (isHere) found.push(at);
  }
  return found;
}

/** The value at a path. @throws JqError when a value on the way cannot be indexed */
export function getPath(value: JsonValue, keys: readonly JsonValue[], machine: Machine): JsonValue {
  let current = value;
  for (const key of keys) {
    if (current === null) return null;
    machine.spend(1);
    current = indexValue(current, key, machine);
  }
  return current;
}

/** Changes a value by paths. Copies each part once, then changes it in place: n changes take linear time. */
export class Editor {
  readonly #machine: Machine;
  readonly #own = new Set<JsonValue>();
  #value: JsonValue;

  constructor(value: JsonValue, machine: Machine) {
    this.#value = value;
    this.#machine = machine;
  }

  /** The current value; later changes copy it again. */
  get value(): JsonValue {
    this.#own.clear();
    return this.#value;
  }

  /** The current value at a path. @throws JqError */
  get(keys: readonly JsonValue[]): JsonValue {
    const found = getPath(this.#value, keys, this.#machine);
    // The caller may keep it and insert it several times.
    if (this.#own.has(found)) this.#own.clear();
    return found;
  }

  /** Sets a value at a path; creates missing lists and maps. @throws JqError, ExpressionError `limit` */
  set(keys: readonly JsonValue[], value: JsonValue): void {
    this.#value = this.#put(this.#value, keys, { at: 0, value });
  }

  #put(target: JsonValue, keys: readonly JsonValue[], change: { at: number; value: JsonValue }): JsonValue {
    const key = keys[change.at];
    if (key === undefined) return change.value;
    this.#machine.spend(1);
    const old = indexValue(target, key, this.#machine);
    change.at++;
    return this.#replace(target, key, this.#put(old, keys, change));
  }

  #replace(target: JsonValue, key: JsonValue, value: JsonValue): JsonValue {
    if (typeof key === "string" && (target === null || isJsonObject(target))) {
      const map = this.#owned<JsonObject>(target, () => ({ ...target }), 0);
      setOwnProperty(map, key, value);
      return map;
    }
    if (target !== null && !Array.isArray(target)) return refuseKey(target, key);
    const list = target ?? [];
    if (isNumber(key)) return this.#replaceElement(list, Math.trunc(toFloat(key)), value);
    return isJsonObject(key) ? this.#replaceSlice(list, key, value) : refuseKey(target, key);
  }

  #replaceElement(list: JsonValue[], key: number, value: JsonValue): JsonValue {
    const index = key < 0 ? key + list.length : key;
    if (index < 0) raise("Out of bounds negative array index");
    if (Number.isNaN(index)) raise("Cannot set array element at NaN index");
    if (index > list.length) this.#machine.spendElements(index);
    const own = this.#owned<JsonValue[]>(list, () => list.slice(), list.length);
    while (own.length < index) own.push(null);
    own[index] = value;
    return own;
  }

  #replaceSlice(list: JsonValue[], key: JsonObject, value: JsonValue): JsonValue {
    if (!Array.isArray(value)) return raise("A slice of an array can only be assigned another array");
    const { from, to } = sliceEnds(key, list.length);
    this.#machine.spendElements(list.length + value.length);
    return [...list.slice(0, from), ...value, ...list.slice(to)];
  }

  #owned<T extends JsonValue>(target: JsonValue, copy: () => T, length: number): T {
    if (target !== null && this.#own.has(target)) return target as T;
    const made = copy();
    this.#own.add(made);
    this.#machine.spendElements(length || 8 * Object.keys(made as JsonObject).length);
    return made;
  }
}

/** The value without those paths; missing paths are ignored. @throws JqError */
export function deletePaths(
  value: JsonValue,
  paths: readonly (readonly JsonValue[])[],
  machine: Machine,
): JsonValue {
  const sorted = paths.toSorted((a, b) => compareValues(a as JsonValue[], b as JsonValue[], machine));
  machine.spend(sorted.length);
  return deleteSorted(value, sorted, { at: 0, machine });
}

interface Deletion {
  readonly at: number;
  readonly machine: Machine;
}

function deleteSorted(
  value: JsonValue,
  paths: readonly (readonly JsonValue[])[],
  { at, machine }: Deletion,
): JsonValue {
  if (paths.some((path) => path.length === at) || value === null) return null;
  const editor = new Editor(value, machine);
  const whole: JsonValue[] = [];
  for (let first = 0; first < paths.length;) {
    const key = paths[first]?.[at] ?? null;
    let last = first + 1;
    while (last < paths.length && compareValues(paths[last]?.[at] ?? null, key, machine) === 0) last++;
    const group = paths.slice(first, last);
    first = last;
    machine.spend(group.length);
    if (group.some((path) => path.length === at + 1)) whole.push(key);
    else deleteBelow(editor, { key, group }, { at, machine });
  }
  return deleteKeys(editor.value, whole, machine);
}

function deleteBelow(
  editor: Editor,
  { key, group }: { readonly key: JsonValue; readonly group: readonly (readonly JsonValue[])[] },
  { at, machine }: Deletion,
): void {
  const child = editor.get([key]);
  if (child !== null) editor.set([key], deleteSorted(child, group, { at: at + 1, machine }));
}

function deleteKeys(value: JsonValue, keys: readonly JsonValue[], machine: Machine): JsonValue {
  if (keys.length === 0 || value === null) return value;
  const wrong = keys.find((key) => !isDeletable(value, key));
  if (wrong !== undefined) return refuseDeletion(value, wrong);
  if (Array.isArray(value)) return deleteElements(value, keys, machine);
  const names = new Set(keys);
  const kept: JsonObject = {};
  machine.spendElements(8 * names.size);
  for (const name of Object.keys(value)) {
    machine.spend(1);
    if (!names.has(name)) setOwnProperty(kept, name, (value as JsonObject)[name] as JsonValue);
  }
  return kept;
}

function isDeletable(value: JsonValue, key: JsonValue): boolean {
  if (Array.isArray(value)) return isNumber(key) || isJsonObject(key);
  return isJsonObject(value) && typeof key === "string";
}

function refuseDeletion(value: JsonValue, key: JsonValue): never {
  const isContainer = typeof value === "object" && !(value instanceof Double);
  if (!isContainer) return raise(`Cannot delete fields from ${typeName(value)}`);
  const what = Array.isArray(value) ? "element of array" : "field of object";
  return raise(`Cannot delete ${typeName(key)} ${what}`);
}

function deleteElements(list: JsonValue[], keys: readonly JsonValue[], machine: Machine): JsonValue {
  machine.spendElements(list.length);
  const isGone = new Uint8Array(list.length);
  for (const key of keys) {
    if (isNumber(key)) {
      const index = Math.trunc(toFloat(key));
      isGone[index < 0 ? index + list.length : index] = 1;
      continue;
    }
    const { from, to } = sliceEnds(key as JsonObject, list.length);
    machine.spend(1 + ((to - from) >>> 3));
    isGone.fill(1, from, to);
  }
  return list.filter((_, index) => isGone[index] === 0);
}
