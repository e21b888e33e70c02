/** Builds the HTTP application of a server from its services: every route file is named here, once. */
import type { Clock } from "../base/time/clock.ts";
import type { IdSource } from "../base/id.ts";
import { type AppDeps, createApp } from "../http/app.ts";
import type { Mount } from "../http/pipeline/mount.ts";
import { ClientAddresses } from "../http/pipeline/client_addresses.ts";
import { linkBaseFrom } from "../http/responses/page_url.ts";
import { executionActionRoutes } from "../http/routes/executions/execution_actions.ts";
import { executionBulkRoutes } from "../http/routes/executions/execution_bulk.ts";
import { executionRoutes } from "../http/routes/executions/executions.ts";
import { executionFileRoutes } from "../http/routes/executions/execution_files.ts";
import { blueprintRoutes } from "../http/routes/flows/blueprints.ts";
import { expressionNameRoutes, expressionRoutes } from "../http/routes/flows/expressions.ts";
import { fileRoutes } from "../http/routes/namespaces/files.ts";
import { flowBulkRoutes } from "../http/routes/flows/flow_bulk.ts";
import { flowTestRoutes } from "../http/routes/flows/flow_tests.ts";
import { flowRoutes } from "../http/routes/flows/flows.ts";
import { flowViewRoutes } from "../http/routes/flows/flow_views.ts";
import { kvPairRoutes } from "../http/routes/namespaces/kv_pairs.ts";
import { logRoutes } from "../http/routes/monitoring/logs.ts";
import type { HttpConfig } from "../http/pipeline/config.ts";
import { metricRoutes } from "../http/routes/monitoring/metrics.ts";
import { auditLogRoutes } from "../http/routes/server/audit_logs.ts";
import { backupRoutes } from "../http/routes/server/backups.ts";
import { clusterRoutes } from "../http/routes/server/cluster.ts";
import { aiRoutes } from "../http/routes/server/ai.ts";
import { pageRoutes } from "../http/routes/server/pages.ts";
import { pluginRoutes } from "../http/routes/flows/plugins.ts";
import { secretRoutes } from "../http/routes/namespaces/secrets.ts";
import { triggerBulkRoutes } from "../http/routes/triggers/trigger_bulk.ts";
import { triggerRoutes } from "../http/routes/triggers/triggers.ts";
import { workerListRoutes, workerRoutes } from "../http/routes/server/workers.ts";
import { webhookRoutes } from "../http/routes/triggers/webhooks.ts";
import type { Actor } from "../model/access/actor.ts";
import type { FlowKey } from "../model/flows/flow.ts";
import { ServerMetrics } from "../services/metrics/server_metrics.ts";
import type { EventStreams } from "../http/streams/sse.ts";
import type { Auth } from "../services/access/auth.ts";
import type { FirstUser } from "../services/access/first_user.ts";
import { Blueprints } from "../services/blueprints/blueprints.ts";
import { ExecutionViews } from "../services/executions/execution_views.ts";
import { concurrencyLimitRoutes } from "../http/routes/executions/concurrency_limits.ts";
import { chartRoutes } from "../http/routes/monitoring/charts.ts";
import { dashboardRoutes } from "../http/routes/monitoring/dashboards.ts";
import { statisticsRoutes } from "../http/routes/monitoring/statistics.ts";
import { executionViewRoutes } from "../http/routes/executions/execution_views.ts";
import { namespaceRenameRoutes } from "../http/routes/namespaces/namespace_renames.ts";
import { namespaceRoutes } from "../http/routes/namespaces/namespaces.ts";
import { FileTransfer } from "../services/files/file_transfer.ts";
import { FlowBulk } from "../services/flows/flow_bulk.ts";
import { FlowDependencies } from "../services/flows/flow_dependencies.ts";
import { FlowGraphs } from "../services/flows/flow_graphs.ts";
import { FlowInspection } from "../services/flows/flow_inspection.ts";
import { TaskEdits } from "../services/flows/task_edits.ts";
import { FlowTransfer } from "../services/flows/flow_transfer.ts";
import { Charts } from "../services/charts/charts.ts";
import type { Dashboards } from "../services/charts/dashboards.ts";
import { Plugins } from "../services/plugins/plugins.ts";
import { ExecutionStatistics } from "../services/statistics/execution_statistics.ts";
import { LogStatistics } from "../services/statistics/log_statistics.ts";
import { TaskRuns } from "../services/statistics/task_runs.ts";
import { Usages } from "../services/statistics/usages.ts";
import { stateResponsesOf } from "../services/triggers/trigger_responses.ts";
import type { ContainerPort } from "../model/ports/containers.ts";
import type { ClusterState } from "../model/cluster.ts";
import type { ServerProblem } from "../model/server_health.ts";
import type { Committer } from "../store/committer.ts";
import { createHash } from "node:crypto";
import type { AssemblyOptions } from "./options.ts";
import { readProcessFacts } from "../machine/server_process/process_facts.ts";
import type { Services } from "./services.ts";

/** The HTTP application; `info` is what the platform knows of the connection. */
export interface HttpApp {
  /** Handles a request. */
  fetch(request: Request, info?: unknown): Response | Promise<Response>;
}

/** Builds the application. */
export function createHttpApp(assembled: HttpDeps): HttpApp {
  const { options, auth, services, eventStreams, isReady, findProblem } = assembled;
  const { clock, logger, randomBytes, baseUrl, host, maxUploadBytes, bundle } = options;
  const { executions, idempotentStarts, waiting, flows, webhooks, tenants, users, tokens } = services;
  const clients = new ClientAddresses(options.trustedProxies);
  const isProtected = auth.isProtected;
  const baseUrlOf = linkBaseFrom({ baseUrl, host, isProtected });
  const serverMetrics = createServerMetrics(assembled);
  const pages = { executions, flows, bundle };
  const transfer = new FlowTransfer(flows, clock);
  const app = createApp({
    auth,
    firstUser: assembled.firstUser,
    tenants,
    quotas: services.quotas,
    users,
    tokens,
    logger,
    clock,
    randomBytes,
    eventStreams,
    clients,
    audit: auditOf(assembled),
    isReady,
    findProblem,
    ...healthOf(options),
    config: configOf(options, isProtected),
    tenantRoutes: [
      { path: "", routes: flowRoutes({ flows, taskEdits: new TaskEdits(flows, services.tasks) }) },
      ...flowMounts(assembled, transfer),
      { routes: flowTestRoutes({ flowTests: services.flowTests, baseUrlOf }) },
      { path: "", routes: expressionRoutes(services.expressions) },
      {
        path: "",
        routes: executionRoutes({ executions, idempotentStarts, waiting, clock, baseUrlOf, maxUploadBytes }),
      },
      ...actionMounts(services, options),
      {
        path: "/executions/webhook",
        routes: webhookRoutes({ webhooks, baseUrlOf, clients }),
        access: "webhook",
      },
      { path: "", routes: metricRoutes({ metrics: services.metrics, clock }) },
      ...triggerMounts(services),
      ...viewMounts(assembled),
      { path: "", routes: executionFileRoutes(services.executionFileViews) },
      { path: "", routes: logRoutes({ ...services, clock }) },
      { path: "", routes: workerListRoutes(services.workers) },
      ...namespaceMounts(services, transfer, maxUploadBytes),
      ...serverMounts(services, options),
    ],
    globalRoutes: globalMounts(assembled, clients),
    serverMetrics: () => serverMetrics.collect(),
    bundle,
    webRoutes: pageRoutes(pages),
    tenantWebRoutes: pageRoutes(pages),
  });
  return { fetch: (request, info) => app.fetch(request, info as Record<string, unknown>) };
}

function auditOf({ options, services }: HttpDeps): AppDeps["audit"] {
  return { add: (event) => services.audit.add(event), scope: options.audit ?? "changes" };
}

/** Routes of the server below a tenant, for its administration. */
function serverMounts({ audit }: Services, options: AssemblyOptions): Mount[] {
  return [
    { routes: clusterRoutes(clusterStateOf(options)), access: "unlimited" },
    { routes: auditLogRoutes(audit), access: "unlimited" },
  ];
}

/** Routes of no tenant. */
function globalMounts(
  { options, services, workerStreams }: HttpDeps,
  clients: ClientAddresses,
): Mount[] {
  const { baseUrl } = options;
  return [
    { routes: backupRoutes(services.backups), access: "unlimited" },
    { routes: pluginRoutes(createPlugins(services, options)) },
    { routes: expressionNameRoutes(services.expressions) },
    {
      path: "/worker",
      routes: workerRoutes({
        workers: services.workers,
        streams: workerStreams,
        clients,
        isHttps: baseUrl?.startsWith("https:") ?? false,
      }),
      access: "worker",
    },
  ];
}

/** What the health checks say of the options. */
function healthOf({ database, failedPlugins, cluster }: AssemblyOptions) {
  return { database, failedPlugins, warning: () => cluster?.warning() };
}

/** A server that has its database for itself is the only process. */
function clusterStateOf(
  { cluster, clock, version, encryptionKey }: AssemblyOptions,
): () => Promise<ClusterState> {
  if (cluster) return () => cluster.state();
  const since = clock.now();
  const process = { id: instanceId(encryptionKey), role: "LEADER", version, since } as const;
  return () => Promise.resolve({ processes: [{ ...process, seenAt: clock.now() }] });
}

function namespaceMounts(
  { kvPairs, secrets, files, blobs }: Services,
  flows: FlowTransfer,
  maxUploadBytes: number,
): Mount[] {
  const transfer = new FileTransfer({
    files,
    blobs,
    maxUploadBytes,
    flowItems: (actor, namespace) => flows.itemsOf(actor, namespace),
    checkFlow: (actor, namespace, source) => flows.check(actor, namespace, source),
  });
  return [
    { path: "", routes: kvPairRoutes(kvPairs) },
    { path: "", routes: secretRoutes(secrets) },
    { path: "", routes: fileRoutes({ files, transfer, maxUploadBytes }) },
  ];
}

function configOf(options: AssemblyOptions, isProtected: boolean): HttpConfig {
  const { baseUrl, host, port, noAuthExplicit, maxUploadBytes, version, durations, retention, dataDir } =
    options;
  const uuid = instanceId(options.encryptionKey);
  const network = { baseUrl, host, port, isProtected, noAuthExplicit };
  return { ...network, maxUploadBytes, version, uuid, durations, retention, dataDir };
}

function createServerMetrics(
  { options, services, committer, liveCount, containers }: HttpDeps,
): ServerMetrics {
  const { catalog, flows, tenants } = services;
  const { version, dataDir } = options;
  const readProcess = () => readProcessFacts(dataDir);
  return new ServerMetrics({
    catalog,
    flows,
    tenants,
    committer,
    liveCount,
    readProcess,
    version,
    containers,
    cluster: options.cluster,
    workers: services.workers,
  });
}

function triggerMounts({ triggers, triggerBulk: bulk }: Services): Mount[] {
  return [{ routes: triggerRoutes(triggers) }, { routes: triggerBulkRoutes({ triggers, bulk }) }];
}

function createPlugins(
  { tasks, triggerTypes: triggers }: Services,
  { version, typePrefix }: AssemblyOptions,
): Plugins {
  return new Plugins({ tasks, triggers, version, typePrefix });
}

function actionMounts(services: Services, { clock, maxUploadBytes }: AssemblyOptions): Mount[] {
  const { executionActions: actions, executionReplays: replays, executionBulk: bulk } = services;
  return [
    { routes: executionActionRoutes({ actions, replays, maxUploadBytes }) },
    { routes: executionBulkRoutes({ bulk, clock }) },
  ];
}

function flowMounts({ services, options }: HttpDeps, transfer: FlowTransfer): Mount[] {
  const { flows, executions, tasks, flowRevisions } = services;
  const bulk = new FlowBulk(flows, options.clock);
  const triggerStates = (actor: Actor, flow: FlowKey) => stateResponsesOf(services.triggers, actor, flow);
  const graphs = new FlowGraphs({ flows, executions, triggerStates, clock: options.clock });
  const views = {
    flows,
    executions,
    graphs,
    dependencies: new FlowDependencies({ flows, clock: options.clock }),
    inspection: new FlowInspection(flows, tasks),
  };
  return [
    { routes: flowBulkRoutes({ flows, bulk, transfer, revisions: flowRevisions }) },
    { routes: flowViewRoutes(views) },
    { routes: blueprintRoutes(new Blueprints(graphs)) },
  ];
}

interface HttpDeps {
  readonly ids: IdSource;
  readonly options: AssemblyOptions;
  readonly auth: Auth;
  readonly firstUser?: FirstUser;
  readonly services: Services;
  readonly eventStreams: EventStreams;
  readonly workerStreams: EventStreams;
  readonly isReady: () => boolean;
  readonly findProblem: () => Promise<ServerProblem | undefined>;
  readonly committer: Committer;
  /** Executions that the process works on now. */
  readonly liveCount: () => number;
  readonly containers: ContainerPort;
}

function viewMounts({ services, options }: HttpDeps): Mount[] {
  const { clock } = options;
  const { executions, flows, namespaces, dashboards } = services;
  const views = new ExecutionViews(services);
  const dependencies = new FlowDependencies({ flows, clock });
  return [
    { routes: executionViewRoutes({ views, executions, dependencies, clock }) },
    { routes: namespaceRoutes(namespaces) },
    {
      routes: namespaceRenameRoutes({ usages: services.namespaceUsages, renames: services.namespaceRenames }),
    },
    { routes: dashboardRoutes(dashboards) },
    ...monitoringMounts(services, { clock, dashboards, views }),
    { routes: concurrencyLimitRoutes(services.concurrencyLimits) },
    { routes: aiRoutes() },
  ];
}

interface MonitoringDeps {
  readonly clock: Clock;
  readonly dashboards: Dashboards;
  readonly views: ExecutionViews;
}

function monitoringMounts(services: Services, deps: MonitoringDeps): Mount[] {
  const { clock } = deps;
  const shared = { ...services, ...deps, queue: services.recordReads };
  const charts = new Charts(shared);
  const statistics = new ExecutionStatistics(shared);
  const logStatistics = new LogStatistics(shared);
  const taskRuns = new TaskRuns(shared);
  const usages = new Usages({ ...shared, statistics });
  return [
    { routes: chartRoutes({ ...deps, charts }) },
    { routes: statisticsRoutes({ statistics, logStatistics, taskRuns, usages, clock }) },
  ];
}

const LABEL = "sluice instance ";

/** An id of the data: it is derived from the encryption key and reveals nothing of it. */
function instanceId(encryptionKey: Uint8Array): string {
  const hex = createHash("sha256").update(LABEL).update(encryptionKey).digest("hex");
  // RFC 9562, version 8: a form of one's own.
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `a${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ];
  return parts.join("-");
}
