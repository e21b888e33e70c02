/** `scripts.deno.Commands`: commands around Deno. */
import type { RunnableTaskType } from "../../model/tasks/task_catalog.ts";
import { DENO } from "./script_program.ts";
import { COMMANDS, SCRIPT_OUTPUTS, SCRIPT_PROPERTIES } from "./script_properties.ts";
import { runScriptsOf } from "./script_task.ts";

/** Outputs: `vars`, `exitCode` and `outputFiles`. */
export const denoCommandsTask: RunnableTaskType = {
  form: "runnable",
  pure: false,
  type: "scripts.deno.Commands",
  aliases: [],
  description: "Runs commands, in a place where Deno is installed.",
  properties: { commands: COMMANDS, ...SCRIPT_PROPERTIES },
  outputs: SCRIPT_OUTPUTS,
  run: runScriptsOf(DENO),
};
