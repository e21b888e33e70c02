/** Lines of a log: numbers, filters, heights. Numbers are those of the whole log, so that a link to a line stays true. */
import type { LogEntry } from "../../api/execution.ts";

/** Levels, the least severe first. */
export const LEVELS = ["TRACE", "DEBUG", "INFO", "WARN", "ERROR"] as const;

/** A line with its number from 1. */
export interface LogLine extends LogEntry {
  readonly number: number;
}

/** Which lines are shown. */
export interface LogFilter {
  /** The least severe level. */
  readonly level: string;
  readonly taskRunId: string;
  readonly taskId: string;
  /** A text, or `/a regular expression/`. */
  readonly text: string;
}

/** The lines that match. A regular expression that is not valid is searched for as a text. */
export function filteredLines(lines: readonly LogLine[], filter: LogFilter): readonly LogLine[] {
  const { level, taskRunId, taskId, text } = filter;
  const least = LEVELS.findIndex((each) => each === level);
  const matches = matcherOf(text);
  return lines.filter((line) =>
    (least <= 0 || LEVELS.indexOf(line.level) >= least) &&
    (taskRunId === "" || line.taskRunId === taskRunId) &&
    (taskId === "" || line.taskId === taskId) &&
    matches(line.message)
  );
}

function matcherOf(text: string): (message: string) => boolean {
  if (text === "") return () => true;
  const [, source] = /^\/(.+)\/$/.exec(text) ?? [];
  if (source !== undefined) {
    try {
      const expression = new RegExp(source, "i");
      return (message) => expression.test(message);
    } catch {
      // It is searched for as it stands.
    }
  }
  const wanted = text.toLowerCase();
  return (message) => message.toLowerCase().includes(wanted);
}

/** Number of rows that a message takes with that many characters in a row. */
export function rowsOf(message: string, columns: number): number {
  if (!message.includes("\n")) return Math.max(1, Math.ceil(visibleLength(message) / columns));
  let rows = 0;
  for (const line of message.split("\n")) rows += Math.max(1, Math.ceil(visibleLength(line) / columns));
  return rows;
}

// deno-lint-ignore no-control-regex
const CODES = /\x1b\[[0-9;]*[A-Za-z]/g;

function visibleLength(text: string): number {
  return text.includes("\x1b") ? text.replace(CODES, "").length : text.length;
}
