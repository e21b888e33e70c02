/** Values of parameters by their name: those that find something, and those that no client would send. */
import { BELOW_KEY, FLOW_IDS, NAMESPACE, WEBHOOK_KEY } from "./recorded.ts";

/** Names of ids that responses give: placeholders in paths, queries and bodies. */
export const ID_KINDS = ["execution", "dashboard", "apiToken", "file"] as const;

/** One of {@link ID_KINDS}. */
export type IdKind = typeof ID_KINDS[number];

const INSTANTS = ["2026-01-31T12:00:00Z", "2026-11-22T00:00:00+01:00", "2030-01-01T00:00:00.000Z"];
const FLAGS = ["true", "false"];
const STATES = ["SUCCESS", "FAILED", "RUNNING", "KILLED", "WARNING", "CREATED", "PAUSED"];

/** By parameter name. */
const USUAL: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ["tenant", ["main"]],
  ["namespace", [NAMESPACE, NAMESPACE, NAMESPACE, "fuzz", "fuzz.b", "none.such"]],
  ["flowId", [...FLOW_IDS, "created", "nothing"]],
  ["executionId", ["{execution}"]],
  ["triggerExecutionId", ["{execution}"]],
  ["taskRunId", ["{taskRun}"]],
  ["taskId", ["one", "each", "inner", "nothing"]],
  ["triggerId", ["daily", "hook", "nothing"]],
  ["metric", ["m", "duration"]],
  ["chartId", ["states", "executions_over_time", "nothing"]],
  ["cls", ["io.svc.plugin.core.log.Log", "core.flow.ForEach", "nothing"]],
  ["kind", ["flow", "task", "trigger", "plugindefault", "dashboard", "apps", "NORMAL", "TEST"]],
  ["type", ["STRING", "FILE", "nothing"]],
  ["version", ["1.0.0", "latest"]],
  ["field", ["namespace", "flowId", "state", "labels"]],
  ["page", ["1", "2", "99999"]],
  ["size", ["1", "10", "25", "200"]],
  ["sort", ["id:asc", "namespace:desc", "state.startDate:desc", "flowId:asc", "key:asc", "timestamp:desc"]],
  ["q", ["plain", "fuzz", "*", ""]],
  ["state", STATES],
  ["status", STATES],
  ["newStatus", STATES],
  ["newState", STATES],
  ["labels", ["team:a", "team:b", "k:v"]],
  ["scope", ["USER", "SYSTEM"]],
  ["timeRange", ["PT1H", "P7D"]],
  ["childFilter", ["MAIN", "CHILD"]],
  ["minLevel", ["TRACE", "INFO", "ERROR"]],
  ["triggerState", ["ENABLED", "DISABLED"]],
  ["path", ["/notes.txt", "/a/b.txt", "/", "{file}", "{file}"]],
  ["from", ["/notes.txt", "/a"]],
  ["to", ["/moved.txt", "/c/d"]],
  ["revision", ["1", "2", "999"]],
  ["revisions", ["1", "2"]],
  ["attempt", ["0", "1"]],
  ["maxRows", ["1", "100"]],
  ["encoding", ["UTF-8", "ISO-8859-1"]],
  ["aggregation", ["sum", "avg", "min", "max"]],
  ["section", ["tasks", "errors"]],
  ["format", ["full", "delta"]],
  ["breakpoints", ["one", "each,inner"]],
  ["cursor", ["x"]],
  ["startDate", INSTANTS],
  ["endDate", INSTANTS],
  // A start that is due later waits for nothing.
  ["scheduleDate", ["2030-01-01T00:00:00Z"]],
  ["ttl", ["PT1H", "P1D"]],
  ["description", ["some text"]],
  ["Idempotency-Key", ["key-1", "key-2"]],
  ["If-Match", ['"1"', "1", "*"]],
  ["Last-Event-ID", ["start", "progress", "end"]],
]);

/** Flows that have what the path is about. */
const FLOWS_OF: readonly (readonly [path: RegExp, flowId: string])[] = [
  [/\/(?:webhook|triggers)\//, "hooked"],
  [/\/concurrency-limit\//, "limited"],
  [/\/metrics\//, "loop"],
];

/** The value of `id` by the segment before it. */
const IDS_OF: ReadonlyMap<string, readonly string[]> = new Map([
  ["executions", ["{execution}"]],
  ["dashboards", ["{dashboard}", "{dashboard}", "default"]],
  ["api-tokens", ["{apiToken}"]],
  ["tenants", ["main", "fuzz-tenant", "nothing"]],
]);

const KEYS_OF: ReadonlyMap<string, readonly string[]> = new Map([
  ["kv", ["k1", "k1", "k2", "nothing"]],
  ["secrets", ["NAME", "PLANTED", "NOTHING"]],
]);

/** Filters of lists as query parameters. */
const FILTERS: readonly (readonly [name: string, value: string])[] = [
  ["filters[namespace][EQUALS]", NAMESPACE],
  ["filters[namespace][STARTS_WITH]", "fuzz"],
  ["filters[namespace][IN]", `${NAMESPACE},fuzz.b`],
  ["filters[flowId][CONTAINS]", "a"],
  ["filters[flowId][REGEX]", "^p.*n$"],
  ["filters[state][NOT_IN]", "FAILED,KILLED"],
  ["filters[labels][EQUALS][team]", "a"],
  ["filters[q][EQUALS]", "plain"],
  ["filters[startDate][GREATER_THAN]", "2026-01-01T00:00:00Z"],
  ["filters[timeRange][EQUALS]", "PT24H"],
  ["filters[level][GREATER_THAN_OR_EQUAL_TO]", "INFO"],
];

/** Texts that no parameter expects. */
export const ODD_TEXTS: readonly string[] = [
  ..."|%|%zz|%00|%ff|%c0%ae|%2e%2e%2f|%252e%252e|..|.|../../etc/passwd|..%5c|;a=b|a;b|//|null|undefined|true"
    .split("|"),
  ..."__proto__|constructor|toString|-1|0|1e9|1e400|99999999999999999999|NaN|0x10|1.5|{|[|\"|'|<b>|&|=|+|#|?"
    .split("|"),
  ..."%ed%a0%80|%f0%9f%98%80|é|日本|\ud83d\ude00|\u202e|*|%25|%0d%0aSet-Cookie:%20a=b|$|^(a+)+$|{{ 1 }}|${x}"
    .split("|"),
  "x".repeat(300),
  "a/".repeat(60),
  "%41".repeat(400),
  "9".repeat(400),
  "x".repeat(20_000),
];

/** Values of a path parameter of a template, after the segment before it. */
export function pathValues(name: string, before: string, template: string): readonly string[] {
  const flowId = FLOWS_OF.find(([path]) => path.test(template))?.[1];
  if (name === "flowId" && flowId !== undefined) return [flowId, flowId, flowId, flowId, ...FLOW_IDS];
  if (name === "id") return IDS_OF.get(before) ?? ["{execution}"];
  if (name === "key") return KEYS_OF.get(before) ?? [WEBHOOK_KEY, BELOW_KEY];
  if (name === "path") return ["rest", "a/b"];
  return USUAL.get(name) ?? ["value"];
}

/** Values of a query parameter or header; flags have those of every flag. */
export function usualValues(name: string): readonly string[] {
  return USUAL.get(name) ?? FLAGS;
}

/** Query parameters that filter a list. */
export function filterParameters(): typeof FILTERS {
  return FILTERS;
}
