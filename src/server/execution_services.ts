/** Builds the services of executions: their records, the catalog of them, and their use cases. */
import type { JsonValue } from "../base/json.ts";
import { compileTemplate, renderValue } from "../expr/mod.ts";
import type { Flow } from "../model/flows/flow.ts";
import { HostCalls, type HostValues } from "../rendering/host_functions/mod.ts";
import { nestLabels } from "../rendering/variables.ts";
import { ExecutionContents } from "../services/executions/execution_contents.ts";
import { ExecutionCleanup } from "../services/executions/execution_cleanup.ts";
import { Executions } from "../services/executions/executions.ts";
import type { Flows } from "../services/flows/flows.ts";
import type { InputCipher } from "../services/starts/input_cipher.ts";
import { type Rendering, StartChecks } from "../services/starts/start_checks.ts";
import { Subflows } from "../services/starts/subflows.ts";
import type { Blobs } from "../store/blobs/blobs.ts";
import { Catalog } from "../store/catalog/catalog.ts";
import { ExecutionFiles } from "../store/blobs/execution_files.ts";
import { ExecutionRecords } from "../store/records/execution_records.ts";
import { LogRecords } from "../store/records/log_records.ts";
import { createExecutorPort } from "./executor_port.ts";
import type { ServicesOptions } from "./services_options.ts";

/** Executions and what belongs to them. */
export interface ExecutionServices {
  readonly executions: Executions;
  readonly contents: ExecutionContents;
  readonly records: ExecutionRecords;
  readonly cleanup: ExecutionCleanup;
  readonly catalog: Catalog;
  readonly subflows: Subflows;
  readonly executionFiles: ExecutionFiles;
  readonly checks: StartChecks;
}

/** What they work with. */
interface ExecutionServicesParts {
  readonly flows: Flows;
  readonly blobs: Blobs;
  readonly inputCipher: InputCipher;
  /** What defaults of inputs and checks read. */
  readonly values: HostValues;
}

/** Builds them. */
export function createExecutionServices(
  options: ServicesOptions,
  { flows, blobs, inputCipher, values }: ExecutionServicesParts,
): ExecutionServices {
  const { store, committer, clock, ids, changes, maxUploadBytes, executor } = options;
  const records = new ExecutionRecords(store, blobs, (flowNo) => flows.byNumber(flowNo));
  const logs = new LogRecords(store, records);
  const files = new ExecutionFiles(
    { store, committer, blobs, maxBytes: maxUploadBytes },
    (tenant, id, path) => logs.findFile(tenant, id, path),
  );
  const cleanup = new ExecutionCleanup({ store, committer, records, files });
  const catalog = createCatalog(options, flows, records);
  const checks = createStartChecks(options, inputCipher, values);
  const subflows = new Subflows({ flows, clock, ids, checks });
  const executions = new Executions({
    flows,
    records,
    files,
    cleanup,
    catalog,
    changes,
    committer,
    clock,
    ids,
    executor: createExecutorPort(executor),
    checks,
  });
  const contents = new ExecutionContents({ records, files, changes, clock });
  return { executions, contents, records, cleanup, catalog, subflows, executionFiles: files, checks };
}

function createCatalog(
  { store, committer, clock, executor }: ServicesOptions,
  flows: Flows,
  records: ExecutionRecords,
): Catalog {
  return new Catalog({
    store,
    clock,
    commit: (entry) => committer.commit(entry),
    flowNames: (flowNo) => flows.byNumber(flowNo),
    flowLimit: () => flows.numberLimit,
    verifyLabels: (tenant, executionIds, labels) => records.withLabels(tenant, executionIds, labels),
    isBusy: () => executor().isBusy,
  });
}

function createStartChecks(
  options: ServicesOptions,
  inputCipher: InputCipher,
  values: HostValues,
): StartChecks {
  const { clock } = options;
  return new StartChecks({
    seal: (flow, text) => inputCipher.seal(flow, text),
    render: (flow, rendering) => renderFor(options, flow, rendering),
    reads: ({ tenant, namespace }) => new HostCalls(values, { tenant, namespace, now: () => clock.now() }),
  });
}

/** The default of an input sees the inputs before it; both it and a check see the flow, its variables and labels and the environment. */
function renderFor(
  { clock, timeZone, random, envs }: ServicesOptions,
  { id, namespace, revision, tenant, variables, labels }: Flow,
  { template, inputs, functions }: Rendering,
): JsonValue {
  const names = new Map<string, () => JsonValue | undefined>([
    ["inputs", () => inputs],
    ["flow", () => ({ id, namespace, revision, tenantId: tenant })],
    ["vars", () => variables ?? {}],
    ["labels", () => nestLabels(labels)],
    ["envs", () => Object.fromEntries(envs)],
    ["tenantId", () => tenant],
  ]);
  return renderValue(compileTemplate(template), {
    variable: (name) => names.get(name)?.(),
    functions,
    now: clock.now(),
    timeZone,
    random,
  });
}
