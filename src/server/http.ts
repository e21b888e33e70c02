/** Builds the HTTP application of a server from its services: every route file is named here, once. */
import type { AssemblyOptions } from "./options.ts";
import { createApp } from "../http/app.ts";
import type { Mount } from "../http/pipeline/mount.ts";
import { baseUrlFrom } from "../http/responses/page_url.ts";
import { executionActionRoutes } from "../http/routes/executions/execution_actions.ts";
import { executionBulkRoutes } from "../http/routes/executions/execution_bulk.ts";
import { executionRoutes } from "../http/routes/executions/executions.ts";
import { executionFileRoutes } from "../http/routes/executions/execution_files.ts";
import { expressionNameRoutes, expressionRoutes } from "../http/routes/flows/expressions.ts";
import { fileRoutes } from "../http/routes/namespaces/files.ts";
import { flowBulkRoutes } from "../http/routes/flows/flow_bulk.ts";
import { flowRoutes } from "../http/routes/flows/flows.ts";
import { flowViewRoutes } from "../http/routes/flows/flow_views.ts";
import { kvPairRoutes } from "../http/routes/namespaces/kv_pairs.ts";
import { logRoutes } from "../http/routes/monitoring/logs.ts";
import { metricRoutes } from "../http/routes/monitoring/metrics.ts";
import { executionPageRoutes, pageRoutes } from "../http/routes/server/pages.ts";
import { pluginRoutes } from "../http/routes/flows/plugins.ts";
import { secretRoutes } from "../http/routes/namespaces/secrets.ts";
import { triggerBulkRoutes } from "../http/routes/triggers/trigger_bulk.ts";
import { triggerRoutes } from "../http/routes/triggers/triggers.ts";
import { webhookRoutes } from "../http/routes/triggers/webhooks.ts";
import { ServerMetrics } from "../services/metrics/server_metrics.ts";
import { FileTransfer } from "../services/files/file_transfer.ts";
import { FlowBulk } from "../services/flows/flow_bulk.ts";
import { FlowDependencies } from "../services/flows/flow_dependencies.ts";
import { FlowGraphs } from "../services/flows/flow_graphs.ts";
import { FlowInspection } from "../services/flows/flow_inspection.ts";
import { FlowRevisions } from "../services/flows/flow_revisions.ts";
import { FlowTransfer } from "../services/flows/flow_transfer.ts";
import { Plugins } from "../services/plugins/plugins.ts";
import { FlowRecords } from "../store/records/flow_records.ts";
import { createTaskCatalog } from "../tasks/registry.ts";
import { createTriggerCatalog } from "../triggers/registry.ts";
import type { HttpAssemblyOptions } from "./http_options.ts";
import { instanceId } from "./instance_id.ts";
import { readProcessFacts } from "../machine/server_process/process_facts.ts";
import type { Services } from "./services.ts";
import { viewMounts } from "./view_mounts.ts";

/** The application as its server sees it; `info` is what the platform tells of the connection. */
export interface HttpApp {
  /** Answers a request. */
  fetch(request: Request, info?: unknown): Response | Promise<Response>;
}

/** The application. */
export function createHttpApp(assembled: HttpAssemblyOptions): HttpApp {
  const { options, auth, services, eventStreams, isReady } = assembled;
  const { clock, logger, randomBytes, baseUrl, host, port, maxUploadBytes, version } = options;
  const { executions, idempotentStarts, flows, webhooks, kvPairs, secrets, files, blobs, tenants, tokens } =
    services;
  const baseUrlOf = baseUrlFrom(baseUrl);
  const isProtected = auth.isProtected;
  const { noAuthExplicit } = options;
  const uuid = instanceId(options.encryptionKey);
  const serverMetrics = createServerMetrics(assembled);
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
    config: { baseUrl, host, port, isProtected, noAuthExplicit, maxUploadBytes, version, uuid },
    tenantRoutes: [
      { path: "", routes: flowRoutes(flows) },
      ...flowMounts(assembled),
      { path: "", routes: expressionRoutes(services.expressions) },
      {
        path: "",
        routes: executionRoutes({ executions, idempotentStarts, clock, baseUrlOf, maxUploadBytes }),
      },
      ...actionMounts(services, options),
      { path: "/executions/webhook", routes: webhookRoutes({ webhooks, baseUrlOf }), access: "webhook" },
      { path: "", routes: metricRoutes({ metrics: services.metrics, clock }) },
      ...triggerMounts(services),
      ...viewMounts(assembled),
      { path: "", routes: executionFileRoutes(services.executionFileViews) },
      { path: "", routes: logRoutes({ ...services, clock }) },
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
    globalRoutes: [
      { routes: pluginRoutes(createPlugins(options)) },
      { routes: expressionNameRoutes(services.expressions) },
    ],
    serverMetrics: () => serverMetrics.collect(),
    webRoutes: pageRoutes(pages),
    tenantWebRoutes: executionPageRoutes(pages),
  });
  return { fetch: (request, info) => app.fetch(request, info as Record<string, unknown>) };
}

function createServerMetrics(
  { options, services, committer, liveCount }: HttpAssemblyOptions,
): ServerMetrics {
  const { catalog, flows, tenants } = services;
  const { version, dataDir } = options;
  const readProcess = () => readProcessFacts(dataDir);
  return new ServerMetrics({ catalog, flows, tenants, committer, liveCount, readProcess, version });
}

function triggerMounts({ triggers, triggerBulk: bulk }: Services): Mount[] {
  return [{ routes: triggerRoutes(triggers) }, { routes: triggerBulkRoutes({ triggers, bulk }) }];
}

function createPlugins({ extraTasks, version }: AssemblyOptions): Plugins {
  return new Plugins({ tasks: createTaskCatalog(extraTasks), triggers: createTriggerCatalog(), version });
}

/** What people do to executions. */
function actionMounts(services: Services, { clock, maxUploadBytes }: AssemblyOptions): Mount[] {
  const { executionActions: actions, executionReplays: replays, executionBulk: bulk } = services;
  return [
    { routes: executionActionRoutes({ actions, replays, maxUploadBytes }) },
    { routes: executionBulkRoutes({ bulk, clock }) },
  ];
}

/** What is done with many flows, and what is seen of them. */
function flowMounts({ services, options, committer }: HttpAssemblyOptions): Mount[] {
  const { flows, executions, tasks, catalog, records } = services;
  const bulk = new FlowBulk(flows);
  const transfer = new FlowTransfer(flows, options.clock);
  const flowRecords = new FlowRecords(options.store);
  const revisions = new FlowRevisions({
    flows,
    records: flowRecords,
    executions: records,
    catalog,
    committer,
  });
  const views = {
    flows,
    executions,
    graphs: new FlowGraphs(flows),
    dependencies: new FlowDependencies(flows),
    inspection: new FlowInspection(flows, tasks),
  };
  return [{ routes: flowBulkRoutes({ flows, bulk, transfer, revisions }) }, {
    routes: flowViewRoutes(views),
  }];
}
