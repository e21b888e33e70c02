/** `scripts.python.Commands`: commands around Python. */
import type { PlannedTaskType } from "../../model/task_catalog.ts";
import { PYTHON_PROPERTIES } from "./python_properties.ts";
import { COMMANDS, SCRIPT_OUTPUTS, SCRIPT_PROPERTIES } from "./script_properties.ts";

/** Outputs: `vars`, `exitCode` and `outputFiles`. */
export const pythonCommandsTask: PlannedTaskType = {
  form: "planned",
  type: "scripts.python.Commands",
  aliases: ["core.tasks.scripts.Python"],
  description: "Runs commands, in a place where Python and the packages that they need are installed.",
  properties: { commands: COMMANDS, ...SCRIPT_PROPERTIES, ...PYTHON_PROPERTIES },
  outputs: SCRIPT_OUTPUTS,
};
