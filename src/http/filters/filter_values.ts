/** Reads the values of filters: names, choices, labels, dates and durations. */
import type { Instant } from "../../base/time/clock.ts";
import { parseDuration } from "../../base/time/duration.ts";
import { NAME_OPERATORS, type NameCondition } from "../../model/executions/execution_query.ts";
import type { Label } from "../../model/flows/label.ts";
import { patternProblem } from "../../model/executions/name_pattern.ts";
import { listOf, oneOf, type RawFilter, refuse, shorten, valuesOf } from "./filter_syntax.ts";
import { parseQueryInstant } from "../forms/params.ts";
import { invalidArgument } from "../refusals.ts";

const SCOPES = ["USER", "SYSTEM"] as const;
type Scope = typeof SCOPES[number];

/** The operator and the values of a condition on a name. @throws DomainError invalid_filter */
export function readName(filter: RawFilter): Pick<NameCondition, "operator" | "values"> {
  if (filter.operator === "REGEX") checkPattern(filter.value);
  return { operator: oneOf("operator", filter.operator, NAME_OPERATORS), values: valuesOf(filter) };
}

/** @throws DomainError invalid_filter: it is not a regular expression, or matching may take long */
function checkPattern(pattern: string): void {
  const problem = patternProblem(pattern);
  if (problem) refuse(`Invalid filter: ${problem}`);
}

/** One or several of the allowed names. @throws DomainError invalid_filter */
export function readChoices<T extends string>(filter: RawFilter, allowed: readonly T[]): T[] {
  return valuesOf(filter).map((value) => oneOf(filter.name ?? filter.field, value, allowed));
}

/**
 * Labels or inputs of a filter: `filters[labels][EQUALS][key]=value`, or `key:value` without the third bracket; IN lists values, or pairs.
 * @throws DomainError invalid_filter
 */
export function readPairs(filter: RawFilter): Label[] {
  const { key } = filter;
  const texts = valuesOf(filter);
  return key === undefined || key === ""
    ? texts.map((text) => pairIn(filter.field, text))
    : texts.map((text) => ({ key, value: text }));
}

/** Both parts are trimmed: people type a space after the colon. The value may be empty. */
function pairIn(field: string, text: string): Label {
  const colon = text.indexOf(":");
  const key = text.slice(0, Math.max(colon, 0)).trim();
  if (key !== "") return { key, value: text.slice(colon + 1).trim() };
  return refuse(`Invalid filter: "${field}" must be of the form "key:value", but is "${shorten(text)}"`);
}

/** Scopes of flows; any operator accepts a list. @throws DomainError invalid_filter */
export function readScopes(filter: RawFilter): Scope[] {
  return listOf(filter).map((text) => oneOf(filter.name ?? filter.field, text.toUpperCase(), SCOPES));
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
