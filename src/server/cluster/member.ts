/**
 * The part of this process in a cluster: follower → candidate → leader → follower, until it is stopped. It watches the lease,
 * takes it when it is free, and builds a term for as long as it holds it.
 */
import type { CancelTimer, Clock, Instant } from "../../base/time/clock.ts";
import { FlooredClock } from "../../base/time/floored_clock.ts";
import type { Logger } from "../../base/log.ts";
import type { RandomBytes } from "../../base/id.ts";
import { remoteAddress } from "../../http/env.ts";
import { FollowerApp, type FollowerDeps } from "../../http/follower_app.ts";
import type { ClusterMetrics, ClusterProcess, ClusterRole, ClusterState } from "../../model/cluster.ts";
import type { Deadline } from "../../machine/scripts/watchdog.ts";
import { DomainError } from "../../model/errors.ts";
import { HeldLease, type Lease, type LeaseHolder, type LeaseWatch } from "../../store/lease.ts";
import { DataMismatchError } from "../../store/meta.ts";
import { BEAT_MS, BeatRecords } from "../../store/records/beat_records.ts";
import type { Store } from "../../store/store.ts";
import type { Assembly } from "../assembly.ts";
import type { AssemblyOptions } from "../options.ts";
import { ClockSkews } from "./clock_skews.ts";
import type { Forwarder, LeaderView } from "./leader_view.ts";
import { type Desk, type DeskTerm, Term } from "./term.ts";

/** What a term adds to the options of its assembly. */
type TermOptions = Pick<AssemblyOptions, "clock" | "lease" | "cluster" | "deadline" | "mayAct">;

/**
 * Time for the requests under way at an orderly end of a term. Those that arrive meanwhile wait for the next leader. A host that
 * stops idle processes leaves less of it.
 */
const END_MS = 5_000;
const HOSTED_END_MS = 1_000;
/** A process that received no request for so long is idle. */
const IDLE_MS = 2_000;
/** A term is built so long before the lease of a dead leader is free: it takes 0.1 s, and five times that on a busy machine. */
const AHEAD_MS = 2_000;

interface MemberDeps extends Omit<FollowerDeps, "isReady" | "forward" | "findProblem" | "warning"> {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly randomBytes: RandomBytes;
  /** This process, as it would hold the lease. */
  readonly self: LeaseHolder;
  /** The lease as this process sees it: it may have looked before. */
  readonly seen: LeaseWatch;
  /** Longest time between two looks at the lease, in milliseconds: one is made when the lease ends. */
  readonly watchMs: number;
  /** Checks format and key of the database before this process leads; gives the versionstamp of what was checked. @throws DataMismatchError */
  readonly prepareData: () => Promise<string>;
  readonly createAssembly: (options: TermOptions) => Promise<Assembly>;
  /** Called when a term has begun, for work that must not delay it. */
  readonly onLeading?: (assembly: Assembly) => void;
  /** Whether a leader without requests of its own gives the lease to a process that has some: the host stops idle processes. */
  readonly handsOver?: boolean;
  /** Absent: this process has an address. */
  readonly createDesk?: (term: DeskTerm) => Desk;
  /** Requests in the mailbox. */
  readonly mailboxDepth?: () => number;
  /** Sends requests to the leader. */
  readonly forwarder: () => Forwarder & { readonly count: number };
}

/** This process in its cluster. */
export class ClusterMember implements LeaderView {
  /** Resolves with the reason when this process cannot take part any more. */
  readonly failed: Promise<string>;
  readonly #deps: MemberDeps;
  readonly #failed = Promise.withResolvers<string>();
  readonly #ready = Promise.withResolvers<void>();
  readonly #watch: LeaseWatch;
  readonly #beats: BeatRecords;
  readonly #app: FollowerApp;
  readonly #listeners = new Set<() => void>();
  #role: ClusterRole = "FOLLOWER";
  #since: Instant;
  #term: Term | undefined;
  /** The term of a lease that is free soon. */
  #next: Promise<Term> | undefined;
  #takeOvers = 0;
  #isHandingOver = false;
  /** When this process last received a request or a tick, or began to lead. Monotonic. */
  #receivedMs = 0;
  /** Resolves after the next look, and when this process begins to lead. */
  #looked = Promise.withResolvers<void>();
  readonly #skews: ClockSkews;
  #isReady = false;
  /** It leads no more, but serves requests. */
  #hasSteppedDown = false;
  #isStopped = false;
  /** Cancels the next look; absent while a look or a term is under way. */
  #cancelWatch: CancelTimer | undefined;
  #stopWatching: () => void = () => {};
  #cancelBeat: CancelTimer | undefined;
  /** The look, or the term, that is under way. */
  #work: Promise<void> = Promise.resolve();
  #beat: Promise<unknown> = Promise.resolve();
  #known = "";

  constructor(deps: MemberDeps) {
    this.#deps = deps;
    this.failed = this.#failed.promise;
    this.#since = deps.clock.now();
    this.#watch = deps.seen;
    this.#beats = new BeatRecords(deps.store, deps.clock);
    this.#skews = new ClockSkews({
      logger: deps.logger,
      leaderSkewMs: () => this.#term ? 0 : this.#watch.skewMs,
    });
    this.#app = new FollowerApp({
      ...deps,
      warning: () => this.#skews.warning,
      isReady: () => this.leader() !== undefined,
      forward: (request, connection) =>
        deps.forwarder().forward(request, { remoteAddress: remoteAddress(connection) }),
    });
  }

  /** Resolves once this process leads, or knows a leader. @throws what keeps it from both */
  async start(): Promise<void> {
    this.#work = this.#look();
    // A lease that is given back is taken at once; the looks at intervals find what the watch misses.
    this.#stopWatching = this.#watch.onChange(() => this.#lookNow());
    this.#sendBeat();
    await this.#ready.promise;
  }

  /** @inheritdoc */
  leader(): Lease | undefined {
    const term = this.#term;
    if (term) return term.holds ? term.lease.lease : undefined;
    return this.#watch.current;
  }

  /** @inheritdoc */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** The epoch in which this process leads; `undefined` while it does not. */
  get ledEpoch(): number | undefined {
    return this.#term?.holds ? this.#term.lease.lease.epoch : undefined;
  }

  /** The assembly of the term; `undefined` while this process does not lead. */
  get assembly(): Assembly | undefined {
    return this.#term?.assembly;
  }

  /**
   * Checks what is due, for a host that stops idle processes; resolves when it is committed. A leader that renews the lease
   * after the call does this itself; otherwise this process takes over first.
   */
  async tick(): Promise<void> {
    await this.#ready.promise;
    this.#receivedMs = this.#deps.clock.monotonicMs();
    const before = this.#watch.versionstamp;
    while (!this.#term && !this.#isStopped && (!this.leader() || this.#watch.versionstamp === before)) {
      await this.#looked.promise;
    }
    await this.#term?.assembly.tick();
  }

  /** Handles a request, or sends it to the leader. */
  fetch(request: Request, connection: unknown): Promise<Response> {
    this.#receivedMs = this.#deps.clock.monotonicMs();
    return this.#term ? this.#term.fetch(request, connection) : this.#app.fetch(request, connection);
  }

  /** What this process measures of its part. */
  metrics(): ClusterMetrics {
    return {
      isLeader: this.#role === "LEADER",
      epoch: this.leader()?.epoch ?? 0,
      leaseAgeMs: this.#term ? this.#term.lease.ageMs : this.#watch.ageMs,
      takeOvers: this.#takeOvers,
      forwarded: this.#deps.forwarder().count,
      mailboxDepth: this.#deps.mailboxDepth?.() ?? 0,
    };
  }

  /** Ends requests that would stay open. */
  async releaseRequests(): Promise<void> {
    await this.#term?.assembly.releaseRequests();
  }

  /**
   * Gives the lease back, if this process leads, so that another process leads at once, and never takes it again. Requests under
   * way end first; those that arrive go to the next leader. Resolves when the term is over.
   */
  async stepDown(): Promise<void> {
    this.#hasSteppedDown = true;
    if (!this.#term) return;
    this.#term.stepDown("this server stops");
    await this.#work;
  }

  /** Stops; a leader gives the lease back. The store stays open. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#stopWatching();
    this.#cancelWatch?.();
    this.#cancelBeat?.();
    this.#endLook();
    await this.#term?.stop();
    await this.#work;
    await this.#dropNext();
    await this.#beat;
    await this.#beats.remove(this.#deps.self.holder).catch(() => undefined);
  }

  /** Looks at the lease, and takes it if it is free. Never rejects. */
  async #look(): Promise<void> {
    let waitMs = this.#deps.watchMs;
    try {
      await this.#watch.read();
      if (!this.#hasSteppedDown && this.#watch.isFree(this.#deps.self)) {
        await this.#lead();
        if (this.#hasSteppedDown) waitMs = 0; // The next leader serves what waits.
      } else if (this.leader()) this.#becomeReady();
    } catch (error) {
      // Another process was faster: requests go to it as soon as its lease is seen.
      if (isConflict(error)) waitMs = 0;
      else this.#failToLead(error as Error);
    }
    const leftMs = this.#watch.leftMs(this.#deps.self);
    if (leftMs > 0) waitMs = Math.min(waitMs, leftMs);
    this.#announce();
    this.#endLook();
    this.#skews.report();
    await this.#prepareNext(leftMs);
    if (this.#isStopped) return;
    this.#cancelWatch = this.#deps.clock.setTimer(waitMs, () => this.#lookNow());
  }

  /** Does nothing while a look or a term is under way. */
  #lookNow(): void {
    if (this.#isStopped || !this.#cancelWatch) return;
    this.#cancelWatch();
    this.#cancelWatch = undefined;
    this.#work = this.#look();
  }

  /** A first look that fails ends the process; a later one is repeated. */
  #failToLead(error: Error): void {
    if (!this.#isReady) {
      this.#isStopped = true;
      return this.#ready.reject(error);
    }
    if (error instanceof DataMismatchError) return this.#failed.resolve(error.message);
    this.#deps.logger.repeated("warn", "Cannot lead, or find the leader", { error: error.message });
  }

  /** Takes the lease and leads until the term ends. @throws when the lease could not be taken, or the term not begin */
  async #lead(): Promise<void> {
    const metaVersionstamp = await this.#deps.prepareData();
    if (this.#isStopped) return;
    const next = this.#next ?? this.#createTerm();
    this.#next = undefined;
    const term = await next;
    term.lease.prepare(metaVersionstamp);
    try {
      await term.start();
      if (this.#isStopped) return;
      this.#changeRole("LEADER");
      this.#becomeReady();
      this.#deps.onLeading?.(term.assembly);
      const reason = await term.over;
      if (this.#isStopped) return;
      if (this.#isHandingOver || this.#hasSteppedDown) {
        this.#deps.logger.info("This process hands over", { reason });
      } else this.#deps.logger.warn("The term has ended", { reason });
    } finally {
      // Requests go to the next leader while this term ends what it has begun.
      if (!this.#isStopped) this.#term = undefined;
      await term.stop();
      this.#term = undefined;
      this.#isHandingOver = false;
      this.#changeRole("FOLLOWER");
    }
  }

  /** Builds the next term if the lease is free soon, as it seems; otherwise none is needed. */
  async #prepareNext(leftMs: number): Promise<void> {
    const isNeeded = leftMs <= AHEAD_MS && !this.#watch.isHandedOver && !this.#hasSteppedDown;
    if (!isNeeded) return await this.#dropNext();
    if (leftMs <= 0 || this.#isStopped) return;
    this.#next ??= this.#createTerm();
    // Whoever awaits it learns what failed.
    this.#next.catch(() => {});
  }

  async #dropNext(): Promise<void> {
    const next = this.#next;
    this.#next = undefined;
    await next?.then((term) => term.stop(), () => {});
  }

  /** Gives the lease to a process that has requests, if this one has none and nothing would be interrupted. */
  #handOver(process: string): void {
    const { clock, handsOver } = this.#deps;
    const idleMs = clock.monotonicMs() - this.#receivedMs;
    if (!handsOver || this.#isHandingOver || idleMs < IDLE_MS || this.assembly?.isInterruptible !== true) {
      return;
    }
    this.#isHandingOver = true;
    this.#term?.stepDown("the lease goes to a process that receives requests", process);
  }

  #endLook(): void {
    this.#looked.resolve();
    this.#looked = Promise.withResolvers();
  }

  async #createTerm(): Promise<Term> {
    const { store, clock, self, createAssembly, createDesk, handsOver } = this.#deps;
    const termClock = new FlooredClock(clock);
    const onTaken = (latest: Instant | undefined) => {
      if (latest !== undefined) termClock.raise(latest);
      this.#term = term;
      this.#takeOvers++;
      this.#receivedMs = clock.monotonicMs();
      this.#endLook();
      term.keepLease();
      this.#changeRole("CANDIDATE");
    };
    const lease = new HeldLease({ store, clock, holder: self, seen: this.#watch, onTaken });
    const cluster = {
      state: () => this.#state(),
      metrics: () => this.metrics(),
      warning: () => this.#skews.warning,
    };
    const deadline: Deadline = {
      leftMs: () => lease.leftMs,
      onMoved: (listener) => lease.onRenewed(listener),
    };
    const mayAct = () => term.mayAct();
    const assembly = await createAssembly({ clock: termClock, lease, cluster, deadline, mayAct });
    const refuse = (request: Request, refusal: DomainError) => this.#app.refuse(request, refusal);
    const onServed = (process: string) => this.#handOver(process);
    const maxEndMs = handsOver ? HOSTED_END_MS : END_MS;
    const term = new Term({ assembly, lease, clock, refuse, createDesk, onServed, maxEndMs });
    return term;
  }

  #changeRole(role: ClusterRole): void {
    if (role === this.#role) return;
    this.#role = role;
    this.#since = this.#deps.clock.now();
    if (role === "LEADER") this.#deps.logger.info("This process leads", { epoch: this.leader()?.epoch });
    this.#announce();
    this.#sendBeat();
  }

  #becomeReady(): void {
    this.#isReady = true;
    this.#ready.resolve();
  }

  /** Tells the listeners when the leader has changed. */
  #announce(): void {
    const leader = this.leader();
    const known = leader ? `${leader.epoch} ${leader.holder} ${leader.url}` : "";
    if (known === this.#known) return;
    this.#known = known;
    const { logger, self } = this.#deps;
    if (leader && leader.holder !== self.holder) {
      logger.info("Another process leads", { holder: leader.holder, url: leader.url, epoch: leader.epoch });
    }
    for (const listener of this.#listeners) listener();
  }

  /** Writes the sign of life now, and then at intervals. */
  #sendBeat(): void {
    this.#cancelBeat?.();
    if (this.#isStopped) return;
    // The next one repeats what fails.
    this.#beat = Promise.allSettled([this.#beat, this.#beats.write(this.#process()), this.#compareClocks()]);
    this.#cancelBeat = this.#deps.clock.setTimer(BEAT_MS, () => this.#sendBeat());
  }

  /** Only a leader reads the signs of life of others, and none where reads are paid for: clocks are synchronized there. */
  async #compareClocks(): Promise<void> {
    const { handsOver, self } = this.#deps;
    if (!this.#term || handsOver) return;
    const { written, read } = await this.#beats.instants();
    written.delete(self.holder);
    this.#skews.note(written, read);
    this.#skews.report();
  }

  #process(): ClusterProcess {
    const { self: { holder: id, url, version, optionsHash }, clock } = this.#deps;
    const leader = this.leader();
    const isRefused = leader !== undefined && leader.optionsHash !== optionsHash;
    const refusal = isRefused ? "its options differ from those of the leader" : undefined;
    return { id, role: this.#role, url, version, since: this.#since, seenAt: clock.now(), refusal };
  }

  /** All processes, as the leader knows them. */
  async #state(): Promise<ClusterState> {
    const own = this.#process();
    const others = (await this.#beats.list()).filter(({ id }) => id !== own.id);
    const lease = this.#term?.lease;
    return {
      epoch: lease?.lease.epoch,
      leaseAgeMs: lease?.ageMs,
      leaseTtlMs: lease?.lease.ttlMs,
      // One that led until its end may have had no time to say so.
      processes: [own, ...others.map((each) => ({ ...each, role: "FOLLOWER" as const }))],
    };
  }
}

function isConflict(error: unknown): boolean {
  return error instanceof DomainError && error.code === "conflict";
}
