/** The configuration that clients read before they log in. */
import { Hono } from "hono";
import { SYSTEM_NAMESPACE } from "../../../model/executions/execution_query.ts";
import type { AppEnv } from "../../forms/env.ts";
import type { HttpConfig } from "../../pipeline/config.ts";

/** `GET /configs`, and its part `/configs/login`; both are public and contain no secret. */
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
