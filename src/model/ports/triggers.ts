/** Access of tasks to triggers. */
import type { TenantId, TriggerKey } from "../flows/flow.ts";

/** Limited to the given tenant. Changes are durable when a method returns. */
export interface TriggerPort {
  /** Disables or enables a trigger. @throws DomainError not_found, conflict */
  setDisabled(tenant: TenantId, trigger: TriggerKey, disabled: boolean): Promise<void>;
}
