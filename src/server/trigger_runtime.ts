/** Builds what has triggers evaluated: at their times, and when executions reach states. */
import type { TaskPorts } from "../model/task_ports.ts";
import { ReactionQueue, type Reactions } from "../runtime/reactions.ts";
import { Scheduler } from "../runtime/scheduler.ts";
import type { AssemblyOptions } from "./options.ts";
import type { TriggerServices } from "./trigger_services.ts";

/** What looks after triggers; the assembly starts and stops it. */
export class TriggerRuntime {
  /** What the executor tells of states. */
  readonly reactions: Reactions;
  readonly #services: TriggerServices;
  readonly #scheduler: Scheduler;
  readonly #queue: ReactionQueue;

  constructor(
    { store, clock, logger }: Pick<AssemblyOptions, "store" | "clock" | "logger">,
    services: TriggerServices,
    ports: TaskPorts,
  ) {
    const { schedules, flowReactions, triggerIndex } = services;
    this.#services = services;
    this.#scheduler = new Scheduler({ store, clock, logger, fire: (due) => schedules.tick(due) });
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

  /** Goes on where an earlier process stopped. */
  async start(): Promise<void> {
    await this.#queue.recover();
    this.#services.schedules.start();
    this.#scheduler.start();
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
  }
}
