/** Access of tasks to stored states: small maps that persist between executions. */
import type { JsonObject } from "../../base/json.ts";
import type { TenantId } from "../flows/flow.ts";

/** Identifies a state within its tenant. */
export interface StateId {
  readonly namespace: string;
  readonly name: string;
  /** Owner flow; without it the state is shared by the namespace. */
  readonly flowId?: string;
  /** Loop item that it belongs to. */
  readonly value?: string;
}

/** Every method is limited to the given tenant. Writes are durable when they return. */
export interface StatePort {
  /** Values by name; `undefined` if the state does not exist. */
  get(tenant: TenantId, id: StateId): Promise<JsonObject | undefined>;
  /**
   * Adds or replaces values, atomically; returns all values and the storage key. Maps are merged, lists are appended, and null
   * leaves a value as it is. @throws DomainError invalid_argument: the state would be too large
   */
  merge(
    tenant: TenantId,
    id: StateId,
    data: JsonObject,
  ): Promise<{ readonly key: string; readonly data: JsonObject }>;
  /** Returns false if there was none. */
  delete(tenant: TenantId, id: StateId): Promise<boolean>;
}
