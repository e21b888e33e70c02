/** Reads the query of the list of flows: flat parameters and `filters[field][OPERATOR]`, which may be mixed. */
import type { Flow } from "../../model/flows/flow.ts";
import {
  readLabelTest,
  readNameTest,
  readPredicate,
  readScopeTest,
  readWordTest,
  testOf,
} from "./filter_predicates.ts";
import { CHOICES, type FilterFields, FLOW_FIELDS } from "./filter_syntax.ts";

/** A flow of a list. */
type ListedFlow = Pick<Flow, "namespace" | "id" | "labels">;

const FIELDS = {
  ...FLOW_FIELDS,
  labels: { operators: CHOICES, flat: "EQUALS" },
} satisfies FilterFields;

/** Names of the filters. */
export const FLOW_FILTER_NAMES: readonly string[] = Object.keys(FIELDS);

const namespaceOf = ({ namespace }: ListedFlow) => namespace;
const TESTS = {
  q: testOf(({ namespace, id }: ListedFlow) => `${namespace} ${id}`, readWordTest),
  scope: testOf(namespaceOf, readScopeTest),
  namespace: testOf(namespaceOf, readNameTest),
  flowId: testOf(({ id }: ListedFlow) => id, readNameTest),
  labels: testOf(({ labels }: ListedFlow) => labels, readLabelTest),
};

/** All conditions outside of groups, and all conditions of at least one group. @throws DomainError invalid_filter */
export function readFlowFilter(query: URLSearchParams): (flow: ListedFlow) => boolean {
  return readPredicate(query, FIELDS, TESTS);
}
