/** The task types that run commands and scripts. */
import type { TaskType } from "../../model/tasks/task_catalog.ts";
import { denoCommandsTask } from "./deno_commands.ts";
import { denoScriptTask } from "./deno_script.ts";
import { nodeCommandsTask } from "./node_commands.ts";
import { nodeScriptTask } from "./node_script.ts";
import { pythonCommandsTask } from "./python_commands.ts";
import { pythonScriptTask } from "./python_script.ts";
import { shellCommandsTask } from "./shell_commands.ts";
import { shellScriptTask } from "./shell_script.ts";

/** Types below `scripts.`. */
export const SCRIPT_TASKS: readonly TaskType[] = Object.freeze([
  denoCommandsTask,
  denoScriptTask,
  nodeCommandsTask,
  nodeScriptTask,
  pythonCommandsTask,
  pythonScriptTask,
  shellCommandsTask,
  shellScriptTask,
]);
