/** The caller of a request, as authentication passes it to every use case. */
import type { DurationForm } from "../../base/time/duration.ts";
import type { TenantId } from "../flows/flow.ts";

/** An authenticated caller with access to the tenant. */
export interface Actor {
  readonly tenant: TenantId;
  /** User name, or `anonymous` if the server requires no credentials. */
  readonly user: string;
  /** Id of the token of the caller; absent: it used none. */
  readonly tokenId?: string;
  /** How texts that are made for the caller write durations; by default in seconds. */
  readonly durations?: DurationForm;
  /** It may not start executions, so it is not shown the keys of webhooks. */
  readonly hidesKeys?: boolean;
  /** What a worker may do; absent for other callers. */
  readonly worker?: WorkerGrant;
}

/** The attempts that a worker may run. */
export interface WorkerGrant {
  /** Id of its token. */
  readonly tokenId: string;
  readonly groups: readonly string[];
  /** Absent: all. */
  readonly tenants?: readonly TenantId[];
}
