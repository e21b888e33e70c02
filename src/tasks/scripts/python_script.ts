/** `scripts.python.Script`: a Python script. */
import type { PlannedTaskType } from "../../model/task_catalog.ts";
import { PYTHON_PROPERTIES } from "./python_properties.ts";
import { SCRIPT, SCRIPT_OUTPUTS, SCRIPT_PROPERTIES } from "./script_properties.ts";

/** Outputs: `vars`, `exitCode` and `outputFiles`. */
export const pythonScriptTask: PlannedTaskType = {
  form: "planned",
  type: "scripts.python.Script",
  aliases: [],
  description: "Runs a Python script.",
  properties: { script: SCRIPT, ...SCRIPT_PROPERTIES, ...PYTHON_PROPERTIES },
  outputs: SCRIPT_OUTPUTS,
};
