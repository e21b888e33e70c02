/** The HTTP application: mounts every route into the request pipeline, with its access. */
import { type Context, type Handler, Hono } from "hono";
import type { RouterRoute } from "hono/types";
import type { Clock } from "../base/time/clock.ts";
import type { DurationForm } from "../base/time/duration.ts";
import { type RandomBytes, systemRandomBytes } from "../base/id.ts";
import type { Logger } from "../base/log.ts";
import { type ServerMetric, serverMetric } from "../model/server_metric.ts";
import type { AuditEvent, AuditScope } from "../model/audit.ts";
import type { Auth } from "../services/access/auth.ts";
import type { FirstUser } from "../services/access/first_user.ts";
import type { Quotas } from "../services/access/quotas.ts";
import type { Tenants } from "../services/access/tenants.ts";
import type { Tokens } from "../services/access/tokens.ts";
import { AuditTrail } from "./audit/audit_trail.ts";
import type { Users } from "../services/access/users.ts";
import { ClientAddresses } from "./pipeline/client_addresses.ts";
import { API_PREFIX, canonicalPath } from "./pipeline/canonical_path.ts";
import type { HttpConfig } from "./pipeline/config.ts";
import type { AppEnv } from "./env.ts";
import { RequestPipeline } from "./pipeline/request_pipeline.ts";
import { Guard } from "./pipeline/guard.ts";
import { RequestIds } from "./pipeline/request_id.ts";
import {
  ASSETS_PATH,
  CONFIGS_PATH,
  CREDENTIAL_PROBLEMS_PATH,
  FIRST_USER_PATH,
  type Mount,
  type MountedRoute,
  mountRoutes,
  type Place,
  TENANT_PREFIX,
  tenantResources,
} from "./pipeline/mount.ts";
import { openApiDocument } from "./openapi/document.ts";
import { RequestStats } from "./pipeline/request_stats.ts";
import { SegmentRouter } from "./pipeline/router.ts";
import { serverMetricRoutes } from "./routes/server/server_metrics.ts";
import { firstUserRoutes, type FirstUserRoutesDeps } from "./routes/access/first_user.ts";
import { type LoginDeps, loginRoutes, logoutRoutes } from "./routes/access/login.ts";
import { loginPageRoutes, logoutPageRoutes, setupPageRoutes } from "./routes/access/login_pages.ts";
import { callerRoutes, credentialProblemRoutes } from "./routes/access/me.ts";
import { configRoutes } from "./routes/server/configs.ts";
import { type HealthDeps, healthRoutes, pingRoutes } from "./routes/server/health.ts";
import { assetRoutes, homeRoutes } from "./routes/server/pages.ts";
import { openApiRoutes } from "./routes/server/openapi.ts";
import { settingRoutes } from "./routes/server/settings.ts";
import { tenantRoutes } from "./routes/access/tenants.ts";
import { tokenRoutes } from "./routes/access/tokens.ts";
import { userRoutes } from "./routes/access/users.ts";
import { EventStreams } from "./streams/sse.ts";
import type { Bundle } from "../ui/bundle.ts";
import { UI_PATH } from "../ui/layout.ts";
import { LOGIN_PATH, SETUP_PATH } from "../ui/login_page.ts";

/** The audit log of the application. */
interface AppAudit {
  /** Resolves once the event is durable. */
  readonly add: (event: AuditEvent) => Promise<void>;
  readonly scope: AuditScope;
}

/** Services and routes of the application. */
export interface AppDeps extends HealthDeps {
  readonly auth: Auth;
  readonly tenants: Tenants;
  readonly quotas?: Quotas;
  readonly users: Users;
  readonly tokens: Tokens;
  /** The set-up of the first user; absent: the user is an option of the server, or none is needed. */
  readonly firstUser?: FirstUser;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly config: HttpConfig;
  /** Routes of a tenant: `/api/v1/{tenant}{path}`, and `/api/v1{path}` for the tenant `main`. */
  readonly tenantRoutes: readonly Mount[];
  /** Routes of no tenant: `/api/v1{path}`. */
  readonly globalRoutes?: readonly Mount[];
  /** Pages, at `/ui`. */
  readonly webRoutes?: Hono<AppEnv>;
  /** The built UI, whose files are assets. */
  readonly bundle?: Bundle;
  /** Pages of a tenant, at `/ui/{tenant}`. */
  readonly tenantWebRoutes?: Hono<AppEnv>;
  /** Event streams of the server, which ends them at its stop. */
  readonly eventStreams?: EventStreams;
  /** Server metrics, beside those of requests. */
  readonly serverMetrics?: () => Promise<readonly ServerMetric[]>;
  readonly randomBytes?: RandomBytes;
  /** Stores an event of the audit log. Absent: nothing is recorded. */
  readonly audit?: AppAudit;
  /** By default no proxy is trusted. */
  readonly clients?: ClientAddresses;
}

/**
 * Builds the application. The environment of its `fetch` is the connection info of `Deno.serve`.
 * @throws Error two routes have the same shape, or a route is open that must not be
 */
export function createApp(deps: AppDeps): Hono<AppEnv> {
  if (deps.config.isProtected !== deps.auth.isProtected) {
    throw new Error("Cannot build the application: configuration and authentication disagree on protection");
  }
  const clients = deps.clients ?? new ClientAddresses();
  const login = { auth: deps.auth, firstUser: deps.firstUser, clients, baseUrl: deps.config.baseUrl };
  const ofTenant: Mount[] = [
    ...deps.tenantRoutes,
    { path: FIRST_USER_PATH, routes: firstUserRoutes(login), access: "setup" },
  ];
  const resources = new Set([...tenantResources(ofTenant), "configs"]);
  const router = new SegmentRouter<[Handler<AppEnv>, RouterRoute]>();
  const app = new Hono<AppEnv>({
    router,
    getPath: (request) => canonicalPath(request.url, resources),
  });
  const stats = new RequestStats(deps.clock);
  const eventStreams = deps.eventStreams ?? new EventStreams(deps);
  eventStreams.endWithCredentials(deps);
  const pipeline = createRequestPipeline({ ...deps, clients }, stats, eventStreams);
  const mounted: MountedRoute[] = [];
  const places: Place[] = [
    ...rootMounts(deps, mounted).map((mount) => ({ ...mount, prefix: "" })),
    { ...serverMetricMount(deps, stats, eventStreams), prefix: "" },
    ...ofTenant.map((mount) => ({ ...mount, prefix: TENANT_PREFIX })),
    ...[...loginMounts(login), ...globalMounts(deps, login)].map((mount) => ({
      ...mount,
      prefix: API_PREFIX,
    })),
    ...pageMounts(deps, login).map((mount) => ({ ...mount, prefix: "", isPage: true })),
  ];
  for (const place of places) mounted.push(...mountRoutes(app, pipeline, place));
  app.notFound((c: Context<AppEnv>) => pipeline.refuseUnmatched(c, router.methodsOf(c.req.path)));
  app.onError((error, c) => pipeline.fail(c, error));
  return app;
}

function createRequestPipeline(
  deps: AppDeps & { readonly clients: ClientAddresses },
  stats: RequestStats,
  eventStreams: EventStreams,
): RequestPipeline {
  const { clock, logger, clients, audit } = deps;
  return new RequestPipeline({
    audit: audit && new AuditTrail({ ...audit, clients, clock, logger }),
    auth: deps.auth,
    tenants: deps.tenants,
    guard: new Guard(deps.config),
    clients: deps.clients,
    requestIds: new RequestIds(deps.randomBytes ?? systemRandomBytes),
    eventStreams,
    stats,
    clock,
    logger,
    baseUrl: deps.config.baseUrl,
    durations: deps.config.durations,
    isSetupOpen: isSetupOpenOf(deps),
    loginPath: deps.webRoutes && LOGIN_PATH,
  });
}

function isSetupOpenOf({ firstUser }: AppDeps): () => boolean {
  return () => firstUser?.isOpen ?? false;
}

/** Metrics name all tenants, so only unlimited callers read them. */
function serverMetricMount({ serverMetrics }: AppDeps, stats: RequestStats, streams: EventStreams): Mount {
  const collect = async () => [
    ...stats.serverMetrics(),
    serverMetric("gauge", "sluice_event_streams", "Open event streams", streams.count),
    ...await serverMetrics?.() ?? [],
  ];
  return { routes: serverMetricRoutes(collect), access: "unlimited" };
}

/** `mounted` is filled later: the description is built at its first request. */
function rootMounts(deps: AppDeps, mounted: readonly MountedRoute[]): Mount[] {
  const { config } = deps;
  const { version, isProtected, baseUrl = "" } = config;
  const describe = (durations: DurationForm) =>
    openApiDocument(mounted, { version, isProtected, baseUrl, durations });
  return [
    { routes: openApiRoutes(describe) },
    { routes: homeRoutes() },
    { path: "/ping", routes: pingRoutes(), access: "public" },
    { path: "/health", routes: healthRoutes(deps), access: "public" },
    // The canonical path, with the tenant `main`; other tenants have no such route.
    { path: CONFIGS_PATH, routes: configRoutes(config, isSetupOpenOf(deps)), access: "public" },
    { path: CREDENTIAL_PROBLEMS_PATH, routes: credentialProblemRoutes(), access: "public" },
  ];
}

function loginMounts(login: LoginDeps): Mount[] {
  return [
    { path: "/login", routes: loginRoutes(login), access: "public" },
    { path: "/logout", routes: logoutRoutes(login), access: "public" },
  ];
}

function globalMounts(deps: AppDeps, login: LoginDeps): Mount[] {
  const { users, tokens, tenants, quotas, clock, config, globalRoutes = [] } = deps;
  return [
    { path: "/settings", routes: settingRoutes(config), access: "unlimited" },
    { path: "/me", routes: callerRoutes({ ...login, users, tenants }) },
    { path: "/me/api-tokens", routes: tokenRoutes(tokens, clock), access: "unlimited" },
    { path: "/users", routes: userRoutes({ users, tokens, clock }), access: "unlimited" },
    { path: "/tenants", routes: tenantRoutes(tenants, quotas), access: "unlimited" },
    ...globalRoutes,
  ];
}

function pageMounts(
  { webRoutes, tenantWebRoutes, bundle }: AppDeps,
  login: FirstUserRoutesDeps,
): Mount[] {
  const open: Mount[] = [
    { path: LOGIN_PATH, routes: loginPageRoutes(login), access: "public" },
    { path: `${UI_PATH}/logout`, routes: logoutPageRoutes(login), access: "public" },
    { path: SETUP_PATH, routes: setupPageRoutes(login), access: "public" },
    { path: ASSETS_PATH, routes: assetRoutes(bundle), access: "public" },
  ];
  return [
    ...webRoutes ? [...open, { path: UI_PATH, routes: webRoutes, right: "read" as const }] : [],
    ...tenantWebRoutes ? [{ path: "/ui/:tenant", routes: tenantWebRoutes, right: "read" as const }] : [],
  ];
}
