/** Runs the evaluation of triggers: at their times, and when executions reach states. */
import type { Logger } from "../base/log.ts";
import type { FlowPlan } from "../engine/plan.ts";
import type { TaskPorts } from "../model/ports/task_ports.ts";
import { IntervalLoop } from "../runtime/interval_loop.ts";
import { ReactionQueue, type Reactions } from "../runtime/reactions.ts";
import type { AssemblyOptions } from "./options.ts";
import type { TriggerServices } from "./trigger_services.ts";

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
