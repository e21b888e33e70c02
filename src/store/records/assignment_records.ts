/** Stored attempts that workers run: positional lists. */
import type { JsonValue } from "../../base/json.ts";
import type { TenantId } from "../../model/flows/flow.ts";
import { decodeJson } from "../codec.ts";
import { assignmentKey, ASSIGNMENTS } from "../keys.ts";
import type { Mutation, Store, StoredEntry } from "../store.ts";
import { deleteKey, readEntries, setJson } from "../stored_entries.ts";

/** An attempt that was given to a worker. */
export interface Assignment {
  readonly tenant: TenantId;
  readonly executionId: string;
  /** Ordinal of the task run. */
  readonly ordinal: number;
  readonly attemptNumber: number;
  readonly lease: string;
  readonly group: string;
  readonly workerId: string;
  /** Number of the last report whose lines are stored. */
  readonly seq: number;
}

/** Writes an assignment. */
export function setAssignment(assignment: Assignment): Mutation {
  const { tenant, executionId, ordinal, attemptNumber, lease, group, workerId, seq } = assignment;
  return setJson(assignmentKey(tenant, executionId, ordinal), [attemptNumber, lease, group, workerId, seq]);
}

/** Removes an assignment. */
export function deleteAssignment(
  { tenant, executionId, ordinal }: Pick<Assignment, "tenant" | "executionId" | "ordinal">,
): Mutation {
  return deleteKey(assignmentKey(tenant, executionId, ordinal));
}

/** All assignments. */
export function readAssignments(store: Store): Promise<Assignment[]> {
  return Array.fromAsync(readEntries(store, ASSIGNMENTS, decodeAssignment));
}

/** A stored assignment. */
export function decodeAssignment({ key, value }: StoredEntry): Assignment {
  const [, tenant, executionId, ordinal] = key;
  const [attemptNumber, lease, group, workerId, seq] = decodeJson(value) as JsonValue[];
  return {
    tenant: String(tenant),
    executionId: String(executionId),
    ordinal: Number(ordinal),
    attemptNumber: Number(attemptNumber),
    lease: String(lease),
    group: String(group),
    workerId: String(workerId),
    seq: Number(seq),
  };
}
