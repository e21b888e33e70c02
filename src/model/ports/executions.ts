/** Executions as tasks reach them: counting, resuming, deleting. */
import type { Instant } from "../../base/clock.ts";
import type { JsonObject } from "../../base/json.ts";
import type { TenantId } from "../flow.ts";
import type { State } from "../state.ts";

/** Which executions. */
export interface ExecutionSelection {
  /** This namespace alone, or also those below it. */
  readonly namespace?: string;
  readonly withChildNamespaces?: boolean;
  readonly flowId?: string;
  /** Also those that were started for tests; without it only NORMAL ones. */
  readonly ofAllKinds?: boolean;
  /** All states without it. */
  readonly states?: readonly State[];
  /** Began then or later. */
  readonly startedFrom?: Instant;
  /** Began before. */
  readonly startedBefore?: Instant;
  /** Ended before. */
  readonly endedBefore?: Instant;
}

/** How many executions a flow has. */
export interface FlowCount {
  readonly namespace: string;
  readonly flowId: string;
  readonly count: number;
}

/** What is deleted of executions. */
export interface PurgedParts {
  readonly executions: boolean;
  readonly logs: boolean;
  readonly metrics: boolean;
  readonly files: boolean;
}

/** How much was deleted of each. */
export interface PurgedCounts {
  readonly executions: number;
  readonly logs: number;
  readonly metrics: number;
  readonly files: number;
}

/** Reaches the executions of a tenant. */
export interface ExecutionPort {
  /** Number of executions that match. */
  count(tenant: TenantId, selection: ExecutionSelection): Promise<number>;
  /** Ids of the flows of a namespace that exist, in order. */
  flowIds(tenant: TenantId, namespace: string): Promise<string[]>;
  /** Resumes a paused execution. @throws DomainError not_found, conflict, invalid_entity */
  resume(tenant: TenantId, id: string, inputs: JsonObject): Promise<void>;
  /** Deletes parts of the executions that match, except the one that asks; those that run are left alone. */
  purge(
    caller: { readonly tenant: TenantId; readonly executionId: string; readonly signal: AbortSignal },
    selection: ExecutionSelection,
    parts: PurgedParts,
  ): Promise<PurgedCounts>;
}
