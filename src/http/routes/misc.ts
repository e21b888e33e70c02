/** Routes about the server itself. */
import { Hono } from "hono";
import type { HttpConfig } from "../config.ts";
import type { AppEnv } from "../env.ts";

/** `GET /`: to the pages. */
export function homeRoutes(): Hono<AppEnv> {
  return new Hono<AppEnv>().get("/", (c) => c.redirect("/ui/", 307));
}

/** `GET /ping`: the process answers. */
export function pingRoutes(): Hono<AppEnv> {
  return new Hono<AppEnv>().get("/", (c) => c.text("pong"));
}

/** `GET /health`: 200 once requests can be served, else 503. */
export function healthRoutes(isReady: () => boolean): Hono<AppEnv> {
  return new Hono<AppEnv>().get(
    "/",
    (c) => isReady() ? c.json({ status: "UP" }) : c.json({ status: "DOWN" }, 503),
  );
}

/** `GET /configs`: what clients ask before they log in; nothing here is a secret. */
export function configRoutes(config: HttpConfig): Hono<AppEnv> {
  const body = {
    version: config.version,
    edition: "OSS",
    isCustomDashboardsEnabled: false,
    isAnonymousUsageEnabled: false,
    isBasicAuthInitialized: config.isProtected,
    isBasicAuthEnabled: config.isProtected,
    preview: { initial: 100, max: 5_000 },
    systemNamespace: "system",
    hiddenLabelsPrefixes: ["system."],
    url: config.baseUrl,
  };
  return new Hono<AppEnv>().get("/", (c) => c.json(body));
}
