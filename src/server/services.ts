/** Builds the services of a server over its store. */
import type { TaskCatalog } from "../model/tasks/task_catalog.ts";
import type { TriggerCatalog } from "../model/triggers/trigger_catalog.ts";
import { HOST_FUNCTION_NAMES } from "../rendering/host_functions/mod.ts";
import { ConcurrencyLimits } from "../services/executions/concurrency_limits.ts";
import { Expressions } from "../services/flows/expressions.ts";
import { Flows } from "../services/flows/flows.ts";
import { Idempotency } from "../services/starts/idempotency.ts";
import { IdempotentStarts } from "../services/executions/idempotent_starts.ts";
import { InputCipher } from "../services/starts/input_cipher.ts";
import { Tenants } from "../services/access/tenants.ts";
import { Tokens } from "../services/access/tokens.ts";
import type { Blobs } from "../store/blobs/blobs.ts";
import { FlowRecords } from "../store/records/flow_records.ts";
import { IdempotencyRecords } from "../store/records/idempotency_records.ts";
import { createTriggerCatalog } from "../triggers/registry.ts";
import { type ActionServices, createActionServices } from "./action_services.ts";
import { createExecutionServices, type ExecutionServices } from "./execution_services.ts";
import { createExpressionRenderer } from "../rendering/expression_renderer.ts";
import { createFileServices, type FileServices } from "./file_services.ts";
import { createExpressionHttp } from "./expression_http.ts";
import { namespaceValues } from "./host_values.ts";
import { createLogServices, type LogServices } from "./log_services.ts";
import { createNamespaceServices, type NamespaceServices } from "./namespace_services.ts";
import type { ServicesOptions } from "./services_options.ts";
import { createTaskServices, type TaskServices } from "./task_services.ts";
import { createTriggerServices, type TriggerServices } from "./trigger_services.ts";

/** The services of a server. */
export interface Services
  extends
    ActionServices,
    ExecutionServices,
    FileServices,
    LogServices,
    NamespaceServices,
    TaskServices,
    TriggerServices {
  readonly flows: Flows;
  readonly flowRecords: FlowRecords;
  readonly idempotency: Idempotency;
  readonly idempotentStarts: IdempotentStarts;
  readonly concurrencyLimits: ConcurrencyLimits;
  readonly inputCipher: InputCipher;
  readonly expressions: Expressions;
  readonly tasks: TaskCatalog;
  readonly triggerTypes: TriggerCatalog;
  readonly tenants: Tenants;
  readonly tokens: Tokens;
  readonly blobs: Blobs;
}

/** Builds the services. */
export function createServices(options: ServicesOptions): Services {
  const { store, committer, clock, tasks, blobs, flowHeads: heads } = options;
  const inputCipher = new InputCipher(options.cipher);
  const tenants = new Tenants({ store, committer });
  const tokens = new Tokens({ ...options, tenants });
  const flowRecords = new FlowRecords(store);
  const triggerTypes = createTriggerCatalog();
  const flows: Flows = new Flows({
    records: flowRecords,
    heads,
    commit: async (flow, entry) => {
      await triggering.triggers.commitFlow(flow, entry);
      const { tenant, namespace, id: flowId, concurrency } = flow;
      options.executor.setLimit({ tenant, namespace, flowId }, concurrency?.limit);
    },
    catalogs: { tasks, triggers: triggerTypes },
    functions: HOST_FUNCTION_NAMES,
    clock,
  });
  const owned = createNamespaceServices(options, { tenants, flows, blobs });
  const values = namespaceValues(owned);
  const run = createExecutionServices(options, {
    flows,
    inputCipher,
    values: { ...values, http: createExpressionHttp(options.http) },
  });
  const idempotency = new Idempotency({
    records: new IdempotencyRecords({ store, committer, blobs }),
    clock,
    tenants: () => tenants.list().map((tenant) => tenant.id),
  });
  const triggering = createTriggerServices({ options, triggerTypes, flows, idempotency, ...owned, ...run });
  const render = createExpressionRenderer({ ...options, values });
  const stored = createFileServices({ ...options, blobs, ...run, files: owned.files });
  const acting = createActionServices({ options, flows, inputCipher, ...owned, ...run, ...stored });
  const logging = createLogServices({ ...options, ...run });
  const forTasks = createTaskServices({ ...options, blobs, flows, ...owned, ...run, ...logging });
  return {
    tasks,
    triggerTypes,
    tenants,
    tokens,
    flows,
    flowRecords,
    blobs,
    inputCipher,
    expressions: new Expressions({ render, functions: HOST_FUNCTION_NAMES }),
    idempotency,
    idempotentStarts: new IdempotentStarts({ idempotency, flows, ...run }),
    concurrencyLimits: new ConcurrencyLimits({ flows, executor: options.executor }),
    ...triggering,
    ...owned,
    ...run,
    ...stored,
    ...logging,
    ...acting,
    ...forTasks,
  };
}
