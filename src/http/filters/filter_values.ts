/** What the values of filters mean: names, choices, dates and spans of time. */
import type { Instant } from "../../base/clock.ts";
import { parseDuration } from "../../base/duration.ts";
import {
  DATE_OPERATORS,
  matchesDate,
  matchesName,
  NAME_OPERATORS,
  type NameCondition,
  searchWords,
  SYSTEM_NAMESPACE,
} from "../../model/executions/execution_query.ts";
import type { Label } from "../../model/flows/label.ts";
import { checkPattern } from "./filter_pattern.ts";
import { isNegated, listOf, oneOf, type RawFilter, refuse, shorten, valuesOf } from "./filter_syntax.ts";
import { parseQueryInstant } from "../forms/params.ts";
import { invalidArgument } from "../forms/refusals.ts";

const SCOPES = ["USER", "SYSTEM"] as const;
type Scope = typeof SCOPES[number];

/** What a name is compared with, and how. @throws DomainError invalid_filter */
export function readName(filter: RawFilter): Pick<NameCondition, "operator" | "values"> {
  if (filter.operator === "REGEX") checkPattern(filter.value);
  return { operator: oneOf("operator", filter.operator, NAME_OPERATORS), values: valuesOf(filter) };
}

/** Names out of some, one or a list. @throws DomainError invalid_filter */
export function readChoices<T extends string>(filter: RawFilter, allowed: readonly T[]): T[] {
  return valuesOf(filter).map((value) => oneOf(filter.name ?? filter.field, value, allowed));
}

/** Whether a text holds every word of a filter, in whatever case; without words, all texts are wanted. */
export function wordTest(filter: RawFilter): (text: string) => boolean {
  const words = searchWords(filter.value).map((word) => word.toLowerCase());
  if (words.length === 0) return () => true;
  return (text) => {
    const searched = text.toLowerCase();
    return words.every((word) => searched.includes(word)) !== isNegated(filter);
  };
}

/**
 * Labels of a filter: `filters[labels][EQUALS][key]=value`, or `key:value` without the third bracket; IN lists values, or pairs.
 * @throws DomainError invalid_filter
 */
export function readLabelPairs(filter: RawFilter): Label[] {
  const { key } = filter;
  const texts = valuesOf(filter);
  return key === undefined || key === "" ? texts.map(labelIn) : texts.map((text) => ({ key, value: text }));
}

/** Space around either part is none of it: whoever completes a key by hand leaves one behind the colon. */
function labelIn(text: string): Label {
  const colon = text.indexOf(":");
  const [key, value] = [text.slice(0, Math.max(colon, 0)).trim(), text.slice(colon + 1).trim()];
  if (key !== "" && value !== "") return { key, value };
  return refuse(`Invalid filter: "labels" must be of the form "key:value", but is "${shorten(text)}"`);
}

/** Whether one of some names, written in capitals, is wanted; filters write it in any case. @throws DomainError invalid_filter */
export function choiceTest<T extends string>(
  filter: RawFilter,
  allowed: readonly T[],
): (value: T) => boolean {
  const wanted = valuesOf(filter).map((text) => oneOf(filter.field, text.toUpperCase(), allowed));
  return (value) => wanted.includes(value) !== isNegated(filter);
}

/** Scopes of flows; several may be named with any operator. @throws DomainError invalid_filter */
export function readScopes(filter: RawFilter): Scope[] {
  return listOf(filter).map((text) => oneOf(filter.name ?? filter.field, text.toUpperCase(), SCOPES));
}

/** Whether flows of a namespace are wanted: those of users, or of the system. @throws DomainError invalid_filter */
export function scopeTest(filter: RawFilter): (namespace: string) => boolean {
  const scopes = readScopes(filter);
  return (namespace) =>
    scopes.includes(namespace === SYSTEM_NAMESPACE ? "SYSTEM" : "USER") !== isNegated(filter);
}

/** Whether a date is wanted. @throws DomainError invalid_filter */
export function dateTest(filter: RawFilter): (at: Instant) => boolean {
  const operator = oneOf("operator", filter.operator, DATE_OPERATORS);
  const wanted = readDate(filter.field, filter.value);
  return (at) => matchesDate(operator, wanted, at);
}

/** Whether a name is wanted. @throws DomainError invalid_filter */
export function nameTest(filter: RawFilter): (name: string) => boolean {
  const { operator, values } = readName(filter);
  return (name) => matchesName(operator, values, name);
}

/** As {@link parseQueryInstant} reads it. @throws DomainError invalid_filter */
export function readDate(field: string, text: string): Instant {
  const at = parseQueryInstant(text);
  if (at !== undefined) return at;
  return refuse(
    `Invalid filter: "${field}" must be a date such as "2026-01-31T08:15:30Z", but is "${shorten(text)}"`,
  );
}

/** Milliseconds of a `timeRange`. @throws DomainError invalid_argument */
export function readRange(text: string): number {
  const ms = parseDuration(text);
  if (ms !== undefined) return Math.abs(ms);
  throw invalidArgument(`"timeRange" must be a duration such as "PT24H", but is "${shorten(text)}"`);
}
