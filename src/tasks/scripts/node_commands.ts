/** `scripts.node.Commands`: commands around Node.js. */
import type { PlannedTaskType } from "../../model/task_catalog.ts";
import { DEPENDENCY_PROPERTIES } from "./dependencies.ts";
import { COMMANDS, SCRIPT_OUTPUTS, SCRIPT_PROPERTIES } from "./script_properties.ts";

/** Outputs: `vars`, `exitCode` and `outputFiles`. */
export const nodeCommandsTask: PlannedTaskType = {
  form: "planned",
  type: "scripts.node.Commands",
  aliases: ["core.tasks.scripts.Node"],
  description: "Runs commands, in a place where Node.js is installed.",
  properties: { commands: COMMANDS, ...SCRIPT_PROPERTIES, ...DEPENDENCY_PROPERTIES },
  outputs: SCRIPT_OUTPUTS,
};
