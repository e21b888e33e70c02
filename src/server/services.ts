/** Builds the services of a server over its store and its executor. */
import { createExpressionRenderer } from "../rendering/expression_renderer.ts";
import { HOST_FUNCTION_NAMES, HOST_FUNCTION_PARAMETERS } from "../rendering/host_functions/mod.ts";
import { executionSelectionQuery } from "../model/executions/execution_selection.ts";
import { PacedQueue } from "../services/access/paced_queue.ts";
import { Quotas } from "../services/access/quotas.ts";
import { Tenants } from "../services/access/tenants.ts";
import { Tokens } from "../services/access/tokens.ts";
import { Users } from "../services/access/users.ts";
import type { AttemptStorage } from "../services/executions/attempt_storage.ts";
import { AuditLog } from "../services/audit/audit_log.ts";
import { Backups } from "../services/backups/backups.ts";
import { Dashboards } from "../services/charts/dashboards.ts";
import { ConcurrencyLimits } from "../services/executions/concurrency_limits.ts";
import { IdempotentStarts } from "../services/executions/idempotent_starts.ts";
import { DEFAULT_FILE_REVISIONS } from "../services/files/file_revisions.ts";
import { Files } from "../services/files/files.ts";
import { Expressions } from "../services/flows/expressions.ts";
import { Flows } from "../services/flows/flows.ts";
import { NamespaceDefaults } from "../services/flows/namespace_defaults.ts";
import { LogRemovals } from "../services/logs/log_removals.ts";
import { LogSearch } from "../services/logs/log_search.ts";
import { Metrics } from "../services/metrics/metrics.ts";
import {
  environmentFor,
  readEnvironmentSecrets,
  SECRET_VARIABLE_PREFIX,
} from "../services/namespaces/environment_secrets.ts";
import { ExistingNamespaces } from "../services/namespaces/existing_namespaces.ts";
import { KvPairs } from "../services/namespaces/kv_pairs.ts";
import { Secrets } from "../services/namespaces/secrets.ts";
import { States } from "../services/namespaces/states.ts";
import { ExecutionRetention } from "../services/retention/execution_retention.ts";
import { FlowRevisions } from "../services/flows/flow_revisions.ts";
import { Purges } from "../services/retention/purges.ts";
import { Idempotency } from "../services/starts/idempotency.ts";
import { InputCipher } from "../services/starts/input_cipher.ts";
import type { Catalog } from "../store/catalog/catalog.ts";
import { Pace } from "../store/catalog/pace.ts";
import { AuditRecords } from "../store/records/audit_records.ts";
import { DashboardRecords } from "../store/records/dashboard_records.ts";
import { FileRecords } from "../store/records/file_records.ts";
import { FlowRecords } from "../store/records/flow_records.ts";
import { IdempotencyRecords } from "../store/records/idempotency_records.ts";
import { KvPairRecords } from "../store/records/kv_pair_records.ts";
import { LogRecords } from "../store/records/log_records.ts";
import { MetricRecords } from "../store/records/metric_records.ts";
import { NamespaceRecords } from "../store/records/namespace_records.ts";
import { SecretRecords } from "../store/records/secret_records.ts";
import { UsageRecords } from "../store/records/usage_records.ts";
import { Workers } from "../services/workers/workers.ts";
import { createTriggerCatalog } from "../triggers/registry.ts";
import {
  createActionServices,
  createExecutionServices,
  createFileServices,
  type ExecutionServices,
} from "./execution_services.ts";
import { createNamespaceServices } from "./namespace_services.ts";
import { createExpressionHttp, namespaceValues } from "./rendering.ts";
import type { ServicesDeps } from "./options.ts";
import { createTriggerServices, createTriggerStates } from "./trigger_services.ts";

/** The services of a server. */
export type Services = ReturnType<typeof createServices>;

/** Builds the services. */
export function createServices(deps: ServicesDeps) {
  const { store, committer, clock, tasks, blobs, executor } = deps;
  const inputCipher = new InputCipher(deps.cipher);
  const tenants = new Tenants({ store, committer });
  const tenantIds = () => tenants.internalIds();
  const flowRecords = new FlowRecords(store);
  const triggerTypes = createTriggerCatalog(deps.extraTriggers);
  const quotas = createQuotas(deps, (tenant, query) => run.catalog.query(tenant, query));
  const namespaceRecords = new NamespaceRecords(store, committer);
  const existing = new ExistingNamespaces({ ...deps, namespaceRecords });
  const { secrets, kvPairs } = createNamespaceValues(deps, { tenants: tenantIds, quotas, existing });
  const triggerStates = createTriggerStates(deps, { catalog: triggerTypes, secrets, kvPairs });
  const defaults = new NamespaceDefaults({ records: namespaceRecords, server: deps.pluginDefaults });
  const catalogs = { tasks, triggers: triggerTypes, scriptPlaces: deps.scriptPlaces };
  const flows = new Flows({
    records: flowRecords,
    heads: deps.flowHeads,
    commit: async (flow, entry) => {
      await triggerStates.flowTriggers.commit(flow, entry);
      const { tenant, namespace, id: flowId, concurrency } = flow;
      executor.setLimit({ tenant, namespace, flowId }, concurrency?.limit);
      if (flow.deleted) executor.slots.forgetLimit({ tenant, namespace, flowId });
    },
    catalogs,
    defaults,
    functions: HOST_FUNCTION_NAMES,
    clock,
    quotas,
  });
  const owned = { secrets, kvPairs, files: createFiles(deps, { flows, quotas }) };
  const values = { ...namespaceValues(owned), slowRenders: deps.slowRenders };
  const withHttp = { ...values, http: createExpressionHttp(deps.http) };
  const run = createExecutionServices(deps, { flows, inputCipher, values: withHttp, quotas });
  const idempotencyRecords = new IdempotencyRecords({ store, committer, blobs });
  const idempotency = new Idempotency({ records: idempotencyRecords, clock, tenants: tenantIds });
  const triggering = createTriggerServices(deps, triggerStates, { ...run, flows, idempotency, inputCipher });
  const stored = createFileServices(deps, { ...run, ...owned });
  const shared = { ...owned, ...run, ...stored, flows, inputCipher };
  const logging = createLogServices(deps, run);
  const render = createExpressionRenderer({ ...deps, values: { ...values, hidesSecrets: true } });
  const access = createAccessServices(deps, tenants);
  return {
    workers: createWorkers(deps, access.tokens, stored.attemptStorage),
    tasks,
    triggerTypes,
    ...access,
    flowRecords,
    blobs,
    expressions: new Expressions({ render, functions: HOST_FUNCTION_PARAMETERS }),
    idempotency,
    idempotentStarts: new IdempotentStarts({ idempotency, ...shared }),
    concurrencyLimits: new ConcurrencyLimits({ flows, executor }),
    namespaceDefaults: defaults,
    ...createNamespaceServices(deps, {
      ...shared,
      catalogs,
      flowRecords,
      namespaceRecords,
      existing,
      defaults,
      triggerStates,
    }),
    ...createCareServices(deps),
    ...shared,
    ...triggering,
    ...logging,
    ...createActionServices(deps, shared),
    ...createTaskServices(deps, { ...shared, ...logging, flowRecords }),
  };
}

/** Builds who may call, and where. */
function createAccessServices(deps: ServicesDeps, tenants: Tenants) {
  const users = new Users({ ...deps, basic: deps.credentials, tenants });
  return { tenants, users, tokens: new Tokens({ ...deps, tenants, users }) };
}

/** Builds what the operator looks after. */
function createCareServices(deps: ServicesDeps) {
  const { store, committer } = deps;
  return {
    audit: new AuditLog({ ...deps, records: new AuditRecords(store, committer) }),
    backups: new Backups({ ...deps, port: deps.backups, schedule: deps.backupSchedule }),
    dashboards: new Dashboards({ ...deps, records: new DashboardRecords(store, committer) }),
  };
}

function createWorkers(deps: ServicesDeps, tokens: Tokens, files: AttemptStorage): Workers {
  return new Workers({
    ...deps,
    files,
    runsScripts: () => deps.scriptPlaces.policy.mode !== "off",
    isExpected: (group) => tokens.list().some(({ workerGroups }) => workerGroups?.includes(group)),
  });
}

/** Builds what templates read of namespaces. */
function createNamespaceValues(
  deps: ServicesDeps,
  shared: {
    readonly tenants: () => readonly string[];
    readonly quotas: Quotas;
    readonly existing: ExistingNamespaces;
  },
) {
  const { store, committer, clock, logger, cipher, blobs } = deps;
  const environment = readEnvironmentSecrets(withPrefix(deps.secrets), logger);
  const environmentOf = environmentFor(deps.secretTenants ?? [], environment);
  return {
    secrets: new Secrets({
      records: new SecretRecords(store, committer),
      cipher,
      clock,
      environmentOf,
      quotas: shared.quotas,
    }),
    kvPairs: new KvPairs({ ...shared, records: new KvPairRecords({ store, committer, blobs }), clock }),
  };
}

/** Builds the quotas; `query` searches executions. */
function createQuotas(
  { store, clock, flowHeads, quotaLimits: limits = {} }: ServicesDeps,
  query: Catalog["query"],
): Quotas {
  const usage = new UsageRecords(store);
  return new Quotas({
    limits,
    clock,
    counters: {
      fileBytes: (tenant) => usage.fileBytes(tenant),
      kvPairs: (tenant) => usage.kvPairs(tenant),
      secrets: (tenant) => usage.secrets(tenant),
      flows: (tenant) => [...flowHeads.of(tenant)].filter(({ deleted }) => !deleted).length,
      executions: async (tenant) =>
        (await query(tenant, executionSelectionQuery({ ofAllKinds: true }))).total,
    },
  });
}

function createFiles(
  deps: ServicesDeps,
  { flows, quotas }: { readonly flows: Pick<Flows, "putInto">; readonly quotas: Quotas },
): Files {
  const importFlow = async (tenant: string, namespace: string, source: string) => {
    await flows.putInto({ tenant, user: "import" }, namespace, source);
  };
  const { fileRevisions = DEFAULT_FILE_REVISIONS, store } = deps;
  return new Files({ ...deps, fileRevisions, records: new FileRecords(store), importFlow, quotas });
}

function withPrefix(secrets: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map([...secrets].map(([name, value]) => [SECRET_VARIABLE_PREFIX + name, value]));
}

/** Builds what searches and deletes log lines, and what removes old executions with theirs. */
function createLogServices(deps: ServicesDeps, { catalog, cleanup }: ExecutionServices) {
  const { store, clock, records, executor } = deps;
  const logs = new LogRecords(store, records);
  // Each scan has a pace of its own.
  const pace = () => new Pace(clock, () => executor.isBusy);
  return {
    logSearch: new LogSearch({ catalog, logs, pace: pace() }),
    recordReads: new PacedQueue(pace()),
    logRemovals: new LogRemovals({ ...deps, logs, catalog, pace: pace() }),
    executionRetention: new ExecutionRetention({ ...deps, catalog, cleanup }),
  };
}

interface TaskServiceDeps extends ExecutionServices {
  readonly flows: Flows;
  readonly kvPairs: KvPairs;
  readonly logRemovals: LogRemovals;
  readonly flowRecords: FlowRecords;
}

/** Builds what tasks reach metrics, states and bulk deletions through. */
function createTaskServices(deps: ServicesDeps, services: TaskServiceDeps) {
  const shared = { ...deps, ...services, metrics: new MetricRecords(deps.store) };
  return {
    metrics: new Metrics(shared),
    purges: new Purges({
      ...shared,
      files: services.executionFiles,
      kvRecords: new KvPairRecords(deps),
    }),
    states: new States(services.kvPairs),
    flowRevisions: new FlowRevisions({
      ...services,
      records: services.flowRecords,
      executions: deps.records,
      committer: deps.committer,
    }),
  };
}
