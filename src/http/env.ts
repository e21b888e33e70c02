/** What the request pipeline and the platform provide for routes. */
import type { Actor } from "../model/access/actor.ts";
import type { Caller } from "../services/access/caller.ts";

/** Environment of every Hono app of the server. */
export interface AppEnv {
  Variables: {
    /** The caller; anonymous on public routes and webhooks. */
    actor: Actor;
    /** Who sends the request; only on routes of no tenant. */
    caller: Caller;
    /** The sender for the request pipeline and readers of bodies, on all routes. */
    visit: { readonly caller?: Caller } | undefined;
    /** Who logs in or out, as far as the request says; on routes of log-ins only. */
    claimedUser: string | undefined;
    /** For the audit log: ids of what the request created, and of what it changed that its path does not name. */
    auditedIds: readonly (readonly [name: string, id: string])[] | undefined;
    /** Id of the request, also in the `X-Request-Id` header of the response and in the log. */
    requestId: string;
  };
}

/** The address of the caller, which the platform passes with each request. */
export function remoteAddress(env: unknown): string {
  return (env as { remoteAddr?: { hostname?: string } } | undefined)?.remoteAddr?.hostname ?? "unknown";
}
