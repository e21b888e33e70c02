/** What the request pipeline tells the audit log. */
import type { Context } from "hono";
import type { Caller } from "../../services/access/caller.ts";
import type { AppEnv } from "../env.ts";

/** A route, as far as the audit log decides by it. */
export interface AuditedRoute {
  readonly method: string;
  /** Pattern with all prefixes. */
  readonly path: string;
  /** Who may call it. */
  readonly access: string;
}

/** A request whose response is about to be sent. */
export interface AuditedRequest {
  readonly c: Context<AppEnv>;
  /** Absent: it was refused before its sender was known. */
  readonly caller?: Caller;
  /** Of the response. */
  readonly status: number;
}

/** Records the requests of one route. */
export interface RouteAudit {
  /** Settles when the record is durable; `undefined` without one. Rejects when a change has no record. */
  record(request: AuditedRequest): Promise<void> | undefined;
}

/** The audit log, for the request pipeline. */
export interface RequestAudit {
  /** What records the requests of a route; called once for each. */
  of(route: AuditedRoute): RouteAudit;
}
