/** Reads the conditions that lists of executions and of log lines share. */
import type { Instant } from "../../base/time/clock.ts";
import { parseDuration } from "../../base/time/duration.ts";
import {
  type ConditionSet,
  type DateCondition,
  type DateOperator,
  type ScopeCondition,
  searchWords,
  type TextCondition,
} from "../../model/executions/execution_query.ts";
import { type FilterFields, isNegated, type RawFilter, readFilters } from "./filter_syntax.ts";
import { readDate, readRange, readScopes } from "./filter_values.ts";
import { invalidArgument } from "../refusals.ts";

const TIME_FIELDS: ReadonlySet<string> = new Set(["startDate", "endDate", "timeRange"]);
/** Operators that set the earliest start, and the latest end. */
const EARLIEST = /^(EQUALS|GREATER_THAN.*)$/, LATEST = /^(EQUALS|LESS_THAN.*)$/;

interface ConditionReader<Field extends string, Condition> {
  /** The conditions of a single filter. */
  readonly conditionsOf: (filter: RawFilter<Field>) => readonly Condition[];
  /** Durations count back from it. */
  readonly now: Instant;
}

/**
 * The conditions of a query. A filter that restricts nothing has none; a group that restricts nothing drops all groups.
 * @throws DomainError invalid_filter; invalid_argument: contradicting dates
 */
export function readConditions<Field extends string, Condition>(
  query: URLSearchParams,
  fields: FilterFields<Field>,
  { conditionsOf, now }: ConditionReader<Field, Condition>,
): ConditionSet<Condition> {
  const { all: given, groups } = readFilters(query, fields);
  const all = withoutFlatTimes(given, groups.flat());
  checkFlatTimes(all);
  for (const group of [[], ...groups]) checkDates([...all, ...group], now);
  const anyOf = groups.map((group) => group.flatMap(conditionsOf));
  return {
    conditions: all.flatMap(conditionsOf),
    groups: anyOf.some((group) => group.length === 0) ? [] : anyOf,
  };
}

/** Words to find. `*` matches everything; negated, it yields the condition `nothing`. */
export function readText<T>(filter: RawFilter, nothing: T): (TextCondition | T)[] {
  const words = searchWords(filter.value);
  const negated = isNegated(filter);
  if (words.length > 0) return [{ field: "text", words, negated }];
  return negated ? [nothing] : [];
}

/** Flows of users or of the system. Both match everything; negated, they yield the condition `nothing`. @throws DomainError invalid_filter */
export function readScope<T>(filter: RawFilter, nothing: T): (ScopeCondition | T)[] {
  const scopes = new Set(readScopes(filter));
  const negated = isNegated(filter);
  if (scopes.size === 2) return negated ? [nothing] : [];
  return [{ field: "scope", system: scopes.has("SYSTEM") !== negated }];
}

/** A condition on a date; a duration counts back from `now`. @throws DomainError invalid_filter */
export function readDateCondition({ field, operator, value }: RawFilter, now: Instant): DateCondition {
  const agoMs = parseDuration(value.trim());
  return {
    field: field === "endDate" ? "endDate" : "startDate",
    operator: operator as DateOperator,
    at: agoMs === undefined ? readDate(field, value) : now - Math.abs(agoMs),
  };
}

/** The time range that ends `now`. @throws DomainError invalid_argument */
export function readSpan({ value }: RawFilter, now: Instant): Pick<DateCondition, "operator" | "at"> {
  return { operator: "GREATER_THAN_OR_EQUAL_TO", at: now - readRange(value) };
}

/** Where flat parameters and `filters[…]` both say the time, the flat ones do not count. */
function withoutFlatTimes<Field extends string>(
  filters: readonly RawFilter<Field>[],
  grouped: readonly RawFilter<Field>[],
): readonly RawFilter<Field>[] {
  const isTime = ({ field }: RawFilter<Field>) => TIME_FIELDS.has(field);
  // Only flat parameters have a name.
  const isSaidTwice = [...filters, ...grouped].some((filter) => isTime(filter) && filter.name === undefined);
  return isSaidTwice ? filters.filter((filter) => !isTime(filter) || filter.name === undefined) : filters;
}

/** @throws DomainError invalid_argument: two flat parameters say when the window begins */
function checkFlatTimes(filters: readonly RawFilter[]): void {
  const isGiven = (field: string) =>
    filters.some((filter) => filter.field === field && filter.name !== undefined);
  if (isGiven("startDate") && isGiven("timeRange")) {
    throw invalidArgument("Parameters 'startDate' and 'timeRange' are mutually exclusive");
  }
}

/** @throws DomainError invalid_argument: the dates of one conjunction contradict each other */
function checkDates(filters: readonly RawFilter[], now: Instant): void {
  const dates = filters.filter(({ field }) => field === "startDate" || field === "endDate")
    .map((filter) => readDateCondition(filter, now));
  const after = dates.filter(({ field, operator }) => field === "startDate" && EARLIEST.test(operator));
  const before = dates.filter(({ field, operator }) => field === "endDate" && LATEST.test(operator));
  if (after.some(({ at: start }) => before.some(({ at: end }) => start > end))) {
    throw invalidArgument("Start date must be before End Date");
  }
}
