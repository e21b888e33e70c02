/** Filters of charts over executions as conditions of the catalog. */
import { untimedBudget } from "../../languages/regex/mod.ts";
import { DomainError } from "../../model/errors.ts";
import type {
  DateOperator,
  ExecutionCondition,
  ExecutionConditions,
  NameCondition,
  NameOperator,
} from "../../model/executions/execution_query.ts";
import { STATES, TERMINAL_STATES } from "../../model/executions/state.ts";
import type { ChartFilter, FieldFilter, FilterType } from "./chart.ts";
import type { TimeWindow } from "./chart_request.ts";
import { valueTest } from "./row_filter.ts";

/** Alternatives, each a conjunction: one of them must match. */
type Alternatives<Condition> = readonly (readonly Condition[])[];

const MAX_ALTERNATIVES = 100;
const NOTHING: ExecutionCondition = { field: "state", states: [], negated: false };

/** The conditions of filters that must all match, and of further conditions. @throws DomainError invalid_argument: too many alternatives */
export function executionConditions(
  filters: readonly ChartFilter[],
  also: ExecutionConditions,
): ExecutionConditions {
  let [conditions, groups] = [[...also.conditions], [...also.groups]];
  for (const filter of filters) {
    const alternatives = alternativesOf(filter);
    if (alternatives.length === 1) conditions = [...conditions, ...alternatives[0] ?? []];
    else groups = bothOf(groups, alternatives);
  }
  return { conditions, groups };
}

/** Both one of `a` and one of `b`; no alternatives at all mean no restriction. @throws DomainError invalid_argument: too many */
function bothOf<Condition>(
  a: Alternatives<Condition>,
  b: Alternatives<Condition>,
): (readonly Condition[])[] {
  if (a.length === 0 || b.length === 0) return [...a, ...b];
  if (a.length * b.length > MAX_ALTERNATIVES) throw tooManyAlternatives();
  return a.flatMap((left) => b.map((right) => [...left, ...right]));
}

function tooManyAlternatives(): DomainError {
  return new DomainError(
    "invalid_argument",
    `Cannot filter the data of the chart: its filters have more than ${MAX_ALTERNATIVES} combinations of alternatives`,
  );
}

function alternativesOf(filter: ChartFilter): Alternatives<ExecutionCondition> {
  if (filter.type !== "OR") return fieldAlternatives(filter);
  const anyOf = filter.anyOf.flatMap(alternativesOf);
  if (anyOf.length > MAX_ALTERNATIVES) throw tooManyAlternatives();
  return anyOf;
}

function fieldAlternatives(filter: FieldFilter): Alternatives<ExecutionCondition> {
  const { field, type, values } = filter;
  switch (field) {
    case "ID":
      return [nameConditions("id", filter)];
    case "NAMESPACE":
    case "FLOW_ID":
      return [nameConditions(FLOW_FIELDS[field], filter)];
    case "STATE": {
      const matches = valueTest(filter), budget = untimedBudget();
      return [[{ field: "state", states: STATES.filter((state) => matches(state, budget)), negated: false }]];
    }
    case "START_DATE":
    case "END_DATE":
      return dateAlternatives(filter, field === "START_DATE" ? "startDate" : "endDate");
    case "DURATION":
      if (type === "IS_NULL" || type === "IS_NOT_NULL") return [[hasEnded(type === "IS_NOT_NULL")]];
      return numberAlternatives(filter, (operator, ms) => ({ field: "duration", operator, ms }));
    case "LABELS": {
      const anyOf = values.map((value) => ({ key: filter.labelKey ?? "", value: String(value) }));
      return [[{ field: "labels", anyOf, negated: isNegated(type) }]];
    }
    default:
      return [[triggerCondition(filter)]];
  }
}

const FLOW_FIELDS = { NAMESPACE: "namespace", FLOW_ID: "flowId" } as const;

function triggerCondition({ type, values }: FieldFilter): ExecutionCondition {
  if (type === "IS_NULL" || type === "IS_NOT_NULL") return { field: "child", child: type === "IS_NOT_NULL" };
  return { field: "triggerExecutionId", ids: values.map(String), negated: isNegated(type) };
}

function isNegated(type: FilterType): boolean {
  return type === "NOT_EQUAL_TO" || type === "NOT_IN";
}

function hasEnded(wanted: boolean): ExecutionCondition {
  return { field: "state", states: [...TERMINAL_STATES], negated: !wanted };
}

function dateAlternatives(
  filter: FieldFilter,
  field: "startDate" | "endDate",
): Alternatives<ExecutionCondition> {
  const { type } = filter;
  if (type === "IS_NULL") return [[field === "endDate" ? hasEnded(false) : NOTHING]];
  if (type === "IS_NOT_NULL") return [field === "endDate" ? [hasEnded(true)] : []];
  return numberAlternatives(filter, (operator, at) => ({ field, operator, at }));
}

const NUMBER_OPERATORS: Partial<Record<FilterType, DateOperator>> = {
  EQUAL_TO: "EQUALS",
  IN: "EQUALS",
  NOT_EQUAL_TO: "NOT_EQUALS",
  NOT_IN: "NOT_EQUALS",
  GREATER_THAN: "GREATER_THAN",
  GREATER_THAN_OR_EQUAL_TO: "GREATER_THAN_OR_EQUAL_TO",
  LESS_THAN: "LESS_THAN",
  LESS_THAN_OR_EQUAL_TO: "LESS_THAN_OR_EQUAL_TO",
};

function numberAlternatives(
  { type, values }: FieldFilter,
  conditionOf: (operator: DateOperator, value: number) => ExecutionCondition,
): Alternatives<ExecutionCondition> {
  const conditions = values.map((value) => conditionOf(NUMBER_OPERATORS[type] ?? "EQUALS", Number(value)));
  return type === "IN" ? conditions.map((condition) => [condition]) : [conditions];
}

const NAME_OPERATORS: Partial<Record<FilterType, NameOperator>> = {
  EQUAL_TO: "EQUALS",
  NOT_EQUAL_TO: "NOT_EQUALS",
  IN: "IN",
  NOT_IN: "NOT_IN",
  CONTAINS: "CONTAINS",
  STARTS_WITH: "STARTS_WITH",
  ENDS_WITH: "ENDS_WITH",
  PREFIX: "PREFIX",
  REGEX: "REGEX",
};

/** A filter of names as conditions on a field of the catalog. */
function nameConditions<Field extends string>(
  field: Field,
  { type, values }: FieldFilter,
): { readonly field: Field; readonly operator: NameOperator; readonly values: readonly string[] }[] {
  const texts = values.map(String);
  const operator = NAME_OPERATORS[type];
  if (operator) return [{ field, operator, values: texts }];
  if (type === "IS_NULL") return [{ field, operator: "IN", values: [] }];
  if (type !== "NOT_CONTAINS") return [];
  const escaped = (texts[0] ?? "").replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  return [{ field, operator: "REGEX", values: [`^(?!.*${escaped})`] }];
}

/** The executions that began in the window. */
export function startedIn(
  { conditions, groups }: ExecutionConditions,
  window: TimeWindow,
): ExecutionConditions {
  return { conditions: [...conditions, ...startConditions(window)], groups };
}

/** The executions that were running in the window. @throws DomainError invalid_argument: too many alternatives */
export function activeIn(
  { conditions, groups }: ExecutionConditions,
  window: TimeWindow,
): ExecutionConditions {
  const [from, to] = startConditions(window);
  const ended = { ...from, field: "endDate" } as const;
  return {
    conditions: [...conditions, to],
    groups: bothOf<ExecutionCondition>(groups, [[ended], [hasEnded(false)]]),
  };
}

function startConditions({ start, end }: TimeWindow) {
  return [
    { field: "startDate", operator: "GREATER_THAN_OR_EQUAL_TO", at: start },
    { field: "startDate", operator: "LESS_THAN_OR_EQUAL_TO", at: end },
  ] as const;
}

/** Conditions of NAMESPACE and FLOW_ID among filters that must all match: they select the executions that are read. */
export function flowConditions(filters: readonly ChartFilter[]): NameCondition[] {
  return filters.flatMap((filter) =>
    filter.type !== "OR" && (filter.field === "NAMESPACE" || filter.field === "FLOW_ID")
      ? nameConditions(FLOW_FIELDS[filter.field], filter)
      : []
  );
}
