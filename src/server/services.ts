/** Builds the services of a server over its store. */
import type { Cipher } from "../base/cipher.ts";
import type { Clock } from "../base/clock.ts";
import type { IdSource, RandomBytes } from "../base/id.ts";
import type { JsonObject } from "../base/json.ts";
import type { Logger } from "../base/log.ts";
import { compileTemplate, renderValue } from "../expr/mod.ts";
import type { Flow } from "../model/flow.ts";
import type { TaskCatalog } from "../model/task_catalog.ts";
import type { Executor } from "../runtime/executor.ts";
import { HOST_FUNCTION_NAMES } from "../runtime/host_functions.ts";
import { ConcurrencyLimits } from "../services/concurrency_limits.ts";
import { ExecutionContents } from "../services/execution_contents.ts";
import { readEnvironmentSecrets, SECRET_VARIABLE_PREFIX } from "../services/environment_secrets.ts";
import { ExecutionRemains } from "../services/execution_remains.ts";
import { Executions } from "../services/executions.ts";
import { Expressions } from "../services/expressions.ts";
import { Files } from "../services/files.ts";
import { Flows } from "../services/flows.ts";
import { Idempotency } from "../services/idempotency.ts";
import { IdempotentStarts } from "../services/idempotent_starts.ts";
import { InputCipher } from "../services/input_cipher.ts";
import { KvPairs } from "../services/kv_pairs.ts";
import { Secrets } from "../services/secrets.ts";
import { StartChecks } from "../services/start_checks.ts";
import { Subflows, type SubflowsDeps } from "../services/subflows.ts";
import { Tenants } from "../services/tenants.ts";
import { Tokens } from "../services/tokens.ts";
import { Blobs } from "../store/blobs.ts";
import { Catalog } from "../store/catalog/catalog.ts";
import type { Changes } from "../store/changes.ts";
import type { Committer } from "../store/committer.ts";
import { ExecutionFiles } from "../store/execution_files.ts";
import { ExecutionRecords } from "../store/execution_records.ts";
import { FileRecords } from "../store/file_records.ts";
import { FlowRecords } from "../store/flow_records.ts";
import { IdempotencyRecords } from "../store/idempotency_records.ts";
import { LogFiles } from "../store/log_files.ts";
import { LogRecords } from "../store/log_records.ts";
import { KvPairRecords } from "../store/kv_pair_records.ts";
import { SecretRecords } from "../store/secret_records.ts";
import type { Store } from "../store/store.ts";
import { createTriggerCatalog } from "../triggers/registry.ts";
import { type ActionServices, createActionServices } from "./action_services.ts";
import { createExecutorPort, createSlotsPort } from "./executor_port.ts";
import { createTriggerServices, type TriggerServices } from "./trigger_services.ts";
import { createExpressionRenderer } from "./expression_renderer.ts";
import { createFileServices, type FileServices } from "./file_services.ts";
import { namespaceValues } from "./host_values.ts";
import { createLogServices, type LogServices } from "./log_services.ts";
import { createTaskServices, type TaskServices } from "./task_services.ts";

/** What services are built from. */
export interface ServicesOptions {
  readonly store: Store;
  readonly committer: Committer;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly ids: IdSource;
  readonly randomBytes: RandomBytes;
  readonly random: () => number;
  readonly cipher: Cipher;
  readonly changes: Changes;
  readonly tasks: TaskCatalog;
  readonly maxUploadBytes: number;
  readonly timeZone: string;
  readonly envs: ReadonlyMap<string, string>;
  readonly baseUrl?: string;
  readonly secrets: ReadonlyMap<string, string>;
  /** Asked for when it is used: it is built from the services. */
  readonly executor: () => Executor;
}

/** The services of a server. */
export interface Services extends ActionServices, FileServices, LogServices, TaskServices, TriggerServices {
  readonly flows: Flows;
  readonly executions: Executions;
  readonly contents: ExecutionContents;
  readonly idempotency: Idempotency;
  readonly idempotentStarts: IdempotentStarts;
  readonly concurrencyLimits: ConcurrencyLimits;
  readonly inputCipher: InputCipher;
  readonly expressions: Expressions;
  readonly tasks: TaskCatalog;
  readonly kvPairs: KvPairs;
  readonly secrets: Secrets;
  readonly files: Files;
  readonly tenants: Tenants;
  readonly tokens: Tokens;
  readonly catalog: Catalog;
  readonly records: ExecutionRecords;
  readonly blobs: Blobs;
  readonly remains: ExecutionRemains;
  readonly subflows: Subflows;
  readonly checks: StartChecks;
  readonly executionFiles: ExecutionFiles;
}

/** Builds the services. */
export function createServices(options: ServicesOptions): Services {
  const { store, committer, clock, logger, ids, randomBytes, tasks } = options;
  const inputCipher = new InputCipher(options.cipher);
  const tenants = new Tenants({ store, committer });
  const tokens = new Tokens({ store, committer, tenants, clock, ids, randomBytes, logger });
  const records = new FlowRecords(store);
  const triggerTypes = createTriggerCatalog();
  const flows: Flows = new Flows({
    records,
    commit: async (flow, entry) => {
      await triggering.triggers.commitFlow(flow, entry);
      const { tenant, namespace, id: flowId, concurrency } = flow;
      options.executor().setLimit({ tenant, namespace, flowId }, concurrency?.limit);
    },
    catalogs: { tasks, triggers: triggerTypes },
    functions: HOST_FUNCTION_NAMES,
    clock,
  });
  const blobs = new Blobs({ store, committer, ids, clock });
  const owned = createNamespaceServices(options, { tenants, flows, blobs });
  const run = createExecutionServices(options, { flows, blobs, inputCipher });
  const idempotency = new Idempotency({
    records: new IdempotencyRecords({ store, committer, blobs }),
    clock,
    tenants: () => tenants.list().map((tenant) => tenant.id),
  });
  const triggering = createTriggerServices({ options, triggerTypes, flows, idempotency, ...owned, ...run });
  const values = namespaceValues(owned);
  const render = createExpressionRenderer({ ...options, values });
  const expressions = new Expressions({ render, functions: HOST_FUNCTION_NAMES });
  const stored = createFileServices({ ...options, blobs, ...run, files: owned.files });
  const acting = createActionServices({ options, flows, inputCipher, ...owned, ...run, ...stored });
  const logging = createLogServices({ ...options, ...run });
  const forTasks = createTaskServices({
    store,
    committer,
    clock,
    ids,
    tasks,
    blobs,
    flows,
    ...owned,
    ...run,
    ...logging,
  });
  return {
    tasks,
    tenants,
    tokens,
    flows,
    blobs,
    inputCipher,
    expressions,
    idempotency,
    idempotentStarts: new IdempotentStarts({ idempotency, flows, ...run }),
    concurrencyLimits: new ConcurrencyLimits({ flows, slots: createSlotsPort(options.executor) }),
    ...triggering,
    ...owned,
    ...run,
    ...stored,
    ...logging,
    ...acting,
    ...forTasks,
  };
}

/** What belongs to namespaces: KV pairs, secrets, files. */
function createNamespaceServices(
  { store, committer, clock, logger, cipher, maxUploadBytes, secrets: given }: ServicesOptions,
  { tenants, flows, blobs }: Pick<Services, "tenants" | "flows" | "blobs">,
): Pick<Services, "kvPairs" | "secrets" | "files"> {
  const environment = readEnvironmentSecrets(withPrefix(given), logger);
  const secrets = new Secrets({ records: new SecretRecords(store, committer), cipher, clock, environment });
  const kvPairs = new KvPairs({
    records: new KvPairRecords({ store, committer, blobs }),
    clock,
    tenants: () => tenants.list().map((tenant) => tenant.id),
  });
  const importFlow = async (tenant: string, namespace: string, source: string) => {
    await flows.putInto({ tenant, user: "import" }, namespace, source);
  };
  const files = new Files({
    records: new FileRecords(store),
    blobs,
    committer,
    clock,
    maxUploadBytes,
    importFlow,
  });
  return { kvPairs, secrets, files };
}

/** What belongs to executions: their records, the catalog of them, and their use cases. */
function createExecutionServices(
  options: ServicesOptions,
  { flows, blobs, inputCipher }: Pick<Services, "flows" | "blobs" | "inputCipher">,
): Pick<
  Services,
  "executions" | "contents" | "records" | "remains" | "catalog" | "subflows" | "executionFiles" | "checks"
> {
  const { store, committer, clock, logger, ids, changes, maxUploadBytes, executor } = options;
  const records = new ExecutionRecords(store, blobs, (flowNo) => flows.byNumber(flowNo));
  const logFiles = new LogFiles(new LogRecords(store, records));
  const files = new ExecutionFiles(
    { store, committer, blobs, maxBytes: maxUploadBytes },
    (tenant, id, path) => logFiles.find(tenant, id, path),
  );
  const remains = new ExecutionRemains({ store, committer, records, files });
  const catalog = new Catalog({
    store,
    clock,
    logger,
    commit: (entry) => committer.commit(entry),
    flowNames: (flowNo) => flows.byNumber(flowNo),
    flowLimit: () => flows.numberLimit,
    verifyLabels: (tenant, executionIds, labels) => records.withLabels(tenant, executionIds, labels),
    isBusy: () => executor().isBusy,
  });
  const port = createExecutorPort(executor);
  const render = (template: string, inputs: JsonObject) => renderDefault(options, template, inputs);
  const checks = new StartChecks({
    resolving: (flow) => ({ render, seal: (text) => inputCipher.seal(flow, text) }),
    render: (flow, template, inputs) => renderCheck(options, flow, { template, inputs }),
  });
  const resolveInputs: SubflowsDeps["resolveInputs"] = (flow, given) => checks.inputs(flow, given);
  const subflows = new Subflows({ flows, clock, ids, resolveInputs, judge: checks.judge.bind(checks) });
  const executions = new Executions({
    flows,
    records,
    files,
    remains,
    catalog,
    changes,
    committer,
    clock,
    ids,
    executor: port,
    checks,
  });
  const contents = new ExecutionContents({ records, files, changes, clock });
  return { executions, contents, records, remains, catalog, subflows, executionFiles: files, checks };
}

function withPrefix(secrets: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map([...secrets].map(([name, value]) => [SECRET_VARIABLE_PREFIX + name, value]));
}

/** The default of an input, which may refer to inputs before it. */
function renderDefault({ clock, timeZone, random }: ServicesOptions, template: string, inputs: JsonObject) {
  return renderValue(compileTemplate(template), {
    variable: (name) => name === "inputs" ? inputs : undefined,
    functions: new Map(),
    now: clock.now(),
    timeZone,
    random,
  });
}

/** A condition or message of a check: it sees the inputs, the flow and its variables. */
function renderCheck(
  { clock, timeZone, random }: ServicesOptions,
  { namespace, id, revision, tenant, variables }: Flow,
  { template, inputs }: { readonly template: string; readonly inputs: JsonObject },
) {
  const names = new Map<string, JsonObject>([
    ["inputs", inputs],
    ["flow", { id, namespace, revision, tenantId: tenant }],
    ["vars", variables],
  ]);
  return renderValue(compileTemplate(template), {
    variable: (name) => names.get(name),
    functions: new Map(),
    now: clock.now(),
    timeZone,
    random,
  });
}
