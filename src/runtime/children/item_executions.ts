/** The executions that a ForEachItem starts in batches: one for each line of the list that its split has written. */
import type { Clock } from "../../base/time/clock.ts";
import { taskRunId } from "../../base/id.ts";
import { isFlagSet } from "../../base/text/truthy_text.ts";
import { childId, childNumbersOf } from "../../engine/children/children.ts";
import type { AttemptFiles, FileKeeper } from "../../model/executions/attempt_identity.ts";
import type { Execution, TaskRun } from "../../model/executions/execution.ts";
import { itemPartId } from "../../model/executions/for_each_item.ts";
import type { StoragePort } from "../../model/ports/storage.ts";
import type { LiveExecution } from "../live/live_execution.ts";
import type { NewExecution } from "../live/messages.ts";
import type { ManyRestarts } from "./many_restarts.ts";
import { StartRoom } from "./start_room.ts";
import { type ChildStart, type CreateChild, requestOf, type StartChild } from "./subflow.ts";

interface ItemExecutionsDeps {
  readonly create: CreateChild;
  readonly storage: StoragePort;
  readonly clock: Clock;
  readonly restarts: ManyRestarts;
  readonly taskRun: TaskRun;
}

/** Executions that one commit creates at most. */
const STARTS_AT_ONCE = 50;
const PROPERTIES = [
  "namespace",
  "flowId",
  "revision",
  "inputs",
  "labels",
  "inheritLabels",
  "scheduleDate",
  "wait",
  "transmitFailed",
];

/** Prepares the next executions, after a restart those that run again. @throws Error the attempt fails with the message */
export async function startItems(
  live: LiveExecution,
  command: StartChild,
  deps: ItemExecutionsDeps,
): Promise<ChildStart> {
  return await deps.restarts.start(live, deps.taskRun) ?? await startNew(live, command, deps);
}

async function startNew(
  live: LiveExecution,
  command: StartChild,
  deps: ItemExecutionsDeps,
): Promise<ChildStart> {
  const { taskRun, clock } = deps;
  const { task, from = 0 } = command;
  const batches = await batchesOf(live, taskRun, deps.storage);
  const { madeAt, attempt } = childNumbersOf(taskRun) ??
    { madeAt: clock.now(), attempt: taskRun.attempts.length };
  const newExecutions: NewExecution[] = [];
  const chosen = { wait: true, transmitFailed: true };
  const room = new StartRoom();
  for (const [offset, items] of batches.slice(from, from + STARTS_AT_ONCE).entries()) {
    const index = from + offset;
    const scope = { task, taskRun: { ...taskRun, iteration: index }, items };
    const properties = await live.renderer.members(PROPERTIES, scope);
    chosen.wait = isFlagSet(properties.wait, true);
    chosen.transmitFailed = isFlagSet(properties.transmitFailed, true);
    const request = requestOf(live.execution, command, properties, chosen.wait);
    const id = childId(taskRun, { executionId: live.execution.id, madeAt, attempt }, index);
    const made = await deps.create({ ...request, id });
    if (!room.take(made.execution)) break;
    newExecutions.push(made);
  }
  return {
    event: {
      type: "children_started",
      taskRun: command.taskRun,
      from,
      count: newExecutions.length,
      total: batches.length,
      madeAt,
      attempt,
      waits: chosen.wait,
      transmitsFailed: chosen.transmitFailed,
    },
    receipt: { newExecutions },
  };
}

/** Storage URIs of the batches, in order; cached while the execution is in memory. */
async function batchesOf(
  live: LiveExecution,
  taskRun: TaskRun,
  storage: StoragePort,
): Promise<readonly string[]> {
  const known = live.batches?.get(taskRun.ordinal);
  if (known?.attempt === taskRun.attempts.length) return known.uris;
  const { taskRuns } = live.execution;
  const parentTask = taskRun.taskId.slice(0, -itemPartId("", "items").length);
  const split = taskRuns.findLast(({ parent, taskId }) =>
    parent === taskRun.parent && taskId === itemPartId(parentTask, "split")
  );
  const uri = String(split?.outputs?.splits ?? "");
  const file = await storage.open(keeperOf(live.execution, taskRun, { isOver: true }), uri);
  if (!file) throw new Error(`Cannot read the list of batches "${uri}": there is no such file`);
  const text = await new Response(file.content as ReadableStream<Uint8Array<ArrayBuffer>>).text();
  const uris = text.split("\n").filter((line) => line !== "");
  (live.batches ??= new Map()).set(taskRun.ordinal, { attempt: taskRun.attempts.length, uris });
  return uris;
}

/** The current attempt of a task run, as the owner of files. */
export function keeperOf(execution: Execution, taskRun: TaskRun, files: AttemptFiles): FileKeeper {
  const { tenant, namespace, flowId, flowRevision, id: executionId } = execution;
  return {
    tenant,
    namespace,
    flowId,
    flowRevision,
    executionId,
    taskId: taskRun.taskId,
    taskRunId: taskRunId(executionId, taskRun.ordinal),
    attemptNumber: taskRun.attempts.length,
    files,
  };
}
