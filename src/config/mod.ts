/** The only reader of the arguments and the environment of the process. Parsing is in `config/parse.ts`. */
import manifest from "../../deno.json" with { type: "json" };
import { DOCTOR_HELP, type DoctorOptions, parseDoctor } from "./doctor.ts";
import { BACKUP_HELP, type BackupOptions, parseBackup } from "./backup.ts";
import { ConfigProblem, type Environment, type FileContent } from "./given.ts";
import { helpText } from "./help.ts";
import { MIGRATE_HELP, type MigrateOptions, parseMigrate } from "./migrate.ts";
import { parsePlugin, PLUGIN_HELP, type PluginOptions } from "./plugin.ts";
import { type Config, credentialVariables, parseConfig } from "./parse.ts";
import { parseWorker, WORKER_CREDENTIALS, WORKER_HELP, type WorkerOptions } from "./worker.ts";
import { chooseScriptUser, type UserFacts } from "./script_user.ts";

export { ConfigProblem } from "./given.ts";
export type { GivenDefaults } from "./plugin_defaults.ts";
export type { BackupOptions } from "./backup.ts";
export type { DoctorOptions } from "./doctor.ts";
export type { WorkerOptions } from "./worker.ts";
export type { PluginOptions, PluginTemplate, TestOptions } from "./plugin.ts";
export type { MigrateOptions, ServerAddress } from "./migrate.ts";
export type { Config, DatabaseServer, ScriptLimits } from "./parse.ts";
export type { MachineUser } from "./script_user.ts";

/** Version of this program. */
export const VERSION: string = manifest.version;

/** The command of the process: print a text, refuse, serve, check or back up a data directory, import from elsewhere, work on a plugin, or run attempts for a server. */
type Command =
  | { readonly type: "print"; readonly text: string }
  | { readonly type: "refuse"; readonly message: string; readonly exitCode: number }
  | { readonly type: "serve"; readonly config: Config }
  | { readonly type: "backup"; readonly options: BackupOptions }
  | { readonly type: "doctor"; readonly options: DoctorOptions }
  | { readonly type: "migrate"; readonly options: MigrateOptions }
  | { readonly type: "plugin"; readonly options: PluginOptions }
  | { readonly type: "worker"; readonly options: WorkerOptions };

/** The command of this process, from its arguments, its environment and the files that they name. */
export function readCommand(): Command {
  const args = Deno.args;
  const [name, ...rest] = args;
  if (name === "doctor") {
    return readOptions(rest, DOCTOR_HELP, parseDoctor, (options) => ({ type: name, options }));
  }
  if (name === "backup") {
    return readOptions(rest, BACKUP_HELP, parseBackup, (options) => ({ type: name, options }));
  }
  if (name === "migrate") {
    return readOptions(rest, MIGRATE_HELP, parseMigrate, (options) => ({ type: name, options }));
  }
  if (name === "plugin") {
    return readOptions(rest, PLUGIN_HELP, parsePlugin, (options) => ({ type: name, options }));
  }
  if (name === "worker") return readWorker(rest);
  if (args.includes("--help") || args.includes("-h")) return { type: "print", text: helpText() };
  if (args.includes("--version")) return { type: "print", text: `sluice ${VERSION}` };
  const environment = Deno.env.toObject();
  const config = parseConfig(args, environment, readFile);
  // Nothing that runs later in this process, and no program it starts, finds them.
  for (const name of credentialVariables(environment)) Deno.env.delete(name);
  const complete = config instanceof ConfigProblem ? config : withScriptUser(config);
  return complete instanceof ConfigProblem
    ? { type: "refuse", message: complete.message, exitCode: 1 }
    : { type: "serve", config: complete };
}

function readOptions<Options>(
  args: readonly string[],
  help: string,
  parse: (args: readonly string[], environment: Environment) => Options | ConfigProblem,
  commandOf: (options: Options) => Command,
): Command {
  if (args.includes("--help") || args.includes("-h")) return { type: "print", text: help };
  const options = parse(args, Deno.env.toObject());
  return options instanceof ConfigProblem
    ? { type: "refuse", message: options.message, exitCode: 2 }
    : commandOf(options);
}

function readWorker(args: readonly string[]): Command {
  const command = readOptions(
    args,
    WORKER_HELP,
    (given, environment) => {
      const options = parseWorker(given, environment, readFile);
      if (options instanceof ConfigProblem) return options;
      const config = withScriptUser(options.config);
      return config instanceof ConfigProblem ? config : { ...options, config };
    },
    (options) => ({ type: "worker", options }),
  );
  for (const name of WORKER_CREDENTIALS) Deno.env.delete(name);
  return command;
}

function withScriptUser(config: Config): Config | ConfigProblem {
  const facts: UserFacts = { userId: config.isDeploy ? undefined : readUserId(), readFile };
  const choice = chooseScriptUser(config.scriptUserName, facts);
  return choice instanceof ConfigProblem ? choice : { ...config, ...choice };
}

/** The user of the server, by the owner of a new file: `Deno.uid` would need a further permission. */
function readUserId(): number | undefined {
  try {
    const path = Deno.makeTempFileSync({ prefix: "sluice-" });
    const { uid } = Deno.statSync(path);
    Deno.removeSync(path);
    return uid ?? undefined;
  } catch {
    return undefined; // Without files there are no scripts.
  }
}

function readFile(path: string): FileContent {
  try {
    return { text: Deno.readTextFileSync(path) };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return { problem: "there is no such file" };
    if (error instanceof Deno.errors.PermissionDenied) return { problem: "permission denied" };
    if (error instanceof Deno.errors.IsADirectory) return { problem: "it is a folder" };
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}
