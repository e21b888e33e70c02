/** Reads the types of a folder of plugin files. */
import { readDuration } from "../../base/time/duration.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import type { PropertySchema } from "../../model/flows/schema.ts";
import type { TaskContext, TaskDefinition } from "../../model/tasks/task_definition.ts";
import type {
  RealtimeContext,
  RealtimeDefinition,
  TriggerContext,
  TriggerDefinition,
} from "../../model/triggers/trigger_definition.ts";
import { checkDefinition, type CheckedDefinition } from "./definition_check.ts";
import { bundlePackages, importsPackage } from "./package_bundle.ts";
import type { PluginProcesses } from "./plugin_processes.ts";

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
export type LoadedPlugin = { readonly file: string } & PluginDefinition;

/** The type of a file, by the function that it has. */
type PluginDefinition =
  | { readonly kind: "run"; readonly definition: TaskDefinition }
  | { readonly kind: "poll"; readonly definition: TriggerDefinition }
  | { readonly kind: "realtime"; readonly definition: RealtimeDefinition };

/** The types of a folder and the files that cannot be used. */
export interface LoadedPlugins {
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
    const { code, ...described } = importsPackage(source)
      ? await processes.describe(file.replace(/ts$/, "js"), await bundlePackages(path))
      : await processes.describe(file, source);
    const checked = checkDefinition(described);
    if (isList(checked)) return { file, message: checked.map((problem) => `${file}: ${problem}`).join("; ") };
    return { file, ...runnable(checked, { file, code, processes }) };
  } catch (error) {
    const message = reasonOf(error);
    return { file, message: message.startsWith(file) ? message : `${file}: ${message}` };
  }
}

function isList(value: object | readonly string[]): value is readonly string[] {
  return Array.isArray(value);
}

interface PluginCode {
  readonly file: string;
  readonly code: string;
  readonly processes: PluginProcesses;
}

const DEFAULT_POLL_MS = 60_000;
const POLL_TIMEOUT: PropertySchema = Object.freeze({
  type: "duration",
  dynamic: false,
  default: "PT1M",
  description: "Longest time of one poll. Then it is ended, and the next one comes after the interval.",
});

/** The definition, with what runs its code in a process. */
function runnable(
  { kind, definition }: CheckedDefinition,
  { file, code, processes }: PluginCode,
): PluginDefinition {
  const net = definition.permissions?.net ?? [];
  const shared = { fileName: file, code, net };
  switch (kind) {
    case "run": {
      const run = async (context: TaskContext) => {
        const { properties, attempt, maxFileBytes } = context;
        const directory = await context.directory();
        const work = { ...shared, type: "run", directory, maxFileBytes, properties, attempt } as const;
        return outputsOf(await processes.run(work, context), kind);
      };
      return { kind, definition: { ...definition, run } };
    }
    case "poll": {
      const poll = async (context: TriggerContext) => {
        const { timeout, ...properties } = context.properties;
        const { trigger, maxFileBytes } = context;
        const directory = await context.directory();
        const given = { directory, maxFileBytes, properties, trigger, state: context.state.get() };
        const work = { ...shared, type: "poll", ...given } as const;
        const outputs = await processes.poll(work, context, readDuration(timeout) ?? DEFAULT_POLL_MS);
        return outputs === null ? undefined : outputsOf(outputs, kind);
      };
      const properties = { ...definition.properties, timeout: POLL_TIMEOUT };
      return { kind, definition: { ...definition, properties, poll } };
    }
    case "realtime": {
      const realtime = (context: RealtimeContext) => {
        const { properties, trigger } = context;
        return processes.realtime({ ...shared, type: "realtime", properties, trigger }, context);
      };
      return { kind, definition: { ...definition, realtime } };
    }
  }
}

function outputsOf(outputs: JsonValue, name: string): JsonObject {
  if (isJsonObject(outputs)) return outputs;
  throw new Error(`Invalid outputs: ${name} must return an object, or nothing`);
}

function reasonOf(error: unknown): string {
  if (error instanceof Deno.errors.NotFound) return "there is no such file or folder";
  return error instanceof Error ? error.message : String(error);
}
