/** `scripts.node.Commands`: commands around Node.js. */
import type { RunnableTaskType } from "../../model/tasks/task_catalog.ts";
import { DEPENDENCY_PROPERTIES } from "./dependencies.ts";
import { NODE } from "./script_program.ts";
import { COMMANDS, SCRIPT_OUTPUTS, SCRIPT_PROPERTIES } from "./script_properties.ts";
import { runScriptsOf } from "./script_task.ts";

/** Outputs: `vars`, `exitCode` and `outputFiles`. */
export const nodeCommandsTask: RunnableTaskType = {
  form: "runnable",
  pure: false,
  type: "scripts.node.Commands",
  aliases: ["core.tasks.scripts.Node"],
  description: "Runs commands, in a place where Node.js is installed.",
  properties: { commands: COMMANDS, ...SCRIPT_PROPERTIES, ...DEPENDENCY_PROPERTIES },
  outputs: SCRIPT_OUTPUTS,
  run: runScriptsOf(NODE),
};
