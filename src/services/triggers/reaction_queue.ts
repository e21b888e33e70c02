/** Passes states of executions to the triggers that react to them, and retries until the reaction is durable. */
import type { Clock } from "../../base/time/clock.ts";
import type { Logger } from "../../base/log.ts";
import type { FlowPlan } from "../../engine/plan.ts";
import type { Execution } from "../../model/executions/execution.ts";
import type { Announcement } from "../../model/triggers/announcement.ts";
import type { Reactions } from "../../runtime/reactions.ts";
import { ANNOUNCEMENTS } from "../../store/keys.ts";
import { announcementFrom } from "../../store/records/trigger_records.ts";
import type { Store } from "../../store/store.ts";
import type { FlowReactions } from "./flow_reactions.ts";
import type { TriggerIndex } from "./trigger_index.ts";

interface ReactionQueueDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly store: Store;
  readonly index: TriggerIndex;
  readonly flowReactions: FlowReactions;
}

const NONE: readonly Announcement[] = [];
const RETRY_MS = 1_000;

/** The announcements in progress. */
export class ReactionQueue implements Reactions {
  readonly #deps: ReactionQueueDeps;
  readonly #pending = new Set<Promise<void>>();
  #leftOver: readonly Announcement[] = NONE;
  #isStopped = false;

  constructor(deps: ReactionQueueDeps) {
    this.#deps = deps;
  }

  /** Reads announcements left by an earlier process. Must be called before executions are recovered: theirs are new. */
  async find(): Promise<void> {
    this.#leftOver = await Array.fromAsync(
      this.#deps.store.list(ANNOUNCEMENTS),
      ({ key, value }) => announcementFrom(key, value),
    );
  }

  /** Handles the announcements of {@link find}. */
  recover(): void {
    this.announced(this.#leftOver);
    this.#leftOver = NONE;
  }

  /** @inheritdoc */
  announcementsOf(execution: Execution, plan: FlowPlan, from: number): readonly Announcement[] {
    return this.#deps.index.announcementsOf(execution, plan, from);
  }

  /** Handles announcements; those of one trigger in this order. */
  announced(announcements: readonly Announcement[]): void {
    for (const announcement of announcements) this.#handle(announcement);
  }

  /** Waits for reactions in progress; the next process handles the rest. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.allSettled([...this.#pending]);
  }

  #handle(announcement: Announcement): void {
    if (this.#isStopped) return;
    const { clock, logger, flowReactions } = this.#deps;
    const handled = flowReactions.react(announcement).catch((error: Error) => {
      logger.repeated("warn", "A trigger cannot react yet", {
        execution: announcement.executionId,
        trigger: announcement.trigger.triggerId,
        error: error.message,
      });
      clock.setTimer(RETRY_MS, () => this.#handle(announcement));
    });
    this.#pending.add(handled);
    void handled.then(() => this.#pending.delete(handled));
  }
}
