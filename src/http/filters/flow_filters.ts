/** Reads the query of the list of flows: flat parameters and `filters[field][OPERATOR]`, which may be mixed. */
import type { Flow } from "../../model/flows/flow.ts";
import { hasLabel } from "../../model/flows/label.ts";
import { FLOW_FIELDS } from "./filter_fields.ts";
import { CHOICES, type FilterFields, isNegated, type RawFilter, readPredicate } from "./filter_syntax.ts";
import { nameTest, readLabelPairs, scopeTest, wordTest } from "./filter_values.ts";

/** What is known of a flow in a list. */
type ListedFlow = Pick<Flow, "namespace" | "id" | "labels">;

/** True for a flow that is wanted. */
type FlowFilter = (flow: ListedFlow) => boolean;

/** What flows can be filtered by. */
const FIELDS = {
  ...FLOW_FIELDS,
  labels: { operators: CHOICES, flat: "EQUALS" },
} satisfies FilterFields;

type Raw = RawFilter<keyof typeof FIELDS>;

/** All conditions outside of groups, and all conditions of at least one group. @throws DomainError invalid_filter */
export function readFlowFilter(query: URLSearchParams): FlowFilter {
  return readPredicate(query, FIELDS, conditionOf);
}

function conditionOf(filter: Raw): FlowFilter {
  switch (filter.field) {
    case "q": {
      const isWanted = wordTest(filter);
      return ({ namespace, id }) => isWanted(`${namespace} ${id}`);
    }
    case "scope": {
      const isWanted = scopeTest(filter);
      return ({ namespace }) => isWanted(namespace);
    }
    case "labels":
      return labelCondition(filter);
    case "namespace":
      return nameCondition(filter, (flow) => flow.namespace);
    case "flowId":
      return nameCondition(filter, (flow) => flow.id);
  }
}

function nameCondition(filter: Raw, nameOf: (flow: ListedFlow) => string): FlowFilter {
  const isWanted = nameTest(filter);
  return (flow) => isWanted(nameOf(flow));
}

function labelCondition(filter: Raw): FlowFilter {
  const labels = readLabelPairs(filter);
  return (flow) => labels.some((wanted) => hasLabel(flow.labels, wanted)) !== isNegated(filter);
}
