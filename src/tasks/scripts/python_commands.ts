/** `scripts.python.Commands`: commands around Python. */
import type { RunnableTaskType } from "../../model/tasks/task_catalog.ts";
import { PYTHON } from "./python_program.ts";
import { PYTHON_PROPERTIES } from "./python_properties.ts";
import { COMMANDS, SCRIPT_OUTPUTS, SCRIPT_PROPERTIES } from "./script_properties.ts";
import { runScriptsOf } from "./script_task.ts";

/** Outputs: `vars`, `exitCode` and `outputFiles`. */
export const pythonCommandsTask: RunnableTaskType = {
  form: "runnable",
  pure: false,
  type: "scripts.python.Commands",
  aliases: ["core.tasks.scripts.Python"],
  description: "Runs commands, in a place where Python and the packages that they need are installed.",
  properties: { commands: COMMANDS, ...SCRIPT_PROPERTIES, ...PYTHON_PROPERTIES },
  outputs: SCRIPT_OUTPUTS,
  run: runScriptsOf(PYTHON),
};
