/** Log lines as JSON of the API, and the filter for lines of one execution. */
import { toIso } from "../../base/time/clock.ts";
import { taskRunId } from "../../base/id.ts";
import type { JsonObject } from "../../base/json.ts";
import { type Execution, type LogLine, taskIdOf } from "../../model/executions/execution.ts";
import { LOG_LEVELS, type LogLevel } from "../../model/flows/flow.ts";
import type { LogConditions } from "../../model/executions/log_query.ts";
import { type LineTest, lineTest, THREAD } from "./log_matcher.ts";

/** Selects log lines of one execution. */
export interface LogFilter {
  readonly minLevel?: LogLevel;
  readonly taskRunId?: string;
  readonly taskId?: string;
  /** From 0. */
  readonly attempt?: number;
  /** Further conditions. */
  readonly also?: LogConditions;
}

/** The lines that pass the filter, as JSON objects in their order. */
export function logEntries(execution: Execution, lines: readonly LogLine[], filter: LogFilter): JsonObject[] {
  return lines.filter(filterTest(execution, filter)).map((line) => entryOf(execution, line));
}

/** The test for lines of that execution. */
export function filterTest(execution: Execution, filter: LogFilter): LineTest {
  const { also } = filter;
  const isWanted = also ? lineTest(also, execution) : () => true;
  const least = filter.minLevel ? LOG_LEVELS.indexOf(filter.minLevel) : 0;
  return (line) => {
    const { taskRun, attempt, level } = line;
    if (LOG_LEVELS.indexOf(level) < least || !isWanted?.(line)) return false;
    if (filter.attempt !== undefined && filter.attempt !== attempt) return false;
    const id = taskRun === undefined ? undefined : taskRunId(execution.id, taskRun);
    if (filter.taskRunId !== undefined && filter.taskRunId !== id) return false;
    return filter.taskId === undefined || filter.taskId === taskIdOf(execution, line);
  };
}

/** A line as a JSON object. */
export function entryOf(execution: Execution, line: LogLine): JsonObject {
  const { namespace, flowId, id: executionId, kind, trigger } = execution;
  const taskId = taskIdOf(execution, line);
  const entry: JsonObject = { namespace, flowId, executionId };
  if (taskId !== undefined) entry.taskId = taskId;
  if (line.taskRun !== undefined) entry.taskRunId = taskRunId(executionId, line.taskRun);
  if (line.attempt !== undefined) entry.attemptNumber = line.attempt;
  if (trigger) entry.triggerId = trigger.id;
  entry.timestamp = toIso(line.at);
  entry.level = line.level;
  entry.thread = THREAD;
  entry.message = line.message;
  if (kind !== "NORMAL") entry.executionKind = kind;
  return entry;
}
