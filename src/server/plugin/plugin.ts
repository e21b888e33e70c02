/** `sluice plugin`: makes, checks and tries plugin files. */
import { systemClock } from "../../base/time/clock.ts";
import { type JsonObject, stringifyJson } from "../../base/json.ts";
import type { PluginOptions, PluginTemplate, TestOptions } from "../../config/mod.ts";
import {
  type LoadedPlugin,
  type LoadedPlugins,
  loadPlugin,
  loadPlugins,
  type PluginProblem,
} from "../../machine/plugins/plugin_files.ts";
import { PluginProcesses } from "../../machine/plugins/plugin_processes.ts";
import pluginTypes from "../../machine/plugins/sluice.d.ts" with { type: "text" };
import type { ProcessPlatform } from "../../machine/server_process/server_process.ts";
import type { PropertySchemas } from "../../model/flows/schema.ts";
import type { RealtimeDefinition, TriggerDefinition } from "../../model/triggers/trigger_definition.ts";
import { typedProperties } from "../../tasks/definition/typed_properties.ts";
import { withoutTaken } from "./server_plugins.ts";
import { pluginTemplate } from "./template.ts";
import { PollTrial, realtimeTrial, startTrial, taskTrial, type Trial } from "./trial_context.ts";

type Output = Pick<ProcessPlatform, "print" | "printError">;

/** Does what the options say; returns the exit code. */
export async function runPlugin(options: PluginOptions, output: Output): Promise<number> {
  const processes = new PluginProcesses(systemClock);
  switch (options.action) {
    case "new":
      return await writePlugin(options, output);
    case "check":
      return await checkPlugins(options.path, processes, output);
    case "test":
      return await tryPlugin(options, processes, output);
  }
}

async function writePlugin(
  { path, template }: Extract<PluginOptions, { readonly action: "new" }>,
  { print, printError }: Output,
): Promise<number> {
  const [, folder = "", name = "", extension] = /^(.*\/)?([\w-]+)\.(js|ts)$/.exec(path) ?? [];
  if (extension === undefined) {
    printError(`Cannot write "${path}": give a file name such as plugins/weather.ts or plugins/weather.js`);
    return 2;
  }
  try {
    if (folder !== "") await Deno.mkdir(folder, { recursive: true });
    await Deno.writeTextFile(path, pluginTemplate(name, template, extension === "ts"), { createNew: true });
    await Deno.writeTextFile(`${folder}sluice.d.ts`, pluginTypes);
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
    printError(`Cannot write "${path}": the file exists`);
    return 1;
  }
  print(`Wrote ${path} and ${folder}sluice.d.ts`);
  print(`  check  sluice plugin check ${path}`);
  print(`  try    sluice plugin test ${path}${TRIALS[template]}`);
  print(`  use    sluice --plugins ${folder || "."}`);
  return 0;
}

/** How the plugin of a template is tried. */
const TRIALS: Readonly<Record<PluginTemplate, string>> = Object.freeze({
  task: ` --properties '{"text": "two words"}'`,
  poll: ` --properties '{"url": "https://example.com/items.json"}'`,
  realtime: ` --properties '{"seconds": 1}' --events 3`,
});

async function checkPlugins(path: string, processes: PluginProcesses, { print, printError }: Output) {
  const found = await Deno.stat(path).catch(() => undefined);
  const { plugins, problems } = await withoutTaken(
    found?.isDirectory
      ? await loadPlugins(path.replace(/(?<!\/)\/+$/, ""), processes)
      : separate(await loadPlugin(path, processes)),
  );
  for (const { definition: { type } } of plugins) print(`${type} is right`);
  for (const { message } of problems) printError(message);
  return problems.length > 0 ? 1 : 0;
}

function separate(loaded: LoadedPlugin | PluginProblem): LoadedPlugins {
  return "definition" in loaded ? { plugins: [loaded], problems: [] } : { plugins: [], problems: [loaded] };
}

async function tryPlugin(options: TestOptions, processes: PluginProcesses, output: Output): Promise<number> {
  const loaded = await loadPlugin(options.path, processes);
  if (!("definition" in loaded)) {
    output.printError(loaded.message);
    return 1;
  }
  try {
    const schemas = loaded.definition.properties;
    refuseUnknown(schemas, options.properties);
    await using trial = startTrial(typedProperties(options.properties, schemas), output.print);
    await tryLoaded(loaded, trial, options, output.print);
    return 0;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    output.printError(error.message);
    return 1;
  }
}

function refuseUnknown(schemas: PropertySchemas, properties: JsonObject): void {
  const known = Object.keys(schemas);
  const unknown = Object.keys(properties).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new Error(`Unknown property "${unknown}": there are ${known.join(", ") || "none"}`);
  }
}

type Print = Output["print"];

async function tryLoaded(
  plugin: LoadedPlugin,
  trial: Trial,
  options: TestOptions,
  print: Print,
): Promise<void> {
  switch (plugin.kind) {
    case "run":
      return print(stringifyJson(await plugin.definition.run(taskTrial(trial, print)) ?? {}, 2));
    case "poll":
      return await tryPoll(plugin.definition, trial, options, print);
    case "realtime":
      return await tryRealtime(plugin.definition, trial, options, print);
  }
}

async function tryPoll(
  definition: TriggerDefinition,
  trial: Trial,
  { state, confirms }: TestOptions,
  print: Print,
): Promise<void> {
  await using poll = new PollTrial(trial, state);
  const outputs = await definition.poll(poll.context);
  print(outputs ? `An execution would start with\n${stringifyJson(outputs, 2)}` : "No execution would start");
  if (confirms) await poll.confirm();
  else if (poll.hasConfirmation) print("Nothing is confirmed: give --confirm to do it");
  if (poll.state !== state) print(`The next poll would read --state '${stringifyJson(poll.state ?? null)}'`);
}

async function tryRealtime(
  definition: RealtimeDefinition,
  trial: Trial,
  { events, seconds }: TestOptions,
  print: Print,
): Promise<void> {
  let count = 0;
  const cancel = systemClock.setTimer(seconds * 1_000, () => trial.stop());
  const context = realtimeTrial(trial, (event) => {
    if (count >= events) throw new Error("The trigger is stopped");
    print(`An execution would start with\n${stringifyJson(event, 2)}`);
    if (++count >= events) trial.stop();
  });
  try {
    await definition.realtime(context);
  } catch (error) {
    if (!trial.work.signal.aborted) throw error;
  } finally {
    cancel();
  }
  if (!trial.work.signal.aborted) {
    throw new Error("The trigger ended by itself: a server would call it again");
  }
  if (count < events) print(`There were ${count} events within ${seconds} s`);
}
