/** Operations on log lines, metrics and dashboards. */
import {
  EVENTS,
  json,
  JSON_OBJECT,
  LOG_FILTERS,
  type OperationDetails,
  type Operations,
  PAGE,
  PLAIN_TEXT,
  TEXTS,
  YAML,
} from "../operation.ts";
import { FLAG, INTEGER, listOf, MAP, objectOf, pageOf, ref, TEXT } from "../schema.ts";

const LOG_LINES = [...LOG_FILTERS, "taskRunId", "taskId", "attempt"];
const FOUND_LINES = objectOf({
  results: listOf(ref("LogEntry")),
  total: INTEGER,
  "isTotalExact?": FLAG,
  "searchedTo?": TEXT,
  "cursor?": TEXT,
});
const AGGREGATES = "/metrics/aggregates/{namespace}/{flowId}";
const AGGREGATE: OperationDetails = {
  query: ["startDate", "endDate", "aggregation"],
  response: json(objectOf({ groupBy: TEXT, aggregations: listOf(MAP) })),
};
const METRICS = json(pageOf(ref("MetricEntry")));
const DASHBOARD = json(ref("Dashboard"));
const CHECK = json(ref("FlowCheck"));

/** By method and path. */
export const MONITORING_OPERATIONS: Operations = [
  ["GET /logs/search", "Searches log lines", {
    query: [...PAGE, "cursor", ...LOG_FILTERS],
    response: json(FOUND_LINES),
  }],
  ["GET /logs/{executionId}", "Lists the log lines of an execution", {
    query: LOG_LINES,
    response: json(listOf(ref("LogEntry"))),
  }],
  ["DELETE /logs/{executionId}", "Deletes log lines of an execution", { query: LOG_LINES }],
  ["GET /logs/{executionId}/download", "Downloads log lines as text", {
    query: LOG_LINES,
    response: PLAIN_TEXT,
  }],
  ["GET /logs/{executionId}/follow", "Streams log lines", { query: LOG_LINES, response: EVENTS }],
  ["DELETE /logs/{namespace}/{flowId}", "Deletes log lines of a flow", { query: ["triggerId"] }],
  ["GET /metrics/{executionId}", "Lists the metrics of an execution", {
    query: [...PAGE, "taskRunId", "taskId"],
    response: METRICS,
  }],
  ["GET /metrics/names/{namespace}/{flowId}", "Lists the metric names of a flow", { response: TEXTS }],
  ["GET /metrics/names/{namespace}/{flowId}/{taskId}", "Lists the metric names of a task", {
    response: TEXTS,
  }],
  ["GET /metrics/tasks/{namespace}/{flowId}", "Lists the tasks of a flow that have metrics", {
    response: TEXTS,
  }],
  [`GET ${AGGREGATES}/{metric}`, "Aggregates a metric over time", AGGREGATE],
  [`GET ${AGGREGATES}/{taskId}/{metric}`, "Aggregates a metric of a task over time", AGGREGATE],
  ["GET /dashboards", "Lists dashboards", {
    query: ["q", ...PAGE],
    response: json(pageOf(ref("Dashboard"))),
  }],
  ["POST /dashboards", "Creates a dashboard", { body: YAML, response: DASHBOARD }],
  ["GET /dashboards/settings/default-dashboards", "Gets the default dashboards; always none", {
    response: JSON_OBJECT,
  }],
  ["POST /dashboards/validate", "Validates a dashboard", { body: YAML, response: CHECK }],
  ["POST /dashboards/validate/chart", "Validates a chart", { body: YAML, response: CHECK }],
  ["GET /dashboards/{id}", "Gets a dashboard", { response: DASHBOARD }],
  ["PUT /dashboards/{id}", "Replaces a dashboard", { body: YAML, response: DASHBOARD }],
  ["DELETE /dashboards/{id}", "Deletes a dashboard", { status: 204 }],
];
