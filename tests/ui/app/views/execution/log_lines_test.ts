import { assertEquals } from "@std/assert";
import {
  filteredLines,
  type LogFilter,
  rowsOf,
} from "../../../../../src/ui/app/views/execution/log_lines.ts";

const LINES = [
  { number: 1, timestamp: "", level: "DEBUG", taskId: "a", taskRunId: "1", message: "begin" },
  { number: 2, timestamp: "", level: "INFO", taskId: "a", taskRunId: "1", message: "Row 10 (of 20)" },
  { number: 3, timestamp: "", level: "ERROR", taskId: "b", taskRunId: "2", message: "no row 11" },
] as const;
const ALL: LogFilter = { level: "TRACE", taskRunId: "", taskId: "", text: "" };

const CASES: readonly (readonly [name: string, filter: Partial<LogFilter>, expected: readonly number[]])[] = [
  ["without a filter all", {}, [1, 2, 3]],
  ["a level and those above it", { level: "INFO" }, [2, 3]],
  ["a level that is unknown hides nothing", { level: "?" }, [1, 2, 3]],
  ["a task", { taskId: "b" }, [3]],
  ["a task run", { taskRunId: "1" }, [1, 2]],
  ["a text in any case", { text: "ROW" }, [2, 3]],
  ["a regular expression", { text: "/row 1[1-9]/" }, [3]],
  ["what is no regular expression, as a text", { text: "/(/" }, []],
  ["a text with special characters", { text: "(of" }, [2]],
];

for (const [name, filter, expected] of CASES) {
  Deno.test(`filteredLines() finds ${name}; numbers stay`, () => {
    assertEquals(filteredLines(LINES, { ...ALL, ...filter }).map(({ number }) => number), expected);
  });
}

const ROWS: readonly (readonly [message: string, columns: number, rows: number])[] = [
  ["", 10, 1],
  ["1234567890", 10, 1],
  ["12345678901", 10, 2],
  ["a\nb", Infinity, 2],
  ["a\n\n12345678901", 10, 4],
  ["\x1b[32m1234567890\x1b[0m", 10, 1],
];

for (const [message, columns, rows] of ROWS) {
  Deno.test(`rowsOf() ${JSON.stringify(message)} in ${columns} columns takes ${rows}`, () => {
    assertEquals(rowsOf(message, columns), rows);
  });
}
