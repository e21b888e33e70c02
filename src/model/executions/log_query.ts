/** Queries for lists of log lines: conditions, order, page. Both filter syntaxes of the API are parsed into this. */
import type { Instant } from "../../base/time/clock.ts";
import type {
  ConditionSet,
  DateCondition,
  NameOperator,
  ScopeCondition,
  TextCondition,
} from "./execution_query.ts";
import type { LogLevel } from "../flows/flow.ts";

/** Compares a name of the line; a missing name equals the empty text. */
export interface LogNameCondition {
  readonly field: "namespace" | "flowId" | "executionId" | "triggerId";
  readonly operator: NameOperator;
  /** One text, or several for IN and NOT_IN. */
  readonly values: readonly string[];
}

/** Compares the task, task run or attempt number (from 0) of the line; a missing one equals the empty text. */
export interface LogWriterCondition extends Pick<LogNameCondition, "operator" | "values"> {
  readonly field: "taskId" | "taskRunId" | "attemptNumber";
}

/** The level is in the list; an empty list matches nothing. */
interface LevelCondition {
  readonly field: "level";
  readonly levels: readonly LogLevel[];
}

/** Compares the time of the line. */
interface TimestampCondition extends Pick<DateCondition, "operator" | "at"> {
  readonly field: "timestamp";
}

/** A condition on one log line. A text condition searches names, task, thread and message. */
export type LogCondition =
  | TextCondition
  | LogNameCondition
  | LogWriterCondition
  | ScopeCondition
  | TimestampCondition
  | LevelCondition;

/** Filter of log lines. */
export type LogConditions = ConditionSet<LogCondition>;

/** Position of a line in the search order. */
export interface LogPlace {
  /** Time of the line, at most the end of its execution. */
  readonly key: Instant;
  readonly executionId: string;
  /** Number of the line within its execution, in write order. */
  readonly number: number;
}

/** Filter and page, ordered by time. */
export interface LogQuery extends LogConditions {
  readonly descending: boolean;
  /** From 1. */
  readonly page: number;
  readonly size: number;
  /** Only lines after this position; page 1 starts there. */
  readonly after?: LogPlace;
}
