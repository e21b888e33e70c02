/** Builds what belongs to triggers. */
import type { Clock } from "../base/clock.ts";
import type { IdSource } from "../base/id.ts";
import type { JsonObject } from "../base/json.ts";
import type { Logger } from "../base/log.ts";
import type { Execution } from "../model/executions/execution.ts";
import type { Flow } from "../model/flows/flow.ts";
import type { TriggerCatalog } from "../model/triggers/trigger_catalog.ts";
import type { Executor } from "../runtime/executor.ts";
import { ExecutionVariables } from "../rendering/variables.ts";
import { Conditions } from "../rendering/conditions.ts";
import type { Executions } from "../services/executions/executions.ts";
import type { ExecutorPort } from "../services/executor_port.ts";
import { FlowReactions } from "../services/triggers/flow_reactions.ts";
import type { Flows } from "../services/flows/flows.ts";
import type { Idempotency } from "../services/starts/idempotency.ts";
import type { KvPairs } from "../services/namespaces/kv_pairs.ts";
import { Polls } from "../services/triggers/polls.ts";
import { ScheduleDates } from "../services/triggers/schedule_dates.ts";
import { Scheduler } from "../services/triggers/scheduler.ts";
import { Schedules } from "../services/triggers/schedules.ts";
import type { Secrets } from "../services/namespaces/secrets.ts";
import type { StartChecks } from "../services/starts/start_checks.ts";
import { TriggerBulk } from "../services/triggers/trigger_bulk.ts";
import { TriggerDeclarations } from "../services/triggers/trigger_declarations.ts";
import { TriggerIndex } from "../services/triggers/trigger_index.ts";
import { EvaluationBuffer } from "../services/triggers/evaluation_buffer.ts";
import { TriggerStarts } from "../services/triggers/trigger_starts.ts";
import { TriggerStates } from "../services/triggers/trigger_states.ts";
import { Triggers } from "../services/triggers/triggers.ts";
import { Webhooks } from "../services/webhooks/webhooks.ts";
import type { Changes } from "../store/changes.ts";
import type { Committer } from "../store/committer.ts";
import type { ExecutionFiles } from "../store/blobs/execution_files.ts";
import type { ExecutionRecords } from "../store/records/execution_records.ts";
import type { Store } from "../store/store.ts";
import { TriggerRecords } from "../store/records/trigger_records.ts";
import { namespaceValues } from "./host_values.ts";
import { createTriggerRenderer } from "../rendering/trigger_renderer.ts";

/** What they are built from. */
interface TriggerParts {
  readonly options: TriggerOptions;
  readonly triggerTypes: TriggerCatalog;
  readonly flows: Flows;
  readonly executions: Executions;
  readonly idempotency: Idempotency;
  readonly records: ExecutionRecords;
  readonly executionFiles: ExecutionFiles;
  readonly checks: StartChecks;
  readonly secrets: Secrets;
  readonly kvPairs: KvPairs;
}

/** What the server gives. */
interface TriggerOptions {
  readonly store: Store;
  readonly committer: Committer;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly ids: IdSource;
  readonly random: () => number;
  readonly changes: Changes;
  readonly timeZone: string;
  readonly envs: ReadonlyMap<string, string>;
  readonly baseUrl?: string;
  readonly executor: () => Executor;
}

/** The services of triggers. */
export interface TriggerServices {
  readonly triggers: Triggers;
  readonly triggerBulk: TriggerBulk;
  readonly webhooks: Webhooks;
  readonly scheduler: Scheduler;
  readonly schedules: Schedules;
  readonly polls: Polls;
  readonly flowReactions: FlowReactions;
  readonly triggerIndex: TriggerIndex;
  readonly evaluationBuffer: EvaluationBuffer;
}

/** Builds the services of triggers. */
export function createTriggerServices(parts: TriggerParts): TriggerServices {
  const { options, flows, executions, checks, records: executionRecords, triggerTypes: catalog } = parts;
  const { clock, logger, ids, timeZone, store, committer, changes } = options;
  const renderer = createRenderer(parts);
  const starts = new TriggerStarts({ clock, ids, checks, renderer });
  const conditions = new Conditions(catalog, renderer);
  const triggerIndex = new TriggerIndex(catalog);
  const records = new TriggerRecords(store);
  const scheduler = new Scheduler({ store, clock, logger });
  const states = new TriggerStates({ records, committer, clock, index: triggerIndex, scheduler });
  const evaluationBuffer = new EvaluationBuffer(states);
  const executor = executorPort(options.executor);
  const shared = { clock, flows, states, starts, conditions, catalog, renderer, executor, timeZone };
  const polls = new Polls(shared);
  const dates = new ScheduleDates(shared);
  const schedules = new Schedules({ ...shared, dates, records: executionRecords, changes, polls, scheduler });
  const declarations = new TriggerDeclarations({ clock, catalog, dates });
  const triggers = new Triggers({
    ...shared,
    records,
    index: triggerIndex,
    buffer: evaluationBuffer,
    declarations,
    dates,
    schedules,
  });
  // Nothing is decrypted for another flow.
  const viewOf = (flow: Flow, execution: Execution) => new ExecutionVariables(flow, execution, { envs: {} });
  const flowReactions = new FlowReactions({
    ...shared,
    records: executionRecords,
    triggerRecords: records,
    viewOf,
  });
  const webhooks = new Webhooks({
    ...shared,
    executions,
    idempotency: parts.idempotency,
    index: triggerIndex,
    buffer: evaluationBuffer,
    files: parts.executionFiles,
    ids,
  });
  const triggerBulk = new TriggerBulk(triggers, { clock, ids });
  return {
    triggers,
    triggerBulk,
    webhooks,
    scheduler,
    schedules,
    polls,
    flowReactions,
    triggerIndex,
    evaluationBuffer,
  };
}

function createRenderer(parts: TriggerParts) {
  const { clock, timeZone, random, envs, baseUrl } = parts.options;
  const kestra: JsonObject | undefined = baseUrl === undefined ? undefined : { url: baseUrl };
  const values = namespaceValues(parts);
  return createTriggerRenderer({ clock, timeZone, random, envs: Object.fromEntries(envs), kestra, values });
}

function executorPort(executor: () => Executor): Pick<ExecutorPort, "begin"> {
  return { begin: (execution, plan, files) => executor().begin(execution, plan, files) };
}
