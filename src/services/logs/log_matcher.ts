/** Tests log lines against conditions. Conditions on the execution are evaluated once for all of its lines. */
import { taskRunId } from "../../base/id.ts";
import { type Execution, type LogLine, taskIdOf } from "../../model/executions/execution.ts";
import {
  matchesDate,
  matchesName,
  SYSTEM_NAMESPACE,
  type TextCondition,
} from "../../model/executions/execution_query.ts";
import type {
  LogCondition,
  LogConditions,
  LogNameCondition,
  LogWriterCondition,
} from "../../model/executions/log_query.ts";

/** True for a matching line. */
export type LineTest = (line: LogLine) => boolean;

const MIN_PART_OF_ID = 4;

/** The thread name of every line. */
export const THREAD = "main";

/** The test for lines of that execution; `undefined` if none can match. */
export function lineTest({ conditions, groups }: LogConditions, execution: Execution): LineTest | undefined {
  const all = conjunction(conditions, execution);
  if (!all || groups.length === 0) return all;
  const possible = groups.map((group) => conjunction(group, execution)).filter((test) => test !== undefined);
  if (possible.length === 0) return undefined;
  return (line) => all(line) && possible.some((test) => test(line));
}

function conjunction(conditions: readonly LogCondition[], execution: Execution): LineTest | undefined {
  const tests: LineTest[] = [];
  for (const condition of conditions) {
    const test = testOf(condition, execution);
    if (test === false) return undefined;
    if (test !== true) tests.push(test);
  }
  return tests.length === 0 ? () => true : (line) => tests.every((test) => test(line));
}

/** A boolean if the execution alone decides. */
function testOf(condition: LogCondition, execution: Execution): LineTest | boolean {
  switch (condition.field) {
    case "scope":
      return (execution.namespace === SYSTEM_NAMESPACE) === condition.system;
    case "level":
      return condition.levels.length > 0 && (({ level }) => condition.levels.includes(level));
    case "timestamp":
      return ({ at }) => matchesDate(condition.operator, condition.at, at);
    case "text":
      return textTest(condition, execution);
    case "taskId":
    case "taskRunId":
    case "attemptNumber": {
      const { field, operator, values } = condition;
      return (line) => matchesName(operator, values, writerOf(field, line, execution));
    }
    default:
      return matchesName(condition.operator, condition.values, nameOf(condition.field, execution));
  }
}

function nameOf(field: LogNameCondition["field"], execution: Execution): string {
  switch (field) {
    case "executionId":
      return execution.id;
    case "triggerId":
      return execution.trigger?.id ?? "";
    case "namespace":
      return execution.namespace;
    case "flowId":
      return execution.flowId;
  }
}

function writerOf(field: LogWriterCondition["field"], line: LogLine, execution: Execution): string {
  const { taskRun, attempt } = line;
  if (field === "attemptNumber") return attempt === undefined ? "" : String(attempt);
  if (taskRun === undefined) return "";
  if (field === "taskRunId") return taskRunId(execution.id, taskRun);
  return taskIdOf(execution, line) ?? "";
}

/** Every word must occur in the names and ids of execution or task, or in the message. */
function textTest({ words, negated }: TextCondition, execution: Execution): LineTest {
  const { namespace, flowId, trigger } = execution;
  const names = [namespace, flowId, trigger?.id ?? "", THREAD].join(" ").toLowerCase();
  const id = execution.id.toLowerCase();
  const open = words.map((word) => word.toLowerCase())
    .filter((word) => !names.includes(word) && !isPartOfId(word, id));
  return (line) => {
    if (open.length === 0) return !negated;
    const { taskRun } = line;
    const text = `${taskIdOf(execution, line) ?? ""} ${line.message}`.toLowerCase();
    const runId = taskRun === undefined ? "" : taskRunId(execution.id, taskRun).toLowerCase();
    return open.every((word) => text.includes(word) || isPartOfId(word, runId)) !== negated;
  };
}

/** Shorter words match ids by chance. */
function isPartOfId(word: string, id: string): boolean {
  return word.length >= MIN_PART_OF_ID && id.includes(word);
}
