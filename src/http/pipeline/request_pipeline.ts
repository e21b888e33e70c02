/**
 * The steps around every handler: request id, guard, authentication, tenant check, handler, headers, access log,
 * compression. One function instead of a chain of middleware: each link of a chain costs a promise and a closure at 30,000
 * requests a second.
 */
import type { Context, Handler } from "hono";
import type { Clock } from "../../base/time/clock.ts";
import type { DurationForm } from "../../base/time/duration.ts";
import type { Logger } from "../../base/log.ts";
import { networkOf } from "../../base/network/ip.ts";
import { DomainError } from "../../model/errors.ts";
import { MAIN_TENANT, type TenantId } from "../../model/flows/flow.ts";
import { hasRight, type Right, roleFor } from "../../model/access/role.ts";
import { ANONYMOUS } from "../../model/access/user.ts";
import type { Auth } from "../../services/access/auth.ts";
import { Caller } from "../../services/access/caller.ts";
import type { Tenants } from "../../services/access/tenants.ts";
import { rawPath } from "./canonical_path.ts";
import { type CookieCredentials, cookieCredentials } from "./cookies.ts";
import { HeldBytes } from "../bodies/held_bytes.ts";
import type { AppEnv } from "../env.ts";
import { rawQuery } from "../forms/params.ts";
import { MethodRefusal, problemResponse } from "../responses/problem.ts";
import type { RequestStats, RouteStats } from "./request_stats.ts";
import type { EventStreams, StreamsEnv } from "../streams/sse.ts";
import { acceptsGzip, gzipResponse } from "./gzip.ts";
import type { RequestAudit, RouteAudit } from "./audit.ts";
import type { ClientAddresses } from "./client_addresses.ts";
import { checkNoPrefetch, type Guard } from "./guard.ts";
import { setSecurityHeaders } from "./security_headers.ts";
import { notFoundPage } from "../../ui/layout.ts";
import { acceptedDurations } from "./accepted_durations.ts";
import type { RequestIds } from "./request_id.ts";

/**
 * Who may call a route. `protected`: callers with credentials. `unlimited`: those of them that are not limited to
 * tenants. `public`: everybody. `webhook`: everybody; the key is in the path, which is therefore never logged. `setup`:
 * everybody while the server has no user, then callers with credentials. `worker`: tokens of workers, which may call
 * nothing else; everybody where the server requires no credentials.
 */
export type Access = "protected" | "unlimited" | "public" | "webhook" | "setup" | "worker";

/** A registered route. Access and right are decided by the matched route, never by the text of the path. */
interface Route {
  readonly method: string;
  /** Pattern with all prefixes. */
  readonly path: string;
  readonly access: Access;
  /** What callers with credentials must have; without a meaning while the route is open to everybody. */
  readonly right: Right;
  /** The path has a parameter `tenant`, which the caller must be allowed to enter. */
  readonly isOfTenant: boolean;
  /** Responses are pages and their assets. */
  readonly isPage: boolean;
}

interface RequestPipelineOptions {
  readonly auth: Auth;
  readonly tenants: Tenants;
  readonly guard: Guard;
  readonly clients: ClientAddresses;
  readonly requestIds: RequestIds;
  readonly eventStreams: EventStreams;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly stats: RequestStats;
  readonly baseUrl?: string;
  /** How responses write durations where the request does not say. */
  readonly durations?: DurationForm;
  /** True while the first user can be set. */
  readonly isSetupOpen: () => boolean;
  /** Records changes and refusals; absent: nothing does. */
  readonly audit?: RequestAudit;
  /** Path of the log-in page, to which a browser without credentials is sent. */
  readonly loginPath?: string;
}

/** A route and its counters. */
interface CountedRoute extends Route {
  readonly stats: RouteStats;
  readonly audit?: RouteAudit;
}

/** A request under way. */
interface Visit {
  /** Set once the sender is known. */
  caller?: Caller;
  readonly route: CountedRoute;
  readonly requestId: string;
  readonly startedMs: number;
}

interface PipelineEnv {
  Variables: StreamsEnv["Variables"] & { visit: Visit | undefined };
}

/** For an unmatched path: callers without credentials get 401, not 404. */
const NO_ROUTE: Route = {
  method: "",
  path: "",
  access: "protected",
  right: "own",
  isOfTenant: false,
  isPage: false,
};
const NO_PAGE = "There is no such page, or you may not see it.";
/** The tenant of a caller without access to `main` on a path without tenant, and of a webhook of an unknown tenant; it has no data. */
const NO_TENANT: TenantId = "";
const noNext = () => Promise.resolve();

/** Wraps the handlers of all routes. */
export class RequestPipeline {
  readonly #options: RequestPipelineOptions;
  readonly #baseUrl: string;
  readonly #isHttps: boolean;
  /** At level debug every request is logged, else only refused ones. At 15,000 requests a second the lines cost 7 %. */
  readonly #isLoggingAll: boolean;
  readonly #held = new HeldBytes();
  /** The caller of an open route. */
  readonly #anonymous = new Caller({ user: ANONYMOUS, role: "viewer" });
  readonly #unmatched: CountedRoute;

  constructor(options: RequestPipelineOptions) {
    this.#options = options;
    this.#baseUrl = options.baseUrl?.replace(/(?<!\/)\/+$/, "") ?? "";
    this.#isHttps = this.#baseUrl.startsWith("https:");
    this.#isLoggingAll = options.logger.isEnabled("debug");
    const { stats, audit } = options;
    this.#unmatched = { ...NO_ROUTE, stats: stats.unmatched, audit: audit?.of(NO_ROUTE) };
  }

  /** The handler of a route with all steps. Errors go to {@link fail}. */
  wrap(wrapped: Route, handler: Handler<AppEnv>): Handler<AppEnv> {
    const { stats, audit } = this.#options;
    const route = {
      ...wrapped,
      stats: stats.add(wrapped.method, wrapped.path),
      audit: audit?.of(wrapped),
    };
    return (c) => {
      this.#begin(c, route);
      const caller = this.#admit(c, route);
      const response = caller instanceof Promise
        ? caller.then((caller) => this.#serve(c, route, handler, caller))
        : this.#serve(c, route, handler, caller);
      return response instanceof Promise
        ? response.then((response) => this.#finish(c, response))
        : this.#finish(c, response);
    };
  }

  /** The response to an unmatched request; `methods` are those that the path has routes for. */
  async refuseUnmatched(c: Context<AppEnv>, methods: readonly string[]): Promise<Response> {
    this.#begin(c, this.#unmatched);
    this.#checkWorker(NO_ROUTE, await this.#admit(c, NO_ROUTE));
    const path = rawPath(c.req.raw.url);
    if (methods.length > 0) throw new MethodRefusal(c.req.method, path, methods);
    throw new DomainError("not_found", `Not Found: there is nothing at "${path.slice(0, 500)}"`);
  }

  /** The response to a failed request. */
  fail(c: Context<AppEnv>, error: unknown): Response | Promise<Response> {
    const { route, requestId } = visitOf(c) ?? this.#begin(c, this.#unmatched);
    if (!(error instanceof DomainError) || error.code === "internal") {
      const reason = error instanceof Error ? error.stack ?? error.message : String(error);
      this.#options.logger.error("A request failed", { requestId, route: route.path, reason });
    }
    const response = this.#pageInstead(c, route, error) ?? problemResponse(error, {
      path: route.access === "webhook" ? route.path : rawPath(c.req.raw.url),
      requestId,
      accept: c.req.raw.headers.get("accept"),
      referer: c.req.raw.headers.get("referer"),
      fetchMode: c.req.raw.headers.get("sec-fetch-mode"),
      baseUrl: this.#baseUrl,
    });
    return this.#finish(c, response);
  }

  /** The response to a person whose browser opens a page without credentials, or one that does not exist; else `undefined`. */
  #pageInstead(c: Context<AppEnv>, { isPage }: Route, error: unknown): Response | undefined {
    const { loginPath } = this.#options;
    if (loginPath === undefined || !(error instanceof DomainError)) return undefined;
    const { method, headers, url } = c.req.raw;
    const mode = headers.get("sec-fetch-mode");
    const isNavigation = mode === null
      ? isPage && headers.get("accept")?.includes("text/html")
      : mode === "navigate";
    if (!isNavigation || (method !== "GET" && method !== "HEAD")) return undefined;
    if (error.code === "unauthorized") {
      const from = encodeURIComponent(rawPath(url) + rawQuery(url));
      return new Response(null, {
        status: 303,
        headers: { location: `${loginPath}?from=${from}`, "cache-control": "no-store" },
      });
    }
    if (error.code !== "not_found" || !isPage) return undefined;
    const headersOfPage = { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" };
    return new Response(notFoundPage(NO_PAGE), { status: 404, headers: headersOfPage });
  }

  #begin(c: Context<AppEnv>, route: CountedRoute): Visit {
    const { requestIds, clock, eventStreams } = this.#options;
    const requestId = requestIds.of(c.req.raw.headers.get("x-request-id"));
    const visit = { route, requestId, startedMs: clock.monotonicMs() };
    const context = c as unknown as Context<PipelineEnv>;
    context.set("visit", visit);
    context.set("requestId", requestId);
    context.set("eventStreams", eventStreams);
    return visit;
  }

  #admit(c: Context<AppEnv>, route: Route): Caller | Promise<Caller> {
    const { guard, auth, clients } = this.#options;
    const request = c.req.raw;
    guard.checkHost(request);
    if (route.access === "webhook") checkNoPrefetch(request);
    else guard.checkSite(request);
    if (this.#isOpen(route)) return this.#anonymous;
    const header = request.headers.get("authorization");
    const cookies = header === null && auth.isProtected
      ? cookieCredentials(request.headers.get("cookie"))
      : undefined;
    if (cookies) return this.#admitCookies(request, cookies, c.env);
    return auth.known(header) ?? auth.authenticate(header, clients.of(request, c.env));
  }

  #isOpen({ access }: Route): boolean {
    return access === "public" || access === "webhook" || (access === "setup" && this.#options.isSetupOpen());
  }

  #admitCookies(request: Request, cookies: CookieCredentials, env: unknown): Caller | Promise<Caller> {
    const { guard, auth, clients } = this.#options;
    guard.checkCookieSite(request);
    const { session, authorization = null } = cookies;
    const caller = session === undefined ? undefined : auth.callerOfSession(session);
    return caller ?? auth.known(authorization) ?? auth.authenticate(authorization, clients.of(request, env));
  }

  #serve(
    c: Context<AppEnv>,
    route: Route,
    handler: Handler<AppEnv>,
    caller: Caller,
  ): Response | Promise<Response> {
    const visit = visitOf(c);
    if (visit) visit.caller = caller;
    this.#checkWorker(route, caller);
    if (route.access === "unlimited" && caller.isLimited) {
      throw new DomainError("forbidden", "Forbidden: the caller is limited to tenants");
    }
    this.#checkRight(route, caller);
    if (c.req.raw.method !== "GET") this.#held.attach(c.req.raw, () => this.#holderOf(c, caller));
    if (!route.isOfTenant) c.set("caller", caller);
    const actor = caller.actorOf(this.#tenantOf(c, route, caller));
    const durations = acceptedDurations(c.req.raw.headers) ?? this.#options.durations;
    c.set("actor", durations === "iso" ? { ...actor, durations } : actor);
    return handler(c, noNext) as Response | Promise<Response>;
  }

  /** The sender that a body counts for: the user, or the network without a login; none for a worker, whose bodies count only in the total. */
  #holderOf(c: Context<AppEnv>, { user, worker }: Caller): string | undefined {
    if (worker) return undefined;
    if (user !== ANONYMOUS) return `the user "${user}"`;
    return `the network ${networkOf(this.#options.clients.of(c.req.raw, c.env))}`;
  }

  #checkWorker({ access }: Route, { worker }: Caller): void {
    const isOfWorkers = access === "worker";
    if (worker && !isOfWorkers) {
      throw new DomainError("forbidden", "Forbidden: the token is for workers only");
    }
    if (!worker && isOfWorkers && this.#options.auth.isProtected) {
      throw new DomainError("forbidden", "Forbidden: a worker needs a token with worker groups");
    }
  }

  #checkRight(route: Route, { role }: Caller): void {
    if (hasRight(role, route.right) || this.#isOpen(route)) return;
    throw new DomainError(
      "forbidden",
      `Forbidden: this needs the role "${roleFor(route.right)}"; the caller has "${role}"`,
    );
  }

  #tenantOf(c: Context<AppEnv>, route: Route, caller: Caller): TenantId {
    if (!route.isOfTenant) return caller.canEnter(MAIN_TENANT) ? MAIN_TENANT : NO_TENANT;
    const tenant = c.req.param("tenant") ?? NO_TENANT;
    const internalId = this.#options.tenants.internalId(tenant);
    if (internalId !== undefined && caller.canEnter(tenant)) return internalId;
    // Same response as for an unknown key: callers must not learn which tenants exist.
    if (route.access === "webhook") return NO_TENANT;
    // Same response as for an unknown tenant.
    throw new DomainError("not_found", `Not Found: there is no tenant "${tenant}"`);
  }

  /** A change is acknowledged when its record is durable. */
  #finish(c: Context<AppEnv>, response: Response): Response | Promise<Response> {
    const { route, caller } = visitOf(c) ?? {};
    const recorded = route?.audit?.record({ c, caller, status: response.status });
    return recorded ? recorded.then(() => this.#send(c, response)) : this.#send(c, response);
  }

  #send(c: Context<AppEnv>, response: Response): Response | Promise<Response> {
    const visit = visitOf(c);
    const { headers } = response;
    setSecurityHeaders(headers, { isPage: visit?.route.isPage ?? false, isHttps: this.#isHttps });
    if (visit) {
      const ms = this.#options.clock.monotonicMs() - visit.startedMs;
      const { access, stats } = visit.route;
      stats.add(response.status, ms);
      headers.set("x-request-id", visit.requestId);
      if (access === "webhook") headers.set("cache-control", "no-store");
      if (this.#isLoggingAll || response.status >= 400) this.#log(c, visit, response.status, ms);
    }
    const request = c.req.raw;
    if (request.method === "HEAD") return withoutBody(response);
    return request.method === "GET" && acceptsGzip(request) ? gzipResponse(response) : response;
  }

  #log(c: Context<AppEnv>, { route, requestId }: Visit, status: number, ms: number): void {
    const { logger } = this.#options;
    const fields = {
      method: c.req.method,
      path: loggedPath(c.req.raw.url, route),
      status,
      ms: Math.round(ms * 10) / 10,
      requestId,
    };
    if (status >= 400) logger.info("Request refused", fields);
    else logger.debug("Request", fields);
  }
}

/** Hono handles HEAD by GET and drops the body; a stream must be cancelled, or it stays open. */
async function withoutBody(response: Response): Promise<Response> {
  await response.body?.cancel();
  const { status, headers } = response;
  return new Response(null, { status, headers });
}

function visitOf(c: Context<AppEnv>): Visit | undefined {
  return (c as unknown as Context<PipelineEnv>).get("visit");
}

/** Never the key of a webhook: the pattern of webhooks, and only the start of an unmatched path (a mistyped webhook). */
function loggedPath(url: string, route: Route): string {
  if (route.access === "webhook") return route.path;
  const path = rawPath(url);
  return route.path === "" ? path.split("/", 4).join("/").slice(0, 100) : path;
}
