/** `scripts.shell.Commands`: shell commands. */
import type { PlannedTaskType } from "../../model/task_catalog.ts";
import { COMMANDS, SCRIPT_OUTPUTS, SCRIPT_PROPERTIES } from "./script_properties.ts";

/** Outputs: `vars`, `exitCode` and `outputFiles`. */
export const shellCommandsTask: PlannedTaskType = {
  form: "planned",
  type: "scripts.shell.Commands",
  aliases: ["core.tasks.scripts.Bash"],
  description: "Runs shell commands.",
  properties: { commands: COMMANDS, ...SCRIPT_PROPERTIES },
  outputs: SCRIPT_OUTPUTS,
};
