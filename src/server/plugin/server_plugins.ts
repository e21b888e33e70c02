/** The task types of plugin files, for a server. */
import { systemClock } from "../../base/clock.ts";
import type { Logger } from "../../base/log.ts";
import type { Config } from "../../config/mod.ts";
import { type LoadedPlugin, loadPlugins, type PluginProblem } from "../../machine/plugins/plugin_files.ts";
import { PluginProcesses } from "../../machine/plugins/plugin_process.ts";
import type { TaskType } from "../../model/tasks/task_catalog.ts";
import { taskTypeOf } from "../../tasks/definition/task_type.ts";
import { createTaskCatalog } from "../../tasks/registry.ts";

/** The types that plugins add, of a server or a worker, and the files that could not be used. */
export interface ServerPlugins {
  readonly types: readonly TaskType[];
  /** Names of files. */
  readonly failed: readonly string[];
}

/** Reads the plugins of a folder. A file that is wrong is logged, and the server works without it. */
export async function readPlugins(
  folder: string,
  { isDeploy }: Pick<Config, "isDeploy">,
  logger: Logger,
): Promise<ServerPlugins> {
  const { plugins: loaded, problems } = isDeploy
    ? { plugins: [], problems: [{ file: folder, message: "Deno Deploy runs no processes" }] }
    : await loadPlugins(folder, new PluginProcesses(systemClock));
  const { types, taken } = await withoutTaken(loaded);
  const failed: readonly PluginProblem[] = [...problems, ...taken];
  for (const { message } of failed) logger.error(`Cannot use a plugin: ${message}`);
  logger.info(`Plugins add ${types.length} task types`, { folder });
  return { types, failed: failed.map(({ file }) => file) };
}

async function withoutTaken(loaded: readonly LoadedPlugin[]): Promise<{
  readonly types: readonly TaskType[];
  readonly taken: readonly PluginProblem[];
}> {
  const catalog = createTaskCatalog();
  const seen = new Set<string>();
  const types: TaskType[] = [], taken: PluginProblem[] = [];
  for (const { file, definition } of loaded) {
    const names = [definition.type, ...definition.aliases ?? []];
    await catalog.load(names.join("\n"));
    const used = names.find((name) => seen.has(name) || catalog.find(name));
    if (used === undefined) types.push({ ...taskTypeOf(definition), isOwn: true, runsOnWorkers: true });
    else taken.push({ file, message: `${file}: another type has the name "${used}"` });
    for (const name of names) seen.add(name);
  }
  return { types, taken };
}
