/** Reads the query of the list of triggers: flat parameters and `filters[field][OPERATOR]`, which may be mixed. */
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from "../base/json.ts";
import {
  DATE_OPERATORS,
  matchesName,
  NAME_OPERATORS,
  searchWords,
  SYSTEM_NAMESPACE,
} from "../model/execution_query.ts";
import { parseInstant } from "../model/instant_text.ts";
import type { TriggerState } from "../model/trigger_state.ts";
import { checkPattern } from "./filter_pattern.ts";
import {
  type FilterFields,
  type FilterOperator,
  listValues,
  oneOf,
  type RawFilter,
  readPredicate,
  refuse,
  shorten,
} from "./filter_syntax.ts";

/** True for a trigger that is wanted. */
export type TriggerFilter = (state: TriggerState) => boolean;

/** What triggers can be filtered by. */
export type TriggerFilterField =
  | "q"
  | "scope"
  | "namespace"
  | "flowId"
  | "triggerId"
  | "workerId"
  | "startDate"
  | "endDate"
  | "triggerState";

const CHOICES = ["EQUALS", "NOT_EQUALS", "IN", "NOT_IN"] as const;

/** Fields of the list of triggers with their operators. */
export const TRIGGER_FILTERS: FilterFields<TriggerFilterField> = new Map<
  TriggerFilterField,
  readonly FilterOperator[]
>([
  ["q", ["EQUALS", "NOT_EQUALS"]],
  ["scope", CHOICES],
  ["namespace", NAME_OPERATORS],
  ["flowId", NAME_OPERATORS],
  ["triggerId", NAME_OPERATORS],
  ["workerId", NAME_OPERATORS],
  ["startDate", DATE_OPERATORS],
  ["endDate", DATE_OPERATORS],
  ["triggerState", CHOICES],
]);

type Raw = RawFilter<TriggerFilterField>;

/** Flat parameters and the operators that they stand for. */
const FLAT: readonly (readonly [TriggerFilterField, FilterOperator])[] = [
  ["q", "EQUALS"],
  ["scope", "IN"],
  ["namespace", "PREFIX"],
  ["flowId", "EQUALS"],
  ["triggerId", "EQUALS"],
  ["workerId", "EQUALS"],
  ["startDate", "GREATER_THAN_OR_EQUAL_TO"],
  ["endDate", "LESS_THAN_OR_EQUAL_TO"],
  ["triggerState", "IN"],
];

/** All conditions outside of groups, and all conditions of at least one group. @throws DomainError invalid_filter */
export function readTriggerFilter(query: URLSearchParams): TriggerFilter {
  return readPredicate(query, { fields: TRIGGER_FILTERS, flat: FLAT, conditionOf });
}

/** The filters of a body `{filters: [{field, operation, value}]}`, as a query. @throws DomainError invalid_filter */
export function filterQueryOf(body: JsonValue | undefined): URLSearchParams {
  const query = new URLSearchParams();
  const filters = isJsonObject(body ?? null) ? ownProperty(body as JsonObject, "filters") : undefined;
  for (const filter of Array.isArray(filters) ? filters : []) {
    if (!isJsonObject(filter)) refuse("Invalid filter: each must have a field, an operation and a value");
    const { field, operation, value } = filter;
    const name = fieldOf(String(field ?? ""));
    query.append(`filters[${name}][${String(operation ?? "EQUALS")}]`, textOf(value ?? ""));
  }
  return query;
}

/** `FLOW_ID` and `flowId` are the same field. */
function fieldOf(written: string): string {
  if (!/^[A-Z_]+$/.test(written)) return written;
  const name = written.toLowerCase().replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return name === "query" ? "q" : name;
}

function textOf(value: JsonValue): string {
  return Array.isArray(value) ? value.map(String).join(",") : String(value);
}

function conditionOf(filter: Raw): TriggerFilter {
  switch (filter.field) {
    case "q":
      return textCondition(filter);
    case "scope":
      return choiceCondition(filter, ["USER", "SYSTEM"], scopeOf);
    case "triggerState":
      return choiceCondition(
        filter,
        ["ENABLED", "DISABLED"],
        ({ disabled, isDeclaredOff }) => disabled || isDeclaredOff ? "DISABLED" : "ENABLED",
      );
    case "startDate":
    case "endDate":
      return dateCondition(filter);
    case "namespace":
    case "flowId":
    case "triggerId":
      return nameCondition(filter, filter.field);
    case "workerId":
      return () => isNegated(filter); // Triggers are evaluated by the server itself.
  }
}

/** Every word occurs in namespace, flow, id or the id of the last execution; without words, all triggers are found. */
function textCondition(filter: Raw): TriggerFilter {
  const words = searchWords(filter.value).map((word) => word.toLowerCase());
  if (words.length === 0) return () => true;
  return ({ namespace, flowId, triggerId, executionId = "" }) => {
    const text = `${namespace} ${flowId} ${triggerId} ${executionId}`.toLowerCase();
    return words.every((word) => text.includes(word)) !== isNegated(filter);
  };
}

function scopeOf({ namespace }: TriggerState): string {
  return namespace === SYSTEM_NAMESPACE ? "SYSTEM" : "USER";
}

function choiceCondition(
  filter: Raw,
  allowed: readonly string[],
  valueOf: (state: TriggerState) => string,
): TriggerFilter {
  const wanted = valuesOf(filter).map((text) => oneOf(filter.field, text.toUpperCase(), allowed));
  return (state) => wanted.includes(valueOf(state)) !== isNegated(filter);
}

function nameCondition(filter: Raw, field: "namespace" | "flowId" | "triggerId"): TriggerFilter {
  if (filter.operator === "REGEX") checkPattern(filter.value);
  const operator = oneOf("operator", filter.operator, NAME_OPERATORS);
  const values = valuesOf(filter);
  return (state) => matchesName(operator, values, state[field]);
}

/** Of the last date for which an execution was started. */
function dateCondition(filter: Raw): TriggerFilter {
  const wanted = parseInstant(filter.value) ??
    refuse(`Invalid filter: "${shorten(filter.value)}" is no time such as "2026-01-31T08:15:30Z"`);
  const compare = COMPARISONS.get(filter.operator) ?? (() => false);
  return ({ date }) => date !== undefined && compare(date, wanted);
}

const COMPARISONS: ReadonlyMap<FilterOperator, (value: number, wanted: number) => boolean> = new Map<
  FilterOperator,
  (value: number, wanted: number) => boolean
>([
  ["EQUALS", (value, wanted) => value === wanted],
  ["NOT_EQUALS", (value, wanted) => value !== wanted],
  ["GREATER_THAN", (value, wanted) => value > wanted],
  ["GREATER_THAN_OR_EQUAL_TO", (value, wanted) => value >= wanted],
  ["LESS_THAN", (value, wanted) => value < wanted],
  ["LESS_THAN_OR_EQUAL_TO", (value, wanted) => value <= wanted],
]);

function valuesOf(filter: Raw): string[] {
  return filter.operator === "IN" || filter.operator === "NOT_IN" ? listValues(filter) : [filter.value];
}

function isNegated({ operator }: Raw): boolean {
  return operator === "NOT_EQUALS" || operator === "NOT_IN";
}
