/** Log lines as tasks reach them. */
import type { Instant } from "../../base/clock.ts";
import type { JsonObject } from "../../base/json.ts";
import type { LogLevel, TenantId } from "../flows/flow.ts";

/** Which lines of an execution. */
export interface LogSelection {
  readonly executionId: string;
  readonly minLevel: LogLevel;
  /** Lines of these tasks; all lines without it. */
  readonly taskIds?: readonly string[];
}

/** Which lines are deleted. */
export interface LogPurge {
  readonly namespace?: string;
  readonly flowId?: string;
  readonly executionId?: string;
  /** All levels without it. */
  readonly levels?: readonly LogLevel[];
  readonly from?: Instant;
  readonly before: Instant;
}

/** Reaches the log lines of a tenant. */
export interface LogPort {
  /** Stored lines as the API answers them, oldest first; `undefined` when there is no such execution. */
  entries(tenant: TenantId, selection: LogSelection): Promise<readonly JsonObject[] | undefined>;
  /** Deletes lines of executions that have ended; gives their number. */
  purge(
    caller: { readonly tenant: TenantId; readonly signal: AbortSignal },
    purge: LogPurge,
  ): Promise<number>;
}
