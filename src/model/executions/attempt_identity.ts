/** The identity of an attempt and its uncommitted file changes. */
import type { TenantId } from "../flows/flow.ts";
import type { PendingFiles } from "./pending_files.ts";

/** Ids of an attempt and of everything that contains it. */
export interface AttemptIdentity {
  readonly tenant: TenantId;
  readonly namespace: string;
  readonly flowId: string;
  readonly flowRevision: number;
  readonly executionId: string;
  readonly taskId: string;
  readonly taskRunId: string;
  /** Loop item of the task run. */
  readonly value?: string;
  /** From 1. */
  readonly attemptNumber: number;
}

/** File changes of one attempt. Written by the storage port, read by the runtime; tasks only pass it on. */
export interface AttemptFiles {
  /** Files written and deleted so far. */
  pending?: PendingFiles;
  /** The attempt has ended; further changes are rejected. */
  isOver?: boolean;
}

/** An attempt with its file changes. */
export interface FileKeeper extends AttemptIdentity {
  /** Folder of the files in the execution; ends with a slash. Default is that of the task run. */
  readonly folder?: string;
  readonly files: AttemptFiles;
}
