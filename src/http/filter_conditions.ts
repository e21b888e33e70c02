/** Reads conditions that lists of executions and of log lines share, out of their filters. */
import type { Instant } from "../base/clock.ts";
import { DomainError } from "../model/errors.ts";
import {
  type ConditionSet,
  type DateCondition,
  type DateOperator,
  type ScopeCondition,
  searchWords,
  type TextCondition,
} from "../model/execution_query.ts";
import { type FilterFields, isNegated, type RawFilter, readFilters, refuse } from "./filter_syntax.ts";
import { readChoices, readDate, readRange } from "./filter_values.ts";

const MAX_SEARCH_WORDS = 20;

/**
 * The conditions of a query, made of those of each filter: none of one that restricts nothing.
 * @throws DomainError invalid_filter, or invalid_argument for dates that contradict each other
 */
export function readConditions<Field extends string, Condition>(
  query: URLSearchParams,
  fields: FilterFields<Field>,
  conditionsOf: (filter: RawFilter<Field>) => readonly Condition[],
): ConditionSet<Condition> {
  const { all, groups } = readFilters(query, fields);
  for (const group of [[], ...groups]) checkDates([...all, ...group]);
  return {
    conditions: all.flatMap(conditionsOf),
    groups: groups.map((group) => group.flatMap(conditionsOf)).filter((group) => group.length > 0),
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
  const scopes = new Set(readChoices(filter, ["USER", "SYSTEM"]));
  const negated = isNegated(filter);
  if (scopes.size === 2) return negated ? [nothing] : [];
  return [{ field: "scope", system: scopes.has("SYSTEM") !== negated }];
}

/** What a date of an execution is compared with. @throws DomainError invalid_filter */
export function readDateCondition({ field, operator, value }: RawFilter): DateCondition {
  return {
    field: field === "endDate" ? "endDate" : "startDate",
    operator: operator as DateOperator,
    at: readDate(field, value),
  };
}

/** The span of time that ends `now`. @throws DomainError invalid_filter */
export function readSpan({ value }: RawFilter, now: Instant): Pick<DateCondition, "operator" | "at"> {
  return { operator: "GREATER_THAN_OR_EQUAL_TO", at: now - readRange(value) };
}

/** @throws DomainError invalid_argument when dates that must all hold contradict each other */
function checkDates(filters: readonly RawFilter[]): void {
  const has = (field: string) => filters.some((filter) => filter.field === field);
  if (has("startDate") && has("timeRange")) {
    throw new DomainError(
      "invalid_argument",
      'Illegal argument: "startDate" and "timeRange" cannot be used together',
    );
  }
  const dates = filters.filter(({ field }) => field === "startDate" || field === "endDate").map(
    readDateCondition,
  );
  const after = dates.filter(({ field, operator }) =>
    field === "startDate" && operator.startsWith("GREATER_THAN")
  );
  const before = dates.filter(({ field, operator }) =>
    field === "endDate" && operator.startsWith("LESS_THAN")
  );
  if (after.some(({ at: start }) => before.some(({ at: end }) => start > end))) {
    throw new DomainError("invalid_argument", 'Illegal argument: "startDate" must not be after "endDate"');
  }
}
