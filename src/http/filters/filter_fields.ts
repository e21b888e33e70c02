/** Fields by which several lists can be filtered. */
import { DATE_OPERATORS, NAME_OPERATORS } from "../../model/executions/execution_query.ts";
import { CHOICE, CHOICES, type FilterFields } from "./filter_syntax.ts";

/** Of lists of flows, and of what flows leave and declare. */
export const FLOW_FIELDS = {
  q: { operators: CHOICE, flat: "EQUALS" },
  scope: { operators: CHOICES, flat: "IN" },
  namespace: { operators: NAME_OPERATORS, flat: "PREFIX" },
  flowId: { operators: NAME_OPERATORS, flat: "EQUALS" },
} satisfies FilterFields;

/** Of lists of what has dates. */
export const DATE_FIELDS = {
  startDate: { operators: DATE_OPERATORS, flat: "GREATER_THAN_OR_EQUAL_TO" },
  endDate: { operators: DATE_OPERATORS, flat: "LESS_THAN_OR_EQUAL_TO" },
} satisfies FilterFields;
