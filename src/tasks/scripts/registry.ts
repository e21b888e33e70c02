/** The task types that run commands and scripts: two per language. */
import type { PropertySchemas } from "../../model/flows/schema.ts";
import type { RunnableTaskType, TaskType } from "../../model/tasks/task_catalog.ts";
import { PYTHON } from "./python.ts";
import { DENO, NODE, type ScriptProgram, SHELL } from "./script_program.ts";
import * as schema from "./script_properties.ts";
import { runScriptsOf } from "./script_task.ts";

/** A language with the descriptions of its two types. */
interface ScriptLanguage {
  /** Names its types: `scripts.<name>.Commands` and `scripts.<name>.Script`. */
  readonly name: string;
  readonly program: ScriptProgram;
  /** Further properties. */
  readonly properties?: PropertySchemas;
  readonly commands: string;
  readonly commandsAliases?: readonly string[];
  readonly script: string;
}

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
];

/** Types below `scripts.`. */
export const SCRIPT_TASKS: readonly TaskType[] = Object.freeze(LANGUAGES.flatMap(typesOf));

/** Outputs of both: `vars`, `exitCode` and `outputFiles`. */
function typesOf(language: ScriptLanguage): RunnableTaskType[] {
  const { name, program, properties } = language;
  const common = {
    form: "runnable",
    pure: false,
    outputs: schema.SCRIPT_OUTPUTS,
    run: runScriptsOf(program),
  } as const;
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
      properties: { script: schema.SCRIPT, ...schema.SCRIPT_PROPERTIES, ...properties },
    },
  ];
}
