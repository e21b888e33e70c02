/** Runs one attempt of a script task: prepares the directory, runs the commands, stores the results. */
import { type JsonObject, ownProperty, stringifyJson } from "../../base/json.ts";
import type { ProcessLine, ProcessPlace } from "../../model/ports/processes.ts";
import type { AttemptOutcome, RunnableTaskType } from "../../model/tasks/task_catalog.ts";
import { inDirectory } from "../attempt_directory.ts";
import { copyNamespaceFiles, createFiles, type LocalPlace, readMap, storeFiles } from "../local_files.ts";
import { flagOf } from "../property_values.ts";
import { listOf, runsInShell, ScriptCommands } from "./script_commands.ts";
import { ScriptOutput } from "./script_output.ts";
import { ScriptPackages } from "./script_packages.ts";
import { scriptPlace } from "./task_runner.ts";
import type { ScriptProgram } from "./script_program.ts";

/** A running attempt. */
interface ScriptRun extends LocalPlace {
  readonly properties: JsonObject;
  readonly program: ScriptProgram;
  readonly place: ProcessPlace;
  readonly env: ReadonlyMap<string, string>;
  /** Directory for `outputDirectory`. */
  readonly outputDir: string;
}

/** The `run` of task types with that program. */
export function runScriptsOf(program: ScriptProgram): RunnableTaskType["run"] {
  return async (properties, context) => {
    const place = scriptPlace(properties, context.ports.processes.policy, program.image);
    return await inDirectory(
      context,
      (directory) => runIn(directory, { properties, context, program, place }),
    );
  };
}

async function runIn(
  directory: string,
  given: Pick<ScriptRun, "properties" | "context" | "program" | "place">,
): Promise<AttemptOutcome> {
  const { properties, context } = given;
  const outputDir = `${directory}/.output-${context.taskRunId}`;
  const env = new Map([
    ...Object.entries(given.program.env ?? {}),
    ["WORKING_DIR", directory],
    ["OUTPUT_DIR", outputDir],
    ...givenEnv(properties),
  ]);
  const run = await fitted({ ...given, directory, outputDir, env });
  Deno.mkdirSync(outputDir, { recursive: true });
  const commands = new ScriptCommands(run, run.program);
  const packages = packagesOf(run);
  try {
    await copyNamespaceFiles(run, properties.namespaceFiles);
    await createFiles(run, properties.inputFiles);
    if (!await packages.install()) return await notInstalled(run, packages);
    await commands.prepare(properties, packages.bin);
    return await runCommands(run, commands, packages);
  } finally {
    await packages.release();
    if (context.workingDirectory !== undefined) {
      await commands.remove();
      await context.ports.workingDirectories.removePath(outputDir);
    }
  }
}

/** With the program adapted to the task; not in a container, whose image decides, and not without a shell. */
async function fitted(run: ScriptRun): Promise<ScriptRun> {
  const { program, place, properties, context } = run;
  if (!program.fit || place.type !== "process" || !runsInShell(properties)) return run;
  const fit = await program.fit(program, {
    properties,
    execute: (command, onLine) => execute(run, command, (line) => void onLine(line)),
    warn: (message) => {
      if (context.signal.aborted) return;
      context.log("WARN", message);
      return context.logged();
    },
  });
  return { ...run, program: fit };
}

/** The output of the installer is logged and does not affect the state of the task. */
function packagesOf(run: ScriptRun): ScriptPackages {
  const { properties, program, env, place: processPlace, context } = run;
  return new ScriptPackages({
    place: run,
    processPlace,
    program,
    env,
    packages: program.install ? listOf(properties, "dependencies") : [],
    isCached: flagOf(properties, "dependencyCacheEnabled", true),
    execute: (command, directory, onLine) => {
      const output = new ScriptOutput(context);
      const take = (line: ProcessLine) => (onLine(line), output.take(line));
      return execute({ ...run, directory }, command, take);
    },
  });
}

async function notInstalled(run: ScriptRun, packages: ScriptPackages): Promise<AttemptOutcome> {
  const { context } = run;
  if (context.signal.aborted) return { state: "KILLED" };
  context.log("ERROR", packages.problem);
  await packages.release();
  const outputs = { vars: {}, exitCode: packages.exitCode, outputFiles: await outputFiles(run) };
  return { state: "FAILED", outputs };
}

async function runCommands(
  run: ScriptRun,
  commands: ScriptCommands,
  packages: ScriptPackages,
): Promise<AttemptOutcome> {
  const { context, properties } = run;
  const output = new ScriptOutput(context);
  const exitCode = await execute(run, commands.command, (line) => output.take(line));
  if (context.signal.aborted) return { state: "KILLED" };
  await commands.remove();
  await packages.release();
  const outputs = { vars: output.vars, exitCode, outputFiles: await outputFiles(run) };
  if (exitCode !== 0) {
    context.log("ERROR", `Command failed with exit code ${exitCode}`);
    return { state: "FAILED", outputs };
  }
  const isWarning = output.hasErrors && flagOf(properties, "warningOnStdErr", true);
  return { state: isWarning ? "WARNING" : "SUCCESS", outputs };
}

async function execute(
  run: ScriptRun,
  command: readonly string[],
  onLine: (line: ProcessLine) => Promise<void> | undefined,
): Promise<number> {
  const { context, directory: workingDirectory, env, place } = run;
  const { exitCode, limit } = await context.ports.processes.run(context, {
    command,
    workingDirectory,
    env,
    place,
    signal: context.signal,
    onLine,
  });
  if (limit !== undefined) context.log("ERROR", limit);
  return exitCode;
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
