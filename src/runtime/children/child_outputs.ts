/**
 * What the end of a child lacks: large outputs, SECRET outputs for the flow of the parent, and templates that are rendered in
 * the child: older `outputs` of a Subflow, `breakWhen` of a Loop.
 */
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import type { Event } from "../../engine/events.ts";
import { isTruthyText } from "../../expr/mod.ts";
import { taskRunOf } from "../../model/executions/execution.ts";
import type { Task } from "../../model/flows/flow.ts";
import { holdsEncrypted } from "../../model/flows/input_value.ts";
import { LOOP } from "../../model/executions/loop_run.ts";
import type { State } from "../../model/executions/state.ts";
import { isRenderError } from "../../rendering/host_functions/mod.ts";
import type { LiveExecution } from "../live/live_execution.ts";

/** Reads children: the execution of that id, or its last successor. */
export interface ChildReader {
  readonly load: (executionId: string) => Promise<LiveExecution | undefined>;
  readonly outputsOf: (executionId: string) => Promise<JsonObject | undefined>;
}

type LoadChild = ChildReader["load"];
type ChildEnded = Extract<Event, { type: "child_ended" }>;

/** Adds to the event what it lacks. */
export async function withChildOutputs(
  event: Event,
  parent: LiveExecution | undefined,
  { load, outputsOf }: ChildReader,
): Promise<Event> {
  if (event.type !== "child_ended" || event.state === "RETRIED" || !parent) return event;
  const taskRun = taskRunOf(parent.execution, event.taskRun);
  const task = taskRun && parent.plan.places.get(taskRun.taskId)?.task;
  if (task?.kind === LOOP) return await withBreak(event, task, load);
  const ended = event.hasStoredOutputs ? await withStored(event, outputsOf) : event;
  const wanted = task?.properties.outputs;
  if (!isJsonObject(wanted) && !holdsEncrypted(ended.outputs)) return ended;
  const child = await load(event.executionId);
  if (!child) return ended;
  // The outputs that its flow declares replace those of the task.
  const isRendered = isJsonObject(wanted) && child.plan.flow.outputs.length === 0;
  return isRendered ? await rendered(ended, child, wanted) : handedOver(ended, { child, parent });
}

/** The end of a child with its SECRET outputs encrypted for the flow of the parent. */
export function handedOver(
  event: Event,
  { child, parent }: { readonly child: LiveExecution; readonly parent: LiveExecution },
): Event {
  if (event.type !== "child_ended" || !event.outputs || !holdsEncrypted(event.outputs)) return event;
  return { ...event, outputs: child.renderer.outputsFor(parent.plan.flow, event.outputs) };
}

async function withStored(event: ChildEnded, outputsOf: ChildReader["outputsOf"]): Promise<ChildEnded> {
  const { executionId } = event;
  const outputs = await outputsOf(executionId);
  if (outputs) return { ...event, outputs };
  const problem =
    `Cannot read the outputs of the execution "${executionId}": it was deleted or restarted meanwhile`;
  return { ...event, problem };
}

/** Adds whether a successful pass breaks its loop. */
async function withBreak(event: ChildEnded, { properties }: Task, load: LoadChild): Promise<Event> {
  const { breakWhen } = properties;
  if (typeof breakWhen !== "string" || !HAS_OUTPUTS.has(event.state)) return event;
  const child = await load(event.executionId);
  if (!child) return event;
  try {
    return { ...event, breaks: isTruthyText(await child.renderer.text(breakWhen)) };
  } catch (error) {
    if (isRenderError(error)) return { ...event, problem: error.message };
    throw error;
  }
}

const HAS_OUTPUTS: ReadonlySet<State> = new Set(["SUCCESS", "WARNING"]);

async function rendered(event: ChildEnded, child: LiveExecution, wanted: JsonObject): Promise<Event> {
  try {
    return { ...event, outputs: await child.renderer.object(wanted) };
  } catch (error) {
    if (isRenderError(error)) return { ...event, problem: error.message };
    throw error;
  }
}
