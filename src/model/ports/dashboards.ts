/** Access of tasks to dashboards. */
import type { TenantId } from "../flows/flow.ts";
import type { FlowChange } from "./flows.ts";

/** The source of a dashboard. */
export interface DashboardSource {
  readonly id: string;
  readonly source: string;
}

/** A source that a task saves. */
export interface DashboardWrite extends DashboardSource {
  /** Checks the source without saving it. */
  readonly dryRun: boolean;
}

/** What a save changed, or would change. */
export interface DashboardChange extends Pick<FlowChange, "change"> {
  readonly id: string;
}

/** Limited to the tenant of the caller. Changes are durable when a method returns. */
export interface DashboardPort {
  /** All stored dashboards, ordered by id. */
  sources(tenant: TenantId): Promise<DashboardSource[]>;
  /** Creates or replaces a dashboard; `id` is that of a source that names none. @throws DomainError invalid_entity, too_large, invalid_argument */
  put(tenant: TenantId, write: DashboardWrite): Promise<DashboardChange>;
  /** Deletes a dashboard. @throws DomainError not_found */
  delete(tenant: TenantId, id: string): Promise<void>;
}
