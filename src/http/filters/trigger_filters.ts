/** Reads the query of the list of triggers: flat parameters and `filters[field][OPERATOR]`, which may be mixed. */
import { isJsonObject, type JsonValue, ownProperty } from "../../base/json.ts";
import { NAME_OPERATORS } from "../../model/executions/execution_query.ts";
import type { TriggerState } from "../../model/triggers/trigger_state.ts";
import {
  readChoiceTest,
  readDateTest,
  readNameTest,
  readPredicate,
  readScopeTest,
  readWordTest,
  testOf,
} from "./filter_predicates.ts";
import {
  CHOICES,
  DATE_FIELDS,
  type FilterFields,
  FLOW_FIELDS,
  isNegated,
  type RawFilter,
  refuse,
} from "./filter_syntax.ts";

const FIELDS = {
  ...FLOW_FIELDS,
  triggerId: { operators: NAME_OPERATORS, flat: "EQUALS" },
  workerId: { operators: NAME_OPERATORS, flat: "EQUALS" },
  ...DATE_FIELDS,
  triggerState: { operators: CHOICES, flat: "IN" },
} satisfies FilterFields;

/** Names of the filters. */
export const TRIGGER_FILTER_NAMES: readonly string[] = Object.keys(FIELDS);

/** Searched by `q`: namespace, flow, trigger and last execution. */
const searchedText = ({ namespace, flowId, triggerId, executionId = "" }: TriggerState) =>
  `${namespace} ${flowId} ${triggerId} ${executionId}`;
/** Of the last date that started an execution. */
const readLastDateTest = testOf(({ date }: TriggerState) => date, readDateTest);

const TESTS = {
  q: testOf(searchedText, readWordTest),
  scope: testOf(({ namespace }: TriggerState) => namespace, readScopeTest),
  namespace: testOf(({ namespace }: TriggerState) => namespace, readNameTest),
  flowId: testOf(({ flowId }: TriggerState) => flowId, readNameTest),
  triggerId: testOf(({ triggerId }: TriggerState) => triggerId, readNameTest),
  // Triggers are evaluated by the server itself, so no worker id matches.
  workerId: (filter: RawFilter) => () => isNegated(filter),
  startDate: readLastDateTest,
  endDate: readLastDateTest,
  triggerState: testOf(
    ({ disabled, isDeclaredOff }: TriggerState) => disabled || isDeclaredOff ? "DISABLED" : "ENABLED",
    readChoiceTest(["ENABLED", "DISABLED"]),
  ),
};

/** All conditions outside of groups, and all conditions of at least one group. @throws DomainError invalid_filter */
export function readTriggerFilter(query: URLSearchParams): (state: TriggerState) => boolean {
  return readPredicate(query, FIELDS, TESTS);
}

/** The filters of a body `{filters: [{field, operation, value}]}`, as a query; the names of members have any case. @throws DomainError invalid_filter */
export function filterQueryOf(body: JsonValue | undefined): URLSearchParams {
  const query = new URLSearchParams();
  for (const filter of filtersIn(body)) {
    if (!isJsonObject(filter)) refuse("Invalid filter: each must have a field, an operation and a value");
    const members = new Map(
      Object.entries(filter).map(([name, member]) => [name.toLowerCase(), member ?? ""]),
    );
    const name = fieldOf(String(members.get("field") ?? ""));
    const operator = String(members.get("operation") || "EQUALS").toUpperCase();
    query.append(`filters[${name}][${operator}]`, textOf(members.get("value") ?? ""));
  }
  return query;
}

/** None without a body. An unreadable body is refused: it must not mean all triggers. */
function filtersIn(body: JsonValue = null): readonly JsonValue[] {
  if (body === null) return [];
  const filters = isJsonObject(body) ? ownProperty(body, "filters") ?? [] : body;
  if (isJsonObject(body) && Array.isArray(filters)) return filters;
  refuse("Invalid filter: the body must be an object whose filters are a list");
}

const FIELD_NAMES: ReadonlyMap<string, string> = new Map([
  ...TRIGGER_FILTER_NAMES.map((name) => [name.toLowerCase(), name] as const),
  ["query", "q"],
]);

/** `FLOW_ID`, `flowId` and `flowid` are the same field; so are the `STATE` and `state` of charts. */
function fieldOf(written: string): string {
  const known = FIELD_NAMES.get(written.replaceAll("_", "").toLowerCase());
  if (known !== undefined || !/^[A-Z_]+$/.test(written)) return known ?? written;
  return written.toLowerCase().replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function textOf(value: JsonValue): string {
  return Array.isArray(value) ? value.map(String).join(",") : String(value);
}
