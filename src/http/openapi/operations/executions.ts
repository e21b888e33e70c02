/** Operations on executions and what they leave: task runs, log lines, metrics, outputs, files. */
import {
  type Content,
  CSV,
  EVENTS,
  EXECUTION_FILTERS,
  FILE,
  INPUT_FORM,
  json,
  JSON_OBJECT,
  LOG_FILTERS,
  type Operation,
  type Operations,
  PAGE,
  PLAIN_TEXT,
  TEXTS,
} from "../operation.ts";
import { ANYTHING, INTEGER, listOf, MAP, objectOf, pageOf, ref, TEXT } from "../schema.ts";

const EXECUTION = json(ref("Execution"));
const EXECUTIONS = json(pageOf(ref("Execution")));
const FLOW = json(ref("Flow"));
const LABELS = json(listOf(ref("Label")));
const IDS = json(listOf(TEXT));
const START: Operation = {
  summary: "Starts an execution",
  query: ["labels[]", "wait", "revision", "scheduleDate", "breakpoints", "kind"],
  headers: ["Idempotency-Key"],
  body: INPUT_FORM,
  response: EXECUTION,
};
const ELSEWHERE = { 301: "The file belongs to another execution, at which `Location` has it" };

/** Starting, reading and following. */
const BASE: Operations = [
  ["POST /executions/{namespace}/{flowId}", START],
  ["POST /executions/trigger/{namespace}/{flowId}", {
    ...START,
    summary: "Starts an execution (older path)",
  }],
  ["POST /executions/{namespace}/{flowId}/validate", {
    summary: "What a start with these inputs would find",
    query: ["revision", "labels[]"],
    body: INPUT_FORM,
    response: json(ref("InputCheck")),
  }],
  ["GET /executions", {
    summary: "A page of executions of a flow",
    query: ["namespace!", "flowId!", ...PAGE],
    response: EXECUTIONS,
  }],
  ["GET /executions/search", {
    summary: "A page of executions",
    query: [...PAGE, ...EXECUTION_FILTERS],
    response: EXECUTIONS,
  }],
  ["POST /executions/latest", {
    summary: "The latest execution of each flow",
    body: json(listOf(ref("FlowKey"))),
    response: json(
      listOf(objectOf({ id: TEXT, flowId: TEXT, namespace: TEXT, startDate: TEXT, status: TEXT })),
    ),
  }],
  ["GET /executions/distinct-field-values", {
    summary: "Values that a field has",
    query: ["field!", "size", ...EXECUTION_FILTERS],
    response: TEXTS,
  }],
  ["GET /executions/export/by-query/csv", {
    summary: "Executions as a table",
    query: EXECUTION_FILTERS,
    response: CSV,
  }],
  ["GET /executions/namespaces", { summary: "Namespaces with flows to start", response: TEXTS }],
  ["GET /executions/namespaces/{namespace}/flows", {
    summary: "Flows to start",
    response: json(listOf(ref("Flow"))),
  }],
  ["GET /executions/flows/{namespace}/{flowId}", {
    summary: "A flow to start",
    query: ["revision"],
    response: FLOW,
  }],
  ["GET /executions/{id}", { summary: "An execution with its task runs", response: EXECUTION }],
  ["DELETE /executions/{id}", { summary: "Deletes an execution", status: 204 }],
  ["GET /executions/{id}/flow", { summary: "The flow of an execution, as it ran", response: FLOW }],
  ["GET /executions/{id}/graph", {
    summary: "The graph of an execution",
    query: ["subflows"],
    response: json(ref("Graph")),
  }],
  ["GET /executions/{id}/follow", {
    summary: "An execution at each change, until it ends",
    query: ["format"],
    headers: ["Last-Event-ID"],
    response: EVENTS,
  }],
  ["GET /executions/{id}/follow-dependencies", {
    summary: "States of an execution and of those of the same correlation, until all have ended",
    query: ["destinationOnly", "expandAll"],
    response: EVENTS,
  }],
  ["GET /executions/{id}/file", {
    summary: "A file of an execution",
    query: ["path!"],
    response: FILE,
    also: ELSEWHERE,
  }],
  ["GET /executions/{id}/file/metas", {
    summary: "The size of a file",
    query: ["path!"],
    response: json(objectOf({ size: INTEGER })),
    also: ELSEWHERE,
  }],
  ["GET /executions/{id}/file/preview", {
    summary: "The beginning of a file",
    query: ["path!", "maxRows", "encoding"],
    response: json(objectOf({ extension: TEXT, type: TEXT, content: ANYTHING })),
    also: ELSEWHERE,
  }],
];

/** Actions on one execution; each has two paths. */
const ACTIONS: readonly (readonly [name: string, Operation])[] = [
  ["pause", { summary: "Pauses an execution" }],
  ["resume", { summary: "Resumes a paused execution", body: INPUT_FORM }],
  ["resume/validate", {
    summary: "Checks the form of a resume",
    body: INPUT_FORM,
    response: json(ref("InputCheck")),
  }],
  ["resume-from-breakpoint", { summary: "Goes on behind a breakpoint", query: ["breakpoints"] }],
  ["restart", { summary: "Runs what failed again, as the same execution", query: ["revision"] }],
  ["replay", { summary: "Runs again, as a new execution", query: ["taskRunId", "revision", "breakpoints"] }],
  ["replay-with-inputs", {
    summary: "Runs again with other inputs",
    query: ["taskRunId", "revision", "breakpoints"],
    body: INPUT_FORM,
  }],
  ["kill", { summary: "Kills an execution", query: ["isOnKillCascade"] }],
  ["state", {
    summary: "Sets the state of a task run",
    body: json(objectOf({ taskRunId: TEXT, state: TEXT })),
  }],
  ["change-status", { summary: "Sets the state of an execution that has ended", query: ["status!"] }],
  ["labels", { summary: "Sets labels", body: LABELS }],
  ["unqueue", { summary: "Takes an execution out of the queue of its flow", query: ["state"] }],
  ["force-run", { summary: "Runs an execution whatever holds it back" }],
  ["eval", {
    summary: "Renders an expression within an execution",
    query: ["taskRunId"],
    body: PLAIN_TEXT,
    response: JSON_OBJECT,
  }],
  ["eval/{taskRunId}", {
    summary: "Renders an expression within a task run",
    body: PLAIN_TEXT,
    response: JSON_OBJECT,
  }],
];

/** Actions on many executions; each has two paths. */
const BULK: readonly (readonly [methodAndName: string, summary: string, query?: readonly string[]])[] = [
  ["POST /executions/restart", "Restarts executions"],
  ["POST /executions/replay", "Replays executions", ["latestRevision"]],
  ["POST /executions/resume", "Resumes executions"],
  ["POST /executions/pause", "Pauses executions"],
  ["POST /executions/change-status", "Sets the state of executions", ["newStatus!"]],
  ["POST /executions/unqueue", "Takes executions out of their queues", ["newState"]],
  ["POST /executions/force-run", "Runs executions whatever holds them back"],
  ["POST /executions/kill", "Kills executions", ["isOnKillCascade"]],
  ["DELETE /executions/kill", "Kills executions", ["isOnKillCascade"]],
  ["DELETE /executions", "Deletes executions", ["includeNonTerminated"]],
];
const BULK_RESULT: Content = json(ref("BulkResult"));

function bothPaths([name, operation]: readonly [string, Operation]): Operations {
  const told = { response: EXECUTION, ...operation };
  const methods = name === "kill" ? ["DELETE", "POST"] : ["POST"];
  const paths = [`/executions/{id}/${name}`, `/executions/{id}/actions/${name}`];
  return methods.flatMap((method) => paths.map((path) => [`${method} ${path}`, told] as const));
}

const LOG_LINES = [...LOG_FILTERS, "taskRunId", "taskId", "attempt"];
const ENTRIES = json(listOf(ref("LogEntry")));
const METRICS = "/metrics/aggregates/{namespace}/{flowId}";
const AGGREGATE: Operation = {
  summary: "A metric over time",
  query: ["startDate", "endDate", "aggregation"],
  response: json(objectOf({ groupBy: TEXT, aggregations: listOf(MAP) })),
};

/** Everything about executions. */
export const EXECUTION_OPERATIONS: Operations = [
  ...BASE,
  ...ACTIONS.flatMap(bothPaths),
  ...BULK.flatMap(([name, summary, query = []]): Operations => [
    [`${name}/by-ids`, { summary, query, body: IDS, response: BULK_RESULT }],
    [`${name}/by-query`, { summary, query: [...query, ...EXECUTION_FILTERS], response: BULK_RESULT }],
  ]),
  ["POST /executions/labels/by-ids", {
    summary: "Sets labels of executions",
    body: json(objectOf({ executionsId: listOf(TEXT), executionLabels: listOf(ref("Label")) })),
    response: BULK_RESULT,
  }],
  ["POST /executions/labels/by-query", {
    summary: "Sets labels of executions",
    query: EXECUTION_FILTERS,
    body: LABELS,
    response: BULK_RESULT,
  }],
];

/** Log lines, metrics, outputs. */
export const RECORD_OPERATIONS: Operations = [
  ["GET /logs/search", {
    summary: "A page of log lines",
    query: [...PAGE, "cursor", ...LOG_FILTERS],
    response: json(objectOf({
      results: listOf(ref("LogEntry")),
      total: INTEGER,
      "isTotalExact?": { type: "boolean" },
      "searchedTo?": TEXT,
      "cursor?": TEXT,
    })),
  }],
  ["GET /logs/{executionId}", { summary: "Log lines of an execution", query: LOG_LINES, response: ENTRIES }],
  ["DELETE /logs/{executionId}", { summary: "Deletes log lines of an execution", query: LOG_LINES }],
  ["GET /logs/{executionId}/download", {
    summary: "Log lines as text",
    query: LOG_LINES,
    response: PLAIN_TEXT,
  }],
  ["GET /logs/{executionId}/follow", {
    summary: "Log lines as they come",
    query: LOG_LINES,
    response: EVENTS,
  }],
  ["DELETE /logs/{namespace}/{flowId}", { summary: "Deletes log lines of a flow", query: ["triggerId"] }],
  ["GET /metrics/{executionId}", {
    summary: "A page of metrics of an execution",
    query: [...PAGE, "taskRunId", "taskId"],
    response: json(pageOf(ref("MetricEntry"))),
  }],
  ["GET /metrics/names/{namespace}/{flowId}", { summary: "Metrics of a flow", response: TEXTS }],
  ["GET /metrics/names/{namespace}/{flowId}/{taskId}", { summary: "Metrics of a task", response: TEXTS }],
  ["GET /metrics/tasks/{namespace}/{flowId}", {
    summary: "Tasks of a flow that have metrics",
    response: TEXTS,
  }],
  [`GET ${METRICS}/{metric}`, AGGREGATE],
  [`GET ${METRICS}/{taskId}/{metric}`, { ...AGGREGATE, summary: "A metric of a task over time" }],
  ["GET /outputs/{executionId}", { summary: "Task runs with outputs", response: json(listOf(MAP)) }],
  ["GET /outputs/executions/{executionId}", { summary: "Outputs of the flow", response: JSON_OBJECT }],
  ["GET /outputs/{executionId}/{taskRunId}", { summary: "Outputs of a task run", response: JSON_OBJECT }],
];
