/** What a parent logs of an execution that has not succeeded: the task that failed, and its last error lines. */
import type { EndReport } from "../../engine/events.ts";
import type { Execution, LogLine, TaskRun } from "../../model/executions/execution.ts";
import type { LogLevel } from "../../model/flows/flow.ts";
import { currentState, type State } from "../../model/executions/state.ts";

/** Lines of one report: the last one of a script is only its exit code. */
const MAX_LINES = 2;
const MAX_LINE_CHARS = 300;

/** Levels that explain an end. */
const LEVELS: ReadonlyMap<State, ReadonlySet<LogLevel>> = new Map<State, ReadonlySet<LogLevel>>([
  ["FAILED", new Set(["ERROR"])],
  ["WARNING", new Set(["ERROR", "WARN"])],
]);

/**
 * The report of an ended execution; `undefined` for an end that needs none. `earlier` are its committed lines that are in
 * memory: others are not read, the log of the execution has them.
 */
export function endReport(execution: Execution, earlier: readonly LogLine[] = []): EndReport | undefined {
  const { namespace, flowId, taskRuns, newLogs, lastErrors = [] } = execution;
  const state = currentState(execution.history);
  const flow = `${namespace}.${flowId}`;
  const levels = LEVELS.get(state);
  if (!levels) return state === "KILLED" ? { flow } : undefined;
  const cause = firstCause(taskRuns, state);
  const lastAttempt = cause && Math.max(0, cause.attempts.length - 1);
  const isMeant = ({ taskRun, attempt, level, isContinuation }: LogLine) =>
    !isContinuation && taskRun === cause?.ordinal && attempt === lastAttempt && levels.has(level);
  const found = lastLines([earlier, newLogs], isMeant);
  // A long log is committed piece by piece while its task runs.
  const recent = lastLines([lastErrors], isMeant);
  return { flow, task: cause?.taskId, lines: recent.length > found.length ? recent : found };
}

/** The first task run in that state of which no child is in it. */
function firstCause(taskRuns: readonly TaskRun[], state: State): TaskRun | undefined {
  const ended = taskRuns.filter(({ history }) => currentState(history) === state);
  const parents = new Set(ended.map(({ parent }) => parent));
  return ended.find(({ ordinal }) => !parents.has(ordinal));
}

function lastLines(logs: readonly (readonly LogLine[])[], isMeant: (line: LogLine) => boolean): string[] {
  const found: string[] = [];
  for (const lines of logs.toReversed()) {
    for (let i = lines.length - 1; i >= 0 && found.length < MAX_LINES; i--) {
      const line = lines[i] as LogLine;
      if (isMeant(line)) found.unshift(shortened(line.message));
    }
  }
  return found;
}

function shortened(message: string): string {
  const text = message.trim();
  return text.length > MAX_LINE_CHARS ? `${text.slice(0, MAX_LINE_CHARS)} …` : text;
}
