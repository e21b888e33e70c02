/** Access of tasks to executions: count, resume, purge. */
import type { JsonObject } from "../../base/json.ts";
import type { ExecutionSelection } from "../executions/execution_selection.ts";
import type { TenantId } from "../flows/flow.ts";
import type { ExecutionSummary } from "../executions/execution_summary.ts";

/** Number of executions of a flow. */
export interface FlowCount {
  readonly namespace: string;
  readonly flowId: string;
  readonly count: number;
}

/** The parts of executions to delete. */
export interface PurgedParts {
  readonly executions: boolean;
  readonly logs: boolean;
  readonly metrics: boolean;
  readonly files: boolean;
}

/** Number of deleted items of each kind. */
export interface PurgedCounts {
  readonly executions: number;
  readonly logs: number;
  readonly metrics: number;
  readonly files: number;
}

/** Executions whose files were purged. */
export interface PurgedFiles {
  readonly scanned: number;
  /** Of these, the number that had files. */
  readonly purged: number;
  /** Number of deleted files. */
  readonly deleted: number;
}

/** The attempt that purges. Its execution is never purged; when the signal aborts, the purge stops. */
export interface PurgeCaller {
  readonly tenant: TenantId;
  readonly executionId: string;
  readonly signal: AbortSignal;
}

/** Every method is limited to the given tenant. */
export interface ExecutionPort {
  /** What messages say about an execution; `undefined` if it does not exist. */
  summary(tenant: TenantId, id: string): Promise<ExecutionSummary | undefined>;
  /** Number of matching executions. */
  count(tenant: TenantId, selection: ExecutionSelection): Promise<number>;
  /** Sorted ids of the existing flows of a namespace. */
  flowIds(tenant: TenantId, namespace: string): Promise<string[]>;
  /** Resumes a paused execution. Returns when the change is durable. @throws DomainError not_found, conflict, invalid_entity */
  resume(tenant: TenantId, id: string, inputs: JsonObject): Promise<void>;
  /** Deletes parts of matching executions that have ended. */
  purge(caller: PurgeCaller, selection: ExecutionSelection, parts: PurgedParts): Promise<PurgedCounts>;
  /** Deletes the files of matching executions that have ended; a dry run only counts them. */
  purgeFiles(
    caller: PurgeCaller,
    selection: ExecutionSelection,
    options: { readonly isDryRun: boolean },
  ): Promise<PurgedFiles>;
}
