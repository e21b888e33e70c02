/** Builds what has triggers evaluated: at their times, and when executions reach states. */
import type { Logger } from "../base/log.ts";
import type { FlowPlan } from "../engine/plan.ts";
import type { TaskPorts } from "../model/ports/task_ports.ts";
import { Loop } from "../runtime/interval_loop.ts";
import { ReactionQueue, type Reactions } from "../runtime/reactions.ts";
import { Scheduler } from "../services/triggers/scheduler.ts";
import type { AssemblyOptions } from "./options.ts";
import type { TriggerServices } from "./trigger_services.ts";

/** A crash loses what webhooks noted in that time. */
const NOTES_INTERVAL_MS = 5_000;

/** What it is built with. */
interface TriggerRuntimeParts {
  readonly ports: TaskPorts;
  /** An execution of that flow will start soon. */
  readonly willStart: (plan: FlowPlan) => void;
}

/** What looks after triggers; the assembly starts and stops it. */
export class TriggerRuntime {
  /** What the executor tells of states. */
  readonly reactions: Reactions;
  readonly #services: TriggerServices;
  readonly #scheduler: Scheduler;
  readonly #queue: ReactionQueue;
  readonly #notes: Loop;
  readonly #logger: Logger;

  constructor(
    { store, clock, logger }: Pick<AssemblyOptions, "store" | "clock" | "logger">,
    services: TriggerServices,
    { ports, willStart }: TriggerRuntimeParts,
  ) {
    const { schedules, flowReactions, triggerIndex, triggerNotes } = services;
    const round = async () => (await triggerNotes.flush(), false);
    const name = "store what webhooks did";
    this.#notes = new Loop({ name, intervalMs: NOTES_INTERVAL_MS, clock, logger, round });
    this.#services = services;
    this.#logger = logger;
    this.#scheduler = new Scheduler({
      store,
      clock,
      logger,
      prepare: async (due) => {
        const plan = await schedules.prepare(due);
        if (plan) willStart(plan);
      },
      fire: (due) => schedules.tick(due),
    });
    const queue = new ReactionQueue({ store, clock, logger, react: (each) => flowReactions.react(each) });
    this.#queue = queue;
    this.reactions = {
      announcementsOf: (execution, plan, from) => triggerIndex.announcementsOf(execution, plan, from),
      announced: (announcements) => queue.add(announcements),
    };
    services.connect({
      ports,
      dueSet: (due) => this.#scheduler.add(due),
      wake: (due) => this.#scheduler.wake(due),
    });
  }

  /** Finds where an earlier process stopped; before executions go on. */
  async find(): Promise<void> {
    await this.#queue.find();
  }

  /** Goes on from there. */
  start(): void {
    this.#queue.recover();
    this.#services.schedules.start();
    this.#scheduler.start();
    this.#notes.start();
  }

  /** Looks at the time now. */
  check(): void {
    this.#scheduler.check();
  }

  /** Ends what is under way. */
  async stop(): Promise<void> {
    this.#services.polls.stop();
    this.#services.schedules.stop();
    await this.#scheduler.stop();
    await this.#queue.stop();
    await this.#notes[Symbol.asyncDispose]();
    await this.#services.triggerNotes.flush().catch((error: Error) =>
      this.#logger.warn("What webhooks did last is not stored", { error: error.message })
    );
  }
}
