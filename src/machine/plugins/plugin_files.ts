/** Reads the task types of a folder of plugin files. */
import { isJsonObject } from "../../base/json.ts";
import type { TaskContext, TaskDefinition } from "../../model/tasks/task_definition.ts";
import { checkDefinition } from "./definition_check.ts";
import { bundlePackages, importsPackage } from "./package_bundle.ts";
import type { PluginProcesses } from "./plugin_process.ts";

/** Files of one folder; each has one type. */
const MAX_FILES = 500;
/** Processes that read definitions at the same time. */
const AT_ONCE = 4;
const PLUGIN_FILE = /(?<!\.d)(?<!_test|\.test)\.(?:js|ts)$/;

/** A file that cannot be used. */
export interface PluginProblem {
  readonly file: string;
  /** Begins with the name of the file, and the line where it is known. */
  readonly message: string;
}

/** A file and its type. */
export interface LoadedPlugin {
  readonly file: string;
  readonly definition: TaskDefinition;
}

/** The types of a folder and the files that cannot be used. */
interface LoadedPlugins {
  readonly plugins: readonly LoadedPlugin[];
  readonly problems: readonly PluginProblem[];
}

/** Reads each `.js` and `.ts` file of a folder. The code that is read now runs until the server stops, whatever becomes of the file. */
export async function loadPlugins(folder: string, processes: PluginProcesses): Promise<LoadedPlugins> {
  const names: string[] = [];
  try {
    for await (const { name, isDirectory } of Deno.readDir(folder)) {
      if (!isDirectory && PLUGIN_FILE.test(name)) names.push(name);
    }
  } catch (error) {
    return { plugins: [], problems: [{ file: folder, message: `${folder}: ${reasonOf(error)}` }] };
  }
  const files = names.sort().slice(0, MAX_FILES);
  const loaded: (LoadedPlugin | PluginProblem)[] = [];
  for (let from = 0; from < files.length; from += AT_ONCE) {
    const some = files.slice(from, from + AT_ONCE);
    loaded.push(...await Promise.all(some.map((file) => loadPlugin(`${folder}/${file}`, processes))));
  }
  const tooMany = names.slice(MAX_FILES).map((file) => ({
    file,
    message: `${file}: a folder has at most ${MAX_FILES} plugins`,
  }));
  return {
    plugins: loaded.filter((each) => "definition" in each),
    problems: [...loaded.filter((each) => "message" in each), ...tooMany],
  };
}

/** Reads one file. */
export async function loadPlugin(
  path: string,
  processes: PluginProcesses,
): Promise<LoadedPlugin | PluginProblem> {
  const file = path.slice(path.lastIndexOf("/") + 1);
  try {
    const source = await Deno.readTextFile(path);
    const { definition, hasRun, code } = importsPackage(source)
      ? await processes.describe(file.replace(/ts$/, "js"), await bundlePackages(path))
      : await processes.describe(file, source);
    const checked = checkDefinition(definition, hasRun);
    if (isList(checked)) return { file, message: checked.map((problem) => `${file}: ${problem}`).join("; ") };
    return {
      file,
      definition: { ...checked, run: (context) => run({ ...checked, code, file }, processes, context) },
    };
  } catch (error) {
    const message = reasonOf(error);
    return { file, message: message.startsWith(file) ? message : `${file}: ${message}` };
  }
}

function isList(value: object | readonly string[]): value is readonly string[] {
  return Array.isArray(value);
}

async function run(
  { code, file, permissions }: Omit<TaskDefinition, "run"> & { readonly code: string; readonly file: string },
  processes: PluginProcesses,
  context: TaskContext,
) {
  const { properties, attempt } = context;
  const outputs = await processes.run({
    type: "run",
    fileName: file,
    code,
    net: permissions?.net ?? [],
    directory: await context.directory(),
    properties,
    attempt,
  }, context);
  if (!isJsonObject(outputs)) throw new Error("Invalid outputs: run must return an object, or nothing");
  return outputs;
}

function reasonOf(error: unknown): string {
  if (error instanceof Deno.errors.NotFound) return "there is no such file or folder";
  return error instanceof Error ? error.message : String(error);
}
