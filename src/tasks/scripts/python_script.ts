/** `scripts.python.Script`: a Python script. */
import type { RunnableTaskType } from "../../model/tasks/task_catalog.ts";
import { PYTHON } from "./python_program.ts";
import { PYTHON_PROPERTIES } from "./python_properties.ts";
import { SCRIPT, SCRIPT_OUTPUTS, SCRIPT_PROPERTIES } from "./script_properties.ts";
import { runScriptsOf } from "./script_task.ts";

/** Outputs: `vars`, `exitCode` and `outputFiles`. */
export const pythonScriptTask: RunnableTaskType = {
  form: "runnable",
  pure: false,
  type: "scripts.python.Script",
  aliases: [],
  description: "Runs a Python script.",
  properties: { script: SCRIPT, ...SCRIPT_PROPERTIES, ...PYTHON_PROPERTIES },
  outputs: SCRIPT_OUTPUTS,
  run: runScriptsOf(PYTHON),
};
