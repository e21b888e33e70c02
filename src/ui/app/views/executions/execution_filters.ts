/** The filters of lists of executions, in the address as the API names them. */
import { STATES } from "../../../../model/executions/state.ts";
import { dateTimeText } from "../../core/time.ts";
import type { FilterField } from "../../kit/filters.tsx";

/** Parameter of the earliest start. */
export const STARTED_FROM = "filters[startDate][GREATER_THAN_OR_EQUAL_TO]";
/** Parameter of the end of the range of starts, which is no part of it. */
export const STARTED_BEFORE = "filters[startDate][LESS_THAN]";
/** Parameter of a namespace without those below it. */
export const NAMESPACE_IS = "filters[namespace][EQUALS]";

/** Parameter of a range that ends now. Unlike the flat `timeRange` it also counts beside other filters of times. */
export const TIME_RANGE = "filters[timeRange][EQUALS]";

/** The fields that a person can choose. */
export const EXECUTION_FILTERS: readonly FilterField[] = [
  { name: "q", kind: "text", title: "common.search" },
  { name: "state", kind: "choices", title: "common.state", choices: STATES },
  { name: "namespace", kind: "text", title: "common.namespace" },
  { name: "flowId", kind: "text", title: "common.flow" },
  { name: "labels", kind: "entries", title: "common.labels", hint: "executions.labelFilter" },
  { name: "triggerId", kind: "entries", title: "executions.trigger" },
  { name: "inputs", kind: "entries", title: "execution.inputs", hint: "executions.inputFilter" },
  {
    name: "timeRange",
    parameter: TIME_RANGE,
    kind: "choice",
    title: "range.title",
    choices: [
      { value: "PT1H", title: "range.hour" },
      { value: "PT24H", title: "range.day" },
      { value: "P7D", title: "range.week" },
      { value: "P30D", title: "range.month" },
    ],
  },
  {
    name: "childFilter",
    kind: "choice",
    title: "executions.children",
    choices: [
      { value: "MAIN", title: "executions.childrenNone" },
      { value: "CHILD", title: "executions.childrenOnly" },
    ],
  },
  { name: NAMESPACE_IS, kind: "given", title: "common.namespace" },
  { name: STARTED_FROM, kind: "given", title: "executions.startedFrom", textOf: dateTimeText },
  { name: STARTED_BEFORE, kind: "given", title: "executions.startedBefore", textOf: dateTimeText },
  { name: "triggerExecutionId", kind: "given", title: "executions.startedBy" },
];
