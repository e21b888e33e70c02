/** The built-in dashboard, which front ends load by its id. */
import { CHART_TYPE_PREFIX, DATA_TYPE_PREFIX } from "./chart.ts";

/** Its id. */
export const DEFAULT_DASHBOARD_ID = "default";

const CHART = `io.kestra.plugin.${CHART_TYPE_PREFIX}`;
const DATA = `io.kestra.plugin.${DATA_TYPE_PREFIX}`;

/** Its source: shares of states, executions and log lines over time, what runs now and next. */
export function defaultDashboardSource(): string {
  return `id: ${DEFAULT_DASHBOARD_ID}
title: Overview
description: Executions, log lines and schedules of all flows
timeWindow:
  default: P30D
  max: P365D
charts:
${SHARES.map(share).join("")}${CHARTS}`;
}

const SHARES = [
  { id: "success_ratio", name: "Success Ratio", states: ["SUCCESS"] },
  { id: "failed_ratio", name: "Failed Ratio", states: ["FAILED"] },
  {
    id: "running_ratio",
    name: "Running Ratio",
    states: ["RUNNING", "PAUSED", "RESTARTED", "RETRYING", "KILLING"],
  },
  { id: "pending_ratio", name: "Pending Ratio", states: ["CREATED", "QUEUED"] },
];

function share({ id, name, states }: typeof SHARES[number]): string {
  return `  - id: ${id}
    type: ${CHART}KPI
    chartOptions: {displayName: ${name}, numberType: PERCENTAGE, width: 3}
    data:
      type: ${DATA}ExecutionsKPI
      columns: {field: ID, agg: COUNT}
      numerator:
        - {type: IN, field: STATE, values: [${states.join(", ")}]}
`;
}

const CHARTS = `  - id: executions_over_time
    type: ${CHART}TimeSeries
    chartOptions:
      displayName: Executions
      description: Number and duration of executions
      legend: {enabled: true}
      column: date
      colorByColumn: state
      width: 8
    data:
      type: ${DATA}Executions
      columns:
        date: {field: START_DATE, displayName: Date}
        state: {field: STATE}
        total: {displayName: Executions, agg: COUNT, graphStyle: BARS}
        duration: {field: DURATION, displayName: Duration, agg: SUM, graphStyle: LINES}
  - id: executions_by_state
    type: ${CHART}Pie
    chartOptions: {displayName: States, graphStyle: DONUT, colorByColumn: state, width: 4}
    data:
      type: ${DATA}Executions
      columns:
        state: {field: STATE, displayName: State}
        total: {field: ID, displayName: Executions, agg: COUNT}
  - id: executions_in_progress
    type: ${CHART}Table
    chartOptions: {displayName: Executions in Progress, pagination: {enabled: true}, width: 6}
    data:
      type: ${DATA}Executions
      columns:
        id: {field: ID, displayName: Execution}
        namespace: {field: NAMESPACE, displayName: Namespace}
        flow: {field: FLOW_ID, displayName: Flow}
        start_date: {field: START_DATE, displayName: Start}
        state: {field: STATE, displayName: State}
      where:
        - {type: IN, field: STATE, values: [CREATED, QUEUED, RUNNING, PAUSED, RESTARTED, RETRYING, KILLING]}
  - id: next_executions
    type: ${CHART}Table
    chartOptions: {displayName: Next Executions, pagination: {enabled: true}, width: 6}
    data:
      type: ${DATA}Triggers
      columns:
        namespace: {field: NAMESPACE, displayName: Namespace}
        flow: {field: FLOW_ID, displayName: Flow}
        next: {field: NEXT_EXECUTION_DATE, displayName: Next Date}
      where:
        - {type: IS_NOT_NULL, field: NEXT_EXECUTION_DATE}
      orderBy:
        - {column: next, order: ASC}
  - id: executions_by_namespace
    type: ${CHART}Bar
    chartOptions: {displayName: Executions by Namespace, legend: {enabled: true}, column: namespace, width: 12}
    data:
      type: ${DATA}Executions
      columns:
        namespace: {field: NAMESPACE}
        state: {field: STATE}
        total: {displayName: Executions, agg: COUNT}
  - id: logs_over_time
    type: ${CHART}TimeSeries
    chartOptions: {displayName: Log Lines, legend: {enabled: true}, column: date, colorByColumn: level, width: 12}
    data:
      type: ${DATA}Logs
      columns:
        date: {field: DATE, displayName: Date}
        level: {field: LEVEL}
        total: {displayName: Lines, agg: COUNT, graphStyle: BARS}
`;
