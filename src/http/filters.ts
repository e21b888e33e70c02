/** Reads the list of executions' query: flat parameters and `filters[field][OPERATOR]`, which may be mixed. */
import { parseDuration } from "../base/duration.ts";
import type { Instant } from "../base/clock.ts";
import { DomainError } from "../model/errors.ts";
import { EXECUTION_KINDS } from "../model/execution.ts";
import {
  DATE_OPERATORS,
  type DateCondition,
  type DateOperator,
  EXECUTION_SORT_FIELDS,
  type ExecutionCondition,
  type ExecutionQuery,
  type ExecutionSort,
  NAME_OPERATORS,
  type NameOperator,
  searchWords,
} from "../model/execution_query.ts";
import type { Label } from "../model/label.ts";
import { STATES } from "../model/state.ts";
import { checkPattern } from "./filter_pattern.ts";
import {
  type FilterFields,
  type FilterOperator,
  listValues,
  oneOf,
  type RawFilter,
  readFilters,
  refuse,
  shorten,
} from "./filter_syntax.ts";
import { readPaging, type SortKey } from "./params.ts";

const CHOICE = ["EQUALS", "NOT_EQUALS"] as const;
const CHOICES = ["EQUALS", "NOT_EQUALS", "IN", "NOT_IN"] as const;
const MAX_SEARCH_WORDS = 20;

/** Fields of the executions list with their operators. */
export const EXECUTION_FILTERS: FilterFields<ExecutionFilterField> = new Map<
  ExecutionFilterField,
  readonly FilterOperator[]
>([
  ["q", CHOICE],
  ["scope", CHOICES],
  ["namespace", NAME_OPERATORS],
  ["flowId", NAME_OPERATORS],
  ["startDate", DATE_OPERATORS],
  ["endDate", DATE_OPERATORS],
  ["timeRange", ["EQUALS"]],
  ["state", CHOICES],
  ["labels", [...CHOICES, "CONTAINS"]],
  ["triggerExecutionId", CHOICES],
  ["childFilter", CHOICE],
  ["kind", CHOICES],
]);

/** A field of {@link EXECUTION_FILTERS}. */
export type ExecutionFilterField =
  | "q"
  | "scope"
  | "namespace"
  | "flowId"
  | "startDate"
  | "endDate"
  | "timeRange"
  | "state"
  | "labels"
  | "triggerExecutionId"
  | "childFilter"
  | "kind";

type Filter = RawFilter<ExecutionFilterField>;

/** What a flat parameter means, and whether its values make one list. */
const FLAT: ReadonlyMap<ExecutionFilterField, { operator: FilterOperator; isList?: boolean }> = new Map([
  ["q", { operator: "EQUALS" }],
  ["scope", { operator: "IN", isList: true }],
  ["namespace", { operator: "PREFIX" }],
  ["flowId", { operator: "EQUALS" }],
  ["startDate", { operator: "GREATER_THAN_OR_EQUAL_TO" }],
  ["endDate", { operator: "LESS_THAN_OR_EQUAL_TO" }],
  ["timeRange", { operator: "EQUALS" }],
  ["state", { operator: "IN", isList: true }],
  ["labels", { operator: "EQUALS" }],
  ["triggerExecutionId", { operator: "EQUALS" }],
  ["childFilter", { operator: "EQUALS" }],
  ["kind", { operator: "IN", isList: true }],
]);

/**
 * The page, order and filters of an executions list. `now` is what a `timeRange` counts back from.
 * @throws DomainError invalid_filter, or invalid_argument for the page, the order and dates that contradict each other
 */
export function readExecutionQuery(query: URLSearchParams, now: Instant): ExecutionQuery {
  const { page, size, sort } = readPaging(query);
  return { ...readExecutionFilters(query, now), page, size, sort: sort.map(readSort) };
}

/**
 * The filters alone, for operations on all executions that match.
 * @throws DomainError invalid_filter, invalid_argument
 */
export function readExecutionFilters(
  query: URLSearchParams,
  now: Instant,
): Pick<ExecutionQuery, "conditions" | "groups"> {
  const { all, groups } = readFilters(query, EXECUTION_FILTERS);
  const top = [...readFlat(query), ...all];
  for (const group of [[], ...groups]) checkDates([...top, ...group]);
  const conditions = (filters: readonly Filter[]) => filters.flatMap((filter) => readCondition(filter, now));
  return { conditions: conditions(top), groups: groups.map(conditions).filter((group) => group.length > 0) };
}

function readFlat(query: URLSearchParams): Filter[] {
  return [...FLAT].flatMap(([field, { operator, isList }]) => {
    const values = query.getAll(field).filter((value) => value.trim() !== "");
    const filter = (value: string): Filter => ({ field, operator, key: undefined, value });
    if (values.length === 0) return [];
    return isList ? [filter(values.join(","))] : values.map(filter);
  });
}

function readSort({ field, descending }: SortKey): ExecutionSort {
  const known = EXECUTION_SORT_FIELDS.find((name) => name === field);
  if (known) return { field: known, descending };
  throw new DomainError(
    "invalid_argument",
    `Invalid sort parameter: "${shorten(field)}" must be one of ${EXECUTION_SORT_FIELDS.join(", ")}`,
  );
}

/** The conditions of one parameter: none when it restricts nothing. */
function readCondition(filter: Filter, now: Instant): ExecutionCondition[] {
  const { field, operator, value } = filter;
  const negated = operator === "NOT_EQUALS" || operator === "NOT_IN";
  switch (field) {
    case "q":
      return readText(value, negated);
    case "scope":
      return readScope(filter, negated);
    case "namespace":
    case "flowId":
      return [{ field, operator: operator as NameOperator, values: readNames(filter) }];
    case "startDate":
    case "endDate":
      return [readDateCondition(filter)];
    case "timeRange":
      return [{ field: "startDate", operator: "GREATER_THAN_OR_EQUAL_TO", at: now - readRange(value) }];
    case "state":
      return [{ field, states: readChoices(filter, STATES), negated }];
    case "kind":
      return [{ field, kinds: readChoices(filter, EXECUTION_KINDS), negated }];
    case "childFilter":
      return [{ field: "child", child: (oneOf(field, value, ["CHILD", "MAIN"]) === "CHILD") !== negated }];
    case "triggerExecutionId":
      return [{ field, ids: isList(operator) ? listValues(filter) : [value], negated }];
    case "labels":
      return [{ field, anyOf: readLabels(filter), negated }];
  }
}

/** Whether the value of a filter with that operator is a list. */
export function isList(operator: FilterOperator): boolean {
  return operator === "IN" || operator === "NOT_IN";
}

/** `*` finds everything, so not `*` finds nothing. */
function readText(value: string, negated: boolean): ExecutionCondition[] {
  const words = searchWords(value);
  if (words.length > MAX_SEARCH_WORDS) refuse(`Invalid filter: "q" has more than ${MAX_SEARCH_WORDS} words`);
  if (words.length > 0) return [{ field: "text", words, negated }];
  return negated ? [{ field: "state", states: [], negated: false }] : [];
}

function readScope(filter: Filter, negated: boolean): ExecutionCondition[] {
  const scopes = new Set(readChoices(filter, ["USER", "SYSTEM"]));
  if (scopes.size === 2) return negated ? [{ field: "state", states: [], negated: false }] : [];
  return [{ field: "scope", system: scopes.has("SYSTEM") !== negated }];
}

/** What a name is compared with. @throws DomainError invalid_filter */
export function readNames(filter: RawFilter): string[] {
  if (filter.operator === "REGEX") checkPattern(filter.value);
  return isList(filter.operator) ? listValues(filter) : [filter.value];
}

/** Names out of some, one or a list. @throws DomainError invalid_filter */
export function readChoices<T extends string>(filter: RawFilter, allowed: readonly T[]): T[] {
  const values = isList(filter.operator) ? listValues(filter) : [filter.value];
  return values.map((value) => oneOf(filter.field, value, allowed));
}

/** `filters[labels][EQUALS][key]=value`, or `key:value` without the third bracket; IN lists values, or pairs. */
function readLabels(filter: Filter): Label[] {
  const { key, operator, value } = filter;
  const texts = isList(operator) ? listValues(filter) : [value];
  if (key !== undefined && key !== "") return texts.map((text) => ({ key, value: text }));
  return texts.map((text) => {
    const colon = text.indexOf(":");
    if (colon <= 0 || colon === text.length - 1) {
      refuse(`Invalid filter: "labels" must be of the form "key:value", but is "${shorten(text)}"`);
    }
    return { key: text.slice(0, colon), value: text.slice(colon + 1) };
  });
}

function readDateCondition({ field, operator, value }: RawFilter): DateCondition {
  return {
    field: field === "endDate" ? "endDate" : "startDate",
    operator: operator as DateOperator,
    at: readDate(field, value),
  };
}

const DATE =
  /^(\d{4}-\d{2}-\d{2})(?:[Tt](\d{2}:\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?([Zz]|[+-]\d{2}:?\d{2})?(?:\[.*\])?)?$/;

/** ISO 8601; without an offset UTC, without a time midnight, finer than milliseconds cut. A `+` may have become a space on its way. @throws DomainError invalid_filter */
export function readDate(field: string, text: string): Instant {
  const match = DATE.exec(text.trim().replace(/ (\d{2}:?\d{2})$/, "+$1"));
  if (match) {
    const [, day, minutes = "00:00", seconds = "00", fraction = "", offset = "Z"] = match;
    const zone = offset.length === 5 ? `${offset.slice(0, 3)}:${offset.slice(3)}` : offset.toUpperCase();
    const at = Date.parse(`${day}T${minutes}:${seconds}.${fraction.slice(0, 3).padEnd(3, "0")}${zone}`);
    if (!Number.isNaN(at)) return at;
  }
  return refuse(
    `Invalid filter: "${field}" must be a date such as "2026-01-31T08:15:30Z", but is "${shorten(text)}"`,
  );
}

/** Milliseconds of a `timeRange`. @throws DomainError invalid_filter */
export function readRange(text: string): number {
  const ms = parseDuration(text);
  if (ms !== undefined) return Math.abs(ms);
  return refuse(`Invalid filter: "timeRange" must be a duration such as "PT24H", but is "${shorten(text)}"`);
}

/** @throws DomainError invalid_argument when dates that must all hold contradict each other */
export function checkDates(filters: readonly RawFilter[]): void {
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
