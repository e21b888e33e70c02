/** Builds the services of executions: their use cases, what people do to them, and the files of their attempts. */
import {
  MAX_WAITING_REQUESTS,
  MAX_WAITING_REQUESTS_PER_CALLER,
  MAX_WAITING_REQUESTS_PER_TENANT,
} from "../model/limits.ts";
import { HostCalls, type HostValues, type SubflowPort } from "../rendering/host_functions/mod.ts";
import { LoopContexts } from "../rendering/loop_contexts.ts";
import { AttemptNamespaceFiles } from "../services/executions/attempt_namespace_files.ts";
import { AttemptStorage } from "../services/executions/attempt_storage.ts";
import { ExecutionActions } from "../services/executions/execution_actions.ts";
import { ExecutionBulk } from "../services/executions/execution_bulk.ts";
import { createInputRenderer } from "../rendering/input_renderer.ts";
import { createEvaluator, createObjectEvaluator, createViewer } from "../rendering/expression_renderer.ts";
import { ExecutionCleanup } from "../services/executions/execution_cleanup.ts";
import { ExecutionContents } from "../services/executions/execution_contents.ts";
import { ExecutionFileViews } from "../services/executions/execution_file_views.ts";
import { ExecutionLineage } from "../services/executions/execution_lineage.ts";
import { ExecutionReplays } from "../services/executions/execution_replays.ts";
import { Executions } from "../services/executions/executions.ts";
import { ItemExecutions } from "../services/executions/item_executions.ts";
import type { Files } from "../services/files/files.ts";
import { FlowCaches } from "../services/files/flow_caches.ts";
import { CallerLimits } from "../services/access/caller_limits.ts";
import type { Quotas } from "../services/access/quotas.ts";
import type { Flows } from "../services/flows/flows.ts";
import { FlowTests } from "../services/flow_tests/flow_tests.ts";
import type { InputCipher } from "../services/starts/input_cipher.ts";
import { StartChecks } from "../services/starts/start_checks.ts";
import { SubflowCalls } from "../services/starts/subflow_calls.ts";
import { Subflows } from "../services/starts/subflows.ts";
import { ExecutionFiles } from "../store/blobs/execution_files.ts";
import { Catalog } from "../store/catalog/catalog.ts";
import { LogRecords } from "../store/records/log_records.ts";
import { createRenderDeps, type RenderServices, serverRoots } from "./rendering.ts";
import type { ServicesDeps } from "./options.ts";

/** Executions and what belongs to them. */
export type ExecutionServices = ReturnType<typeof createExecutionServices>;

/** Builds the services of executions; `values` are what defaults of inputs and checks read. */
export function createExecutionServices(
  deps: ServicesDeps,
  { flows, inputCipher, values, quotas }: {
    readonly flows: Flows;
    readonly inputCipher: InputCipher;
    readonly values: HostValues;
    readonly quotas: Quotas;
  },
) {
  const { store, committer, clock, changes, maxUploadBytes, records, blobs } = deps;
  const logs = new LogRecords(store, records);
  const files = new ExecutionFiles(
    { store, committer, blobs, maxBytes: maxUploadBytes, quota: quotas },
    (tenant, id, path) => logs.findFile(tenant, id, path),
  );
  const cleanup = new ExecutionCleanup({ store, committer, records, files, blobs });
  const catalog = createCatalog(deps);
  const run: Executions["run"] = (...args) => executions.run(...args);
  const parts = { flows, inputCipher, values, run };
  const checks: StartChecks = createStartChecks(deps, parts);
  const shared = { ...deps, flows, files, catalog, checks, quotas };
  const executions = new Executions({ ...shared, cleanup });
  return {
    executions,
    waiting: new CallerLimits("request that waits for the end of an execution", {
      all: MAX_WAITING_REQUESTS,
      perTenant: MAX_WAITING_REQUESTS_PER_TENANT,
      perCaller: MAX_WAITING_REQUESTS_PER_CALLER,
    }),
    subflows: new Subflows(shared),
    contents: new ExecutionContents({ records, files, changes, clock }),
    executionFiles: files,
    records,
    cleanup,
    catalog,
    checks,
    inputValues: createInputValues(deps, parts),
    quotas,
  };
}

function createCatalog(
  { store, committer, clock, executor, flowHeads, records, catalogFiles, logger }: ServicesDeps,
): Catalog {
  return new Catalog({
    store,
    clock,
    logger,
    files: catalogFiles,
    commit: (entry) => committer.commit(entry),
    flowNames: (flowNo) => flowHeads.byNumber(flowNo),
    flowLimit: () => flowHeads.numberLimit,
    verifyFact: (tenant, executionIds, fact) => records.having(tenant, executionIds, fact),
    isBusy: () => executor.isBusy,
    liveRows: (tenant) => executor.liveRows(tenant),
    liveKnown: () => executor.recovered,
  });
}

interface StartChecksParts {
  readonly flows: Flows;
  readonly inputCipher: InputCipher;
  readonly values: HostValues;
  readonly run: Executions["run"];
}

/** Checks of starts; those of flows that `subflow()` calls are `depth` calls deep. */
function createStartChecks(options: ServicesDeps, parts: StartChecksParts, depth = 0): StartChecks {
  const { clock } = options;
  const { inputCipher } = parts;
  const values = createInputValues(options, parts, depth);
  return new StartChecks({
    seal: (flow, text) => inputCipher.seal(flow, text),
    render: createInputRenderer({ ...options, server: serverRoots(options) }),
    reads: ({ tenant, namespace, id: flowId }) =>
      new HostCalls(values, { tenant, namespace, flowId, now: () => clock.now() }),
  });
}

/** Data for the functions of inputs that are `depth` calls of `subflow()` deep. */
function createInputValues(options: ServicesDeps, parts: StartChecksParts, depth = 0): HostValues {
  const { flows, run, values } = parts;
  const subflows: SubflowPort = {
    run(call) {
      const checks = createStartChecks(options, parts, depth + 1);
      return new SubflowCalls({ subflows: new Subflows({ ...options, flows, checks }), run, depth }).run(
        call,
      );
    },
  };
  return { ...values, subflows };
}

type ActionDeps = RenderServices & ExecutionServices & { readonly flows: Flows };

/** Builds what people do to executions. */
export function createActionServices(deps: ServicesDeps, services: ActionDeps) {
  const { executionFiles: files } = services;
  const [renderDeps, contexts] = [createRenderDeps(deps, services), new LoopContexts(deps.records)];
  const evaluate = createEvaluator(renderDeps, contexts);
  const hostValues = { ...renderDeps.hostValues, ...services.inputValues };
  const view = createViewer({ ...renderDeps, hostValues }, contexts);
  const shared = { ...deps, ...services, files };
  const actions = new ExecutionActions({ ...shared, evaluate, view });
  const replays = new ExecutionReplays({ ...shared, actions });
  const bulk = new ExecutionBulk({ ...shared, actions, replays });
  const flowTests = new FlowTests({ ...shared, evaluate: createObjectEvaluator(renderDeps, contexts) });
  return { executionActions: actions, executionReplays: replays, executionBulk: bulk, flowTests };
}

/** Builds what attempts reach files through; `files` are those of namespaces. */
export function createFileServices(
  deps: ServicesDeps,
  { executionFiles, contents, files }: ExecutionServices & { readonly files: Files },
) {
  const { records, maxUploadBytes: maxBytes } = deps;
  const lineage = new ExecutionLineage(records);
  return {
    lineage,
    attemptStorage: new AttemptStorage({
      ...deps,
      files: executionFiles,
      namespaceFiles: files,
      contents,
      lineage,
    }),
    attemptNamespaceFiles: new AttemptNamespaceFiles(files),
    itemExecutions: new ItemExecutions(records),
    flowCaches: new FlowCaches({ ...deps, maxBytes }),
    executionFileViews: new ExecutionFileViews({ records, contents }),
  };
}
