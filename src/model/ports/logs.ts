/** Access of tasks to log lines. */
import type { PurgeCaller } from "./executions.ts";
import type { Instant } from "../../base/time/clock.ts";
import type { JsonObject } from "../../base/json.ts";
import type { LogLevel, TenantId } from "../flows/flow.ts";

/** Selects lines of one execution. */
export interface LogSelection {
  readonly executionId: string;
  readonly minLevel: LogLevel;
  /** Only lines of these tasks. */
  readonly taskIds?: readonly string[];
}

/** Selects lines to delete; an absent member does not restrict. */
export interface LogPurge {
  readonly namespace?: string;
  readonly flowId?: string;
  readonly executionId?: string;
  readonly levels?: readonly LogLevel[];
  readonly from?: Instant;
  readonly before: Instant;
}

/** Every method is limited to the given tenant. */
export interface LogPort {
  /** Stored lines in the format of the API, oldest first, read on demand; `undefined` if the execution does not exist. */
  entries(tenant: TenantId, selection: LogSelection): Promise<AsyncIterable<JsonObject> | undefined>;
  /** Deletes lines of executions that have ended; returns their number. */
  purge(caller: PurgeCaller, purge: LogPurge): Promise<number>;
}
