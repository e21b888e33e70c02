/** Reads conditions that lists of executions and of log lines share, out of their filters. */
import type { Instant } from "../../base/clock.ts";
import { parseDuration } from "../../base/duration.ts";
import {
  type ConditionSet,
  type DateCondition,
  type DateOperator,
  type ScopeCondition,
  searchWords,
  type TextCondition,
} from "../../model/executions/execution_query.ts";
import { type FilterFields, isNegated, type RawFilter, readFilters, refuse } from "./filter_syntax.ts";
import { readDate, readRange, readScopes } from "./filter_values.ts";
import { invalidArgument } from "../forms/refusals.ts";

const MAX_SEARCH_WORDS = 20;
/** Operators that say when something began at the earliest, and when it ended at the latest. */
const EARLIEST = /^(EQUALS|GREATER_THAN.*)$/, LATEST = /^(EQUALS|LESS_THAN.*)$/;

/** How filters are read. */
interface ConditionReader<Field extends string, Condition> {
  /** What a single filter means. */
  readonly conditionsOf: (filter: RawFilter<Field>) => readonly Condition[];
  /** What spans of time count back from. */
  readonly now: Instant;
}

/**
 * The conditions of a query, made of those of each filter: none of one that restricts nothing, and no groups where one of
 * them does not.
 * @throws DomainError invalid_filter, or invalid_argument for dates that contradict each other
 */
export function readConditions<Field extends string, Condition>(
  query: URLSearchParams,
  fields: FilterFields<Field>,
  { conditionsOf, now }: ConditionReader<Field, Condition>,
): ConditionSet<Condition> {
  const { all, groups } = readFilters(query, fields);
  for (const group of [[], ...groups]) checkDates([...all, ...group], now);
  const anyOf = groups.map((group) => group.flatMap(conditionsOf));
  return {
    conditions: all.flatMap(conditionsOf),
    groups: anyOf.some((group) => group.length === 0) ? [] : anyOf,
  };
}

/** Words to be found; `*` finds everything, so not `*` finds `nothing`. @throws DomainError invalid_filter */
export function readText<T>(filter: RawFilter, nothing: T): (TextCondition | T)[] {
  const words = searchWords(filter.value);
  const negated = isNegated(filter);
  if (words.length > MAX_SEARCH_WORDS) refuse(`Invalid filter: "q" has more than ${MAX_SEARCH_WORDS} words`);
  if (words.length > 0) return [{ field: "text", words, negated }];
  return negated ? [nothing] : [];
}

/** Flows of users or of the system; not both finds `nothing`. @throws DomainError invalid_filter */
export function readScope<T>(filter: RawFilter, nothing: T): (ScopeCondition | T)[] {
  const scopes = new Set(readScopes(filter));
  const negated = isNegated(filter);
  if (scopes.size === 2) return negated ? [nothing] : [];
  return [{ field: "scope", system: scopes.has("SYSTEM") !== negated }];
}

/** What a date of an execution is compared with: a date, or a duration that ends `now`. @throws DomainError invalid_filter */
export function readDateCondition({ field, operator, value }: RawFilter, now: Instant): DateCondition {
  const agoMs = parseDuration(value.trim());
  return {
    field: field === "endDate" ? "endDate" : "startDate",
    operator: operator as DateOperator,
    at: agoMs === undefined ? readDate(field, value) : now - Math.abs(agoMs),
  };
}

/** The span of time that ends `now`. @throws DomainError invalid_argument */
export function readSpan({ value }: RawFilter, now: Instant): Pick<DateCondition, "operator" | "at"> {
  return { operator: "GREATER_THAN_OR_EQUAL_TO", at: now - readRange(value) };
}

/** @throws DomainError invalid_argument when dates that must all hold contradict each other */
function checkDates(filters: readonly RawFilter[], now: Instant): void {
  const has = (field: string) => filters.some((filter) => filter.field === field);
  if (has("startDate") && has("timeRange")) {
    throw invalidArgument('"startDate" and "timeRange" are mutually exclusive: give one of them');
  }
  const dates = filters.filter(({ field }) => field === "startDate" || field === "endDate")
    .map((filter) => readDateCondition(filter, now));
  const after = dates.filter(({ field, operator }) => field === "startDate" && EARLIEST.test(operator));
  const before = dates.filter(({ field, operator }) => field === "endDate" && LATEST.test(operator));
  if (after.some(({ at: start }) => before.some(({ at: end }) => start > end))) {
    throw invalidArgument('"startDate" must not be after "endDate"');
  }
}
