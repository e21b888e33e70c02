/** Access of tasks to flows and their stored revisions. */
import type { FlowKey, TenantId } from "../flows/flow.ts";
import type { PurgeCaller } from "./executions.ts";

/** Selects the revisions to purge. */
export interface RevisionPurge {
  readonly namespaces: (namespace: string) => boolean;
  readonly flowIds: (id: string) => boolean;
  /** The newest revisions of each flow that stay, from 1. */
  readonly keep: number;
}

/** The source of the latest revision of a flow. */
export interface FlowSource extends FlowKey {
  readonly revision: number;
  readonly source: string;
}

/** A source that a task saves. */
export interface FlowWrite {
  readonly source: string;
  /** Replaces the namespace that the source names. */
  readonly namespace: string;
  /** Checks the source without saving it. */
  readonly dryRun: boolean;
}

/** What a save changed, or would change. */
export interface FlowChange extends FlowKey {
  readonly change: "ADDED" | "UPDATED" | "UNCHANGED";
  /** After the save. */
  readonly revision: number;
}

/** Limited to the tenant of the caller. Changes are durable when a method returns. */
export interface FlowPort {
  /** The flows of a namespace, and with `withChildren` of those below it, ordered by namespace and id. */
  sources(
    tenant: TenantId,
    namespace: string,
    options: { readonly withChildren: boolean },
  ): Promise<FlowSource[]>;
  /** Creates a flow or its next revision. @throws DomainError invalid_entity, quota_exceeded */
  put(tenant: TenantId, write: FlowWrite): Promise<FlowChange>;
  /** Deletes a flow. @throws DomainError not_found */
  delete(tenant: TenantId, key: FlowKey): Promise<void>;
  /** Deletes old revisions, except those that an execution which has not ended needs; returns their number. */
  purgeRevisions(caller: PurgeCaller, purge: RevisionPurge): Promise<number>;
}
