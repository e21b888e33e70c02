/** Runs an attempt on a worker instead of in this process. */
import type { JsonObject } from "../../base/json.ts";
import type { PendingFiles } from "../../model/executions/pending_files.ts";
import type { WorkerGroup } from "../../model/flows/flow.ts";
import type { RunContext } from "../../model/ports/run_context.ts";
import { DEFAULT_WORKER_GROUP, type RemoteEnd, type WorkerPort } from "../../model/ports/workers.ts";
import type { RunnableTaskType } from "../../model/tasks/task_catalog.ts";
import type { AttemptCommand, LiveExecution } from "../live/live_execution.ts";

/** What decides where an attempt runs. */
interface PlaceRequest {
  readonly live: LiveExecution;
  readonly command: AttemptCommand;
  readonly type: RunnableTaskType;
  readonly context: RunContext;
  readonly workers: WorkerPort;
  /** Schedules a commit. */
  readonly wake: (live: LiveExecution) => void;
}

/** An attempt for a worker; absent properties: a worker runs it already. */
interface RemoteRequest extends PlaceRequest {
  readonly properties?: JsonObject;
}

/** Whether the type runs on workers at all; tasks that share a directory stay where it is. */
export function mayRunRemotely({ type, context }: Pick<PlaceRequest, "type" | "context">): boolean {
  return type.runsOnWorkers === true && context.workingDirectory === undefined;
}

/** Starts the attempt on a worker. `undefined`: it runs in this process. @throws Error no worker is connected and the task must not wait */
export async function runRemotely(request: RemoteRequest): Promise<RemoteEnd | undefined> {
  const { live, command, type, context, workers } = request;
  if (command.isResumed) return await runOnWorker(request, keptGroup(request));
  const wanted = command.task.workerGroup ?? live.plan.flow.workerGroup;
  const group = wanted && await groupOf(wanted, context);
  const place = workers.placeOf(context.tenant, type.type, group);
  if (place === "here") return undefined;
  if (place === "none" && wanted && wanted.fallback !== "WAIT") {
    const message = `No worker of the group "${group}" is connected`;
    if (wanted.fallback === "FAIL") throw new Error(message);
    context.log("ERROR", message);
    return { state: "CANCELLED", effects: { exit: "CANCELLED" } };
  }
  return await runOnWorker(request, group ?? DEFAULT_WORKER_GROUP);
}

async function groupOf({ key }: WorkerGroup, context: RunContext): Promise<string> {
  const text = key.includes("{") ? String(await context.render(key)) : key;
  return text.trim() || DEFAULT_WORKER_GROUP;
}

function keptGroup({ workers, live: { execution }, command }: RemoteRequest): string {
  const kept = workers.keptOf(execution.tenant, execution.id).get(command.taskRun);
  return kept?.group ?? DEFAULT_WORKER_GROUP;
}

function runOnWorker(request: RemoteRequest, group: string): Promise<RemoteEnd> {
  const { live, command: { taskRun: ordinal }, type, context, workers, wake, properties } = request;
  const keep = (changes: PendingFiles) => {
    if (live.isDropped) return void changes.discard();
    live.files.push(changes);
    live.isDirty = true;
    wake(live);
  };
  const secrets = live.renderer.hostCalls.secrets;
  return workers.run({ context, ordinal, type: type.type, group, properties, secrets, keep });
}
