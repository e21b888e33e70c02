/** Attempt logs as files of their execution: paths and line format. */
import { toIso } from "../../base/time/clock.ts";
import { taskRunId } from "../../base/id.ts";
import type { Execution, LogLine, TaskRun } from "./execution.ts";
import { STORAGE_SCHEME } from "../namespaces/storage_uri.ts";

const PATH = /^tasks\/[^/]+\/([^/]+)\/attempt-(\d{1,9})\.log$/;

/** Storage URI of the log of an attempt; `attempt` counts from 0. */
export function logFileUri(
  { id, namespace, flowId }: Pick<Execution, "id" | "namespace" | "flowId">,
  { taskId, ordinal }: Pick<TaskRun, "taskId" | "ordinal">,
  attempt: number,
): string {
  const folder = `${STORAGE_SCHEME}/${namespace.replaceAll(".", "/")}/${flowId}/executions/${id}`;
  const task = taskId.toLowerCase().replaceAll("_", "-");
  return `${folder}/tasks/${task}/${taskRunId(id, ordinal)}/attempt-${attempt + 1}.log`;
}

/** Parses a path of {@link logFileUri} relative to the execution folder; `undefined` for any other path. */
export function parseLogFilePath(path: string): { id: string; attempt: number } | undefined {
  const [, id, number] = PATH.exec(path) ?? [];
  return id === undefined ? undefined : { id, attempt: Number(number) - 1 };
}

/** One line of the file: timestamp, level, message, line break. */
export function logLineText({ at, level, message }: Pick<LogLine, "at" | "level" | "message">): string {
  return `${toIso(at)} ${level.padEnd(5)} ${message}\n`;
}
