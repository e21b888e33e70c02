/** `scripts.node.Script`: a Node.js script. */
import type { PlannedTaskType } from "../../model/task_catalog.ts";
import { DEPENDENCY_PROPERTIES } from "./dependencies.ts";
import { SCRIPT, SCRIPT_OUTPUTS, SCRIPT_PROPERTIES } from "./script_properties.ts";

/** Outputs: `vars`, `exitCode` and `outputFiles`. */
export const nodeScriptTask: PlannedTaskType = {
  form: "planned",
  type: "scripts.node.Script",
  aliases: [],
  description: "Runs a Node.js script.",
  properties: { script: SCRIPT, ...SCRIPT_PROPERTIES, ...DEPENDENCY_PROPERTIES },
  outputs: SCRIPT_OUTPUTS,
};
