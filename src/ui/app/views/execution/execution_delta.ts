/** Messages of the delta stream of an execution, applied to what is known of it. */
import type { ExecutionInfo, TaskRunInfo } from "../../api/execution.ts";

/** A message: the whole execution, or what has changed. */
export interface ExecutionMessage {
  readonly execution?: ExecutionInfo;
  /** Members of the execution; `null` removes one. */
  readonly changed?: Readonly<Record<string, unknown>>;
  /** Changed and new task runs, whole. */
  readonly taskRuns?: readonly TaskRunInfo[];
  /** Ids of task runs that do not exist any more. */
  readonly removed?: readonly string[];
  /** After a reconnect: the ids of all task runs. */
  readonly taskRunIds?: readonly string[];
  /** The execution has ended; no message follows. */
  readonly end?: boolean;
}

/** The execution after a message. @returns `undefined` if a change came before the execution itself */
export function applyMessage(
  known: ExecutionInfo | undefined,
  message: ExecutionMessage,
): ExecutionInfo | undefined {
  if (message.execution) return message.execution;
  if (!known) return undefined;
  const members = { ...known, ...message.changed };
  const left = Object.entries(members).filter(([, value]) => value !== null);
  return {
    ...Object.fromEntries(left) as unknown as ExecutionInfo,
    taskRunList: taskRunsAfter(known, message),
  };
}

function taskRunsAfter(
  { taskRunList = [] }: ExecutionInfo,
  { taskRuns = [], removed = [], taskRunIds }: ExecutionMessage,
): readonly TaskRunInfo[] {
  if (taskRuns.length + removed.length === 0 && !taskRunIds) return taskRunList;
  const byId = new Map(taskRunList.map((taskRun) => [taskRun.id, taskRun]));
  for (const taskRun of taskRuns) byId.set(taskRun.id, taskRun);
  for (const id of removed) byId.delete(id);
  const kept = taskRunIds && new Set(taskRunIds);
  return [...byId.values()].filter(({ id }) => !kept || kept.has(id));
}
