/** Who sent a request, before it is known which tenant the request is for. */
import type { Actor } from "../../model/access/actor.ts";
import type { TenantId } from "../../model/flows/flow.ts";

/** Name of the caller of a server that asks for no credentials; no user can have it. */
export const ANONYMOUS = "anonymous";

/** Tenants whose actors are kept; a caller that visits more gets new ones. */
const MAX_KEPT_ACTORS = 1_000;

/** An authenticated caller. One object stands for all requests with the same credentials. */
export class Caller {
  readonly user: string;
  readonly #tenants: ReadonlySet<TenantId> | undefined;
  readonly #actors = new Map<TenantId, Actor>();

  /** `tenants`: those it is limited to; `undefined` for none. */
  constructor(user: string, tenants?: readonly TenantId[]) {
    this.user = user;
    this.#tenants = tenants && new Set(tenants);
  }

  /** True when there are tenants that the caller is kept out of; such a caller manages neither tenants nor tokens. */
  get isLimited(): boolean {
    return this.#tenants !== undefined;
  }

  /** True when the caller may enter the tenant. */
  canEnter(tenant: TenantId): boolean {
    return this.#tenants === undefined || this.#tenants.has(tenant);
  }

  /** The caller within a tenant, which it must be allowed to enter. */
  actorOf(tenant: TenantId): Actor {
    const known = this.#actors.get(tenant);
    if (known) return known;
    const actor: Actor = { tenant, user: this.user };
    if (this.#actors.size < MAX_KEPT_ACTORS) this.#actors.set(tenant, actor);
    return actor;
  }
}
