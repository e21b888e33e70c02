/** Reads the list of executions' query: flat parameters and `filters[field][OPERATOR]`, which may be mixed. */
import type { Instant } from "../../base/clock.ts";
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
import { DATE_FIELDS, FLOW_FIELDS } from "./filter_fields.ts";
import {
  CHOICE,
  CHOICES,
  type FilterFields,
  isNegated,
  oneOf,
  type RawFilter,
  valuesOf,
} from "./filter_syntax.ts";
import { readChoices, readLabelPairs, readName } from "./filter_values.ts";
import { readPaging, sortFieldIn, type SortKey } from "../forms/params.ts";

/** What executions can be filtered by. */
const FIELDS = {
  ...FLOW_FIELDS,
  ...DATE_FIELDS,
  timeRange: { operators: ["EQUALS"], flat: "EQUALS" },
  state: { operators: CHOICES, flat: "IN" },
  labels: { operators: [...CHOICES, "CONTAINS"], flat: "EQUALS" },
  triggerExecutionId: { operators: CHOICES, flat: "EQUALS" },
  childFilter: { operators: CHOICE, flat: "EQUALS" },
  kind: { operators: CHOICES, flat: "IN" },
} satisfies FilterFields;

type Filter = RawFilter<keyof typeof FIELDS>;

const NOTHING: ExecutionCondition = { field: "state", states: [], negated: false };

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
): ExecutionConditions {
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
    case "triggerExecutionId":
      return [{ field, ids: valuesOf(filter), negated }];
    case "labels":
      return [{ field, anyOf: readLabelPairs(filter), negated }];
  }
}
