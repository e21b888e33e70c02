/** Selections of executions by tasks, converted to queries. */
import type { ExecutionCondition, ExecutionQuery } from "./execution_query.ts";
import type { Instant } from "../../base/time/clock.ts";
import { EXECUTION_KINDS } from "./execution.ts";
import type { State } from "./state.ts";

/** Selects executions; an absent member does not restrict. */
export interface ExecutionSelection {
  /** With {@link withChildNamespaces} also the namespaces below it. */
  readonly namespace?: string;
  readonly withChildNamespaces?: boolean;
  readonly flowId?: string;
  /** All kinds; by default only NORMAL ones. */
  readonly ofAllKinds?: boolean;
  readonly states?: readonly State[];
  /** Inclusive. */
  readonly startedFrom?: Instant;
  /** Exclusive. */
  readonly startedBefore?: Instant;
  /** Exclusive. */
  readonly endedBefore?: Instant;
}

/** The query for a page of size 1; its total is the number of matches. */
export function executionSelectionQuery(selection: ExecutionSelection): ExecutionQuery {
  const { namespace, withChildNamespaces, flowId, states } = selection;
  const { startedFrom, startedBefore, endedBefore } = selection;
  const conditions: ExecutionCondition[] = [];
  if (selection.ofAllKinds) conditions.push({ field: "kind", kinds: EXECUTION_KINDS, negated: false });
  if (namespace !== undefined) {
    const operator = withChildNamespaces ? "PREFIX" : "EQUALS";
    conditions.push({ field: "namespace", operator, values: [namespace] });
  }
  if (flowId !== undefined) conditions.push({ field: "flowId", operator: "EQUALS", values: [flowId] });
  if (states) conditions.push({ field: "state", states, negated: false });
  if (startedFrom !== undefined) {
    conditions.push({ field: "startDate", operator: "GREATER_THAN_OR_EQUAL_TO", at: startedFrom });
  }
  if (startedBefore !== undefined) {
    conditions.push({ field: "startDate", operator: "LESS_THAN", at: startedBefore });
  }
  if (endedBefore !== undefined) {
    conditions.push({ field: "endDate", operator: "LESS_THAN", at: endedBefore });
  }
  return { conditions, groups: [], sort: [], page: 1, size: 1 };
}
