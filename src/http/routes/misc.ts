/** Routes about the server itself. */
import { type Context, Hono } from "hono";
import { DomainError } from "../../model/errors.ts";
import { SYSTEM_NAMESPACE } from "../../model/executions/execution_query.ts";
import type { Tenants } from "../../services/access/tenants.ts";
import type { HttpConfig } from "../pipeline/config.ts";
import type { AppEnv } from "../forms/env.ts";

/** `GET /`: to the pages. */
export function homeRoutes(): Hono<AppEnv> {
  return new Hono<AppEnv>().get("/", (c) => c.redirect("/ui/", 307));
}

/** `GET /ping`: the process answers. */
export function pingRoutes(): Hono<AppEnv> {
  return new Hono<AppEnv>().get("/", (c) => c.text("pong"));
}

/**
 * `GET /health` and `/health/readiness`: 200 once requests can be served, else 503. `GET /health/liveness`: the process answers;
 * who restarts a server that is not ready yet keeps it from recovering.
 */
export function healthRoutes(isReady: () => boolean): Hono<AppEnv> {
  const readiness = (c: Context<AppEnv>) =>
    isReady() ? c.json({ status: "UP" }) : c.json({ status: "DOWN" }, 503);
  return new Hono<AppEnv>()
    .get("/", readiness)
    .get("/readiness", readiness)
    .get("/liveness", (c) => c.json({ status: "UP" }));
}

/** `GET /configs`, and of it `/configs/login`: what clients ask before they log in; nothing here is a secret. */
export function configRoutes(config: HttpConfig): Hono<AppEnv> {
  const login = {
    version: config.version,
    edition: "OSS",
    isBasicAuthInitialized: config.isProtected,
    isBasicAuthEnabled: config.isProtected,
  };
  const body = {
    uuid: config.uuid,
    ...login,
    commitId: config.commit,
    isCustomDashboardsEnabled: false,
    isAnonymousUsageEnabled: false,
    isTemplateEnabled: false,
    preview: { initial: 100, max: 5_000 },
    systemNamespace: SYSTEM_NAMESPACE,
    hiddenLabelsPrefixes: ["system."],
    url: config.baseUrl,
  };
  return new Hono<AppEnv>().get("/", (c) => c.json(body)).get("/login", (c) => c.json(login));
}

/** `GET /me`: who calls. Only callers that are not limited to tenants are asked in. */
export function callerRoutes(tenants: Tenants): Hono<AppEnv> {
  return new Hono<AppEnv>().get("/", (c) => {
    const { user } = c.get("actor");
    const known = tenants.list().map(({ id, name }) => ({ id, name }));
    return c.json({
      id: user,
      username: user,
      superAdmin: true,
      profile: { username: user },
      tenants: known,
    });
  });
}

/** `GET /`: what is wrong with the credentials that the server was started with. Nothing: it would not have started. */
export function credentialProblemRoutes(): Hono<AppEnv> {
  return new Hono<AppEnv>().get("/", (c) => c.json([]));
}

/** `POST /basicAuth` is refused: whoever could set the password over the network could lock the operator out. */
export function credentialRoutes(): Hono<AppEnv> {
  return new Hono<AppEnv>().post("/basicAuth", () => {
    throw new DomainError(
      "conflict",
      "Illegal state: credentials are not set over the API; " +
        "start the server with --basic-auth-file, or set SLUICE_BASIC_AUTH",
    );
  });
}
