/** Builds the services of triggers, and runs their evaluation: at their times, and when executions reach states. */
import type { Clock } from "../base/clock.ts";
import type { IdSource } from "../base/id.ts";
import type { JsonObject } from "../base/json.ts";
import type { Logger } from "../base/log.ts";
import type { FlowPlan } from "../engine/plan.ts";
import type { Execution } from "../model/executions/execution.ts";
import type { Flow } from "../model/flows/flow.ts";
import type { TaskPorts } from "../model/ports/task_ports.ts";
import type { TriggerCatalog } from "../model/triggers/trigger_catalog.ts";
import { Conditions } from "../rendering/conditions.ts";
import { createTriggerRenderer } from "../rendering/trigger_renderer.ts";
import { ExecutionVariables } from "../rendering/variables.ts";
import type { Executor } from "../runtime/executor.ts";
import { IntervalLoop } from "../runtime/interval_loop.ts";
import { ReactionQueue, type Reactions } from "../runtime/reactions.ts";
import type { Executions } from "../services/executions/executions.ts";
import type { Flows } from "../services/flows/flows.ts";
import type { KvPairs } from "../services/namespaces/kv_pairs.ts";
import type { Secrets } from "../services/namespaces/secrets.ts";
import type { Idempotency } from "../services/starts/idempotency.ts";
import type { StartChecks } from "../services/starts/start_checks.ts";
import { EvaluationBuffer } from "../services/triggers/evaluation_buffer.ts";
import { FlowReactions } from "../services/triggers/flow_reactions.ts";
import { Polls } from "../services/triggers/polls.ts";
import { ScheduleDates } from "../services/triggers/schedule_dates.ts";
import { Scheduler } from "../services/triggers/scheduler.ts";
import { Schedules } from "../services/triggers/schedules.ts";
import { TriggerBulk } from "../services/triggers/trigger_bulk.ts";
import { TriggerDeclarations } from "../services/triggers/trigger_declarations.ts";
import { TriggerIndex } from "../services/triggers/trigger_index.ts";
import { TriggerStarts } from "../services/triggers/trigger_starts.ts";
import { TriggerStates } from "../services/triggers/trigger_states.ts";
import { Triggers } from "../services/triggers/triggers.ts";
import { Webhooks } from "../services/webhooks/webhooks.ts";
import type { ExecutionFiles } from "../store/blobs/execution_files.ts";
import type { Changes } from "../store/changes.ts";
import type { Committer } from "../store/committer.ts";
import type { ExecutionRecords } from "../store/records/execution_records.ts";
import { TriggerRecords } from "../store/records/trigger_records.ts";
import type { Store } from "../store/store.ts";
import { namespaceValues } from "./rendering.ts";
import type { AssemblyOptions } from "./options.ts";

interface TriggerDeps {
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
  readonly executor: Executor;
}

/** The services of triggers. */
interface TriggerServices {
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
export function createTriggerServices(deps: TriggerDeps): TriggerServices {
  const { options, flows, executions, checks, records: executionRecords, triggerTypes: catalog } = deps;
  const { clock, logger, ids, timeZone, store, committer, changes } = options;
  const renderer = createRenderer(deps);
  const starts = new TriggerStarts({ clock, ids, checks, renderer });
  const conditions = new Conditions(catalog, renderer);
  const triggerIndex = new TriggerIndex(catalog);
  const records = new TriggerRecords(store);
  const scheduler = new Scheduler({ store, clock, logger });
  const states = new TriggerStates({ records, committer, clock, index: triggerIndex, scheduler });
  const evaluationBuffer = new EvaluationBuffer(states);
  const { executor } = options;
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
  // Encrypted inputs are not decrypted for another flow.
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
    idempotency: deps.idempotency,
    index: triggerIndex,
    buffer: evaluationBuffer,
    files: deps.executionFiles,
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

function createRenderer(deps: TriggerDeps) {
  const { clock, timeZone, random, envs, baseUrl } = deps.options;
  const kestra: JsonObject | undefined = baseUrl === undefined ? undefined : { url: baseUrl };
  const values = namespaceValues(deps);
  return createTriggerRenderer({ clock, timeZone, random, envs: Object.fromEntries(envs), kestra, values });
}

/** A crash loses the evaluations of webhook calls of that time. */
const FLUSH_INTERVAL_MS = 5_000;

interface TriggerRuntimeDeps {
  readonly ports: TaskPorts;
  /** Called when an execution of that flow will start soon. */
  readonly willStart: (plan: FlowPlan) => void;
}

/** The loops of triggers; the assembly starts and stops them. */
export class TriggerRuntime {
  /** Receives the states of executions from the executor. */
  readonly reactions: Reactions;
  readonly #services: TriggerServices;
  readonly #deps: TriggerRuntimeDeps;
  readonly #queue: ReactionQueue;
  readonly #flushLoop: IntervalLoop;
  readonly #logger: Logger;

  constructor(
    { store, clock, logger }: Pick<AssemblyOptions, "store" | "clock" | "logger">,
    services: TriggerServices,
    deps: TriggerRuntimeDeps,
  ) {
    const { flowReactions, triggerIndex, evaluationBuffer } = services;
    const round = async () => (await evaluationBuffer.flush(), false);
    const name = "store evaluations of webhook calls";
    this.#flushLoop = new IntervalLoop({ name, intervalMs: FLUSH_INTERVAL_MS, clock, logger, round });
    this.#services = services;
    this.#deps = deps;
    this.#logger = logger;
    const queue = new ReactionQueue({ store, clock, logger, react: (each) => flowReactions.react(each) });
    this.#queue = queue;
    this.reactions = {
      announcementsOf: (execution, plan, from) => triggerIndex.announcementsOf(execution, plan, from),
      announced: (announcements) => queue.add(announcements),
    };
  }

  /** Reads the announcements that an earlier process left; before executions continue. */
  async find(): Promise<void> {
    await this.#queue.find();
  }

  /** Handles those announcements and starts the loops. */
  start(): void {
    const { polls, schedules, scheduler } = this.#services;
    const { ports, willStart } = this.#deps;
    this.#queue.recover();
    polls.start(ports);
    schedules.start();
    scheduler.start({
      fire: (due) => schedules.tick(due),
      prepare: async (due) => {
        const plan = await schedules.prepare(due);
        if (plan) willStart(plan);
      },
    });
    this.#flushLoop.start();
  }

  /** Checks the clock now. */
  check(): void {
    this.#services.scheduler.check();
  }

  /** Stops the loops and waits for running evaluations. */
  async stop(): Promise<void> {
    this.#services.polls.stop();
    this.#services.schedules.stop();
    await this.#services.scheduler.stop();
    await this.#queue.stop();
    await this.#flushLoop[Symbol.asyncDispose]();
    await this.#services.evaluationBuffer.flush().catch((error: Error) =>
      this.#logger.warn("Cannot store the last evaluations of webhook calls", { error: error.message })
    );
  }
}
