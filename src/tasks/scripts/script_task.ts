/** Runs one attempt of a script task: prepares the directory, runs the commands, stores the results. */
import { type JsonObject, ownProperty, stringifyJson } from "../../base/json.ts";
import type { ProcessEnd, ProcessLine, ProcessPlace } from "../../model/ports/processes.ts";
import type { AttemptOutcome, RunnableTaskType } from "../../model/tasks/task_catalog.ts";
import { inDirectory } from "../attempt_directory.ts";
import { copyNamespaceFiles, createFiles, type LocalPlace, readMap, storeFiles } from "../local_files.ts";
import { flagOf } from "../property_values.ts";
import { openEnvironment } from "./environment/open_environment.ts";
import type { ScriptEnvironment } from "./environment/script_environment.ts";
import { namedImage } from "./known_images.ts";
import { failureText } from "./missing_program.ts";
import { auxiliaryFolder, listOf, runsInShell, ScriptCommands } from "./script_commands.ts";
import type { ScriptAdditions, ScriptHooks } from "./script_hooks.ts";
import { ScriptOutput } from "./script_output.ts";
import { ScriptPackages } from "./script_packages.ts";
import { logHead, unusedImageText } from "./script_head.ts";
import { type ScriptPlace, scriptPlace, type UnusedImage } from "./task_runner.ts";
import type { ScriptProgram } from "./script_program.ts";

/** A command that installs packages. */
const INSTALLER = /(?<![\w-])(?:pip3?|uv)(?![\w])/;

/** A running attempt. */
interface ScriptRun extends LocalPlace {
  readonly properties: JsonObject;
  readonly program: ScriptProgram;
  readonly hooks: ScriptHooks;
  readonly additions: ScriptAdditions;
  readonly place: ProcessPlace;
  readonly unusedImage?: UnusedImage;
  readonly env: ReadonlyMap<string, string>;
  /** Absent in a container, whose image decides, and for languages without one. */
  readonly environment?: ScriptEnvironment;
  /** Directory for `outputDirectory`. */
  readonly outputDir: string;
}

/** The `run` of task types with that program. */
export function runScriptsOf(program: ScriptProgram, hooks: ScriptHooks = {}): RunnableTaskType["run"] {
  return async (properties, context) => {
    const place = hooks.place
      ? { place: hooks.place(properties) }
      : await scriptPlace(properties, context.ports.processes, program.image);
    return await inDirectory(
      context,
      (directory) => runIn(directory, { properties, context, program, hooks, ...place }),
    );
  };
}

async function runIn(
  directory: string,
  given: Pick<ScriptRun, "properties" | "context" | "program" | "hooks"> & ScriptPlace,
): Promise<AttemptOutcome> {
  const { properties, context, hooks } = given;
  const outputDir = `${directory}/.output-${context.taskRunId}`;
  const additions = hooks.additions?.(properties, `${directory}/${auxiliaryFolder(context)}`) ?? {};
  const run = await withEnvironment({
    ...given,
    additions,
    directory,
    outputDir,
    env: envOf({ ...given, additions }, directory, outputDir),
  });
  Deno.mkdirSync(outputDir, { recursive: true });
  if (run.place.type === "container") await openToAll([directory, outputDir]);
  await logHead(run, given);
  const commands = new ScriptCommands(run, run.program);
  const packages = packagesOf(run);
  try {
    await copyNamespaceFiles(run, properties.namespaceFiles);
    await createFiles(run, properties.inputFiles);
    if (!await packages.install()) return await notInstalled(run, packages);
    await prepareCommands(run, commands, packages.bins);
    return await runCommands(run, commands, packages);
  } finally {
    await packages.release();
    run.environment?.close();
    if (context.workingDirectory !== undefined) {
      await commands.remove();
      await context.ports.workingDirectories.removePath(outputDir);
    }
  }
}

/** Adds what the type adds. */
async function prepareCommands(
  run: ScriptRun,
  commands: ScriptCommands,
  bins: readonly string[],
): Promise<void> {
  const { properties, context, directory, hooks, additions: { files, commands: further = [] } } = run;
  const changed = await hooks.prepare?.({ properties, context, directory }) ?? properties;
  if (files) {
    await commands.writeFiles(files);
    if (run.place.type === "container") await openToAll([`${directory}/${auxiliaryFolder(context)}`]);
  }
  const complete = further.length === 0
    ? changed
    : { ...changed, commands: [...further, ...listOf(changed, "commands")] };
  await commands.prepare(complete, bins);
}

/** A container may have a user of its own. The directories are below one that no other user of the machine can enter. */
async function openToAll(directories: readonly string[]): Promise<void> {
  for (const directory of directories) await Deno.chmod(directory, 0o777);
}

function envOf(
  { program, properties, additions }: Pick<ScriptRun, "program" | "properties" | "additions">,
  directory: string,
  outputDir: string,
): ReadonlyMap<string, string> {
  return new Map([
    ...Object.entries(program.env ?? {}),
    ["WORKING_DIR", directory],
    ["OUTPUT_DIR", outputDir],
    ...Object.entries(additions.env ?? {}),
    ...givenEnv(properties),
  ]);
}

/** With the environment of the task; only a shell can be given its commands. */
async function withEnvironment(run: ScriptRun): Promise<ScriptRun> {
  const { program, place, properties, context, env } = run;
  if (place.type !== "process" || !runsInShell(properties)) return run;
  const languages = program.environment?.(properties, context) ?? [];
  if (languages.length === 0) return run;
  const environment = await openEnvironment({
    ...{ context, env, properties, languages },
    execute: (command, onLine, variables = []) =>
      exitCodeOf({ ...run, env: new Map([...env, ...variables]) }, command, (line) => void onLine(line)),
  });
  if (!environment) return run;
  return { ...run, environment, env: new Map([...environment.variables, ...env]) };
}

/** The output of the installer is logged and does not affect the state of the task. */
function packagesOf(run: ScriptRun): ScriptPackages {
  const { properties, program, environment, place: processPlace, context } = run;
  return new ScriptPackages({
    place: run,
    processPlace,
    program,
    env: environment?.given ?? run.env,
    environment,
    image: environment && namedImage(properties),
    packages: program.install ? listOf(properties, "dependencies") : [],
    isCached: flagOf(properties, "dependencyCacheEnabled", true) && !installsMore(properties),
    execute: (command, directory, onLine) => {
      const output = new ScriptOutput(context);
      const take = (line: ProcessLine) => (onLine(line), output.take(line));
      // What is installed for several tasks must not change the environment of this one.
      const shared = directory === run.directory ? {} : { environment: undefined };
      return exitCodeOf({ ...run, directory, ...shared }, command, take);
    },
  });
}

/** Whether commands install further packages, which must fit those of `dependencies`: then all are in one environment. */
function installsMore(properties: JsonObject): boolean {
  const commands = [...listOf(properties, "beforeCommands"), ...listOf(properties, "commands")];
  return commands.some((command) => INSTALLER.test(command));
}

async function notInstalled(run: ScriptRun, packages: ScriptPackages): Promise<AttemptOutcome> {
  const { context } = run;
  if (context.signal.aborted) return { state: "KILLED" };
  context.log("ERROR", withUnusedImage(packages.problem, run));
  await packages.release();
  const outputs = { vars: {}, exitCode: packages.exitCode, outputFiles: await outputFiles(run) };
  return { state: "FAILED", outputs };
}

async function runCommands(
  run: ScriptRun,
  commands: ScriptCommands,
  packages: ScriptPackages,
): Promise<AttemptOutcome> {
  const { context, properties, directory, hooks } = run;
  const output = new ScriptOutput(context, hooks.reader?.(properties));
  const { exitCode, containerId } = await execute(run, commands.command, (line) => output.take(line));
  if (context.signal.aborted) return { state: "KILLED" };
  const found = await hooks.finish?.(
    { properties, context, directory },
    { vars: output.vars, containerId },
  ) ?? {};
  await commands.remove();
  await packages.release();
  const files = { ...await outputFiles(run), ...found.files };
  const outputs = { vars: output.vars, exitCode, outputFiles: files, ...found.outputs };
  if (exitCode !== 0) {
    const failure = failureText(exitCode, run.place, output.missingProgram);
    context.log("ERROR", withUnusedImage(failure, run));
    return { state: "FAILED", outputs };
  }
  const isWarning = output.hasWarnings || output.hasErrors && flagOf(properties, "warningOnStdErr", true);
  return { state: isWarning ? "WARNING" : "SUCCESS", outputs };
}

/** A missing image is a likely reason of a failure. */
function withUnusedImage(message: string, { unusedImage }: ScriptRun): string {
  const missing = unusedImageText(unusedImage);
  return missing === undefined ? message : `${message}; ${missing}`;
}

async function execute(
  run: ScriptRun,
  command: readonly string[],
  onLine: (line: ProcessLine) => Promise<void> | undefined,
): Promise<ProcessEnd> {
  const { context, directory: workingDirectory, env, environment, place } = run;
  const end = await context.ports.processes.run(context, {
    command,
    workingDirectory,
    env,
    packageDirectory: environment?.directory,
    place,
    signal: context.signal,
    onLine,
  });
  if (end.reason !== undefined) context.log("ERROR", end.reason);
  return end;
}

async function exitCodeOf(...call: Parameters<typeof execute>): Promise<number> {
  return (await execute(...call)).exitCode;
}

/** Stored also after a failure. */
async function outputFiles(run: ScriptRun): Promise<JsonObject> {
  const { context, properties, outputDir } = run;
  const inOutputDir = flagOf(properties, "outputDirectory", properties.runner !== undefined)
    ? await storeFiles({ context, directory: outputDir }, ["**"])
    : {};
  return { ...inOutputDir, ...await storeFiles(run, properties.outputFiles) };
}

function givenEnv(properties: JsonObject): [string, string][] {
  const given = ownProperty(properties, "env");
  return Object.entries(readMap(given, "Environment variables")).flatMap(([name, value]) => {
    if (value === null) return [];
    const text = typeof value === "object" ? stringifyJson(value) : String(value);
    // deno-lint-ignore no-control-regex
    if (name === "" || /[=\u0000]/.test(name) || /\u0000/.test(text)) {
      throw new Error(`Invalid environment variable "${name}": "=" and null characters are not allowed`);
    }
    return [[name, text]];
  });
}
