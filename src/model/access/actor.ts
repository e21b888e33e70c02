/** The caller of a request, as authentication passes it to every use case. */
import type { TenantId } from "../flows/flow.ts";

/** An authenticated caller with access to the tenant. */
export interface Actor {
  readonly tenant: TenantId;
  /** User name, or `anonymous` if the server requires no credentials. */
  readonly user: string;
}
