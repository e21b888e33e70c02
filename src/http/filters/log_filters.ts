/** Reads the query of lists of log lines: flat parameters and `filters[field][OPERATOR]`, which may be mixed. */
import type { Instant } from "../../base/time/clock.ts";
import { NAME_OPERATORS } from "../../model/executions/execution_query.ts";
import { LOG_LEVELS, type LogLevel } from "../../model/flows/flow.ts";
import type { LogCondition, LogConditions, LogQuery } from "../../model/executions/log_query.ts";
import { readConditions, readDateCondition, readScope, readSpan, readText } from "./filter_conditions.ts";
import {
  CHOICES,
  DATE_FIELDS,
  type FilterFields,
  FLOW_FIELDS,
  isList,
  type RawFilter,
} from "./filter_syntax.ts";
import { readChoices, readName } from "./filter_values.ts";
import { readCursor } from "./log_cursor.ts";
import { readPaging, sortFieldIn } from "../forms/params.ts";

const FIELDS = {
  ...FLOW_FIELDS,
  executionId: { operators: NAME_OPERATORS, flat: "EQUALS" },
  triggerId: { operators: NAME_OPERATORS, flat: "EQUALS" },
  taskId: { operators: NAME_OPERATORS },
  taskRunId: { operators: NAME_OPERATORS },
  attemptNumber: { operators: CHOICES },
  ...DATE_FIELDS,
  timeRange: { operators: ["EQUALS"], flat: "EQUALS" },
  level: {
    operators: [...CHOICES, "GREATER_THAN_OR_EQUAL_TO", "LESS_THAN_OR_EQUAL_TO"],
    flat: "GREATER_THAN_OR_EQUAL_TO",
    flatAlias: "minLevel",
  },
} satisfies FilterFields;

/** Names of the filters. */
export const LOG_FILTER_NAMES: readonly string[] = Object.keys(FIELDS);

type Filter = RawFilter<keyof typeof FIELDS>;

const NO_LINE: LogCondition = { field: "level", levels: [] };

/**
 * The page, order and filters of a search; newest first by default. With a `cursor` the page is ignored. A `timeRange`
 * counts back from `now`.
 * @throws DomainError invalid_filter; invalid_argument: page, order, or contradicting dates
 */
export function readLogQuery(query: URLSearchParams, now: Instant): LogQuery {
  const { page, size, sort } = readPaging(query);
  for (const { field } of sort) sortFieldIn(field, ["timestamp"]);
  const after = readCursor(query);
  return {
    ...readLogConditions(query, now),
    page: after ? 1 : page,
    size,
    descending: sort[0]?.descending ?? true,
    after,
  };
}

/** The filters alone. @throws as {@link readLogQuery} */
export function readLogConditions(query: URLSearchParams, now: Instant): LogConditions {
  return readConditions(query, FIELDS, { conditionsOf: (filter) => readCondition(filter, now), now });
}

function readCondition(filter: Filter, now: Instant): LogCondition[] {
  const { field } = filter;
  switch (field) {
    case "q":
      return readText(filter, NO_LINE);
    case "scope":
      return readScope(filter, NO_LINE);
    case "namespace":
    case "flowId":
    case "executionId":
    case "triggerId":
      return [{ field, ...readName(filter) }];
    case "taskId":
    case "taskRunId":
    case "attemptNumber":
      return [{ field, ...readName(filter) }];
    case "startDate":
    case "endDate":
      return [{ ...readDateCondition(filter, now), field: "timestamp" }];
    case "timeRange":
      return [{ field: "timestamp", ...readSpan(filter, now) }];
    case "level":
      return [{ field, levels: readLevels(filter) }];
  }
}

/** A single level includes all more severe ones, like `minLevel`; a list means exactly its levels. */
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
