/** Builds the services of a server over its store. */
import type { Cipher } from "../base/cipher.ts";
import type { Clock } from "../base/clock.ts";
import type { IdSource, RandomBytes } from "../base/id.ts";
import type { JsonObject } from "../base/json.ts";
import type { Logger } from "../base/log.ts";
import { compileTemplate, renderText, renderValue } from "../expr/mod.ts";
import type { Flow } from "../model/flow.ts";
import type { TaskCatalog } from "../model/task_catalog.ts";
import type { Executor } from "../runtime/executor.ts";
import { HOST_FUNCTION_NAMES, HostCalls } from "../runtime/host_functions.ts";
import { ExecutionContents } from "../services/execution_contents.ts";
import { readEnvironmentSecrets, SECRET_VARIABLE_PREFIX } from "../services/environment_secrets.ts";
import { ExecutionRemains } from "../services/execution_remains.ts";
import { Executions, type ExecutorPort } from "../services/executions.ts";
import { Expressions } from "../services/expressions.ts";
import { Files } from "../services/files.ts";
import { Flows } from "../services/flows.ts";
import { InputCipher } from "../services/input_cipher.ts";
import { KvPairs } from "../services/kv_pairs.ts";
import { Secrets } from "../services/secrets.ts";
import { StartChecks } from "../services/start_checks.ts";
import { Subflows, type SubflowsDeps } from "../services/subflows.ts";
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
import { createTriggerCatalog } from "../triggers/registry.ts";
import { createExpressionRenderer } from "./expression_renderer.ts";
import { namespaceValues } from "./host_values.ts";

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
  readonly contents: ExecutionContents;
  readonly inputCipher: InputCipher;
  readonly expressions: Expressions;
  readonly tasks: TaskCatalog;
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
  readonly subflows: Subflows;
}

/** Builds the services. */
export function createServices(options: ServicesOptions): Services {
  const { store, committer, clock, logger, ids, randomBytes, tasks } = options;
  const inputCipher = new InputCipher(options.cipher);
  const tenants = new Tenants({ store, committer });
  const tokens = new Tokens({ store, committer, tenants, clock, ids, randomBytes, logger });
  const records = new FlowRecords(store);
  const flows = new Flows({
    records,
    committer,
    catalogs: { tasks, triggers: createTriggerCatalog() },
    functions: HOST_FUNCTION_NAMES,
    clock,
  });
  const blobs = new Blobs({ store, committer, ids, clock });
  const owned = createNamespaceServices(options, { tenants, flows, blobs });
  const run = createExecutionServices(options, { flows, blobs, inputCipher });
  const renderKey = keyRenderer(options, owned.secrets, owned.kvPairs);
  const webhooks = new Webhooks({ flows, executions: run.executions, renderKey });
  const values = namespaceValues(owned);
  const render = createExpressionRenderer({ ...options, values });
  const expressions = new Expressions({ render });
  return { tasks, tenants, tokens, flows, blobs, webhooks, inputCipher, expressions, ...owned, ...run };
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
): Pick<Services, "executions" | "contents" | "records" | "remains" | "catalog" | "subflows"> {
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
  return { executions, contents, records, remains, catalog, subflows };
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

/** Renders webhook keys, which see secrets and KV pairs of their namespace. */
function keyRenderer({ clock, timeZone, random }: ServicesOptions, secrets: Secrets, kvPairs: KvPairs) {
  const values = namespaceValues({ secrets, kvPairs });
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
