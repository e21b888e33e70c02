/** `scripts.shell.Script`: a shell script. */
import type { PlannedTaskType } from "../../model/task_catalog.ts";
import { SCRIPT, SCRIPT_OUTPUTS, SCRIPT_PROPERTIES } from "./script_properties.ts";

/** Outputs: `vars`, `exitCode` and `outputFiles`. */
export const shellScriptTask: PlannedTaskType = {
  form: "planned",
  type: "scripts.shell.Script",
  aliases: [],
  description: "Runs a shell script.",
  properties: { script: SCRIPT, ...SCRIPT_PROPERTIES },
  outputs: SCRIPT_OUTPUTS,
};
