/** The authenticated sender of a request, before the tenant of the request is known. */
import type { Actor, WorkerGrant } from "../../model/access/actor.ts";
import { hasRight, type Role } from "../../model/access/role.ts";
import type { TenantId } from "../../model/flows/flow.ts";

/** Cached actors; for further tenants they are created anew each time. */
const MAX_CACHED_ACTORS = 1_000;

interface CallerOptions {
  readonly user: string;
  readonly role: Role;
  /** The only tenants that it may enter; absent: all. */
  readonly tenants?: readonly TenantId[];
  readonly worker?: WorkerGrant;
  readonly tokenId?: string;
}

/** An authenticated caller, shared by all requests with the same credentials. */
export class Caller {
  readonly user: string;
  /** What it may do: the role of its user, or less. */
  readonly role: Role;
  /** Set for a worker, which may use the routes of workers only. */
  readonly worker?: WorkerGrant;
  /** Id of the token that it used; absent: it used none. */
  readonly tokenId?: string;
  readonly #tenants: ReadonlySet<TenantId> | undefined;
  readonly #actors = new Map<TenantId, Actor>();
  #isOver = false;

  constructor({ user, role, tenants, worker, tokenId }: CallerOptions) {
    this.user = user;
    this.role = role;
    this.worker = worker;
    this.tokenId = tokenId;
    this.#tenants = tenants && new Set(tenants);
  }

  /** True since its user has changed or is gone, or its token was revoked. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** From now on it may do nothing more: another one stands for the user or the token, if they still exist. */
  end(): void {
    this.#isOver = true;
  }

  /** True if the caller may not enter all tenants; such a caller may manage neither tenants nor tokens. */
  get isLimited(): boolean {
    return this.#tenants !== undefined;
  }

  /** True if the caller may enter the tenant. */
  canEnter(tenant: TenantId): boolean {
    return this.#tenants === undefined || this.#tenants.has(tenant);
  }

  /** The caller as an actor within a tenant that it may enter. */
  actorOf(tenant: TenantId): Actor {
    const known = this.#actors.get(tenant);
    if (known) return known;
    const { user, worker, tokenId } = this;
    const actor: Actor = {
      tenant,
      user,
      ...(tokenId !== undefined && { tokenId }),
      ...(worker && { worker }),
      ...(!hasRight(this.role, "change") && { hidesKeys: true }),
    };
    if (this.#actors.size < MAX_CACHED_ACTORS) this.#actors.set(tenant, actor);
    return actor;
  }
}
