/** `scripts.shell.Script`: a shell script. */
import type { RunnableTaskType } from "../../model/tasks/task_catalog.ts";
import { SHELL } from "./script_program.ts";
import { SCRIPT, SCRIPT_OUTPUTS, SCRIPT_PROPERTIES } from "./script_properties.ts";
import { runScriptsOf } from "./script_task.ts";

/** Outputs: `vars`, `exitCode` and `outputFiles`. */
export const shellScriptTask: RunnableTaskType = {
  form: "runnable",
  pure: false,
  type: "scripts.shell.Script",
  aliases: [],
  description: "Runs a shell script.",
  properties: { script: SCRIPT, ...SCRIPT_PROPERTIES },
  outputs: SCRIPT_OUTPUTS,
  run: runScriptsOf(SHELL),
};
