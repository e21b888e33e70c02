/** What an execution that is paused waits for: which task run, and the inputs that are asked of whoever resumes it. */
import { type JsonObject, ownProperty } from "../../base/json.ts";
import { pausedTaskRun } from "../../engine/pause.ts";
import type { FlowPlan } from "../../engine/plan.ts";
import { buildInputs } from "../../flow/mod.ts";
import type { Execution, TaskRun } from "../../model/executions/execution.ts";
import type { Flow, Input } from "../../model/flows/flow.ts";
import type { GivenValue } from "../../model/flows/input_value.ts";
import { currentState } from "../../model/executions/state.ts";
import type { StartChecks } from "./start_checks.ts";

/** Where an execution is paused. */
export interface PausePoint {
  /** Absent when the execution as a whole is held. */
  readonly taskRun?: TaskRun;
  /** Asked of whoever resumes it. */
  readonly inputs: readonly Input[];
}

/** The hold of an execution, else its oldest pause; `undefined` when nothing of it is paused. */
export function pausePointOf(execution: Execution, plan: FlowPlan): PausePoint | undefined {
  if (execution.isHeld && currentState(execution.history) === "PAUSED") return { inputs: [] };
  const taskRun = pausedTaskRun(execution.taskRuns);
  const properties = taskRun && plan.places.get(taskRun.taskId)?.task.properties;
  return taskRun && { taskRun, inputs: properties ? buildInputs(ownProperty(properties, "onResume")) : [] };
}

/** The values for a pause; `undefined` when it asks for none. @throws DomainError invalid_entity */
export function pauseInputs(
  checks: StartChecks,
  { flow }: FlowPlan,
  { inputs }: PausePoint,
  given: ReadonlyMap<string, GivenValue>,
): JsonObject | undefined | Promise<JsonObject | undefined> {
  const asking = askingFlow(flow, inputs);
  return checks.reading(asking, (reading) => reading.inputs(asking, given));
}

/** What a resume with these values would find. */
export function pauseReport(
  checks: StartChecks,
  { flow }: FlowPlan,
  { inputs }: PausePoint,
  given: ReadonlyMap<string, GivenValue>,
): JsonObject | Promise<JsonObject> {
  const asking = askingFlow(flow, inputs);
  return checks.reading(asking, (reading) => reading.report(asking, given));
}

/** The flow as one whose inputs are those of the pause; its checks are about its own. */
function askingFlow(flow: Flow, inputs: readonly Input[]): Flow {
  return { ...flow, inputs, definition: {} };
}
