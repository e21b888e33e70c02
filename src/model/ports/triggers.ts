/** Triggers as tasks reach them. */
import type { TenantId, TriggerKey } from "../flows/flow.ts";

/** Reaches the triggers of a tenant. */
export interface TriggerPort {
  /** Disables or enables a trigger. @throws DomainError not_found, conflict */
  setDisabled(tenant: TenantId, trigger: TriggerKey, disabled: boolean): Promise<void>;
}
