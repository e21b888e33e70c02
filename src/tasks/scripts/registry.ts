/** The task types that run commands and scripts: two per language. */
import type { JsonObject } from "../../base/json.ts";
import type { RunnableTaskType, TaskType } from "../../model/tasks/task_catalog.ts";
import { FURTHER_LANGUAGES, type ScriptLanguage } from "./languages.ts";
import { PYTHON } from "./python.ts";
import { DENO, NODE, type ScriptProgram, SHELL } from "./script_program.ts";
import * as schema from "./script_properties.ts";
import { runScriptsOf } from "./script_task.ts";
import { checkPlace } from "./task_runner.ts";

const LANGUAGES: readonly ScriptLanguage[] = [
  {
    name: "deno",
    program: DENO,
    commands: "Runs commands in an environment with Deno.",
    script: "Runs a TypeScript or JavaScript script with Deno.",
  },
  {
    name: "node",
    program: NODE,
    properties: schema.DEPENDENCY_PROPERTIES,
    commands: "Runs commands in an environment with Node.js.",
    commandsAliases: ["core.tasks.scripts.Node"],
    script: "Runs a Node.js script.",
  },
  {
    name: "python",
    program: PYTHON,
    properties: schema.PYTHON_PROPERTIES,
    commands: "Runs commands in an environment with Python and the required packages.",
    commandsAliases: ["core.tasks.scripts.Python"],
    script: "Runs a Python script.",
  },
  {
    name: "shell",
    program: SHELL,
    commands: "Runs shell commands.",
    commandsAliases: ["core.tasks.scripts.Bash"],
    script: "Runs a shell script.",
  },
  ...FURTHER_LANGUAGES,
];

/** Types below `scripts.`. */
export const SCRIPT_TASKS: readonly TaskType[] = Object.freeze(LANGUAGES.flatMap(typesOf));

/** Outputs of both: `vars`, `exitCode` and `outputFiles`. */
function typesOf(language: ScriptLanguage): RunnableTaskType[] {
  const { name, properties, scriptProperties } = language;
  // No property changes it.
  const { image } = programOf(language, {});
  const common = {
    form: "runnable",
    pure: false,
    runsOnWorkers: true,
    outputs: schema.SCRIPT_OUTPUTS,
    check: (task, places) => checkPlace(task, places, image),
    run: runOf(language),
  } satisfies Partial<RunnableTaskType>;
  return [
    {
      ...common,
      type: `scripts.${name}.Commands`,
      aliases: language.commandsAliases ?? [],
      description: language.commands,
      properties: { commands: schema.COMMANDS, ...schema.SCRIPT_PROPERTIES, ...properties },
    },
    {
      ...common,
      type: `scripts.${name}.Script`,
      aliases: [],
      description: language.script,
      properties: { script: schema.SCRIPT, ...schema.SCRIPT_PROPERTIES, ...properties, ...scriptProperties },
    },
  ];
}

function runOf({ program, complete }: ScriptLanguage): RunnableTaskType["run"] {
  if (typeof program !== "function" && !complete) return runScriptsOf(program);
  return (given, context) => {
    const properties = complete?.(given) ?? given;
    return runScriptsOf(programOf({ program }, properties))(properties, context);
  };
}

function programOf({ program }: Pick<ScriptLanguage, "program">, properties: JsonObject): ScriptProgram {
  return typeof program === "function" ? program(properties) : program;
}
