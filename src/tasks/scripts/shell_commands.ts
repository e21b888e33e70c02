/** `scripts.shell.Commands`: shell commands. */
import type { RunnableTaskType } from "../../model/tasks/task_catalog.ts";
import { SHELL } from "./script_program.ts";
import { COMMANDS, SCRIPT_OUTPUTS, SCRIPT_PROPERTIES } from "./script_properties.ts";
import { runScriptsOf } from "./script_task.ts";

/** Outputs: `vars`, `exitCode` and `outputFiles`. */
export const shellCommandsTask: RunnableTaskType = {
  form: "runnable",
  pure: false,
  type: "scripts.shell.Commands",
  aliases: ["core.tasks.scripts.Bash"],
  description: "Runs shell commands.",
  properties: { commands: COMMANDS, ...SCRIPT_PROPERTIES },
  outputs: SCRIPT_OUTPUTS,
  run: runScriptsOf(SHELL),
};
