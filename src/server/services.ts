/** Builds the services of a server over its store. */
import type { Cipher } from "../base/cipher.ts";
import type { Clock } from "../base/clock.ts";
import type { IdSource, RandomBytes } from "../base/id.ts";
import type { Logger } from "../base/log.ts";
import { compileTemplate, ExpressionError, renderText, renderValue } from "../expr/mod.ts";
import { resolveInputs } from "../flow/mod.ts";
import type { TaskCatalog } from "../model/task_catalog.ts";
import type { Executor } from "../runtime/executor.ts";
import { HostCalls } from "../runtime/host_functions.ts";
import { readEnvironmentSecrets, SECRET_VARIABLE_PREFIX } from "../services/environment_secrets.ts";
import { ExecutionRemains } from "../services/execution_remains.ts";
import { Executions, type ExecutorPort } from "../services/executions.ts";
import { Files } from "../services/files.ts";
import { Flows } from "../services/flows.ts";
import { KvPairs } from "../services/kv_pairs.ts";
import { Secrets } from "../services/secrets.ts";
import { Tenants } from "../services/tenants.ts";
import { Tokens } from "../services/tokens.ts";
import { Webhooks } from "../services/webhooks.ts";
import { Blobs } from "../store/blobs.ts";
import { Catalog } from "../store/catalog/catalog.ts";
import type { Changes } from "../store/changes.ts";
import type { Committer } from "../store/committer.ts";
import { ExecutionFiles } from "../store/execution_files.ts";
import { ExecutionRecords } from "../store/execution_records.ts";
import { FileRecords } from "../store/file_records.ts";
import { FlowRecords } from "../store/flow_records.ts";
import { KvPairRecords } from "../store/kv_pair_records.ts";
import { SecretRecords } from "../store/secret_records.ts";
import type { Store } from "../store/store.ts";

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
  readonly secrets: ReadonlyMap<string, string>;
  /** Asked for when it is used: it is built from the services. */
  readonly executor: () => Executor;
}

/** The services of a server. */
export interface Services {
  readonly flows: Flows;
  readonly executions: Executions;
  readonly webhooks: Webhooks;
  readonly kvPairs: KvPairs;
  readonly secrets: Secrets;
  readonly files: Files;
  readonly tenants: Tenants;
  readonly tokens: Tokens;
  readonly catalog: Catalog;
  readonly records: ExecutionRecords;
  readonly blobs: Blobs;
  readonly remains: ExecutionRemains;
}

/** Builds the services. */
export function createServices(options: ServicesOptions): Services {
  const { store, committer, clock, logger, ids, randomBytes, tasks } = options;
  const tenants = new Tenants({ store, committer });
  const tokens = new Tokens({ store, committer, tenants, clock, ids, randomBytes, logger });
  const records = new FlowRecords(store);
  const flows = new Flows({ records, committer, catalog: tasks, clock, checkTemplate });
  const blobs = new Blobs({ store, committer, ids, clock });
  const owned = createNamespaceServices(options, { tenants, flows, blobs });
  const run = createExecutionServices(options, { flows, blobs });
  const renderKey = keyRenderer(options, owned.secrets, owned.kvPairs);
  const webhooks = new Webhooks({ flows, executions: run.executions, renderKey });
  return { tenants, tokens, flows, blobs, webhooks, ...owned, ...run };
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
  { flows, blobs }: Pick<Services, "flows" | "blobs">,
): Pick<Services, "executions" | "records" | "remains" | "catalog"> {
  const { store, committer, clock, logger, ids, changes, maxUploadBytes, executor } = options;
  const records = new ExecutionRecords(store, blobs, (flowNo) => flows.byNumber(flowNo));
  const files = new ExecutionFiles(store, blobs, maxUploadBytes);
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
  const port: ExecutorPort = {
    begin: (execution, plan, staged) => executor().begin(execution, plan, staged),
    kill: (tenant, id) => executor().kill(tenant, id),
    drop: (tenant, id) => executor().drop(tenant, id),
    restore: (tenant, id) => executor().restore(tenant, id),
  };
  const render = (template: string, inputs: Inputs) => renderDefault(options, template, inputs);
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
    resolveInputs: ({ flow }, given) => resolveInputs(flow, given, { render }),
  });
  return { executions, records, remains, catalog };
}

/** The problem of a template, or `undefined`. */
function checkTemplate(source: string): string | undefined {
  try {
    compileTemplate(source);
    return undefined;
  } catch (error) {
    if (error instanceof ExpressionError) return error.message;
    throw error;
  }
}

function withPrefix(secrets: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map([...secrets].map(([name, value]) => [SECRET_VARIABLE_PREFIX + name, value]));
}

type Inputs = Parameters<NonNullable<NonNullable<Parameters<typeof resolveInputs>[2]>["render"]>>[1];

/** The default of an input, which may refer to inputs before it. */
function renderDefault({ clock, timeZone, random }: ServicesOptions, template: string, inputs: Inputs) {
  return renderValue(compileTemplate(template), {
    variable: (name) => name === "inputs" ? inputs : undefined,
    functions: new Map(),
    now: clock.now(),
    timeZone,
    random,
  });
}

/** Renders webhook keys, which see secrets and KV pairs of their namespace. */
function keyRenderer({ clock, timeZone, random }: ServicesOptions, secrets: Secrets, kvPairs: KvPairs) {
  const values = {
    secret: (tenant: string, namespace: string, name: string) =>
      secrets.valueFor(tenant, { namespace, name }),
    kvPair: async (tenant: string, pair: { namespace: string; key: string; isExact: boolean }) =>
      (await kvPairs.valueFor(tenant, pair, pair))?.value,
  };
  return async (tenant: string, namespace: string, source: string): Promise<string> => {
    const calls = new HostCalls(values, { tenant, namespace });
    const template = compileTemplate(source);
    const scope = {
      variable: () => undefined,
      functions: calls.functions,
      now: clock.now(),
      timeZone,
      random,
    };
    return await calls.run(() => renderText(template, scope));
  };
}
