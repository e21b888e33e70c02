/** Reads rendered properties of tasks; values of all types may be given as texts. */
import type { Instant } from "../base/time/clock.ts";
import { isJsonObject, type JsonObject, type JsonValue, ownProperty, tryParseJson } from "../base/json.ts";
import { printValue } from "../expr/mod.ts";
import { parseYaml } from "../languages/yaml/mod.ts";
import { parseInstant } from "../base/time/iso_8601.ts";

/** A flag; `fallback` if it is absent or empty. @throws Error neither true nor false */
export function flagOf(properties: JsonObject, name: string, fallback: boolean): boolean {
  const text = textOf(properties, name)?.trim().toLowerCase();
  if (text === undefined || text === "") return fallback;
  if (text === "true" || text === "false") return text === "true";
  throw new Error(`Invalid ${name} "${text}": it must be true or false`);
}

/** A text; `undefined` if it is absent or null. */
export function textOf(properties: JsonObject, name: string): string | undefined {
  const value = ownProperty(properties, name);
  return value === undefined || value === null ? undefined : printValue(value);
}

/** A text. @throws Error absent or empty */
export function requiredTextOf(properties: JsonObject, name: string): string {
  const text = textOf(properties, name)?.trim();
  if (text) return text;
  throw new Error(`Missing ${name}: it is empty`);
}

/** One of `values`, in any case; the first one if it is absent or empty. @throws Error any other text */
export function choiceOf<T extends string>(
  properties: JsonObject,
  name: string,
  values: readonly [T, ...T[]],
): T {
  return oneOf(values, textOf(properties, name)?.trim() || values[0], name);
}

/** The one of `values` that equals the text, in any case. @throws Error none does */
export function oneOf<T extends string>(values: readonly T[], text: string, name: string): T {
  const choice = values.find((value) => value.toUpperCase() === text.toUpperCase());
  if (choice) return choice;
  throw new Error(`Invalid ${name} "${shorten(text)}": it must be one of ${values.join(", ")}`);
}

/** An integer; `fallback` if it is absent or empty. @throws Error no integer, or less than `minimum` */
export function wholeNumberOf(
  properties: JsonObject,
  name: string,
  { fallback, minimum }: { readonly fallback: number; readonly minimum: number },
): number {
  const text = textOf(properties, name);
  if (text === undefined || text === "") return fallback;
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= minimum) return value;
  throw new Error(`Invalid ${name} "${text}": it must be a whole number from ${minimum}`);
}

/** A list of texts, also as JSON or YAML; `undefined` if it is absent. @throws Error no list */
export function textsOf(properties: JsonObject, name: string): string[] | undefined {
  const value = structureOf(properties, name);
  if (value === undefined) return undefined;
  if (Array.isArray(value)) return value.map((item) => printValue(item));
  throw new Error(`Invalid ${name}: it must be a list, but received "${shorten(printValue(value))}"`);
}

/** A map, also as JSON or YAML; `undefined` if it is absent. @throws Error no map */
export function mapOf(properties: JsonObject, name: string): JsonObject | undefined {
  const value = structureOf(properties, name);
  if (value === undefined || isJsonObject(value)) return value;
  throw new Error(`Invalid ${name}: it must be a map, but received "${shorten(printValue(value))}"`);
}

/** The value; a text is parsed as JSON or YAML. `undefined` if it is absent or empty. @throws Error malformed text */
export function structureOf(properties: JsonObject, name: string): JsonValue | undefined {
  const value = ownProperty(properties, name);
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string") return value;
  return value.trim() === "" ? undefined : parseStructure(value);
}

function parseStructure(text: string): JsonValue {
  const value = tryParseJson(text);
  return value === undefined ? parseYaml(text) : value;
}

/** A date, in UTC without an offset, truncated to milliseconds; `undefined` if it is absent. @throws Error no date */
export function instantOf(properties: JsonObject, name: string): Instant | undefined {
  const text = textOf(properties, name)?.trim();
  if (text === undefined || text === "") return undefined;
  const at = parseInstant(text.replace(" ", "T"));
  if (at !== undefined) return at;
  throw new Error(`Invalid ${name} "${shorten(text)}": it must be a date such as 2026-01-31T08:15:30Z`);
}

function shorten(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
