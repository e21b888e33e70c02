/** Log lines as the API answers them. */
import { toIso } from "../base/clock.ts";
import { taskRunId } from "../base/id.ts";
import type { JsonObject } from "../base/json.ts";
import { type Execution, type LogLine, taskRunOf } from "../model/execution.ts";
import { LOG_LEVELS, type LogLevel } from "../model/flow.ts";

/** Which log lines. */
export interface LogFilter {
  readonly minLevel?: LogLevel;
  readonly taskRunId?: string;
  readonly taskId?: string;
  /** From 0. */
  readonly attempt?: number;
}

/** The lines that pass the filter, as JSON objects in their order. */
export function logEntries(execution: Execution, lines: readonly LogLine[], filter: LogFilter): JsonObject[] {
  const least = filter.minLevel ? LOG_LEVELS.indexOf(filter.minLevel) : 0;
  const entries: JsonObject[] = [];
  for (const line of lines) {
    const taskRun = line.taskRun === undefined ? undefined : taskRunOf(execution, line.taskRun);
    const id = line.taskRun === undefined ? undefined : taskRunId(execution.id, line.taskRun);
    const passes = LOG_LEVELS.indexOf(line.level) >= least &&
      (filter.taskRunId === undefined || filter.taskRunId === id) &&
      (filter.taskId === undefined || filter.taskId === taskRun?.taskId) &&
      (filter.attempt === undefined || filter.attempt === line.attempt);
    if (passes) entries.push(entryOf(execution, line, taskRun?.taskId, id));
  }
  return entries;
}

function entryOf(execution: Execution, line: LogLine, taskId?: string, id?: string): JsonObject {
  const entry: JsonObject = {
    namespace: execution.namespace,
    flowId: execution.flowId,
    executionId: execution.id,
  };
  if (taskId !== undefined) entry.taskId = taskId;
  if (id !== undefined) entry.taskRunId = id;
  if (line.attempt !== undefined) entry.attemptNumber = line.attempt;
  if (execution.trigger) entry.triggerId = execution.trigger.id;
  entry.timestamp = toIso(line.at);
  entry.level = line.level;
  entry.thread = "main";
  entry.message = line.message;
  return entry;
}
