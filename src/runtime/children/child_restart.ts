/** Restarting an execution restarts the children of its tasks instead of starting new ones. */
import type { Command } from "../../engine/events.ts";
import { canRestart } from "../../engine/requests/restart.ts";
import { successorId } from "../../engine/attempts.ts";
import type { Execution } from "../../model/executions/execution.ts";
import { currentState, type State } from "../../model/executions/state.ts";
import type { ExecutionRecords } from "../../store/records/executions/execution_records.ts";
import type { LiveExecution } from "../live/live_execution.ts";
import type { LiveFactory } from "../live/live_factory.ts";
import type { Message, StoredMessage } from "../live/messages.ts";
import type { ChildReader } from "./child_outputs.ts";
import type { ChildStart, StartChild } from "./subflow.ts";

/** States from which a child is restarted; a successful child is kept. */
export const RESTARTED: ReadonlySet<State> = new Set(["FAILED", "KILLED", "CANCELLED"]);
/** Successors of one execution that are followed. */
const MAX_SUCCESSORS = 1_000;

/** The header of an execution, or of its last successor; `undefined` if it does not exist. */
export function lastSuccessor(
  records: Pick<ExecutionRecords, "header">,
  tenant: string,
  id: string,
): Promise<Execution | undefined> {
  return follow(id, (each) => records.header(tenant, each), (header) => header);
}

/** Reads the last successors of the children of a tenant. */
export function childReader(
  factory: Pick<LiveFactory, "load">,
  records: Pick<ExecutionRecords, "header">,
  tenant: string,
): ChildReader {
  return {
    load: (id) => loadLastSuccessor(factory, tenant, id),
    outputsOf: async (id) => (await lastSuccessor(records, tenant, id))?.outputs,
  };
}

/** The last successor, loaded for rendering. */
function loadLastSuccessor(
  factory: Pick<LiveFactory, "load">,
  tenant: string,
  id: string,
): Promise<LiveExecution | undefined> {
  return follow(id, (each) => factory.load(tenant, each), ({ execution }) => execution);
}

async function follow<T>(
  id: string,
  read: (id: string) => Promise<T | undefined>,
  executionOf: (found: T) => Execution,
): Promise<T | undefined> {
  let found = await read(id);
  for (let n = 0; n < MAX_SUCCESSORS && found; n++) {
    const execution = executionOf(found);
    if (currentState(execution.history) !== "RETRIED") return found;
    found = await read(successorId(execution));
  }
  return found;
}

/** The id of the started execution, or of its last successor, if it exists and can be restarted. */
export async function restartableChild(
  factory: Pick<LiveFactory, "load">,
  tenant: string,
  startedId: string,
): Promise<string | undefined> {
  const found = await loadLastSuccessor(factory, tenant, startedId);
  if (!found) return undefined;
  const { execution, plan } = found;
  const isFailed = RESTARTED.has(currentState(execution.history));
  return isFailed && canRestart(plan, execution) ? execution.id : undefined;
}

/** Waits again for the child that was started before; `start` starts a new one if it cannot be restarted. */
export async function restartOrStart(
  { execution: { tenant } }: LiveExecution,
  { taskRun, restarts: executionId = "" }: StartChild,
  { factory, start }: {
    readonly factory: Pick<LiveFactory, "load">;
    readonly start: () => ChildStart | Promise<ChildStart>;
  },
): Promise<ChildStart> {
  const restarts = await restartableChild(factory, tenant, executionId);
  if (restarts === undefined) return await start();
  return { event: { type: "child_started", taskRun, executionId, waits: true, restarts } };
}

/** The message that restarts a child. Its name sorts before that of a kill, which may be stored before it is delivered. */
export function restartMessage(
  { execution: { id: executionId } }: LiveExecution,
  { taskRun, executionId: targetId, startedId }: Extract<Command, { type: "restart_child" }>,
): Message {
  const event = { type: "restarted", by: { executionId, taskRun, startedId } } as const;
  return { targetId, name: `again/${taskRun}`, event };
}

/** The reply to the waiting execution if the child to restart was deleted; `undefined` for any other message. */
export function goneReply({ key, tenant, targetId, event }: StoredMessage): StoredMessage | undefined {
  if (event.type !== "restarted" || !event.by) return undefined;
  const { executionId: waiting, taskRun, startedId: executionId } = event.by;
  const problem = `Cannot restart the execution "${targetId}": it was deleted`;
  return {
    key,
    tenant,
    targetId: waiting,
    event: { type: "child_ended", taskRun, executionId, state: "FAILED", replaces: "FAILED", problem },
  };
}
