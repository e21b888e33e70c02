/** The configuration that clients read before they log in. */
import { Hono } from "hono";
import { SYSTEM_NAMESPACE } from "../../../model/executions/execution_query.ts";
import type { AppEnv } from "../../env.ts";
import type { HttpConfig } from "../../pipeline/config.ts";

/**
 * `GET /configs`, and its part `/configs/login`; both are public and contain no secret. Front ends show their set-up page
 * until `isBasicAuthInitialized`: it is false only while the first user can be set.
 */
export function configRoutes(config: HttpConfig, isSetupOpen: () => boolean): Hono<AppEnv> {
  const login = () => ({
    version: config.version,
    edition: "OSS",
    isBasicAuthInitialized: !isSetupOpen(),
    isBasicAuthEnabled: config.isProtected,
  });
  const body = () => ({
    uuid: config.uuid,
    ...login(),
    commitId: config.commit,
    isCustomDashboardsEnabled: true,
    // Front ends would show a view of all task runs, but only those of the newest executions are found.
    isTaskRunEnabled: false,
    isAnonymousUsageEnabled: false,
    isUiAnonymousUsageEnabled: false,
    isTemplateEnabled: false,
    isAiEnabled: false,
    preview: { initial: 100, max: 5_000 },
    systemNamespace: SYSTEM_NAMESPACE,
    hiddenLabelsPrefixes: ["system."],
    url: config.baseUrl,
  });
  return new Hono<AppEnv>().get("/", (c) => c.json(body())).get("/login", (c) => c.json(login()));
}
