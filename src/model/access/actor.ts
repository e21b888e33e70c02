/** Who asks: given by authentication to every use case. */
import type { TenantId } from "../flows/flow.ts";

/** The caller of a request, already admitted to its tenant. */
export interface Actor {
  readonly tenant: TenantId;
  /** User name, or `anonymous` when the server asks for no credentials. */
  readonly user: string;
}
