/** What operations on large values cost: one step for each 256 characters, 16 elements or 4 members, about 1 µs of work. */
import { hasNumberKinds, type JsonObject, type JsonValue } from "../base/json.ts";
import type { Context } from "./context.ts";

/** Characters of a text that count as one step, as a power of two. */
const TEXT_SHIFT = 8;
/** Characters of JSON that are read in one step, as a power of two. */
const JSON_SHIFT = 5;
/** The same for JSON with decimals. */
const SLOW_JSON_SHIFT = 3;
/** Members of a map that count as one step, as a power of two. */
const MAP_SHIFT = 2;
/** Elements of a list that count as one step, as a power of two. */
const LIST_SHIFT = 4;

/** Steps of a pass over a value, 0 for a small one. Who reads the members of a map charges them by {@link keysOf}. */
export function weightOf(value: JsonValue | undefined): number {
  if (typeof value === "string") return value.length >>> TEXT_SHIFT;
  return Array.isArray(value) ? value.length >>> LIST_SHIFT : 0;
}

/** Steps of a pass over each of the values. */
export function weightOfAll(values: readonly (JsonValue | undefined)[]): number {
  let weight = 0;
  for (let i = 0; i < values.length; i++) weight += weightOf(values[i]);
  return weight;
}

/** Steps of reading a text as JSON. */
export function jsonWeightOf(text: string): number {
  const isSmall = text.length < 1 << SLOW_JSON_SHIFT;
  return text.length >>> (!isSmall && hasNumberKinds(text) ? SLOW_JSON_SHIFT : JSON_SHIFT);
}

/** Steps of a part of a template that is evaluated again, by the number of its nodes. */
export function weightOfNodes(count: number): number {
  return 1 + (count >>> LIST_SHIFT);
}

/** The result, charged and checked by its size. @throws ExpressionError `limit` */
export function weighed<T extends JsonValue | undefined>(result: T, context: Context): T {
  const weight = weightOf(result);
  if (weight === 0) return result;
  context.spend(weight);
  context.checkLength((result as string | JsonValue[]).length);
  return result;
}

/** The keys of a map, charged by their number. @throws ExpressionError `limit` */
export function keysOf(map: JsonObject, context: Context): string[] {
  const names = Object.keys(map);
  if (names.length >= 1 << MAP_SHIFT) context.spend(names.length >>> MAP_SHIFT);
  return names;
}
