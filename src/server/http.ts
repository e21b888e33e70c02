/** Builds the HTTP application of a server from its services: every route file is named here, once. */
import type { AssemblyOptions } from "./options.ts";
import { createApp } from "../http/app.ts";
import { baseUrlFrom } from "../http/page_url.ts";
import { executionRoutes } from "../http/routes/executions.ts";
import { fileRoutes } from "../http/routes/files.ts";
import { flowRoutes } from "../http/routes/flows.ts";
import { kvPairRoutes } from "../http/routes/kv_pairs.ts";
import { logRoutes } from "../http/routes/logs.ts";
import { executionPageRoutes, pageRoutes } from "../http/routes/pages.ts";
import { secretRoutes } from "../http/routes/secrets.ts";
import { webhookRoutes } from "../http/routes/webhooks.ts";
import type { EventStreams } from "../http/sse.ts";
import type { Auth } from "../services/auth.ts";
import { FileTransfer } from "../services/file_transfer.ts";
import type { Services } from "./services.ts";

/** The application as its server sees it; `info` is what the platform tells of the connection. */
export interface HttpApp {
  /** Answers a request. */
  fetch(request: Request, info?: unknown): Response | Promise<Response>;
}

/** What the application is built from. */
export interface HttpAssemblyOptions {
  readonly options: AssemblyOptions;
  readonly auth: Auth;
  readonly services: Services;
  readonly eventStreams: EventStreams;
  readonly isReady: () => boolean;
}

/** The application. */
export function createHttpApp(
  { options, auth, services, eventStreams, isReady }: HttpAssemblyOptions,
): HttpApp {
  const { clock, logger, randomBytes, baseUrl, host, port, maxUploadBytes, version } = options;
  const { executions, flows, webhooks, kvPairs, secrets, files, blobs, tenants, tokens } = services;
  const baseUrlOf = baseUrlFrom(baseUrl);
  const isProtected = auth.isProtected;
  const { noAuthExplicit } = options;
  const pages = { executions, clock, baseUrlOf, version };
  const app = createApp({
    auth,
    tenants,
    tokens,
    logger,
    clock,
    randomBytes,
    eventStreams,
    isReady,
    config: { baseUrl, host, port, isProtected, noAuthExplicit, maxUploadBytes, version },
    tenantRoutes: [
      { path: "", routes: flowRoutes(flows) },
      { path: "", routes: executionRoutes({ executions, clock, baseUrlOf, maxUploadBytes }) },
      { path: "/executions/webhook", routes: webhookRoutes({ webhooks, baseUrlOf }), access: "webhook" },
      { path: "", routes: logRoutes({ executions, clock }) },
      { path: "", routes: kvPairRoutes(kvPairs) },
      { path: "", routes: secretRoutes(secrets) },
      {
        path: "",
        routes: fileRoutes({
          files,
          transfer: new FileTransfer({ files, blobs, maxUploadBytes }),
          maxUploadBytes,
        }),
      },
    ],
    webRoutes: pageRoutes(pages),
    tenantWebRoutes: executionPageRoutes(pages),
  });
  return { fetch: (request, info) => app.fetch(request, info as Record<string, unknown>) };
}
