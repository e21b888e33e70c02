/**
 * States of executions that triggers react to. What somebody listens for is stored with the transition, so that a
 * crash loses no reaction and repeats none: the reaction removes it in the entry of what it starts.
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

/** Who reacts to states of executions. */
export interface Reactions {
  /** What the states from that one on mean to triggers; asked with each commit, so it must be quick when nobody listens. */
  announcementsOf(execution: Execution, plan: FlowPlan, from: number): readonly Announcement[];
  /** They are durable. */
  announced(announcements: readonly Announcement[]): void;
}

/** What reacts, and resolves once the reaction is durable. */
type React = (announcement: Announcement) => Promise<void>;

/** Announcements of states that the next commit makes durable; a pass of a Loop is no execution of its flow to triggers. */
export function newAnnouncements(live: LiveExecution, reactions: Reactions): readonly Announcement[] {
  const { execution, plan } = live;
  const from = firstNewState(live);
  if (execution.history.length <= from || execution.loop) return NONE;
  return reactions.announcementsOf(execution, plan, from);
}

/** An execution may be born with states of another one, which are not new; the end of one that failed before it began is. */
function firstNewState({ execution: { history }, form, isBeforeFirstCommit }: LiveExecution): number {
  return isBeforeFirstCommit && isEnded(history)
    ? Math.min(form.storedStates, history.length - 1)
    : form.storedStates;
}

/** What stores an announcement. */
export function announcementMutation(announcement: Announcement): Mutation {
  const { state, at, isOwn } = announcement;
  return { type: "set", key: announcementKey(announcement), value: encodeJson({ state, at, isOwn }) };
}

const NONE: readonly Announcement[] = [];
const RETRY_MS = 1_000;

/** Hands announcements to those who react, again and again until they have. */
export class ReactionQueue {
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #store: Store;
  readonly #react: React;
  readonly #underWay = new Set<Promise<void>>();
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

  /** Finds what an earlier process did not react to. Before executions go on: what these announce is not left over. */
  async find(): Promise<void> {
    this.#leftOver = await Array.fromAsync(
      this.#store.list(ANNOUNCEMENTS),
      ({ key, value }) => announcementFrom(key, value),
    );
  }

  /** Takes up what was found. */
  recover(): void {
    this.add(this.#leftOver);
    this.#leftOver = NONE;
  }

  /** Has these reacted to, those of one trigger in this order. */
  add(announcements: readonly Announcement[]): void {
    for (const announcement of announcements) this.#handle(announcement);
  }

  /** Ends what is under way; the rest is taken up by the next process. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.allSettled([...this.#underWay]);
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
    this.#underWay.add(handled);
    void handled.then(() => this.#underWay.delete(handled));
  }
}
