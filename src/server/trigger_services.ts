/** Builds the services of triggers, and runs their evaluation: at their times, and when executions reach states. */
import type { Logger } from "../base/log.ts";
import type { Execution } from "../model/executions/execution.ts";
import type { Flow } from "../model/flows/flow.ts";
import type { TaskPorts } from "../model/ports/task_ports.ts";
import type { TriggerCatalog } from "../model/triggers/trigger_catalog.ts";
import { Conditions } from "../rendering/conditions.ts";
import { createTriggerRenderer } from "../rendering/trigger_renderer.ts";
import { ExecutionVariables } from "../rendering/variables.ts";
import { IntervalLoop } from "../runtime/interval_loop.ts";
import { ReactionQueue } from "../services/triggers/reaction_queue.ts";
import type { Flows } from "../services/flows/flows.ts";
import type { KvPairs } from "../services/namespaces/kv_pairs.ts";
import type { Secrets } from "../services/namespaces/secrets.ts";
import type { InputCipher } from "../services/starts/input_cipher.ts";
import type { Idempotency } from "../services/starts/idempotency.ts";
import { EvaluationBuffer } from "../services/triggers/evaluation_buffer.ts";
import { FlowReactions } from "../services/triggers/flow_reactions.ts";
import { Polls } from "../services/triggers/polls.ts";
import { RealtimeTriggers } from "../services/triggers/realtime_triggers.ts";
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
import { TriggerRecords } from "../store/records/trigger_records.ts";
import { namespaceValues, serverRoots } from "./rendering.ts";
import type { AssemblyOptions, ServicesDeps } from "./options.ts";
import type { ExecutionServices } from "./execution_services.ts";
import { FlowTriggers } from "../services/triggers/flow_triggers.ts";

interface TriggerStateDeps {
  readonly catalog: TriggerCatalog;
  readonly secrets: Secrets;
  readonly kvPairs: KvPairs;
}

/** What is known of triggers apart from the flows that declare them. */
type TriggerStateServices = ReturnType<typeof createTriggerStates>;

/** Builds the states of triggers and what follows from saves of flows. */
export function createTriggerStates(deps: ServicesDeps, { catalog, ...values }: TriggerStateDeps) {
  const { clock, logger, store, committer, timeZone } = deps;
  const renderer = createRenderer(deps, values);
  const conditions = new Conditions(catalog, renderer);
  const index = new TriggerIndex(catalog);
  const records = new TriggerRecords(store);
  const scheduler = new Scheduler({ store, clock, logger });
  const states = new TriggerStates({ records, committer, clock, index, scheduler });
  const dates = new ScheduleDates({ clock, conditions, renderer, catalog, timeZone });
  const declarations = new TriggerDeclarations({ clock, catalog, dates });
  const flowTriggers = new FlowTriggers({ states, records, index, declarations });
  return {
    ...values,
    catalog,
    renderer,
    conditions,
    index,
    records,
    scheduler,
    states,
    dates,
    declarations,
    flowTriggers,
  };
}

interface TriggerDeps extends ExecutionServices {
  readonly flows: Flows;
  readonly idempotency: Idempotency;
  readonly inputCipher: InputCipher;
}

/** The services of triggers. */
type TriggerServices = ReturnType<typeof createTriggerServices>;

/** Builds the services of triggers. */
export function createTriggerServices(
  deps: ServicesDeps,
  known: TriggerStateServices,
  { flows, idempotency, inputCipher, executions, waiting, executionFiles: files, checks, quotas }:
    TriggerDeps,
) {
  const { records: executionRecords } = deps;
  const { records: triggerRecords, scheduler, index } = known;
  const buffer = new EvaluationBuffer(known.states, deps.logger);
  const starts = new TriggerStarts({ ...deps, checks, renderer: known.renderer });
  const shared = { ...deps, ...known, flows, inputCipher, starts, buffer, quotas };
  const polls = new Polls(shared);
  const realtime = new RealtimeTriggers(shared);
  const schedules = new Schedules({ ...shared, records: executionRecords, polls, realtime });
  const triggers = new Triggers({ ...shared, schedules, polls, realtime });
  // Encrypted inputs are not decrypted for another flow.
  const viewOf = (flow: Flow, execution: Execution) => new ExecutionVariables(flow, execution, { envs: {} });
  const flowReactions = new FlowReactions({ ...shared, records: executionRecords, triggerRecords, viewOf });
  return {
    triggers,
    triggerBulk: new TriggerBulk(triggers, deps),
    webhooks: new Webhooks({ ...shared, executions, waiting, idempotency, files }),
    scheduler,
    schedules,
    polls,
    realtime,
    reactionQueue: new ReactionQueue({ ...deps, index, flowReactions }),
    evaluationBuffer: buffer,
  };
}

function createRenderer(deps: ServicesDeps, values: Omit<TriggerStateDeps, "catalog">) {
  const { clock, timeZone, maxRenderMs, slowRenders, random } = deps;
  const hostValues = { ...namespaceValues(values), slowRenders };
  const roots = serverRoots(deps);
  return createTriggerRenderer({ clock, timeZone, maxRenderMs, random, ...roots, values: hostValues });
}

/** A crash loses the evaluations of webhook calls of that time. */
const FLUSH_INTERVAL_MS = 5_000;

/** The loops of triggers; the assembly starts and stops them. */
export class TriggerRuntime {
  readonly #services: TriggerServices;
  readonly #ports: TaskPorts;
  readonly #flushLoop: IntervalLoop;
  readonly #logger: Logger;

  constructor(
    { clock, logger }: Pick<AssemblyOptions, "clock" | "logger">,
    services: TriggerServices,
    ports: TaskPorts,
  ) {
    const { evaluationBuffer } = services;
    const round = async () => (await evaluationBuffer.flush(), false);
    const name = "store evaluations of webhook calls";
    this.#flushLoop = new IntervalLoop({ name, intervalMs: FLUSH_INTERVAL_MS, clock, logger, round });
    this.#services = services;
    this.#ports = ports;
    this.#logger = logger;
  }

  /** Reads the announcements that an earlier process left; before executions continue. */
  async find(): Promise<void> {
    await this.#services.reactionQueue.find();
  }

  /** Handles those announcements and starts the loops. */
  start(): void {
    const { polls, realtime, schedules, reactionQueue } = this.#services;
    reactionQueue.recover();
    polls.start(this.#ports);
    realtime.start(this.#ports);
    schedules.start();
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
    await this.#services.realtime.stop();
    await this.#services.reactionQueue.stop();
    await this.#flushLoop[Symbol.asyncDispose]();
    await this.#services.evaluationBuffer.flush().catch((error: Error) =>
      this.#logger.warn("Cannot store the last evaluations of webhook calls", { error: error.message })
    );
  }
}
