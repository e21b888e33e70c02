/** Operations on log lines, metrics, dashboards, charts, statistics and task runs. */
import {
  CSV,
  EVENTS,
  EXECUTION_FILTERS,
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
import {
  ANYTHING,
  FLAG,
  INSTANT,
  INTEGER,
  listOf,
  MAP,
  objectOf,
  oneOf,
  pageOf,
  ref,
  TEXT,
} from "../schema.ts";

/** Of one execution, which the path names. */
const LOG_LINES = [
  ...LOG_FILTERS.filter((name) => name !== "executionId"),
  ...["taskRunId", "taskId", "attempt"],
];
const FOUND_LINES = objectOf({
  results: listOf(ref("LogEntry")),
  total: INTEGER,
  type: oneOf(["OFFSET", "CURSOR"]),
  "isTotalExact?": FLAG,
  "searchedTo?": TEXT,
  "cursor?": TEXT,
  "nextCursor?": TEXT,
});
const AGGREGATES = "/metrics/aggregates/{namespace}/{flowId}";
const AGGREGATE: OperationDetails = {
  query: ["startDate", "endDate", "aggregation"],
  response: json(ref("MetricAggregates")),
};
const METRICS = json(pageOf(ref("MetricEntry")));
const DASHBOARD = json(ref("Dashboard"));
const CHECK = json(ref("FlowCheck"));
const CHART_QUERY = [...EXECUTION_FILTERS, "pageNumber", "pageSize"];
const CHART_REQUEST = objectOf({
  "filters?": listOf(objectOf({ field: TEXT, "operation?": TEXT, "value?": ANYTHING })),
  "startDate?": TEXT,
  "endDate?": TEXT,
  "timeRange?": TEXT,
  "namespace?": TEXT,
  "labels?": MAP,
  "pageNumber?": INTEGER,
  "pageSize?": INTEGER,
});
const PREVIEW = json(objectOf({ chart: ANYTHING, "globalFilter?": CHART_REQUEST }));
const CHART_DATA = json(objectOf({ results: listOf(MAP), total: INTEGER, "isTotalExact?": FLAG }));
const STATISTICS_REQUEST = json(objectOf({
  "q?": TEXT,
  "scope?": ANYTHING,
  "namespace?": TEXT,
  "flowId?": TEXT,
  "state?": listOf(TEXT),
  "startDate?": TEXT,
  "endDate?": TEXT,
}));
const FLOWS_REQUEST = json(objectOf({
  "flows?": listOf(objectOf({ namespace: TEXT, id: TEXT })),
  "namespaceOnly?": FLAG,
  "namespace?": TEXT,
  "startDate?": TEXT,
  "endDate?": TEXT,
}));
/** Seconds, or ISO 8601 text for a caller that wants it. */
const DURATION = { type: ["number", "string"] };
const COUNTS = { type: "object", additionalProperties: INTEGER };
const STATE_ENTRIES = json(listOf(objectOf({
  startDate: INSTANT,
  groupBy: TEXT,
  duration: objectOf({ min: DURATION, avg: DURATION, max: DURATION, sum: DURATION, count: INTEGER }),
  executionCounts: COUNTS,
})));

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
  ["POST /dashboards/validate", "Validates a dashboard, and gets what its source declares", {
    body: YAML,
    response: json(ref("DashboardCheck")),
  }],
  ["POST /dashboards/validate/chart", "Validates a chart", { body: YAML, response: CHECK }],
  ["POST /dashboards/charts/preview", "Gets the data of a chart that is not saved", {
    body: PREVIEW,
    response: CHART_DATA,
  }],
  ["POST /dashboards/charts/export/to-csv", "Gets the data of a chart that is not saved, as CSV", {
    body: PREVIEW,
    response: CSV,
  }],
  ["GET /dashboards/{id}/charts/{chartId}", "Gets the data of a chart", {
    query: CHART_QUERY,
    response: CHART_DATA,
  }],
  ["POST /dashboards/{id}/charts/{chartId}", "Gets the data of a chart, with filters in the body", {
    body: json(CHART_REQUEST),
    isBodyOptional: true,
    response: CHART_DATA,
  }],
  ["GET /dashboards/{id}/charts/{chartId}/export/to-csv", "Gets the data of a chart as CSV", {
    query: CHART_QUERY,
    response: CSV,
  }],
  [
    "POST /dashboards/{id}/charts/{chartId}/export/to-csv",
    "Gets the data of a chart as CSV, with filters in the body",
    { body: json(CHART_REQUEST), isBodyOptional: true, response: CSV },
  ],
  ["POST /stats/summary", "Counts flows and triggers", {
    body: json(objectOf({ "namespace?": TEXT })),
    isBodyOptional: true,
    response: json(objectOf({ flows: INTEGER, triggers: INTEGER })),
  }],
  ["POST /stats/executions/daily", "Counts executions by time and state", {
    body: STATISTICS_REQUEST,
    isBodyOptional: true,
    response: STATE_ENTRIES,
  }],
  ["POST /stats/executions/daily/group-by-flow", "Counts executions by namespace, flow, time and state", {
    body: FLOWS_REQUEST,
    isBodyOptional: true,
    response: JSON_OBJECT,
  }],
  ["POST /stats/executions/daily/group-by-namespace", "Counts executions by namespace and state", {
    body: STATISTICS_REQUEST,
    isBodyOptional: true,
    response: json({
      type: "object",
      additionalProperties: objectOf({ counts: COUNTS, total: INTEGER }),
    }),
  }],
  ["POST /stats/executions/latest/group-by-flow", "Gets the newest execution of each flow that has ended", {
    body: FLOWS_REQUEST,
    isBodyOptional: true,
    response: json(listOf(ref("Execution"))),
  }],
  ["POST /stats/logs/daily", "Counts log lines by time and level", {
    body: json(objectOf({ "q?": TEXT, "namespace?": TEXT, "flowId?": TEXT, "logLevel?": TEXT })),
    isBodyOptional: true,
    response: json(listOf(objectOf({ timestamp: INSTANT, counts: COUNTS, groupBy: TEXT }))),
  }],
  ["POST /stats/taskruns/daily", "Counts task runs by time and state", {
    body: STATISTICS_REQUEST,
    isBodyOptional: true,
    response: STATE_ENTRIES,
  }],
  ["GET /taskruns/search", "Searches task runs over all executions", {
    query: [...PAGE, ...EXECUTION_FILTERS],
    response: json(objectOf({ results: listOf(ref("TaskRun")), total: INTEGER, isTotalExact: FLAG })),
  }],
  ["GET /taskruns/maxTaskRunSetting", "Gets the largest number of task runs that a search finds", {
    response: json(INTEGER),
  }],
  ["GET /usages/all", "Gets what the tenant uses", { response: JSON_OBJECT }],
  ["GET /dashboards/{id}", "Gets a dashboard", { response: DASHBOARD }],
  ["PUT /dashboards/{id}", "Replaces a dashboard", { body: YAML, response: DASHBOARD }],
  ["DELETE /dashboards/{id}", "Deletes a dashboard", { status: 204 }],
];
