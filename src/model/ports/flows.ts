/** Access of tasks to the stored revisions of flows. */
import type { PurgeCaller } from "./executions.ts";

/** Selects the revisions to purge. */
export interface RevisionPurge {
  readonly namespaces: (namespace: string) => boolean;
  readonly flowIds: (id: string) => boolean;
  /** The newest revisions of each flow that stay, from 1. */
  readonly keep: number;
}

/** Limited to the tenant of the caller. */
export interface FlowPort {
  /** Deletes old revisions, except those that an execution which has not ended needs; returns their number. */
  purgeRevisions(caller: PurgeCaller, purge: RevisionPurge): Promise<number>;
}
