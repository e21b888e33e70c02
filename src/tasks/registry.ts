/** All task types. A new one is a file and a line here or in the registry of its group. */
import { loadAllTypes, loadTypes } from "../integrations/loading.ts";
import type { TypeDeclaration } from "../model/flows/type_declaration.ts";
import type { TaskCatalog, TaskType, TypeList } from "../model/tasks/task_catalog.ts";
import { LOADED_PARTS, LoadedTypes } from "./definition/loaded_types.ts";
import { taskTypeOf } from "./definition/task_type.ts";
import { echoTask } from "./debug/echo.ts";
import { returnTask } from "./debug/return.ts";
import { DOCKER_TASKS } from "./docker/registry.ts";
import { EXECUTION_TASKS } from "./execution/registry.ts";
import { FOR_EACH_ITEM_PARTS } from "./flow/for_each_item.ts";
import { FLOW_TASKS } from "./flow/registry.ts";
import { httpDownloadTask } from "./http/download.ts";
import { httpRequestTask } from "./http/request.ts";
import { httpSseRequestTask } from "./http/sse_request.ts";
import { KV_TASKS } from "./kv/registry.ts";
import { fetchLogsTask } from "./log/fetch.ts";
import { logTask } from "./log/log.ts";
import { purgeLogsTask } from "./log/purge_logs.ts";
import { publishTask } from "./metric/publish.ts";
import { deleteFilesTask } from "./namespace/delete_files.ts";
import { downloadFilesTask } from "./namespace/download_files.ts";
import { purgeFilesTask } from "./namespace/purge_files.ts";
import { uploadFilesTask } from "./namespace/upload_files.ts";
import { outputValuesTask } from "./output/output_values.ts";
import { CLI_TASKS } from "./scripts/cli/registry.ts";
import { SCRIPT_TASKS } from "./scripts/registry.ts";
import { TASK_RUNNERS } from "./scripts/task_runner.ts";
import { stateDeleteTask } from "./state/delete.ts";
import { stateGetTask } from "./state/get.ts";
import { stateSetTask } from "./state/set.ts";
import { STORAGE_TASKS } from "./storage/registry.ts";
import { templatedTask } from "./templating/templated_task.ts";
import { toggleTask } from "./trigger/toggle.ts";

const TASK_TYPES: readonly TaskType[] = [
  echoTask,
  returnTask,
  ...DOCKER_TASKS,
  ...EXECUTION_TASKS,
  ...FLOW_TASKS,
  httpDownloadTask,
  httpRequestTask,
  httpSseRequestTask,
  ...KV_TASKS,
  fetchLogsTask,
  logTask,
  purgeLogsTask,
  publishTask,
  deleteFilesTask,
  downloadFilesTask,
  purgeFilesTask,
  uploadFilesTask,
  outputValuesTask,
  ...SCRIPT_TASKS,
  ...CLI_TASKS,
  stateDeleteTask,
  stateGetTask,
  stateSetTask,
  ...STORAGE_TASKS,
  templatedTask,
  toggleTask,
];

const INTEGRATIONS = new LoadedTypes<TaskType>(({ tasks }) =>
  tasks.map((definition) => ({ ...taskTypeOf(definition), runsOnWorkers: true }))
);

/** The catalog of the built-in types and of `extra` ones. */
export function createTaskCatalog(extra: readonly TaskType[] = []): TaskCatalog {
  const own = [...TASK_TYPES, ...extra];
  const byName = new Map(
    [...own, ...FOR_EACH_ITEM_PARTS].flatMap((type) =>
      [type.type, ...type.aliases].map((name) => [name, type] as const)
    ),
  );
  return {
    find: (kind) => byName.get(kind) ?? INTEGRATIONS.find(kind),
    list: () => sorted([...own, ...INTEGRATIONS.list()]),
    runners: RUNNERS,
    parts: PARTS,
    load: loadTypes,
    loadAll: loadAllTypes,
  };
}

function typeList<T extends TypeDeclaration>(given: readonly T[]): TypeList<T> {
  const types = sorted(given);
  const byName = new Map(
    types.flatMap((type) => [type.type, ...type.aliases].map((name) => [name, type] as const)),
  );
  return Object.freeze({ find: (kind: string) => byName.get(kind), list: () => types });
}

function sorted<T extends TypeDeclaration>(types: readonly T[]): readonly T[] {
  return types.toSorted((a, b) => a.type < b.type ? -1 : 1);
}

const RUNNERS: TaskCatalog["runners"] = typeList(Object.values(TASK_RUNNERS));
const PARTS: TaskCatalog["parts"] = {
  find: (kind) => LOADED_PARTS.find(kind),
  list: () => sorted(LOADED_PARTS.list()),
};
