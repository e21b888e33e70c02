/** Long reads, one at a time: tenants have turns, and in each tenant its callers. */
import { FairSlots } from "../../base/fair_slots.ts";
import type { Actor } from "../../model/access/actor.ts";
import { DomainError } from "../../model/errors.ts";
import {
  MAX_QUEUED_READS,
  MAX_QUEUED_READS_PER_CALLER,
  MAX_QUEUED_READS_PER_TENANT,
} from "../../model/limits.ts";
import type { Pace } from "../../store/catalog/pace.ts";
import { CallerLimits } from "./caller_limits.ts";

const NEVER = new AbortController().signal;

/** Runs long reads one at a time, at one pace. */
export class PacedQueue {
  readonly #pace: Pace;
  readonly #limits = new CallerLimits("search, chart or statistic", {
    all: MAX_QUEUED_READS,
    perTenant: MAX_QUEUED_READS_PER_TENANT,
    perCaller: MAX_QUEUED_READS_PER_CALLER,
  });
  readonly #tenants = new FairSlots(1);
  /** Of tenants that have reads: one read of each waits for the turn of the tenant. */
  readonly #callers = new Map<string, { readonly slots: FairSlots; reads: number }>();

  constructor(pace: Pace) {
    this.#pace = pace;
  }

  /**
   * Runs `work` when it is the turn of the caller. It should {@link Pace.pause} when that is due.
   * @throws DomainError too_many_requests, unavailable: too many reads wait; request_timeout: `signal` was aborted while it waited
   */
  async run<T>(actor: Actor, work: (pace: Pace) => Promise<T>, signal = NEVER): Promise<T> {
    using _place = this.#limits.take(actor);
    const callers = this.#callers.get(actor.tenant) ?? { slots: new FairSlots(1), reads: 0 };
    this.#callers.set(actor.tenant, callers);
    callers.reads++;
    const endCaller = await callers.slots.acquire(actor.user, signal);
    const endTenant = endCaller && await this.#tenants.acquire(actor.tenant, signal);
    try {
      if (endTenant) return await this.#paced(work);
      throw new DomainError("request_timeout", "Request Timeout: the client has disconnected");
    } finally {
      endTenant?.();
      endCaller?.();
      if (--callers.reads === 0) this.#callers.delete(actor.tenant);
    }
  }

  async #paced<T>(work: (pace: Pace) => Promise<T>): Promise<T> {
    await this.#pace.begin();
    try {
      return await work(this.#pace);
    } finally {
      this.#pace.end();
    }
  }
}
