/** Reads the query of the list of triggers: flat parameters and `filters[field][OPERATOR]`, which may be mixed. */
import { isJsonObject, type JsonValue, ownProperty } from "../../base/json.ts";
import { NAME_OPERATORS } from "../../model/executions/execution_query.ts";
import type { TriggerState } from "../../model/triggers/trigger_state.ts";
import { DATE_FIELDS, FLOW_FIELDS } from "./filter_fields.ts";
import {
  CHOICES,
  type FilterFields,
  isNegated,
  type RawFilter,
  readPredicate,
  refuse,
} from "./filter_syntax.ts";
import { choiceTest, dateTest, nameTest, scopeTest, wordTest } from "./filter_values.ts";

/** True for a trigger that is wanted. */
type TriggerFilter = (state: TriggerState) => boolean;

/** What triggers can be filtered by. */
const FIELDS = {
  ...FLOW_FIELDS,
  triggerId: { operators: NAME_OPERATORS, flat: "EQUALS" },
  workerId: { operators: NAME_OPERATORS, flat: "EQUALS" },
  ...DATE_FIELDS,
  triggerState: { operators: CHOICES, flat: "IN" },
} satisfies FilterFields;

type Raw = RawFilter<keyof typeof FIELDS>;

/** All conditions outside of groups, and all conditions of at least one group. @throws DomainError invalid_filter */
export function readTriggerFilter(query: URLSearchParams): TriggerFilter {
  return readPredicate(query, FIELDS, conditionOf);
}

/** The filters of a body `{filters: [{field, operation, value}]}`, as a query. @throws DomainError invalid_filter */
export function filterQueryOf(body: JsonValue | undefined): URLSearchParams {
  const query = new URLSearchParams();
  for (const filter of filtersIn(body)) {
    if (!isJsonObject(filter)) refuse("Invalid filter: each must have a field, an operation and a value");
    const { field, operation, value } = filter;
    const name = fieldOf(String(field ?? ""));
    query.append(`filters[${name}][${String(operation ?? "EQUALS")}]`, textOf(value ?? ""));
  }
  return query;
}

/** None without a body. One that cannot be read must not mean all triggers. */
function filtersIn(body: JsonValue = null): readonly JsonValue[] {
  if (body === null) return [];
  const filters = isJsonObject(body) ? ownProperty(body, "filters") ?? [] : body;
  if (isJsonObject(body) && Array.isArray(filters)) return filters;
  refuse("Invalid filter: the body must be an object whose filters are a list");
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
    case "scope": {
      const isWanted = scopeTest(filter);
      return ({ namespace }) => isWanted(namespace);
    }
    case "triggerState": {
      const isWanted = choiceTest(filter, ["ENABLED", "DISABLED"]);
      return ({ disabled, isDeclaredOff }) => isWanted(disabled || isDeclaredOff ? "DISABLED" : "ENABLED");
    }
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

/** In namespace, flow, id or the id of the last execution. */
function textCondition(filter: Raw): TriggerFilter {
  const isWanted = wordTest(filter);
  return ({ namespace, flowId, triggerId, executionId = "" }) =>
    isWanted(`${namespace} ${flowId} ${triggerId} ${executionId}`);
}

function nameCondition(filter: Raw, field: "namespace" | "flowId" | "triggerId"): TriggerFilter {
  const isWanted = nameTest(filter);
  return (state) => isWanted(state[field]);
}

/** Of the last date for which an execution was started. */
function dateCondition(filter: Raw): TriggerFilter {
  const isWanted = dateTest(filter);
  return ({ date }) => date !== undefined && isWanted(date);
}
