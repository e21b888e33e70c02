/** `sluice plugin`: makes, checks and tries plugin files. */
import { systemClock } from "../../base/clock.ts";
import { type JsonObject, stringifyJson } from "../../base/json.ts";
import type { PluginOptions } from "../../config/mod.ts";
import {
  type LoadedPlugin,
  loadPlugin,
  loadPlugins,
  type PluginProblem,
} from "../../machine/plugins/plugin_files.ts";
import { PluginProcesses } from "../../machine/plugins/plugin_process.ts";
import pluginTypes from "../../machine/plugins/sluice.d.ts" with { type: "text" };
import type { ProcessPlatform } from "../../machine/server_process/server_process.ts";
import type { TaskDefinition } from "../../model/tasks/task_definition.ts";
import { typedProperties } from "../../tasks/definition/typed_properties.ts";
import { trialContext } from "./trial_context.ts";
import { pluginTemplate } from "./template.ts";

type Output = Pick<ProcessPlatform, "print" | "printError">;

/** Does what the options say; returns the exit code. */
export async function runPlugin(options: PluginOptions, output: Output): Promise<number> {
  const processes = new PluginProcesses(systemClock);
  switch (options.action) {
    case "new":
      return await writePlugin(options.path, output);
    case "check":
      return await checkPlugins(options.path, processes, output);
    case "test":
      return await tryPlugin(options, processes, output);
  }
}

async function writePlugin(path: string, { print, printError }: Output): Promise<number> {
  const [, folder = "", name = "", extension] = /^(.*\/)?([\w-]+)\.(js|ts)$/.exec(path) ?? [];
  if (extension === undefined) {
    printError(`Cannot write "${path}": give a file name such as plugins/weather.ts or plugins/weather.js`);
    return 2;
  }
  try {
    if (folder !== "") await Deno.mkdir(folder, { recursive: true });
    await Deno.writeTextFile(path, pluginTemplate(name, extension === "ts"), { createNew: true });
    await Deno.writeTextFile(`${folder}sluice.d.ts`, pluginTypes);
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
    printError(`Cannot write "${path}": the file exists`);
    return 1;
  }
  print(`Wrote ${path} and ${folder}sluice.d.ts`);
  print(`  check  sluice plugin check ${path}`);
  print(`  try    sluice plugin test ${path} --properties '{"text": "two words"}'`);
  print(`  use    sluice --plugins ${folder || "."}`);
  return 0;
}

async function checkPlugins(path: string, processes: PluginProcesses, { print, printError }: Output) {
  const found = await Deno.stat(path).catch(() => undefined);
  const { plugins, problems } = found?.isDirectory
    ? await loadPlugins(path.replace(/\/+$/, ""), processes)
    : separate(await loadPlugin(path, processes));
  for (const { definition: { type } } of plugins) print(`${type} is right`);
  for (const { message } of problems) printError(message);
  return problems.length > 0 ? 1 : 0;
}

function separate(loaded: LoadedPlugin | PluginProblem) {
  return "definition" in loaded ? { plugins: [loaded], problems: [] } : { plugins: [], problems: [loaded] };
}

async function tryPlugin(
  { path, properties }: Extract<PluginOptions, { readonly action: "test" }>,
  processes: PluginProcesses,
  output: Output,
): Promise<number> {
  const loaded = await loadPlugin(path, processes);
  if (!("definition" in loaded)) {
    output.printError(loaded.message);
    return 1;
  }
  try {
    const { definition } = loaded;
    refuseUnknown(definition, properties);
    const typed = typedProperties(properties, definition.properties);
    await using trial = trialContext(typed, output.print);
    output.print(stringifyJson(await definition.run(trial.context) ?? {}, 2));
    return 0;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    output.printError(error.message);
    return 1;
  }
}

function refuseUnknown(definition: TaskDefinition, properties: JsonObject): void {
  const known = Object.keys(definition.properties);
  const unknown = Object.keys(properties).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new Error(`Unknown property "${unknown}": there are ${known.join(", ") || "none"}`);
  }
}
