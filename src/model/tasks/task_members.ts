/** The members that every task has, whatever its type. What each may hold, and what it does, says `flow/schema/flow_schema.ts`. */

/** Members of every task, as flows write them. */
export const TASK_MEMBERS = [
  "id",
  "type",
  "version",
  "description",
  "disabled",
  "runIf",
  "retry",
  "timeout",
  "allowFailure",
  "allowWarning",
  "logLevel",
  "logToFile",
  "taskCache",
  "workerGroup",
  "workerSelector",
  "assets",
] as const;

/** One of {@link TASK_MEMBERS}. */
export type TaskMember = typeof TASK_MEMBERS[number];
