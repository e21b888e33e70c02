/** `scripts.node.Script`: a Node.js script. */
import type { RunnableTaskType } from "../../model/tasks/task_catalog.ts";
import { DEPENDENCY_PROPERTIES } from "./dependencies.ts";
import { NODE } from "./script_program.ts";
import { SCRIPT, SCRIPT_OUTPUTS, SCRIPT_PROPERTIES } from "./script_properties.ts";
import { runScriptsOf } from "./script_task.ts";

/** Outputs: `vars`, `exitCode` and `outputFiles`. */
export const nodeScriptTask: RunnableTaskType = {
  form: "runnable",
  pure: false,
  type: "scripts.node.Script",
  aliases: [],
  description: "Runs a Node.js script.",
  properties: { script: SCRIPT, ...SCRIPT_PROPERTIES, ...DEPENDENCY_PROPERTIES },
  outputs: SCRIPT_OUTPUTS,
  run: runScriptsOf(NODE),
};
