/** The reference implementation of catalog queries: a filter over an array. */
import { EXECUTION_KINDS } from "../../../src/model/executions/execution.ts";
import type {
  ExecutionCondition,
  ExecutionQuery,
  ExecutionSort,
} from "../../../src/model/executions/execution_query.ts";
import { matchesName } from "../../../src/model/executions/execution_query.ts";
import { LOG_LEVELS } from "../../../src/model/flows/flow.ts";
import { STATES } from "../../../src/model/executions/state.ts";
import type { RowFacts } from "../../../src/store/catalog/rows/row.ts";
import { FLOWS, recordOf, shownLabels } from "./fixture.ts";

/** The expected result of a query. */
export function referenceQuery(
  tenant: string,
  executions: readonly RowFacts[],
  query: ExecutionQuery,
  now: number,
): { ids: string[]; total: number } {
  const asksKind = (conditions: readonly ExecutionCondition[]) =>
    conditions.some(({ field }) => field === "kind");
  const normal: ExecutionCondition = { field: "kind", kinds: ["NORMAL"], negated: false };
  const groups = query.groups.map((group) =>
    asksKind([...query.conditions, ...group]) ? group : [...group, normal]
  );
  const all = groups.length > 0 || asksKind(query.conditions)
    ? query.conditions
    : [...query.conditions, normal];
  const matching = executions.filter((facts) =>
    all.every((condition) => holds(tenant, facts, condition)) &&
    (groups.length === 0 ||
      groups.some((group) => group.every((condition) => holds(tenant, facts, condition))))
  );
  matching.sort((a, b) => compare(a, b, query.sort, now));
  const from = (query.page - 1) * query.size;
  return { ids: matching.slice(from, from + query.size).map(({ id }) => id), total: matching.length };
}

function holds(tenant: string, facts: RowFacts, condition: ExecutionCondition): boolean {
  const flow = FLOWS[facts.flowNo] ?? { tenant, namespace: "", id: "" };
  switch (condition.field) {
    case "text":
      return condition.words.every((word) => hasWord(tenant, facts, word.toLowerCase())) !==
        condition.negated;
    case "namespace":
      return matchesName(condition.operator, condition.values, flow.namespace);
    case "flowId":
      return matchesName(condition.operator, condition.values, flow.id);
    case "scope":
      return (flow.namespace === "system") === condition.system;
    case "startDate":
      return compareDate(condition.operator, facts.startMs, condition.at);
    case "endDate":
      if (facts.durationMs === undefined) return condition.operator === "NOT_EQUALS";
      return compareDate(condition.operator, facts.startMs + facts.durationMs, condition.at);
    case "endedAfter": {
      if (facts.durationMs === undefined) return false;
      const end = facts.startMs + facts.durationMs;
      return end > condition.endAt || end === condition.endAt && facts.id > condition.id;
    }
    case "id":
      return matchesName(condition.operator, condition.values, facts.id);
    case "duration":
      if (facts.durationMs === undefined) return condition.operator === "NOT_EQUALS";
      return compareDate(condition.operator, facts.durationMs, condition.ms);
    case "state":
      return condition.states.includes(facts.state) !== condition.negated;
    case "maxLogLevel":
      return facts.maxLogLevel !== undefined &&
        LOG_LEVELS.indexOf(facts.maxLogLevel) >= LOG_LEVELS.indexOf(condition.least);
    case "kind":
      return condition.kinds.includes(facts.kind) !== condition.negated;
    case "child":
      return (facts.triggerExecutionId !== undefined) === condition.child;
    case "triggerExecutionId":
      return condition.ids.includes(facts.triggerExecutionId ?? "") !== condition.negated;
    case "triggerId":
      return condition.ids.includes(recordOf(facts).trigger?.id ?? "") !== condition.negated;
    case "inputs":
      return condition.anyOf.some(({ key, value }) => String(recordOf(facts).inputs?.[key]) === value) !==
        condition.negated;
    case "labels": {
      const own = shownLabels(facts);
      const has = condition.anyOf.some((label) =>
        own.some(({ key, value }) => key === label.key && value === label.value)
      );
      return has !== condition.negated;
    }
  }
}

/** A word that occurs in the names of any flow is not searched in ids. */
function hasWord(tenant: string, facts: RowFacts, word: string): boolean {
  const names = FLOWS.map((flow) =>
    flow.tenant === tenant ? `${flow.namespace}${flow.id}`.toLowerCase() : ""
  );
  if (names.some((name) => name.includes(word))) return (names[facts.flowNo] ?? "").includes(word);
  return facts.id.toLowerCase().includes(word);
}

function compareDate(operator: string, date: number, at: number): boolean {
  switch (operator) {
    case "EQUALS":
      return date === at;
    case "NOT_EQUALS":
      return date !== at;
    case "GREATER_THAN":
      return date > at;
    case "GREATER_THAN_OR_EQUAL_TO":
      return date >= at;
    case "LESS_THAN":
      return date < at;
    default:
      return date <= at;
  }
}

function compare(a: RowFacts, b: RowFacts, sort: readonly ExecutionSort[], now: number): number {
  for (const { field, descending } of sort) {
    const [x, y] = [sortValue(a, field, now), sortValue(b, field, now)];
    if (x !== y) return (x < y ? -1 : 1) * (descending ? -1 : 1);
  }
  return a.id < b.id ? 1 : a.id > b.id ? -1 : 0;
}

function sortValue(facts: RowFacts, field: ExecutionSort["field"], now: number): string | number {
  const { id, startMs, durationMs, state } = facts;
  switch (field) {
    case "id":
      return id;
    case "namespace":
      return FLOWS[facts.flowNo]?.namespace ?? "";
    case "flowId":
      return FLOWS[facts.flowNo]?.id ?? "";
    case "state.current":
      return state;
    case "state.startDate":
      return startMs;
    case "state.endDate":
      return startMs + (durationMs ?? Infinity);
    case "state.duration":
      return durationMs ?? Math.max(0, now - startMs);
  }
}

/** Facts of a random execution without its id and start. */
export function randomFacts(random: () => number, tenant: string): Omit<RowFacts, "id" | "startMs"> {
  const pick = <T>(items: readonly T[]) => items[Math.floor(random() * items.length)] as T;
  const isOpen = random() < 0.1;
  const labelCount = random() < 0.1 ? 5 + Math.floor(random() * 4) : Math.floor(random() * 4);
  return {
    flowNo: tenant === "other" ? 5 : Math.floor(random() * 5),
    durationMs: isOpen ? undefined : Math.floor(random() ** 3 * 5_000),
    state: isOpen ? pick(["PAUSED", "QUEUED", "RUNNING"]) : pick(STATES.slice(2, 7)),
    kind: random() < 0.05 ? pick(EXECUTION_KINDS) : "NORMAL",
    maxLogLevel: random() < 0.3 ? undefined : pick(LOG_LEVELS),
    ...(random() < 0.2 ? { triggerExecutionId: `parent-${Math.floor(random() * 5)}` } : {}),
    labels: Array.from({ length: labelCount }, (_, index) => ({
      key: `key${index}`,
      value: pick(["a", "b", "c"]),
    })),
  };
}
