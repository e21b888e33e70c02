/** The options of `sluice plugin`, from its arguments. Pure. */
import { isJsonObject, type JsonObject, tryParseJson } from "../base/json.ts";
import { readCommandArguments } from "./command_arguments.ts";
import { ConfigProblem } from "./given.ts";

/** What to do with a plugin file. */
export type PluginOptions =
  | { readonly action: "new"; readonly path: string }
  /** The path of a file or a folder. */
  | { readonly action: "check"; readonly path: string }
  | { readonly action: "test"; readonly path: string; readonly properties: JsonObject };

/** The text of `sluice plugin --help`. */
export const PLUGIN_HELP = `Makes, checks and tries task types of your own

Usage: sluice plugin new <file>      writes a plugin to begin with, such as plugins/weather.ts, and the types for editors
       sluice plugin check <path>    checks a plugin, or all plugins of a folder
       sluice plugin test <file>     runs a plugin once, without a server

Options of test:
  --properties <json>   Properties of the task as a JSON object (default: {})

A server reads the plugins of the folder that --plugins names. docs/PLUGINS.md explains how to write one.

Exit codes:
  0  the plugin was made, is right or has succeeded
  1  the plugin is wrong or has failed
  2  the command is wrong`;

/** The options, or the first problem. */
export function parsePlugin(args: readonly string[]): PluginOptions | ConfigProblem {
  const given = readCommandArguments(args, {
    name: "plugin",
    values: ["properties"],
    switches: [],
    operands: 2,
  });
  if (given instanceof ConfigProblem) return given;
  const [action, path] = given.operands;
  if (action !== "new" && action !== "check" && action !== "test") {
    return new ConfigProblem("Cannot run plugin: give new, check or test; see plugin --help");
  }
  if (path === undefined) {
    return new ConfigProblem(`Cannot run plugin ${action} without a path; see plugin --help`);
  }
  const json = given.values.get("properties");
  if (action !== "test") {
    return json === undefined
      ? { action, path }
      : new ConfigProblem(`Cannot use --properties with plugin ${action}; see plugin --help`);
  }
  const properties = tryParseJson(json ?? "{}");
  if (properties !== undefined && isJsonObject(properties)) return { action, path, properties };
  return new ConfigProblem("Cannot use --properties: it must be a JSON object; see plugin --help");
}
