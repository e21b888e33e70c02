/** Flows, triggers, log lines and metrics as rows of charts. */
import { taskRunId } from "../../base/id.ts";
import { type Execution, type LogLine, taskRunOf } from "../../model/executions/execution.ts";
import type { TriggerState } from "../../model/triggers/trigger_state.ts";
import type { FlowHead } from "../../store/records/flow_records.ts";
import type { MetricEntry } from "../metrics/metrics.ts";
import type { ChartValue } from "./chart.ts";
import type { RowReader } from "./row_filter.ts";

type Fields<T> = ReadonlyMap<string, (item: T) => ChartValue>;

/** The fields of a flow. */
export function flowRow(head: FlowHead): RowReader {
  return (field) => FLOW_FIELDS.get(field)?.(head);
}

const FLOW_FIELDS: Fields<FlowHead> = new Map<string, (head: FlowHead) => ChartValue>([
  ["ID", ({ id }) => id],
  ["NAMESPACE", ({ namespace }) => namespace],
  ["REVISION", ({ revision }) => revision],
]);

/** The fields of a trigger. */
export function triggerRow(state: TriggerState): RowReader {
  return (field) => TRIGGER_FIELDS.get(field)?.(state);
}

/** Triggers are evaluated by the server itself: WORKER_ID has no value. */
const TRIGGER_FIELDS: Fields<TriggerState> = new Map<string, (state: TriggerState) => ChartValue>([
  ["ID", ({ triggerId }) => triggerId],
  ["TRIGGER_ID", ({ triggerId }) => triggerId],
  ["NAMESPACE", ({ namespace }) => namespace],
  ["FLOW_ID", ({ flowId }) => flowId],
  ["EXECUTION_ID", ({ executionId }) => executionId],
  ["NEXT_EXECUTION_DATE", ({ nextDate }) => nextDate],
]);

/** A name of the execution, which log lines and metrics have too. */
const OWNER_FIELDS: Fields<Execution> = new Map<string, (execution: Execution) => ChartValue>([
  ["NAMESPACE", ({ namespace }) => namespace],
  ["FLOW_ID", ({ flowId }) => flowId],
  ["EXECUTION_ID", ({ id }) => id],
  ["TRIGGER_ID", ({ trigger }) => trigger?.id],
]);

/** The fields of a log line; `number` counts the lines of its execution. */
export function lineRow(execution: Execution, line: LogLine, number: number): RowReader {
  const { taskRun } = line;
  const own = (field: string): ChartValue => {
    switch (field) {
      case "ID":
        return `${execution.id}-${number}`;
      case "DATE":
        return line.at;
      case "LEVEL":
        return line.level;
      case "MESSAGE":
        return line.message;
      case "ATTEMPT_NUMBER":
        return line.attempt;
      case "TASK_RUN_ID":
        return taskRun === undefined ? undefined : taskRunId(execution.id, taskRun);
      case "TASK_ID":
        return taskRun === undefined ? undefined : taskRunOf(execution, taskRun)?.taskId;
    }
  };
  return (field) => OWNER_FIELDS.get(field)?.(execution) ?? own(field);
}

/** The fields of a metric. Timers are in milliseconds. */
export function metricRow(execution: Execution, entry: MetricEntry): RowReader {
  const own = new Map<string, ChartValue>([
    ["TASK_ID", entry.taskId],
    ["TASK_RUN_ID", taskRunId(execution.id, entry.taskRun)],
    ["TYPE", entry.type],
    ["NAME", entry.name],
    ["VALUE", entry.value],
    ["DATE", entry.at],
  ]);
  return (field) => own.get(field) ?? OWNER_FIELDS.get(field)?.(execution);
}
