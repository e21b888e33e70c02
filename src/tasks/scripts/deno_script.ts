/** `scripts.deno.Script`: a script for Deno. */
import type { RunnableTaskType } from "../../model/tasks/task_catalog.ts";
import { DENO } from "./script_program.ts";
import { SCRIPT, SCRIPT_OUTPUTS, SCRIPT_PROPERTIES } from "./script_properties.ts";
import { runScriptsOf } from "./script_task.ts";

/** Outputs: `vars`, `exitCode` and `outputFiles`. */
export const denoScriptTask: RunnableTaskType = {
  form: "runnable",
  pure: false,
  type: "scripts.deno.Script",
  aliases: [],
  description: "Runs a TypeScript or JavaScript script with Deno.",
  properties: { script: SCRIPT, ...SCRIPT_PROPERTIES },
  outputs: SCRIPT_OUTPUTS,
  run: runScriptsOf(DENO),
};
