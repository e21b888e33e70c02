/** What a list of log lines may be asked: conditions, order, page. Both filter syntaxes of the API are read into this. */
import type { Instant } from "../../base/clock.ts";
import type {
  ConditionSet,
  DateCondition,
  NameOperator,
  ScopeCondition,
  TextCondition,
} from "./execution_query.ts";
import type { LogLevel } from "../flows/flow.ts";

/** Names that a log line can be found by. */
const LOG_NAMES = ["namespace", "flowId", "executionId", "triggerId"] as const;

/** Of a name that belongs to the line; one that it has not is the empty text. */
export interface LogNameCondition {
  readonly field: typeof LOG_NAMES[number];
  readonly operator: NameOperator;
  /** One text, or several for IN and NOT_IN. */
  readonly values: readonly string[];
}

/** Of what wrote the line: its task, its task run, and the number of the attempt from 0; one that it has not is the empty text. */
export interface LogWriterCondition extends Pick<LogNameCondition, "operator" | "values"> {
  readonly field: "taskId" | "taskRunId" | "attemptNumber";
}

/** Its level is one of these; of none, no line matches. */
interface LevelCondition {
  readonly field: "level";
  readonly levels: readonly LogLevel[];
}

/** When the line was written. */
interface TimestampCondition extends Pick<DateCondition, "operator" | "at"> {
  readonly field: "timestamp";
}

/** A condition on one log line. Words of a text occur in its names, its task, its thread or its message. */
export type LogCondition =
  | TextCondition
  | LogNameCondition
  | LogWriterCondition
  | ScopeCondition
  | TimestampCondition
  | LevelCondition;

/** Which lines are wanted. */
export type LogConditions = ConditionSet<LogCondition>;

/** Where a line is in the order of a search. */
export interface LogPlace {
  /** Its time; not after the end of its execution. */
  readonly key: Instant;
  readonly executionId: string;
  /** Of the lines of its execution, in order of writing. */
  readonly number: number;
}

/** A page of log lines in the order of their times. */
export interface LogQuery extends LogConditions {
  readonly descending: boolean;
  /** From 1. */
  readonly page: number;
  readonly size: number;
  /** Only lines that come after this place; pages are counted from there. */
  readonly after?: LogPlace;
}
