/** Reads the query of lists of log lines: flat parameters and `filters[field][OPERATOR]`, which may be mixed. */
import type { Instant } from "../base/clock.ts";
import { DomainError } from "../model/errors.ts";
import {
  DATE_OPERATORS,
  type DateOperator,
  NAME_OPERATORS,
  type NameOperator,
  searchWords,
} from "../model/execution_query.ts";
import { LOG_LEVELS, type LogLevel } from "../model/flow.ts";
import type { LogCondition, LogConditions, LogQuery } from "../model/log_query.ts";
import {
  type FilterFields,
  type FilterOperator,
  type RawFilter,
  readFilters,
  refuse,
} from "./filter_syntax.ts";
import { checkDates, isList, readChoices, readDate, readNames, readRange } from "./filters.ts";
import { readCursor } from "./log_cursor.ts";
import { readPaging } from "./params.ts";

/** A field of {@link LOG_FILTERS}. */
export type LogFilterField =
  | "q"
  | "scope"
  | "namespace"
  | "flowId"
  | "executionId"
  | "triggerId"
  | "startDate"
  | "endDate"
  | "timeRange"
  | "level";

const CHOICES = ["EQUALS", "NOT_EQUALS", "IN", "NOT_IN"] as const;

/** Fields of lists of log lines with their operators. */
export const LOG_FILTERS: FilterFields<LogFilterField> = new Map<LogFilterField, readonly FilterOperator[]>([
  ["q", ["EQUALS", "NOT_EQUALS"]],
  ["scope", CHOICES],
  ["namespace", NAME_OPERATORS],
  ["flowId", NAME_OPERATORS],
  ["executionId", NAME_OPERATORS],
  ["triggerId", NAME_OPERATORS],
  ["startDate", DATE_OPERATORS],
  ["endDate", DATE_OPERATORS],
  ["timeRange", ["EQUALS"]],
  ["level", [...CHOICES, "GREATER_THAN_OR_EQUAL_TO", "LESS_THAN_OR_EQUAL_TO"]],
]);

type Filter = RawFilter<LogFilterField>;

interface FlatParameter {
  readonly name: string;
  readonly field: LogFilterField;
  readonly operator: FilterOperator;
  /** Repeated, its values make one list. */
  readonly asList?: boolean;
}

/** What flat parameters mean. */
const FLAT: readonly FlatParameter[] = [
  { name: "q", field: "q", operator: "EQUALS" },
  { name: "scope", field: "scope", operator: "IN", asList: true },
  { name: "namespace", field: "namespace", operator: "PREFIX" },
  { name: "flowId", field: "flowId", operator: "EQUALS" },
  { name: "executionId", field: "executionId", operator: "EQUALS" },
  { name: "triggerId", field: "triggerId", operator: "EQUALS" },
  { name: "minLevel", field: "level", operator: "GREATER_THAN_OR_EQUAL_TO" },
  { name: "level", field: "level", operator: "GREATER_THAN_OR_EQUAL_TO" },
  { name: "startDate", field: "startDate", operator: "GREATER_THAN_OR_EQUAL_TO" },
  { name: "endDate", field: "endDate", operator: "LESS_THAN_OR_EQUAL_TO" },
  { name: "timeRange", field: "timeRange", operator: "EQUALS" },
];

const MAX_SEARCH_WORDS = 20;
const NO_LINE: LogCondition = { field: "level", levels: [] };

/**
 * The page, order and filters of a search; newest first unless asked otherwise. Behind a `cursor` there are no pages. `now` is what a `timeRange` counts back from.
 * @throws DomainError invalid_filter, or invalid_argument for the page, the order and dates that contradict each other
 */
export function readLogQuery(query: URLSearchParams, now: Instant): LogQuery {
  const { page, size, sort } = readPaging(query);
  const unknown = sort.find(({ field }) => field !== "timestamp");
  if (unknown) {
    throw new DomainError(
      "invalid_argument",
      `Invalid sort parameter: "${unknown.field.slice(0, 100)}" must be timestamp`,
    );
  }
  const after = readCursor(query);
  return {
    ...readLogConditions(query, now, FLAT),
    page: after ? 1 : page,
    size,
    descending: sort[0]?.descending ?? true,
    after,
  };
}

/** The filters alone; flat parameters only where they are given in `flat`. @throws as {@link readLogQuery} */
export function readLogConditions(
  query: URLSearchParams,
  now: Instant,
  flat: readonly FlatParameter[] = [],
): LogConditions {
  const { all, groups } = readFilters(query, LOG_FILTERS);
  const top = [...readFlat(query, flat), ...all];
  for (const group of [[], ...groups]) checkDates([...top, ...group]);
  const conditions = (filters: readonly Filter[]) => filters.flatMap((filter) => readCondition(filter, now));
  return { conditions: conditions(top), groups: groups.map(conditions).filter((group) => group.length > 0) };
}

function readFlat(query: URLSearchParams, flat: readonly FlatParameter[]): Filter[] {
  return flat.flatMap(({ name, field, operator, asList }) => {
    const values = query.getAll(name).filter((value) => value.trim() !== "");
    const filter = (value: string): Filter => ({ field, operator, key: undefined, value });
    if (values.length === 0) return [];
    return asList ? [filter(values.join(","))] : values.map(filter);
  });
}

/** The conditions of one parameter: none when it restricts nothing. */
function readCondition(filter: Filter, now: Instant): LogCondition[] {
  const { field, operator, value } = filter;
  const negated = operator === "NOT_EQUALS" || operator === "NOT_IN";
  switch (field) {
    case "q":
      return readText(value, negated);
    case "scope":
      return readScope(filter, negated);
    case "namespace":
    case "flowId":
    case "executionId":
    case "triggerId":
      return [{ field, operator: operator as NameOperator, values: readNames(filter) }];
    case "startDate":
    case "endDate":
      return [{ field: "timestamp", operator: operator as DateOperator, at: readDate(field, value) }];
    case "timeRange":
      return [{ field: "timestamp", operator: "GREATER_THAN_OR_EQUAL_TO", at: now - readRange(value) }];
    case "level":
      return [{ field, levels: readLevels(filter) }];
  }
}

/** `*` finds everything, so not `*` finds nothing. */
function readText(value: string, negated: boolean): LogCondition[] {
  const words = searchWords(value);
  if (words.length > MAX_SEARCH_WORDS) refuse(`Invalid filter: "q" has more than ${MAX_SEARCH_WORDS} words`);
  if (words.length > 0) return [{ field: "text", words, negated }];
  return negated ? [NO_LINE] : [];
}

function readScope(filter: Filter, negated: boolean): LogCondition[] {
  const scopes = new Set(readChoices(filter, ["USER", "SYSTEM"]));
  if (scopes.size === 2) return negated ? [NO_LINE] : [];
  return [{ field: "scope", system: scopes.has("SYSTEM") !== negated }];
}

/** A single level stands for itself and all that are more severe, as `minLevel` does; a list for its levels alone. */
function readLevels(filter: Filter): LogLevel[] {
  const { operator } = filter;
  const chosen = readChoices({ ...filter, value: filter.value.toUpperCase() }, LOG_LEVELS);
  const [first = "TRACE"] = chosen;
  const isChosen = (level: LogLevel) => {
    if (isList(operator)) return chosen.includes(level) === (operator === "IN");
    const difference = LOG_LEVELS.indexOf(level) - LOG_LEVELS.indexOf(first);
    if (operator === "NOT_EQUALS") return difference < 0;
    return operator === "LESS_THAN_OR_EQUAL_TO" ? difference <= 0 : difference >= 0;
  };
  return LOG_LEVELS.filter(isChosen);
}
