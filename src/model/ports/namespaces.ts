/** Access of tasks to namespaces. */
import type { TenantId } from "../flows/flow.ts";

/** Limited to the tenant of the caller. */
export interface NamespacePort {
  /** Sorted names of the namespaces that were created, or have flows, and of those above them. */
  names(tenant: TenantId): Promise<string[]>;
}
