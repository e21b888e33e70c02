/** Filters of log lines, in the address as the API names them. */
import type { Query } from "../../api/client.ts";
import { dateTimeText } from "../../core/time.ts";
import { filterQuery } from "../../kit/filter_query.ts";
import type { FilterField } from "../../kit/filters.tsx";
import { TIME_RANGE } from "../executions/execution_filters.ts";

/** The time range while the address has none: a search of all lines would be slow. */
const DEFAULT_RANGE = "PT1H";

/** The fields that a person can choose. */
export const LOG_FILTERS: readonly FilterField[] = [
  { name: "q", kind: "text", title: "common.search" },
  {
    name: "minLevel",
    kind: "choice",
    title: "logs.all",
    choices: ["ERROR", "WARN", "INFO", "DEBUG"],
  },
  { name: "namespace", kind: "text", title: "common.namespace" },
  { name: "flowId", kind: "text", title: "common.flow" },
  { name: "filters[taskId][EQUALS]", kind: "text", title: "logs.task" },
  {
    name: "timeRange",
    parameter: TIME_RANGE,
    kind: "choice",
    title: "range.hour",
    choices: [
      { value: "PT24H", title: "range.day" },
      { value: "P7D", title: "range.week" },
      { value: "P30D", title: "range.month" },
    ],
  },
  { name: "executionId", kind: "given", title: "logs.execution" },
  { name: "triggerId", kind: "given", title: "executions.trigger" },
  {
    name: "startDate",
    parameter: "filters[startDate][GREATER_THAN_OR_EQUAL_TO]",
    kind: "given",
    title: "logs.since",
    textOf: dateTimeText,
  },
  {
    name: "endDate",
    parameter: "filters[endDate][LESS_THAN_OR_EQUAL_TO]",
    kind: "given",
    title: "logs.until",
    textOf: dateTimeText,
  },
];

/** The parameters of a search of the API. */
export function logQuery(address: URLSearchParams): Query {
  const isBounded = ["timeRange", "startDate", "executionId"].some((name) => address.has(name));
  return { ...filterQuery(LOG_FILTERS, address), ...!isBounded && { [TIME_RANGE]: DEFAULT_RANGE } };
}
