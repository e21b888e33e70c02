/** All task types. A new one is a file of its own and a line here. */
import type { TaskCatalog, TaskType } from "../model/task_catalog.ts";
import { failTask } from "./execution/fail.ts";
import { logTask } from "./log/log.ts";
import { returnTask } from "./debug/return.ts";
import { sleepTask } from "./flow/sleep.ts";

const TASK_TYPES: readonly TaskType[] = [
  failTask,
  logTask,
  returnTask,
  sleepTask,
];

/** The catalog of the built-in types, and of `extra` ones. */
export function createTaskCatalog(extra: readonly TaskType[] = []): TaskCatalog {
  const types = [...TASK_TYPES, ...extra].sort((a, b) => a.type < b.type ? -1 : 1);
  const byName = new Map(
    types.flatMap((type) => [type.type, ...type.aliases].map((name) => [name, type] as const)),
  );
  return { find: (kind) => byName.get(kind), list: () => types };
}
