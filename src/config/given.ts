/** Reads the texts of options from flags, environment variables and the configuration file. */
import { parse as parseYaml } from "@std/yaml";
import { isJsonObject } from "../base/json.ts";
import { nearestName } from "../base/text/nearest_name.ts";
import {
  OPTION_NAMES,
  optionKey,
  type OptionName,
  OPTIONS,
  type OptionSpec,
  optionVariable,
} from "./options.ts";

/** Why the options cannot be used, in one line: option, reason, allowed values. */
export class ConfigProblem {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

/** The environment variables of the process, by name. */
export type Environment = Readonly<Record<string, string>>;

/** The text of a file, or why it cannot be read. */
export type FileContent = { readonly text: string } | { readonly problem: string };

/** Reads a text file. */
export type ReadFile = (path: string) => FileContent;

/** The text of an option, and its origin: `--port`, `SLUICE_PORT`, or the key of a file. */
export interface Given {
  readonly text: string;
  readonly origin: string;
}

/** Texts by option. */
export type GivenOptions = ReadonlyMap<OptionName, Given>;

const NAMES_BY_KEY = new Map(OPTION_NAMES.map((name) => [optionKey(name), name]));
const FILE_KEYS = OPTION_NAMES.filter((name) => spec(name).only === undefined).map(optionKey);

/** Options given as flags: `--name value`, `--name=value`, or a bare switch. The last one of a name wins, unless it can be repeated. */
export function readFlags(args: readonly string[]): GivenOptions | ConfigProblem {
  const given = new Map<OptionName, Given>();
  for (let index = 0; index < args.length; index++) {
    const argument = args[index] === "-h" ? "--help" : args[index] ?? "";
    const [flag = "", ...rest] = argument.split("=");
    const name = flag.startsWith("--") ? NAMES_BY_KEY.get(flag.slice(2)) : undefined;
    if (name === undefined) return unknownArgument(flag);
    const text = rest.length > 0 ? rest.join("=") : isSwitch(name) ? "true" : args[++index];
    if (text === undefined || (rest.length === 0 && text.startsWith("--"))) return missingValue(name);
    const before = spec(name).isRepeatable ? given.get(name) : undefined;
    given.set(name, { text: before ? `${before.text},${text}` : text, origin: flag });
  }
  return given;
}

/** Options given as environment variables; empty ones are ignored. Unknown `SLUICE_` variables are ignored: container platforms create such names for a service called "sluice". */
export function readVariables(environment: Environment): GivenOptions {
  const given = new Map<OptionName, Given>();
  for (const name of OPTION_NAMES) {
    const variable = optionVariable(name);
    const text = Object.hasOwn(environment, variable) ? environment[variable] : undefined;
    if (text && spec(name).only !== "flag") given.set(name, { text, origin: variable });
  }
  return given;
}

/** Options given as keys of a YAML file, which may be empty. */
export function readConfigFile(path: string, readFile: ReadFile): GivenOptions | ConfigProblem {
  const content = readFile(path);
  if ("problem" in content) return cannotRead(path, content.problem);
  const document = parseMap(content.text);
  if (document instanceof ConfigProblem) return cannotRead(path, document.message);
  const given = new Map<OptionName, Given>();
  for (const [key, value] of Object.entries(document)) {
    const name = FILE_KEYS.includes(key) ? NAMES_BY_KEY.get(key) : undefined;
    if (name === undefined) return unknownKey(key, path);
    given.set(name, { text: scalarText(value), origin: `key "${key}" of "${path}"` });
  }
  return given;
}

/** The map of a YAML or JSON text; an empty one of an empty text. */
export function parseMap(text: string): Record<string, unknown> | ConfigProblem {
  try {
    const document: unknown = parseYaml(text, { logLevel: "error" });
    if (document === null || document === undefined) return {};
    return isJsonObject(document) ? document : new ConfigProblem("it must be a map");
  } catch (error) {
    return new ConfigProblem(firstLine(error));
  }
}

/** The text of a value; a list, a map or null becomes JSON: of them a map for `globals` and a list of folders are accepted. */
function scalarText(value: unknown): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function unknownArgument(flag: string): ConfigProblem {
  if (!flag.startsWith("-")) {
    return new ConfigProblem(`Cannot use the argument "${flag}": options begin with "--"; see --help`);
  }
  const nearest = nearestName(flag.replace(/^-+/, ""), NAMES_BY_KEY.keys());
  return new ConfigProblem(`Unknown option "${flag}"${suggestion(nearest && `--${nearest}`)}; see --help`);
}

function unknownKey(key: string, path: string): ConfigProblem {
  const nearest = nearestName(key, FILE_KEYS);
  return new ConfigProblem(`Unknown key "${key}" in "${path}"${suggestion(nearest)}; see --help`);
}

function suggestion(nearest: string | undefined): string {
  return nearest ? `: did you mean "${nearest}"?` : "";
}

function missingValue(name: OptionName): ConfigProblem {
  return new ConfigProblem(
    `Cannot use --${optionKey(name)} without a value: it must be ${spec(name).allowed}`,
  );
}

function cannotRead(path: string, reason: string): ConfigProblem {
  return new ConfigProblem(`Cannot read the configuration file "${path}": ${reason}`);
}

function firstLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return (message.split("\n")[0] ?? "").replace(/:$/, "");
}

function isSwitch(name: OptionName): boolean {
  return spec(name).placeholder === "";
}

function spec(name: OptionName): OptionSpec<unknown> {
  return OPTIONS[name];
}
