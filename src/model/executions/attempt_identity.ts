/** Where an attempt stands in its execution, and what it has done that takes effect only with its end. */
import type { TenantId } from "../flows/flow.ts";
import type { PendingFiles } from "./pending_files.ts";

/** Where an attempt stands. */
export interface AttemptIdentity {
  readonly tenant: TenantId;
  readonly namespace: string;
  readonly flowId: string;
  readonly flowRevision: number;
  readonly executionId: string;
  readonly taskId: string;
  readonly taskRunId: string;
  /** Item of the loop that the task run belongs to. */
  readonly value?: string;
  /** From 1. */
  readonly attemptNumber: number;
}

/** The files of one attempt. The storage port fills it, the runtime takes what is in it; tasks only hand it on. */
export interface AttemptFiles {
  /** What was written and deleted so far. */
  pending?: PendingFiles;
  /** The attempt has ended: nothing can be added any more. */
  isOver?: boolean;
}

/** An attempt that may keep files. */
export interface FileKeeper extends AttemptIdentity {
  readonly files: AttemptFiles;
}
