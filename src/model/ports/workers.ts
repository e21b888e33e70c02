/** Workers: other processes that run attempts for this server. */
import type { JsonObject } from "../../base/json.ts";
import type { AttemptOutcome } from "../executions/execution.ts";
import type { WorkerWait } from "../executions/execution_waiting.ts";
import type { PendingFiles } from "../executions/pending_files.ts";
import type { TenantId } from "../flows/flow.ts";
import type { RunContext } from "./run_context.ts";

/** An attempt for a worker of a group. */
export interface RemoteAttempt {
  readonly context: RunContext;
  /** Ordinal of its task run. */
  readonly ordinal: number;
  /** Canonical name of the task type. */
  readonly type: string;
  readonly group: string;
  /** Rendered; absent for an attempt that a worker already runs. */
  readonly properties?: JsonObject;
  /** Secrets that may be in its log lines; the worker masks them. */
  readonly secrets: readonly string[];
  /** Adds changes to the next commit of the execution, which is started. They are discarded if there will be none. */
  keep(changes: PendingFiles): void;
}

/** The end of an attempt; `lost`: its worker is gone; `stopped`: its worker was stopped in order. */
export type RemoteEnd = AttemptOutcome | "lost" | "stopped";

/** Where an attempt of a task runs: in this process or on a worker. `none`: no worker of its group is connected. */
export type AttemptPlace = "here" | "worker" | "none";

/** Gives attempts to workers. */
export interface WorkerPort {
  /** The place of an attempt of a type in a group; `undefined`: the task and its flow name none. */
  placeOf(tenant: TenantId, type: string, group: string | undefined): AttemptPlace;
  /** Runs an attempt; waits while no worker of the group is free. When the signal of its context aborts, the worker ends it. */
  run(attempt: RemoteAttempt): Promise<RemoteEnd>;
  /** What attempts of an execution wait for, by the ordinals of their task runs. */
  waitingFor(tenant: TenantId, executionId: string): ReadonlyMap<number, WorkerWait>;
  /** The attempts of an execution that workers may still run after a start of this server, by the ordinals of their task runs. */
  keptOf(tenant: TenantId, executionId: string): ReadonlyMap<number, KeptAttempt>;
}

/** An attempt that was given to a worker before this server was started. */
export interface KeptAttempt {
  readonly attemptNumber: number;
  readonly group: string;
}

/** The group of attempts whose task and flow name none. */
export const DEFAULT_WORKER_GROUP = "default";
