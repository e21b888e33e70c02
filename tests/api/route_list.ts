/** Every route of the server, read from the files that declare them, for tests that must try them all. */
import { executionActionRoutes } from "../../src/http/routes/execution_actions.ts";
import { executionBulkRoutes } from "../../src/http/routes/execution_bulk.ts";
import { executionRoutes } from "../../src/http/routes/executions.ts";
import { fileRoutes } from "../../src/http/routes/files.ts";
import { flowRoutes } from "../../src/http/routes/flows.ts";
import { kvPairRoutes } from "../../src/http/routes/kv_pairs.ts";
import { logRoutes } from "../../src/http/routes/logs.ts";
import { pageRoutes } from "../../src/http/routes/pages.ts";
import { secretRoutes } from "../../src/http/routes/secrets.ts";
import { tenantRoutes } from "../../src/http/routes/tenants.ts";
import { tokenRoutes } from "../../src/http/routes/tokens.ts";

/** A route as declared; `path` begins with `/api/v1/:tenant`, `/api/v1/…` or `/ui`. */
export interface ListedRoute {
  readonly method: string;
  readonly path: string;
}

/** What routes are declared over; no handler is ever called. */
const NO_SERVICES = {} as never;

/** Files of routes that ask for credentials, and what is put before their paths. */
const PROTECTED_FILES = [
  { routes: executionRoutes(NO_SERVICES), prefix: "/api/v1/:tenant" },
  { routes: executionActionRoutes(NO_SERVICES), prefix: "/api/v1/:tenant" },
  { routes: executionBulkRoutes(NO_SERVICES), prefix: "/api/v1/:tenant" },
  { routes: fileRoutes(NO_SERVICES), prefix: "/api/v1/:tenant" },
  { routes: flowRoutes(NO_SERVICES), prefix: "/api/v1/:tenant" },
  { routes: kvPairRoutes(NO_SERVICES), prefix: "/api/v1/:tenant" },
  { routes: logRoutes(NO_SERVICES), prefix: "/api/v1/:tenant" },
  { routes: secretRoutes(NO_SERVICES), prefix: "/api/v1/:tenant" },
  { routes: tenantRoutes(NO_SERVICES), prefix: "/api/v1/tenants" },
  { routes: tokenRoutes(NO_SERVICES, NO_SERVICES), prefix: "/api/v1/me/api-tokens" },
  { routes: pageRoutes(NO_SERVICES), prefix: "/ui" },
];

/** Every route that asks for credentials. */
export const PROTECTED_ROUTES: readonly ListedRoute[] = PROTECTED_FILES.flatMap(({ routes, prefix }) =>
  routes.routes.map(({ method, path }) => ({ method, path: prefix + (path === "/" ? "" : path) }))
);

/** An id of the right form that no execution has. */
const UNKNOWN_ID = "AVbbQ08s000Ox85LEc8pG1";

/** The path of a route with its parameters filled in. */
export function fillPath(pattern: string, tenant = "main"): string {
  return pattern.replace(/:(\w+)(?:\{[^}]*\})?\??/g, (_, name) => {
    if (name === "tenant") return tenant;
    return /id$/i.test(name) && name !== "flowId" ? UNKNOWN_ID : "x1";
  });
}

/** A request whose URL is as on the wire: `new Request` would resolve dots and backslashes. */
export function rawRequest(method: string, path: string, headers: Record<string, string> = {}): Request {
  const request = new Request("http://127.0.0.1:8080/", { method, headers });
  Object.defineProperty(request, "url", { value: `http://127.0.0.1:8080${path}` });
  return request;
}
