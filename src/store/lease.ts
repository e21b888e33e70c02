/**
 * The lease of the leader. Whoever holds it may write; it ends by itself when it is not renewed. Durations are measured, dates
 * of two machines are never compared:
 *
 * - A holder counts from the moment it *sent* the last renewal that was stored. A suspended machine stops the monotonic clock,
 *   and an operator may set the other one, so the larger of both ages counts. {@link SAFETY_MS} before the end it stops.
 * - A candidate counts from the moment it first *saw* the versionstamp, and waits {@link SAFETY_MS} longer than the lease lasts.
 *
 * Between the two lies {@link SAFETY_MS} twice, for clocks of different rates and for what is under way.
 */
import type { Clock, Instant } from "../base/time/clock.ts";
import { ClockSkew } from "./clock_skew.ts";
import { decodeJson, encodeJson } from "./codec.ts";
import { LEASE_KEY, META_KEY } from "./keys.ts";
import type { Store, StoredEntry } from "./store.ts";
import type { ChainLease, ChainRider } from "./writer_chain.ts";

/** A process that holds the lease, or would. */
export interface LeaseHolder {
  /** Id of the process. */
  readonly holder: string;
  /** Where other processes reach it; absent: they cannot. */
  readonly url?: string;
  readonly version: string;
  /** Of the options in which all processes must agree. */
  readonly optionsHash: string;
  /** How long the lease lasts after a renewal. */
  readonly ttlMs: number;
}

/** The stored lease. */
export interface Lease extends LeaseHolder {
  readonly epoch: number;
  /** When the epoch began, by the clock of the holder. */
  readonly since: Instant;
  /** Identifies the renewal that wrote it. */
  readonly renewal: string;
  /** When that was sent, by the clock of the holder. */
  readonly renewedAt?: Instant;
  /** Process that shall lead next: the holder has given the lease back to it. */
  readonly heir?: string;
}

/** How long before its end a holder stops, and how long after it a candidate waits. */
const SAFETY_MS = 1_000;
/** How long others wait before they take a lease that was given to a process. No process acts by it, so this is only a head start. */
const HEIR_MS = 1_000;
/** A candidate with other options waits this many times longer, so that one with the options of the leader goes first. */
const OTHER_OPTIONS_FACTOR = 3;

interface Moment {
  readonly monotonicMs: number;
  readonly wallMs: Instant;
}

interface SeenLease {
  readonly lease: Lease;
  readonly versionstamp: string;
  /** When it was first seen, monotonic. */
  readonly sinceMs: number;
  /** Whether it was written after this process began to watch. A lease that was there before may be that of a dead process. */
  readonly isFresh: boolean;
}

/** The lease as a process sees it that does not hold it. */
export class LeaseWatch {
  readonly #store: Store;
  readonly #clock: Clock;
  #seen: SeenLease | undefined;
  #hasRead = false;
  /** Of the holder. */
  #skew: { readonly holder: string; readonly clock: ClockSkew } | undefined;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Reads the lease. @throws DomainError unavailable: the database cannot be read */
  async read(): Promise<void> {
    const sentAt = this.#clock.now();
    const entry = await this.#store.get(LEASE_KEY);
    const isFresh = this.#hasRead;
    this.#hasRead = true;
    if (entry?.versionstamp === this.#seen?.versionstamp) return;
    this.#seen = entry ? seenLease(entry, { sinceMs: this.#clock.monotonicMs(), isFresh }) : undefined;
    if (this.#seen) this.#compareClocks(this.#seen.lease, sentAt);
  }

  #compareClocks({ holder, renewedAt }: Lease, sentAt: Instant): void {
    if (this.#skew?.holder !== holder) this.#skew = { holder, clock: new ClockSkew() };
    if (renewedAt !== undefined) this.#skew.clock.note(renewedAt, { sentAt, doneAt: this.#clock.now() });
  }

  /** By how much the clock of the holder is ahead, as {@link ClockSkew} says. */
  get skewMs(): number {
    return this.#skew?.clock.skewMs ?? 0;
  }

  /** Calls `onChange` soon after most changes of the lease, and perhaps without one, until the result is called. */
  onChange(onChange: () => void): () => void {
    return this.#store.watch(LEASE_KEY, onChange);
  }

  /** The versionstamp that a take-over checks; `null`: there is no lease. */
  get versionstamp(): string | null {
    return this.#seen?.versionstamp ?? null;
  }

  /** The stored lease, even when it has ended. */
  get stored(): Lease | undefined {
    return this.#seen?.lease;
  }

  /** The lease while its holder renews it. */
  get current(): Lease | undefined {
    const seen = this.#seen;
    return seen?.isFresh && !this.isHandedOver && this.ageMs < seen.lease.ttlMs ? seen.lease : undefined;
  }

  /** Whether the holder has given the lease to a process that has not taken it yet. */
  get isHandedOver(): boolean {
    return this.#seen?.lease.heir !== undefined;
  }

  /** Milliseconds since this version of the lease was first seen. */
  get ageMs(): number {
    return this.#seen ? this.#clock.monotonicMs() - this.#seen.sinceMs : 0;
  }

  /** Whether the candidate may take the lease now. Its own lease, of a term that has ended, it may take at once. */
  isFree(candidate: LeaseHolder): boolean {
    return this.leftMs(candidate) <= 0;
  }

  /** Milliseconds until the candidate may take the lease, if nothing changes it; 0 or less: it may now. */
  leftMs(candidate: LeaseHolder): number {
    if (!this.#seen) return 0;
    const { lease: { holder, heir, optionsHash, ttlMs }, sinceMs } = this.#seen;
    const isSame = optionsHash === candidate.optionsHash;
    if (heir === undefined ? holder === candidate.holder : isSame && heir === candidate.holder) return 0;
    const waitMs = heir === undefined ? ttlMs + SAFETY_MS : HEIR_MS;
    return sinceMs + (isSame ? 1 : OTHER_OPTIONS_FACTOR) * waitMs - this.#clock.monotonicMs();
  }
}

function seenLease(
  { value, versionstamp }: StoredEntry,
  seen: Pick<SeenLease, "sinceMs" | "isFresh">,
): SeenLease {
  return { lease: decodeJson(value) as unknown as Lease, versionstamp, ...seen };
}

interface HeldLeaseOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly holder: LeaseHolder;
  /** The lease that is taken over; absent when the database has no lease. */
  readonly seen: Pick<LeaseWatch, "versionstamp" | "stored">;
  /** Called once, when the lease is taken; with the latest instant of the leaders before, if it is known. */
  readonly onTaken: (latest: Instant | undefined) => void;
}

/** The lease of one term, from its take-over on. */
export class HeldLease implements ChainLease {
  readonly #options: HeldLeaseOptions;
  #lease: Lease;
  #versionstamp: string | null = null;
  #metaVersionstamp: string | null = null;
  #isOwn = false;
  /** Sending times of renewals by their number; the stored one is the first. */
  readonly #sent = new Map<number, Moment>();
  #renewals = 0;
  /** Number of the renewal that is known to be stored. */
  #stored = 0;
  #isTaken = false;
  #isGivenBack = false;
  #heir: string | undefined;
  readonly #running = new Set<Promise<unknown>>();
  readonly #listeners = new Set<() => void>();

  constructor(options: HeldLeaseOptions) {
    const { holder, clock } = options;
    this.#options = options;
    this.#lease = { ...holder, epoch: 0, since: clock.now(), renewal: "" };
  }

  /**
   * Notes what the take-over will check: the lease as it was last seen, and the record of format and key with that versionstamp,
   * which another version may change.
   */
  prepare(metaVersionstamp: string): void {
    const { holder: { holder }, seen, clock } = this.#options;
    this.#versionstamp = seen.versionstamp;
    this.#metaVersionstamp = metaVersionstamp;
    this.#isOwn = seen.stored?.holder === holder;
    this.#lease = { ...this.#lease, since: clock.now() };
  }

  /** @inheritdoc */
  get isOwn(): boolean {
    return this.#isOwn;
  }

  /** The lease as this process holds it. */
  get lease(): Lease {
    return this.#lease;
  }

  /** Milliseconds until this process must stop; 0 or less: it must not act any more. */
  get leftMs(): number {
    return this.#isTaken ? this.#lease.ttlMs - SAFETY_MS - this.ageMs : 0;
  }

  /** Milliseconds since the stored renewal was sent. */
  get ageMs(): number {
    const sent = this.#sent.get(this.#stored);
    if (!sent) return Infinity;
    const { clock } = this.#options;
    return Math.max(clock.monotonicMs() - sent.monotonicMs, clock.now() - sent.wallMs);
  }

  /** Calls the listener after each change of {@link leftMs} by a renewal, until the returned function is called. */
  onRenewed(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** @inheritdoc */
  take(epoch: number): ChainRider {
    this.#lease = { ...this.#lease, epoch };
    const rider = this.#next();
    const meta = { key: META_KEY, versionstamp: this.#metaVersionstamp };
    return { ...rider, checks: [...rider.checks, meta] };
  }

  /** @inheritdoc */
  taken(versionstamp: string, latest: Instant | undefined): void {
    this.#isTaken = true;
    this.#adopt(this.#renewals, versionstamp);
    this.#options.onTaken(latest);
  }

  /**
   * Renews; may be called again while an earlier call waits for its response. False: the lease is another's. A renewal whose
   * outcome is not known changes nothing: the next one finds out. Does not reject.
   */
  async renew(): Promise<boolean> {
    if (this.#isGivenBack) return true;
    const renewing = this.#renew();
    this.#running.add(renewing);
    const isHeld = await renewing.catch(() => true);
    this.#running.delete(renewing);
    return isHeld;
  }

  async #renew(): Promise<boolean> {
    const rider = this.#next();
    const renewal = this.#renewals;
    const versionstamp = await this.#options.store.commit({ ...rider, messages: [] });
    if (versionstamp === null) return await this.#find();
    this.#adopt(renewal, versionstamp);
    return true;
  }

  /** After a failed check: an earlier renewal may have been stored although its response was lost. */
  async #find(): Promise<boolean> {
    const entry = await this.#options.store.get(LEASE_KEY);
    if (!entry) return this.#isGivenBack;
    const { holder, epoch, renewal } = decodeJson(entry.value) as unknown as Lease;
    if (holder !== this.#lease.holder || epoch !== this.#lease.epoch) return false;
    this.#adopt(Number(renewal), entry.versionstamp);
    return true;
  }

  /** Chooses the process that shall lead after this one, once the lease is given back. */
  leaveTo(heir: string): void {
    this.#heir = heir;
  }

  /** @inheritdoc */
  async giveBack(): Promise<ChainRider | undefined> {
    const isRepeated = this.#isGivenBack;
    this.#isGivenBack = true;
    await Promise.allSettled([...this.#running]);
    if (isRepeated && this.leftMs <= 0) return undefined;
    // A renewal whose response was lost may have been stored.
    if (isRepeated) await this.#find().catch(() => {});
    const last: Lease = { ...this.#lease, heir: this.#heir };
    return {
      checks: [{ key: LEASE_KEY, versionstamp: this.#versionstamp }],
      mutations: [
        this.#heir === undefined
          ? { type: "delete", key: LEASE_KEY }
          : { type: "set", key: LEASE_KEY, value: encodeJson(last) },
      ],
    };
  }

  #next(): ChainRider {
    const { clock } = this.#options;
    const renewedAt = clock.now();
    this.#sent.set(++this.#renewals, { monotonicMs: clock.monotonicMs(), wallMs: renewedAt });
    this.#lease = { ...this.#lease, renewal: String(this.#renewals), renewedAt };
    return {
      checks: [{ key: LEASE_KEY, versionstamp: this.#versionstamp }],
      mutations: [{ type: "set", key: LEASE_KEY, value: encodeJson(this.#lease) }],
    };
  }

  /** A response may arrive after that of a later renewal. */
  #adopt(renewal: number, versionstamp: string): void {
    if (renewal <= this.#stored) return;
    this.#stored = renewal;
    this.#versionstamp = versionstamp;
    for (const number of this.#sent.keys()) if (number < renewal) this.#sent.delete(number);
    for (const listener of this.#listeners) listener();
  }
}
