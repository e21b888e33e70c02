/** Passes states of executions to the triggers that react to them, and retries until the reaction is durable. */
import type { Clock } from "../../base/time/clock.ts";
import { KeyedLock } from "../../base/keyed_lock.ts";
import type { Logger } from "../../base/log.ts";
import type { FlowPlan } from "../../engine/plan.ts";
import type { Execution } from "../../model/executions/execution.ts";
import type { AnyAnnouncement, WideAnnouncement } from "../../model/triggers/announcement.ts";
import type { Reactions } from "../../runtime/reactions.ts";
import type { Committer } from "../../store/committer.ts";
import { announcementKey, ANNOUNCEMENTS } from "../../store/keys.ts";
import { announcementFrom, announcementMutation } from "../../store/records/trigger_records.ts";
import type { Store } from "../../store/store.ts";
import type { FlowReactions } from "./flow_reactions.ts";
import type { TriggerIndex } from "./trigger_index.ts";

interface ReactionQueueDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly store: Store;
  readonly committer: Pick<Committer, "commit">;
  readonly index: TriggerIndex;
  readonly flowReactions: FlowReactions;
}

const NONE: readonly AnyAnnouncement[] = [];
const RETRY_MS = 1_000;
/** Triggers to which a state is announced in one commit, and that react at the same time. */
const GROUP = 50;

/** The announcements in progress. */
export class ReactionQueue implements Reactions {
  readonly #deps: ReactionQueueDeps;
  readonly #pending = new Set<Promise<void>>();
  readonly #spreading = new KeyedLock();
  #leftOver: readonly AnyAnnouncement[] = NONE;
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
  announcementsOf(execution: Execution, plan: FlowPlan, from: number): readonly AnyAnnouncement[] {
    return this.#deps.index.announcementsOf(execution, plan, from);
  }

  /** Handles announcements; those of one trigger in this order, also after a state that is announced in groups. */
  announced(announcements: readonly AnyAnnouncement[]): void {
    for (const announcement of announcements) {
      const execution = nameOf(announcement);
      const isBehind = "trigger" in announcement && this.#spreading.isHeld(execution);
      if (isBehind) void this.#spreading.run(execution, () => this.#handle(announcement));
      else void this.#handle(announcement);
    }
  }

  /** Waits for reactions in progress; the next process handles the rest. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.allSettled([...this.#pending]);
  }

  #handle(announcement: AnyAnnouncement): Promise<void> {
    if (this.#isStopped) return Promise.resolve();
    const { clock, logger } = this.#deps;
    let left = announcement;
    const work = "trigger" in announcement
      ? this.#deps.flowReactions.react(announcement)
      : this.#spread(announcement, (rest) => left = rest);
    const handled = work.catch((error: Error) => {
      const trigger = "trigger" in announcement ? announcement.trigger.triggerId : undefined;
      const facts = { execution: announcement.executionId, trigger, error: error.message };
      logger.repeated("warn", "A trigger cannot react yet", facts);
      clock.setTimer(RETRY_MS, () => void this.#handle(left));
    });
    this.#pending.add(handled);
    return handled.then(() => void this.#pending.delete(handled));
  }

  /** Announces the state to one group of triggers after the other; later states of the execution wait. */
  #spread(announcement: WideAnnouncement, progress: (rest: WideAnnouncement) => void): Promise<void> {
    return this.#spreading.run(nameOf(announcement), async () => {
      for (let left: WideAnnouncement | undefined = announcement; left && !this.#isStopped;) {
        left = await this.#announceNext(left);
        if (left) progress(left);
      }
    });
  }

  /** A crash comes before or after the commit: no trigger of the group gets the announcement twice. */
  async #announceNext(announcement: WideAnnouncement): Promise<WideAnnouncement | undefined> {
    const { namespace: _namespace, flowId: _flowId, after = "", ...reached } = announcement;
    const { tenant, state } = announcement;
    const next = this.#deps.index.nextListening(tenant, announcement, state, { after, count: GROUP + 1 });
    const group = next.slice(0, GROUP);
    const single = group.map(({ trigger }) => ({ ...reached, trigger, isOwn: false }));
    const left = next.length > GROUP ? { ...announcement, after: group.at(-1)?.name } : undefined;
    const rest = left
      ? announcementMutation(left)
      : { type: "delete", key: announcementKey(announcement) } as const;
    await this.#deps.committer.commit({ mutations: [...single.map(announcementMutation), rest] });
    await Promise.all(single.map((each) => this.#handle(each)));
    return left;
  }
}

function nameOf({ tenant, executionId }: AnyAnnouncement): string {
  return `${tenant}/${executionId}`;
}
