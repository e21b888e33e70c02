/** Reads the query of the list of executions: flat parameters and `filters[field][OPERATOR]`, which may be mixed. */
import type { Instant } from "../../base/time/clock.ts";
import { EXECUTION_KINDS } from "../../model/executions/execution.ts";
import {
  EXECUTION_SORT_FIELDS,
  type ExecutionCondition,
  type ExecutionConditions,
  type ExecutionQuery,
  type ExecutionSort,
} from "../../model/executions/execution_query.ts";
import { STATES } from "../../model/executions/state.ts";
import { readConditions, readDateCondition, readScope, readSpan, readText } from "./filter_conditions.ts";
import {
  CHOICE,
  CHOICES,
  DATE_FIELDS,
  type FilterFields,
  FLOW_FIELDS,
  isNegated,
  oneOf,
  type RawFilter,
  valuesOf,
} from "./filter_syntax.ts";
import { readChoices, readName, readPairs } from "./filter_values.ts";
import { readPaging, sortFieldIn, type SortKey } from "../forms/params.ts";

const FIELDS = {
  ...FLOW_FIELDS,
  ...DATE_FIELDS,
  timeRange: { operators: ["EQUALS"], flat: "EQUALS" },
  state: { operators: CHOICES, flat: "IN" },
  labels: { operators: [...CHOICES, "CONTAINS"], flat: "EQUALS" },
  triggerId: { operators: CHOICES, flat: "IN" },
  triggerExecutionId: { operators: CHOICES, flat: "EQUALS" },
  inputs: { operators: CHOICES, flat: "EQUALS" },
  childFilter: { operators: CHOICE, flat: "EQUALS" },
  kind: { operators: CHOICES, flat: "IN" },
} satisfies FilterFields;

/** Names of the filters. */
export const EXECUTION_FILTER_NAMES: readonly string[] = Object.keys(FIELDS);

type Filter = RawFilter<keyof typeof FIELDS>;

const NOTHING: ExecutionCondition = { field: "state", states: [], negated: false };

/**
 * The page, order and filters of an executions list. A `timeRange` counts back from `now`.
 * @throws DomainError invalid_filter; invalid_argument: page, order, or contradicting dates
 */
export function readExecutionQuery(query: URLSearchParams, now: Instant): ExecutionQuery {
  const { page, size, sort } = readPaging(query);
  return { ...readExecutionFilters(query, now), page, size, sort: sort.map(readSort) };
}

/** The filters alone, for operations on all matching executions. @throws DomainError invalid_filter, invalid_argument */
export function readExecutionFilters(query: URLSearchParams, now: Instant): ExecutionConditions {
  return readConditions(query, FIELDS, { conditionsOf: (filter) => readCondition(filter, now), now });
}

function readSort({ field, descending }: SortKey): ExecutionSort {
  return { field: sortFieldIn(field, EXECUTION_SORT_FIELDS), descending };
}

function readCondition(filter: Filter, now: Instant): ExecutionCondition[] {
  const { field, value } = filter;
  const negated = isNegated(filter);
  switch (field) {
    case "q":
      return readText(filter, NOTHING);
    case "scope":
      return readScope(filter, NOTHING);
    case "namespace":
    case "flowId":
      return [{ field, ...readName(filter) }];
    case "startDate":
    case "endDate":
      return [readDateCondition(filter, now)];
    case "timeRange":
      return [{ field: "startDate", ...readSpan(filter, now) }];
    case "state":
      return [{ field, states: readChoices(filter, STATES), negated }];
    case "kind":
      return [{ field, kinds: readChoices(filter, EXECUTION_KINDS), negated }];
    case "childFilter":
      return [{ field: "child", child: (oneOf(field, value, ["CHILD", "MAIN"]) === "CHILD") !== negated }];
    case "triggerId":
    case "triggerExecutionId":
      return [{ field, ids: valuesOf(filter), negated }];
    case "labels":
    case "inputs":
      return [{ field, anyOf: readPairs(filter), negated }];
  }
}
