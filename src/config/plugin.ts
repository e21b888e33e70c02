/** The options of `sluice plugin`, from its arguments. Pure. */
import { isJsonObject, type JsonObject, tryParseJson } from "../base/json.ts";
import { readCommandArguments } from "./command_arguments.ts";
import { ConfigProblem } from "./given.ts";

/** What `sluice plugin new` writes. */
export type PluginTemplate = "task" | "poll" | "realtime";

/** What to do with a plugin file. */
export type PluginOptions =
  | { readonly action: "new"; readonly path: string; readonly template: PluginTemplate }
  /** The path of a file or a folder. */
  | { readonly action: "check"; readonly path: string }
  | TestOptions;

/** How to try a plugin. */
export interface TestOptions {
  readonly action: "test";
  readonly path: string;
  readonly properties: JsonObject;
  /** Of a polling trigger: what an earlier poll has set. */
  readonly state?: JsonObject;
  /** Of a polling trigger: whether it does what follows once its result is durable. */
  readonly confirms: boolean;
  /** Of a realtime trigger: it is ended after so many events, or after that time. */
  readonly events: number;
  readonly seconds: number;
}

const DEFAULT_EVENTS = 10;
const DEFAULT_SECONDS = 30;

/** The text of `sluice plugin --help`. */
export const PLUGIN_HELP = `Makes, checks and tries types of tasks and triggers of your own

Usage: sluice plugin new <file>      writes a plugin to begin with, such as plugins/weather.ts, and the types for editors
       sluice plugin check <path>    checks a plugin, or all plugins of a folder
       sluice plugin test <file>     runs a plugin once, without a server

Option of new:
  --trigger [kind]      Writes a trigger instead of a task: poll (default) or realtime

Options of test:
  --properties <json>   Properties of the task or trigger as a JSON object (default: {})
  --state <json>        What an earlier poll has set by context.state (default: nothing)
  --confirm             Does what the poll leaves to context.whenDurable, such as the deletion of messages
  --events <number>     Ends a realtime trigger after so many events (default: ${DEFAULT_EVENTS})
  --seconds <number>    Ends a realtime trigger after that time (default: ${DEFAULT_SECONDS})

A test calls run of a task, or poll of a trigger, once and prints what it returns; of a realtime trigger it prints each event.
A server reads the plugins of the folder that --plugins names. docs/PLUGINS.md explains how to write one.

Exit codes:
  0  the plugin was made, is right or has succeeded
  1  the plugin is wrong or has failed
  2  the command is wrong`;

/** The options, or the first problem. */
export function parsePlugin(args: readonly string[]): PluginOptions | ConfigProblem {
  const given = readCommandArguments(withKind(args), {
    name: "plugin",
    values: ["trigger", ...TEST_VALUES],
    switches: ["confirm"],
    operands: 2,
  });
  if (given instanceof ConfigProblem) return given;
  const { values, switches, operands: [action, path] } = given;
  if (action !== "new" && action !== "check" && action !== "test") {
    return refusal("Cannot run plugin: give new, check or test");
  }
  if (path === undefined) return refusal(`Cannot run plugin ${action} without a path`);
  const other = [...values.keys(), ...switches].find((name) =>
    (name === "trigger" ? "new" : "test") !== action
  );
  if (other !== undefined) return refusal(`Cannot use --${other} with plugin ${action}`);
  if (action === "check") return { action, path };
  if (action === "test") return testOptions(path, values, switches.has("confirm"));
  const template = values.get("trigger");
  if (template === undefined) return { action, path, template: "task" };
  if (template === "poll" || template === "realtime") return { action, path, template };
  return refusal("Cannot use --trigger: it must be poll or realtime");
}

const TEST_VALUES = ["properties", "state", "events", "seconds"];

/** `--trigger` without a kind is one of the kind `poll`. */
function withKind(args: readonly string[]): string[] {
  const isKind = (text: string | undefined) => text === "poll" || text === "realtime";
  return args.map((text, index) =>
    text === "--trigger" && !isKind(args[index + 1]) ? "--trigger=poll" : text
  );
}

function testOptions(
  path: string,
  values: ReadonlyMap<string, string>,
  confirms: boolean,
): TestOptions | ConfigProblem {
  const properties = objectOf("properties", values) ?? {};
  if (properties instanceof ConfigProblem) return properties;
  const state = objectOf("state", values);
  if (state instanceof ConfigProblem) return state;
  const events = numberOf("events", values) ?? DEFAULT_EVENTS;
  if (events instanceof ConfigProblem) return events;
  const seconds = numberOf("seconds", values) ?? DEFAULT_SECONDS;
  if (seconds instanceof ConfigProblem) return seconds;
  return { action: "test", path, properties, state, confirms, events, seconds };
}

function objectOf(name: string, values: ReadonlyMap<string, string>): JsonObject | undefined | ConfigProblem {
  const text = values.get(name);
  if (text === undefined) return undefined;
  const value = tryParseJson(text);
  if (value !== undefined && isJsonObject(value)) return value;
  return refusal(`Cannot use --${name}: it must be a JSON object`);
}

function numberOf(name: string, values: ReadonlyMap<string, string>): number | undefined | ConfigProblem {
  const text = values.get(name);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (Number.isSafeInteger(value) && value > 0) return value;
  return refusal(`Cannot use --${name}: it must be a whole number above 0`);
}

function refusal(reason: string): ConfigProblem {
  return new ConfigProblem(`${reason}; see plugin --help`);
}
