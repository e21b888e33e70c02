/** Executions as tasks reach them: counting, resuming, deleting. */
import type { JsonObject } from "../../base/json.ts";
import type { ExecutionSelection } from "../executions/execution_selection.ts";
import type { TenantId } from "../flows/flow.ts";

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
