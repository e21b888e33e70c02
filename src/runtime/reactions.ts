/**
 * Announcements of execution states to the triggers that react to them. An announcement is stored with the transition, and
 * deleted in the entry of what the reaction starts: a crash neither loses nor repeats a reaction.
 */
import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/log.ts";
import type { FlowPlan } from "../engine/plan.ts";
import type { Execution } from "../model/executions/execution.ts";
import type { Announcement } from "../model/triggers/announcement.ts";
import { isEnded } from "../model/executions/state.ts";
import { announcementFrom } from "../store/records/trigger_records.ts";
import { encodeJson } from "../store/codec.ts";
import { announcementKey, ANNOUNCEMENTS } from "../store/keys.ts";
import type { Mutation, Store } from "../store/store.ts";
import type { LiveExecution } from "./live/live_execution.ts";

/** Triggers that react to states of executions. */
export interface Reactions {
  /** Announcements of the states from index `from` on. Called with each commit: must be quick if no trigger listens. */
  announcementsOf(execution: Execution, plan: FlowPlan, from: number): readonly Announcement[];
  /** Called once they are durable. */
  announced(announcements: readonly Announcement[]): void;
}

/** Reacts; resolves once the reaction is durable. */
type React = (announcement: Announcement) => Promise<void>;

/** Announcements of the states that the next commit makes durable; triggers do not react to passes of a Loop. */
export function newAnnouncements(live: LiveExecution, reactions: Reactions): readonly Announcement[] {
  const { execution, plan } = live;
  const from = firstNewState(live);
  if (execution.history.length <= from || execution.loop) return NONE;
  return reactions.announcementsOf(execution, plan, from);
}

/** An execution may be created with states of another one, which are not new; its end before its first commit is new. */
function firstNewState({ execution: { history }, form, isBeforeFirstCommit }: LiveExecution): number {
  return isBeforeFirstCommit && isEnded(history)
    ? Math.min(form.storedStates, history.length - 1)
    : form.storedStates;
}

/** Stores an announcement. */
export function announcementMutation(announcement: Announcement): Mutation {
  const { state, at, isOwn } = announcement;
  return { type: "set", key: announcementKey(announcement), value: encodeJson({ state, at, isOwn }) };
}

const NONE: readonly Announcement[] = [];
const RETRY_MS = 1_000;

/** Passes announcements to the triggers, and retries until the reaction is durable. */
export class ReactionQueue {
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #store: Store;
  readonly #react: React;
  readonly #pending = new Set<Promise<void>>();
  #leftOver: readonly Announcement[] = NONE;
  #isStopped = false;

  constructor(
    { clock, logger, store, react }: {
      readonly clock: Clock;
      readonly logger: Logger;
      readonly store: Store;
      readonly react: React;
    },
  ) {
    this.#clock = clock;
    this.#logger = logger;
    this.#store = store;
    this.#react = react;
  }

  /** Reads announcements left by an earlier process. Must be called before executions are recovered: theirs are new. */
  async find(): Promise<void> {
    this.#leftOver = await Array.fromAsync(
      this.#store.list(ANNOUNCEMENTS),
      ({ key, value }) => announcementFrom(key, value),
    );
  }

  /** Handles the announcements of {@link find}. */
  recover(): void {
    this.add(this.#leftOver);
    this.#leftOver = NONE;
  }

  /** Handles announcements; those of one trigger in this order. */
  add(announcements: readonly Announcement[]): void {
    for (const announcement of announcements) this.#handle(announcement);
  }

  /** Waits for reactions in progress; the next process handles the rest. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.allSettled([...this.#pending]);
  }

  #handle(announcement: Announcement): void {
    if (this.#isStopped) return;
    const handled = this.#react(announcement).catch((error: Error) => {
      this.#logger.warn("A trigger cannot react yet", {
        execution: announcement.executionId,
        trigger: announcement.trigger.triggerId,
        error: error.message,
      });
      this.#clock.setTimer(RETRY_MS, () => this.#handle(announcement));
    });
    this.#pending.add(handled);
    void handled.then(() => this.#pending.delete(handled));
  }
}
