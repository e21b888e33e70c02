/** Stored states: small maps that flows keep between executions. */
import type { JsonObject } from "../../base/json.ts";
import type { TenantId } from "../flows/flow.ts";

/** Names a state within its tenant. */
export interface StateId {
  readonly namespace: string;
  readonly name: string;
  /** The flow it belongs to; all flows of the namespace share one without. */
  readonly flowId?: string;
  /** The item of a loop it belongs to. */
  readonly value?: string;
}

/** Reads and writes states. */
export interface StatePort {
  /** The values by name; `undefined` when there is no such state. */
  get(tenant: TenantId, id: StateId): Promise<JsonObject | undefined>;
  /** Adds values, those of the same name are replaced; gives all of them and the key under which they are kept. */
  merge(
    tenant: TenantId,
    id: StateId,
    data: JsonObject,
  ): Promise<{ readonly key: string; readonly data: JsonObject }>;
  /** False when there was none. */
  delete(tenant: TenantId, id: StateId): Promise<boolean>;
}
