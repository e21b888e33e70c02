/** Builds the services of executions: their records, the catalog of them, and their use cases. */
import { HostCalls, type HostValues } from "../rendering/host_functions/mod.ts";
import { createInputRenderer } from "../rendering/input_renderer.ts";
import { ExecutionContents } from "../services/executions/execution_contents.ts";
import { ExecutionCleanup } from "../services/executions/execution_cleanup.ts";
import { Executions } from "../services/executions/executions.ts";
import type { Flows } from "../services/flows/flows.ts";
import type { InputCipher } from "../services/starts/input_cipher.ts";
import { StartChecks } from "../services/starts/start_checks.ts";
import { Subflows } from "../services/starts/subflows.ts";
import { Catalog } from "../store/catalog/catalog.ts";
import { ExecutionFiles } from "../store/blobs/execution_files.ts";
import type { ExecutionRecords } from "../store/records/execution_records.ts";
import { LogFiles } from "../store/records/log_files.ts";
import { LogRecords } from "../store/records/log_records.ts";
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
  readonly inputCipher: InputCipher;
  /** What defaults of inputs and checks read. */
  readonly values: HostValues;
}

/** Builds them. */
export function createExecutionServices(
  options: ServicesOptions,
  { flows, inputCipher, values }: ExecutionServicesParts,
): ExecutionServices {
  const { store, committer, clock, ids, changes, maxUploadBytes, executor, records, blobs } = options;
  const logFiles = new LogFiles(new LogRecords(store, records));
  const files = new ExecutionFiles(
    { store, committer, blobs, maxBytes: maxUploadBytes },
    (tenant, id, path) => logFiles.find(tenant, id, path),
  );
  const cleanup = new ExecutionCleanup({ store, committer, records, files });
  const catalog = createCatalog(options);
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
    executor,
    checks,
  });
  const contents = new ExecutionContents({ records, files, changes, clock });
  return { executions, contents, records, cleanup, catalog, subflows, executionFiles: files, checks };
}

function createCatalog(
  { store, committer, clock, logger, executor, flowHeads, records }: ServicesOptions,
): Catalog {
  return new Catalog({
    store,
    clock,
    logger,
    commit: (entry) => committer.commit(entry),
    flowNames: (flowNo) => flowHeads.byNumber(flowNo),
    flowLimit: () => flowHeads.numberLimit,
    verifyLabels: (tenant, executionIds, labels) => records.withLabels(tenant, executionIds, labels),
    isBusy: () => executor.isBusy,
    liveRows: (tenant) => executor.liveRows(tenant),
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
    render: createInputRenderer(options),
    reads: ({ tenant, namespace }) => new HostCalls(values, { tenant, namespace, now: () => clock.now() }),
  });
}
