/** `errorLogs()` and `tasksWithState()`: facts about the calling execution. */
import type { JsonObject } from "../../base/json.ts";
import { currentState, STATES } from "../../model/executions/state.ts";
import {
  executionOf,
  type HostCall,
  HostError,
  type HostFunctionTable,
  portOf,
  requiredOf,
} from "./host_function.ts";

/** Functions on the execution. */
export const EXECUTION_FUNCTIONS: HostFunctionTable = [
  ["errorLogs", { parameters: [], call: readErrors }],
  ["tasksWithState", { parameters: ["state"], call: tasksWithState }],
];

async function readErrors(call: HostCall): Promise<JsonObject[]> {
  const execution = executionOf(call, "errorLogs");
  return await portOf(call.values.logs, "errorLogs").errors(execution);
}

function tasksWithState(call: HostCall): JsonObject[] {
  const { taskRuns } = executionOf(call, "tasksWithState");
  const name = requiredOf(call.args, "state");
  const state = STATES.find((candidate) => candidate === name.toUpperCase());
  if (!state) throw new HostError(`Unknown state "${name}": states are ${STATES.join(", ")}`);
  return taskRuns.filter(({ history }) => currentState(history) === state)
    .map(({ taskId, value }): JsonObject =>
      value === undefined ? { state, taskId } : { state, value, taskId }
    );
}
