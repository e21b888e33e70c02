/** Reads requests for statistics and for lists of task runs. */
import type { Instant } from "../../base/time/clock.ts";
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from "../../base/json.ts";
import { type State, STATES } from "../../model/executions/state.ts";
import type { FlowKey } from "../../model/flows/flow.ts";
import type { StatisticsQuery } from "../../services/statistics/execution_statistics.ts";
import {
  TASK_RUN_SORT_FIELDS,
  type TaskRunPaging,
  type TaskRunQuery,
} from "../../services/statistics/task_runs.ts";
import { readExecutionFilters } from "./execution_filters.ts";
import { readWindow } from "./chart_filters.ts";
import { stateIn } from "../forms/execution_request.ts";
import { readPaging, sortFieldIn } from "../forms/params.ts";
import { invalidArgument, invalidBody } from "../refusals.ts";

/** Members of a body that are parameters of lists. */
const MEMBERS = [
  "q",
  "scope",
  "namespace",
  "flowId",
  "logLevel",
  "startDate",
  "endDate",
  "timeRange",
  "state",
];
/** Members that may be lists. */
const LISTS: readonly string[] = ["scope", "state"];
const MAX_VALUES = 100;
const DATE = /^(?:filters(?:\[or\]\[\d+\])*\[)?(?:startDate|endDate|timeRange)(?:\]|$)/i;
const FILTERED_STATE = /^filters\[state\]/;
const STATE = /^(?:state$|filters\[state\])/;
/** Flows that one request names. */
const MAX_FLOWS = 1_000;

/** The parameters of a body as a query; lists repeat theirs. @throws DomainError invalid_body, invalid_argument */
export function statisticsQueryOf(body: JsonValue | undefined): URLSearchParams {
  const query = new URLSearchParams();
  if (body === undefined || body === null) return query;
  if (!isJsonObject(body)) throw invalidBody("the body must be an object");
  for (const name of MEMBERS) {
    for (const value of valuesIn(body, name)) query.append(name === "logLevel" ? "minLevel" : name, value);
  }
  return query;
}

function valuesIn(body: JsonObject, name: string): string[] {
  const written = ownProperty(body, name) ?? [];
  const isList = Array.isArray(written);
  const values = isList ? written : [written];
  const isGood = !isList || written.length === 0 || (LISTS.includes(name) && written.length <= MAX_VALUES);
  if (isGood && values.every((value) => typeof value !== "object")) return values.map(String);
  const list = LISTS.includes(name) ? ` or a list of at most ${MAX_VALUES} texts` : "";
  throw invalidArgument(`"${name}" must be a text${list}`);
}

/** Executions and their window. @throws DomainError invalid_filter, invalid_argument */
export function readStatisticsQuery(query: URLSearchParams, now: Instant): StatisticsQuery {
  return { ...readWindow(query, now), conditions: readExecutionFilters(without(query, DATE), now) };
}

/** The `flows` of a body, as `[{namespace, id}]`; `undefined` when it names none. @throws DomainError invalid_argument */
export function flowsIn(body: JsonValue | undefined): FlowKey[] | undefined {
  const list = isJsonObject(body) ? ownProperty(body, "flows") ?? undefined : undefined;
  if (list === undefined) return undefined;
  if (!Array.isArray(list) || list.length > MAX_FLOWS) {
    throw invalidArgument(`"flows" must be a list of at most ${MAX_FLOWS} objects with namespace and id`);
  }
  const flows = list.map(flowIn);
  return flows.length === 0 ? undefined : flows;
}

function flowIn(entry: JsonValue): FlowKey {
  const namespace = isJsonObject(entry) ? ownProperty(entry, "namespace") : undefined;
  const id = isJsonObject(entry) ? ownProperty(entry, "id") ?? ownProperty(entry, "flowId") : undefined;
  if (typeof namespace === "string" && typeof id === "string") return { namespace, id };
  throw invalidArgument('each of the "flows" must have a namespace and an id');
}

/** A text member of a body; `undefined` when it is absent. @throws DomainError invalid_argument */
export function optionalTextIn(body: JsonValue | undefined, name: string): string | undefined {
  const value = isJsonObject(body) ? ownProperty(body, name) ?? undefined : undefined;
  if (value === undefined || typeof value === "string") return value;
  throw invalidArgument(`"${name}" must be a text`);
}

/** Task runs by the filters of executions; `state` is that of the task run. @throws DomainError invalid_filter, invalid_argument */
export function readTaskRunQuery(query: URLSearchParams, now: Instant): TaskRunQuery {
  return { ...readStatisticsQuery(without(query, STATE), now), states: readStates(query) };
}

/** The states that all filters allow; repeated flat parameters form one list. `undefined` without a filter. */
function readStates(query: URLSearchParams): State[] | undefined {
  const flat = query.getAll("state").join(",");
  const filters = [["state", flat] as const, ...[...query].filter(([name]) => FILTERED_STATE.test(name))];
  const given = filters.filter(([, value]) => value.trim() !== "");
  if (given.length === 0) return undefined;
  return given.reduce<State[]>((allowed, [name, value]) => {
    const texts = value.replace(/^\s*\[(.*)\]\s*$/s, "$1").split(",").map((text) => text.trim());
    const named = texts.filter((text) => text !== "").map((text) => stateIn(text, STATES));
    const isNegated = name.includes("[NOT_");
    return allowed.filter((state) => named.includes(state) !== isNegated);
  }, [...STATES]);
}

/** Page and order of task runs; old clients write `taskRunList.` before the field. @throws DomainError invalid_argument */
export function readTaskRunPaging(query: URLSearchParams): TaskRunPaging {
  const { page, size, sort } = readPaging(query);
  return {
    page,
    size,
    sort: sort.map(({ field, descending }) => ({
      field: sortFieldIn(field.replace(/^taskRunList\./, ""), TASK_RUN_SORT_FIELDS),
      descending,
    })),
  };
}

function without(query: URLSearchParams, names: RegExp): URLSearchParams {
  return new URLSearchParams([...query].filter(([name]) => !names.test(name)));
}
