/** The types of plugin files, for a server or a worker. */
import { systemClock } from "../../base/time/clock.ts";
import type { Logger } from "../../base/log.ts";
import type { Config } from "../../config/mod.ts";
import {
  type LoadedPlugin,
  type LoadedPlugins,
  loadPlugins,
  type PluginProblem,
} from "../../machine/plugins/plugin_files.ts";
import { PluginProcesses } from "../../machine/plugins/plugin_processes.ts";
import type { TaskType } from "../../model/tasks/task_catalog.ts";
import type { TriggerType } from "../../model/triggers/trigger_catalog.ts";
import { taskTypeOf } from "../../tasks/definition/task_type.ts";
import { realtimeTypeOf, triggerTypeOf } from "../../tasks/definition/trigger_type.ts";
import { createTaskCatalog } from "../../tasks/registry.ts";
import { createTriggerCatalog } from "../../triggers/registry.ts";

/** The types that plugins add, and the files that could not be used. */
export interface ServerPlugins {
  readonly tasks: readonly TaskType[];
  readonly triggers: readonly TriggerType[];
  /** Names of files. */
  readonly failed: readonly string[];
}

/** Reads the plugins of a folder. A file that is wrong is logged, and the server works without it. */
export async function readPlugins(
  folder: string,
  { isDeploy }: Pick<Config, "isDeploy">,
  logger: Logger,
): Promise<ServerPlugins> {
  const { plugins, problems } = isDeploy
    ? { plugins: [], problems: [{ file: folder, message: "Deno Deploy runs no processes" }] }
    : await withoutTaken(await loadPlugins(folder, new PluginProcesses(systemClock)));
  for (const { message } of problems) logger.error(`Cannot use a plugin: ${message}`);
  const tasks = plugins.flatMap(taskTypesOf), triggers = plugins.flatMap(triggerTypesOf);
  logger.info("Plugins add types", { folder, tasks: tasks.length, triggers: triggers.length });
  return { tasks, triggers, failed: problems.map(({ file }) => file) };
}

/** Without plugins of which another type has a name. */
export async function withoutTaken({ plugins: loaded, problems }: LoadedPlugins): Promise<LoadedPlugins> {
  const plugins: LoadedPlugin[] = [], taken: PluginProblem[] = [];
  const files = new Map<string, string>();
  for (const plugin of loaded) {
    const { file, definition: { type, aliases = [] } } = plugin;
    const names = [type, ...aliases];
    const problem = await takenName(names, files);
    if (problem === undefined) plugins.push(plugin);
    else taken.push({ file, message: `${file}: ${problem}` });
    for (const name of names) if (!files.has(name)) files.set(name, file);
  }
  return { plugins, problems: [...problems, ...taken] };
}

async function takenName(
  names: readonly string[],
  files: ReadonlyMap<string, string>,
): Promise<string | undefined> {
  const tasks = createTaskCatalog();
  await tasks.load(names.join("\n"));
  const catalogs = [tasks, createTriggerCatalog(), tasks.runners, tasks.parts];
  for (const name of names) {
    const file = files.get(name);
    if (file !== undefined) return `the name "${name}" is taken by the type of ${file}`;
    if (catalogs.some((catalog) => catalog.find(name))) {
      return `the name "${name}" is taken by a built-in type`;
    }
  }
  return undefined;
}

function taskTypesOf(plugin: LoadedPlugin): TaskType[] {
  if (plugin.kind !== "run") return [];
  return [{ ...taskTypeOf(plugin.definition), isOwn: true, runsOnWorkers: true }];
}

function triggerTypesOf(plugin: LoadedPlugin): TriggerType[] {
  switch (plugin.kind) {
    case "run":
      return [];
    case "poll":
      return [{ ...triggerTypeOf(plugin.definition), isOwn: true }];
    case "realtime":
      return [{ ...realtimeTypeOf(plugin.definition), isOwn: true }];
  }
}
