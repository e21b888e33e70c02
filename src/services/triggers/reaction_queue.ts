/** Passes states of executions to the triggers that react to them, and retries until the reaction is durable. */
import type { Clock } from "../../base/time/clock.ts";
import { KeyedLock } from "../../base/keyed_lock.ts";
import type { Logger } from "../../base/log.ts";
import type { FlowPlan } from "../../engine/plan.ts";
import type { Execution } from "../../model/executions/execution.ts";
import type { Announcement, AnyAnnouncement, WideAnnouncement } from "../../model/triggers/announcement.ts";
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
  readonly flowReactions: Pick<FlowReactions, "react">;
  readonly maxInProgress?: number;
}

const NONE: readonly AnyAnnouncement[] = [];
const RETRY_MS = 1_000;
/** Triggers to which a state is announced in one commit, and that react at the same time. */
const GROUP = 50;
/** Announcements in memory. To take that many from the store is a turn of 100 ms. */
const MAX_IN_PROGRESS = 20_000;

/** The announcements in progress. */
export class ReactionQueue implements Reactions {
  readonly #deps: ReactionQueueDeps;
  readonly #max: number;
  /** The last try of each announcement that is not over, by its name. */
  readonly #inProgress = new Map<string, Promise<void>>();
  readonly #spreading = new KeyedLock();
  readonly #reacting = new KeyedLock();
  #leftOver: readonly AnyAnnouncement[] = NONE;
  /** More announcements are stored than those in progress: new ones wait there, too. */
  #isBehind = false;
  /** One was left to the store since the last read began. */
  #isMissed = false;
  /** Names of announcements that ended since the read began that is under way. */
  #ended: Set<string> | undefined;
  #isStopped = false;

  constructor(deps: ReactionQueueDeps) {
    this.#deps = deps;
    this.#max = deps.maxInProgress ?? MAX_IN_PROGRESS;
  }

  /** Reads announcements left by an earlier process. Must be called before executions are recovered: theirs are new. */
  async find(): Promise<void> {
    this.#leftOver = await this.#stored();
    this.#isBehind = this.#leftOver.length === this.#max;
  }

  /** Handles the announcements of {@link find}. */
  recover(): void {
    for (const announcement of this.#leftOver) void this.#take(announcement);
    this.#leftOver = NONE;
  }

  /** @inheritdoc */
  announcementsOf(execution: Execution, plan: FlowPlan, from: number): readonly AnyAnnouncement[] {
    return this.#deps.index.announcementsOf(execution, plan, from);
  }

  /** Handles announcements; those of one trigger in this order, also after a state that is announced in groups. */
  announced(announcements: readonly AnyAnnouncement[]): void {
    for (const announcement of announcements) {
      if (this.#isBehind || this.#inProgress.size >= this.#max) this.#isBehind = this.#isMissed = true;
      else void this.#take(announcement);
    }
  }

  /** Waits for reactions in progress; the next process handles the rest. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.allSettled([...this.#inProgress.values()]);
  }

  #stored(): Promise<AnyAnnouncement[]> {
    const stored = this.#deps.store.list(ANNOUNCEMENTS, { limit: this.#max });
    return Array.fromAsync(stored, ({ key, value }) => announcementFrom(key, value));
  }

  /**
   * Reads stored announcements when few are in progress. Each that is announced during the read stays stored for the next one.
   * One that ends during the read may have been read before, and is not handled again.
   */
  async #catchUp(): Promise<void> {
    if (this.#ended) return;
    while (this.#isBehind && this.#inProgress.size <= this.#max / 2 && !this.#isStopped) {
      const ended = this.#ended = new Set<string>();
      this.#isMissed = false;
      const stored = await this.#stored().catch((error: Error) => this.#cannotRead(error));
      this.#isBehind = this.#isMissed || stored.length === this.#max;
      for (const each of stored) if (!ended.has(nameOf(each))) void this.#take(each);
    }
    this.#ended = undefined;
  }

  async #cannotRead({ message }: Error): Promise<readonly AnyAnnouncement[]> {
    const { clock, logger } = this.#deps;
    logger.repeated("warn", "Cannot read the announcements to triggers yet", { error: message });
    await new Promise<void>((resolve) => clock.setTimer(RETRY_MS, resolve));
    this.#isMissed = true;
    return NONE;
  }

  #take(announcement: AnyAnnouncement): Promise<void> {
    const isLater = "trigger" in announcement && this.#spreading.isHeld(executionOf(announcement));
    return this.#handle(announcement, isLater);
  }

  /** Handles an announcement unless it is in progress, with `isLater` after those of earlier states; resolves after the first try. */
  #handle(announcement: AnyAnnouncement, isLater = false): Promise<void> {
    const name = nameOf(announcement);
    return this.#inProgress.get(name) ?? this.#try(name, announcement, isLater);
  }

  #try(name: string, announcement: AnyAnnouncement, isLater = false): Promise<void> {
    if (this.#isStopped) return Promise.resolve();
    const { clock, logger } = this.#deps;
    let left = announcement;
    const react = () =>
      "trigger" in announcement
        ? this.#react(announcement)
        : this.#spread(announcement, (rest) => left = rest);
    const work = isLater ? this.#spreading.run(executionOf(announcement), react) : react();
    const tried = work.then(() => this.#over(name), (error: Error) => {
      const trigger = "trigger" in announcement ? announcement.trigger.triggerId : undefined;
      const facts = { execution: announcement.executionId, trigger, error: error.message };
      logger.repeated("warn", "A trigger cannot react yet", facts);
      clock.setTimer(RETRY_MS, () => void this.#try(name, left));
    });
    this.#inProgress.set(name, tried);
    return tried;
  }

  #over(name: string): void {
    this.#inProgress.delete(name);
    this.#ended?.add(name);
    void this.#catchUp();
  }

  /** One after the other of a flow, as its triggers react: a stop waits for the first alone. */
  #react(announcement: Announcement): Promise<void> {
    const { tenant, trigger: { namespace, flowId } } = announcement;
    return this.#reacting.run(
      `${tenant}/${namespace}/${flowId}`,
      () => this.#isStopped ? Promise.resolve() : this.#deps.flowReactions.react(announcement),
    );
  }

  /** Announces the state to one group of triggers after the other; later states of the execution wait. */
  #spread(announcement: WideAnnouncement, progress: (rest: WideAnnouncement) => void): Promise<void> {
    return this.#spreading.run(executionOf(announcement), async () => {
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

function executionOf({ tenant, executionId }: AnyAnnouncement): string {
  return `${tenant}/${executionId}`;
}

function nameOf(announcement: AnyAnnouncement): string {
  return announcementKey(announcement).join("/");
}
