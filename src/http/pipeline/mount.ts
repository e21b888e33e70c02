/** Mounts the routes of a file, each wrapped by the request pipeline. */
import type { Handler, Hono } from "hono";
import { MAIN_TENANT } from "../../model/flows/flow.ts";
import { RESERVED_TENANT_IDS } from "../../model/access/tenant.ts";
import { API_PREFIX } from "./canonical_path.ts";
import type { AppEnv } from "../env.ts";
import type { Right } from "../../model/access/role.ts";
import type { Access, RequestPipeline } from "./request_pipeline.ts";
import { declaredRight } from "./route_rights.ts";

/** Routes of one file. `path` (empty by default) prefixes their paths; `access` is `protected` by default. */
export interface Mount {
  readonly path?: string;
  readonly routes: Hono<AppEnv>;
  readonly access?: Access;
  /** What all of them need. Absent: what `route_rights.ts` declares for each, else the right to administer. */
  readonly right?: Right;
}

/** A mount with its prefix. */
export interface Place extends Mount {
  readonly prefix: string;
  readonly isPage?: boolean;
}

/** A mounted route. */
export interface MountedRoute {
  readonly method: string;
  /** With all prefixes. */
  readonly path: string;
  readonly access: Access;
  readonly right: Right;
  readonly isPage: boolean;
}

/** Prefix of all paths of a tenant. */
export const TENANT_PREFIX = `${API_PREFIX}/:tenant`;

const TENANT_SEGMENT = /\/:tenant(?:\/|$)/;

/** Path of the configuration that clients read before they log in. */
export const CONFIGS_PATH = `${API_PREFIX}/${MAIN_TENANT}/configs`;

/** Path of the problems of the configured credentials. */
export const CREDENTIAL_PROBLEMS_PATH = `${API_PREFIX}/basicAuthValidationErrors`;

/** Path of the assets of pages. */
export const ASSETS_PATH = "/ui/assets";

/** Path of the set-up of the first user, relative to the tenant. */
export const FIRST_USER_PATH = "/basicAuth";

/** All paths whose routes may be open. An open mount elsewhere is a mistake and stops the start. */
const OPEN_PLACES: ReadonlyMap<string, Access> = new Map([
  [`${API_PREFIX}/login`, "public"],
  [`${API_PREFIX}/logout`, "public"],
  ["/ui/login", "public"],
  ["/ui/logout", "public"],
  ["/ui/setup", "public"],
  [ASSETS_PATH, "public"],
  [TENANT_PREFIX + FIRST_USER_PATH, "setup"],
  ["/ping", "public"],
  ["/health", "public"],
  [CONFIGS_PATH, "public"],
  [CREDENTIAL_PROBLEMS_PATH, "public"],
  [`${TENANT_PREFIX}/executions/webhook`, "webhook"],
]);

const CLOSED: ReadonlySet<Access> = new Set(["protected", "unlimited", "worker"]);

/** Whether a route of that access needs credentials. */
export function isClosed(access: Access): boolean {
  return CLOSED.has(access);
}

/** Mounts the routes; returns them. @throws Error they must not be open, are middleware, or one of the same shape is mounted */
export function mountRoutes(app: Hono<AppEnv>, pipeline: RequestPipeline, place: Place): MountedRoute[] {
  const { access = "protected", isPage = false, path: below = "" } = place;
  const home = place.prefix + below;
  const isOpen = !isClosed(access);
  if (isOpen && OPEN_PLACES.get(home) !== access) {
    throw new Error(`Cannot mount ${home}: it must not be open`);
  }
  return place.routes.routes.map(({ method, path, handler }) => {
    const own = path === "/" ? "" : path;
    const full = (home + own) || "/";
    if (method === "ALL") throw new Error(`Cannot mount ${full}: middleware is not supported`);
    const isOfTenant = TENANT_SEGMENT.test(full);
    const right = place.right ?? declaredRight(method, below + own) ?? "administer";
    const route = { method, path: full, access, right, isOfTenant, isPage };
    const wrapped = pipeline.wrap(route, handler as Handler<AppEnv>);
    app.on(method, full, wrapped);
    if (isPage && path === "/" && full !== "/") app.on(method, `${full}/`, wrapped);
    return { method, path: full, access, right, isPage };
  });
}

/**
 * First segments of the paths of tenant routes.
 * @throws Error one is not reserved, so a tenant could have it as its id
 */
export function tenantResources(mounts: readonly Mount[]): ReadonlySet<string> {
  const names = mounts.flatMap(({ path = "", routes }) =>
    routes.routes.map((route) => (path + route.path).split("/", 2)[1] ?? "")
  );
  const free = names.find((name) => !RESERVED_TENANT_IDS.has(name));
  if (free !== undefined) {
    throw new Error(
      `Cannot mount "/${free}": a tenant could have this id; reserve it in model/access/tenant.ts`,
    );
  }
  return new Set(names);
}
