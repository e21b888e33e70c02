/** The older `outputs` of a Subflow task: expressions that see what the execution saw which the task has started. */
import { isJsonObject, type JsonObject } from "../base/json.ts";
import type { Event } from "../engine/events.ts";
import { taskRunOf } from "../model/execution.ts";
import { isRenderError } from "./host_functions.ts";
import type { LiveExecution } from "./live_execution.ts";

type ChildEnded = Extract<Event, { type: "child_ended" }>;

/** The event with what the task wants of the execution beside its outputs; `load` reads that execution. */
export async function withChildOutputs(
  event: Event,
  parent: LiveExecution | undefined,
  load: (executionId: string) => Promise<LiveExecution | undefined>,
): Promise<Event> {
  if (event.type !== "child_ended" || !parent) return event;
  const taskRun = taskRunOf(parent.execution, event.taskRun);
  const wanted = taskRun && parent.plan.places.get(taskRun.taskId)?.task.properties.outputs;
  if (!isJsonObject(wanted)) return event;
  const child = await load(event.executionId);
  return child ? await rendered(event, child, wanted) : event;
}

async function rendered(event: ChildEnded, child: LiveExecution, wanted: JsonObject): Promise<Event> {
  try {
    const outputs = await child.renderer.object(wanted);
    return { ...event, outputs: { ...event.outputs, ...outputs } };
  } catch (error) {
    if (isRenderError(error)) return { ...event, problem: error.message };
    throw error;
  }
}
