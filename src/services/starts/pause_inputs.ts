/** The pause of an execution: its task run, and the inputs that a resume requires. */
import { type JsonObject, ownProperty } from "../../base/json.ts";
import { isPausedItself, pausedTaskRun } from "../../engine/requests/pause.ts";
import type { FlowPlan } from "../../engine/plan.ts";
import { buildInputs } from "../../flow/mod.ts";
import type { Execution, TaskRun } from "../../model/executions/execution.ts";
import type { Flow, Input } from "../../model/flows/flow.ts";
import type { GivenValue } from "../../model/flows/input_value.ts";
import type { AskingExecution, StartChecks } from "./start_checks.ts";

/** Where an execution is paused. */
export interface PausePoint {
  /** Absent if the whole execution is held. */
  readonly taskRun?: TaskRun;
  readonly inputs: readonly Input[];
}

/** What is asked for in a pause, and the execution as its templates see it. */
export interface PauseForm {
  readonly flow: Flow;
  readonly inputs: readonly Input[];
  readonly asking: AskingExecution;
}

/** The hold of an execution, else its oldest pause; `undefined` if nothing is paused. */
export function pausePointOf(execution: Execution, plan: FlowPlan): PausePoint | undefined {
  if (isPausedItself(execution)) return { inputs: [] };
  const taskRun = pausedTaskRun(execution.taskRuns);
  const properties = taskRun && plan.places.get(taskRun.taskId)?.task.properties;
  return taskRun && { taskRun, inputs: properties ? buildInputs(ownProperty(properties, "onResume")) : [] };
}

/** The values of the inputs; `undefined` if there are none. @throws DomainError invalid_entity */
export async function pauseInputs(
  checks: StartChecks,
  { flow, inputs, asking }: PauseForm,
  given: ReadonlyMap<string, GivenValue>,
): Promise<JsonObject | undefined> {
  return await checks.asking(asking, (reading) => reading.inputs(flow, given, inputs));
}

/** The report on these values. */
export async function pauseReport(
  checks: StartChecks,
  { flow, inputs, asking }: PauseForm,
  given: ReadonlyMap<string, GivenValue>,
): Promise<JsonObject> {
  return await checks.asking(asking, (reading) => reading.report(flow, given, inputs));
}
