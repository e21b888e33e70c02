/**
 * The only writer of a process (group commit). A commit costs one fsync regardless of its size, so all entries that arrive
 * while a commit runs form the next group, which is committed as one atomic operation.
 *
 * Each group checks and advances the chain key (`writer_chain.ts`). This fences a second writer, and it shows whether a
 * commit with an unknown outcome happened. After a failed commit the committer is read-only and tries an empty group every
 * second. While the chain key cannot be read, the group waits for its outcome. After a takeover by another process, and
 * when the chain key stays unreadable, the committer stops for good. What was possibly written is then refused as
 * `outcome_unknown`, all else as `unavailable`.
 */
import type { Clock } from "../base/time/clock.ts";
import type { RandomBytes } from "../base/id.ts";
import type { Logger } from "../base/log.ts";
import { publicTenantId } from "../model/access/tenant.ts";
import { DomainError, notFound } from "../model/errors.ts";
import type { TenantId } from "../model/flows/flow.ts";
import {
  MAX_BULK_BYTES_PER_GROUP,
  MAX_GROUP_BYTES,
  MAX_GROUP_KEY_BYTES,
  MAX_GROUP_MUTATIONS,
  MAX_KEY_BYTES,
  MAX_PENDING_ENTRIES,
  MAX_VALUE_BYTES,
} from "../model/limits.ts";
import { FrozenNamespaces } from "./frozen_namespaces.ts";
import { tenantOfKey } from "./keys.ts";
import type { DiskProblem, ServerProblem } from "../model/server_health.ts";
import { type Atomic, type Key, type Message, type Mutation, type Store, UnsentError } from "./store.ts";
import { namedFault, type WriteFault, WriteRefusal } from "./write_refusal.ts";
import { type ChainLease, type CommitOutcome, FIRST_TRY_MS, WriterChain } from "./writer_chain.ts";

/** Mutations that are committed atomically; an entry is never split over groups. */
export interface Entry {
  readonly mutations: readonly Mutation[];
  /** Facts for the {@link GroupRider}s. */
  readonly facts?: EntryFacts;
  /** Bulk entries (file chunks, compaction, purge) use only the room that other entries leave in a group. */
  readonly bulk?: boolean;
  /** Belongs to a rename: it may change namespaces that are frozen for all others. */
  readonly isRename?: boolean;
  /** Small, and about a change that is stored already: it may use the room that is kept free when the disk is nearly full. */
  readonly isFollowUp?: boolean;
  /** Called once the entry is durable, in commit order, before any `commit()` of the group resolves; must not throw. */
  readonly committed?: () => void;
}

/** Facts about an entry, from which riders derive their mutations. */
export interface EntryFacts {
  /** Catalog rows of executions that ended or became dormant. */
  readonly rows?: readonly { readonly tenant: string; readonly row: Uint8Array }[];
  /** Executions that become live or stop being live with this entry. */
  readonly liveness?: readonly { readonly tenant: string; readonly id: string; readonly live: boolean }[];
}

/** Adds mutations and messages to each group: manifests, catalog row groups, queue messages. */
export interface GroupRider {
  /** The mutations and messages for group `seq`. Called once for each group; the group may still be refused. */
  contribute(entries: readonly Entry[], seq: number): Contribution;
  /** Group `seq` is durable. */
  committed(entries: readonly Entry[], seq: number): void;
  /** Group `seq` was not written. */
  refused(seq: number): void;
}

/** Mutations and messages of a rider. */
export interface Contribution {
  readonly mutations: readonly Mutation[];
  readonly messages: readonly Message[];
}

/** Options of a {@link Committer}. */
export interface CommitterOptions {
  readonly store: Store;
  readonly instance: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called once when this process must stop writing: another process took over, or the outcome of a commit is unknown. */
  readonly onFatal: (reason: string) => void;
  /** Makes the id of this writer. */
  readonly randomBytes?: RandomBytes;
  /** Where several processes use the database: what the leader holds. */
  readonly lease?: ChainLease;
  /** False once another process may write: all further entries are refused. Absent: there is no other process. */
  readonly mayWrite?: () => boolean;
}

/** Counters since the start. */
interface CommitterStats {
  groups: number;
  entries: number;
  mutations: number;
  /** Of keys and values, without those of riders. */
  bytes: number;
}

interface Pending {
  readonly entry: Entry;
  /** Its own mutations and the most that riders can add for it: a row group for each tenant, a manifest for each liveness fact. */
  readonly mutationCount: number;
  readonly bytes: number;
  readonly keyBytes: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

const PROBE_INTERVAL_MS = 1000;
/** Removed tenants that are remembered; the oldest are forgotten, for which nothing runs any more. */
const MAX_REMOVED_TENANTS = 10_000;
/** How long a commit waits for a database that cannot be read. Then the process ends. */
const MAX_UNREADABLE_MS = 60_000;
/** Commits of a group whose connections are lost, before it is refused. */
const MAX_TRIES = 2;
/** Room that each group reserves for riders and the chain key. */
const RIDER_BYTES = 90_000;

/** Serialises all writes of this process. */
export class Committer {
  /** Namespaces that are renamed at present. */
  readonly frozen = new FrozenNamespaces();
  readonly stats: CommitterStats = { groups: 0, entries: 0, mutations: 0, bytes: 0 };
  readonly #options: CommitterOptions;
  readonly #riders: GroupRider[] = [];
  readonly #chain: WriterChain;
  #normal: Pending[] = [];
  #bulk: Pending[] = [];
  #running = false;
  #idle: Promise<void> = Promise.resolve();
  readonly #refusal: WriteRefusal;
  /** Writes are refused although the last one succeeded, to keep some room of the disk. */
  #keepsRoom = false;
  /** Set when this process must not write any more. */
  #ended: DomainError | undefined;
  #cancelProbe: (() => void) | undefined;
  /** Ends the wait for a database that cannot be read. */
  #endWait: (() => void) | undefined;
  #stopped = false;
  /** Removed tenants: what still runs for one of them writes nothing. */
  readonly #removedTenants = new Set<TenantId>();
  #isDisposed = false;
  /** Whether the last commit took longer than a first try waits. */
  #isSlow = false;

  constructor(options: CommitterOptions) {
    this.#options = options;
    this.#chain = new WriterChain(options.store, options.instance, options);
    this.#refusal = new WriteRefusal(options.clock, options.logger);
  }

  /** Takes over the chain; any earlier writer is fenced from now on. */
  async start(): Promise<void> {
    await this.#chain.takeOver(this.#options.clock.now());
  }

  /** True when the previous process shut down cleanly; otherwise an execution in progress may have crashed it. */
  get followsStop(): boolean {
    return this.#chain.followsStop;
  }

  /** True where processes write in turn: an earlier one that did not stop in order may be alive. */
  get isShared(): boolean {
    return this.#options.lease !== undefined;
  }

  /** Adds a rider. Must be called before the first commit. */
  addRider(rider: GroupRider): void {
    this.#riders.push(rider);
  }

  /** True while writes are refused because the database cannot take them. */
  get isReadOnly(): boolean {
    return this.#refusal.error !== undefined || this.#ended !== undefined;
  }

  /** Why the database takes no writes, and since when; `undefined` while it takes them. */
  get problem(): ServerProblem | undefined {
    return this.#refusal.problem;
  }

  /** Refuses writes, except {@link Entry.isFollowUp}, until the disk has space again. */
  refuseFullDisk(freeBytes: number): void {
    if (this.#refusal.error || this.#stopped) return;
    this.#probeLater();
    const followUps = this.#normal.filter(({ entry }) => entry.isFollowUp);
    this.#normal = this.#normal.filter(({ entry }) => !entry.isFollowUp);
    this.#refuse("disk_full", new Error(`only ${freeBytes} bytes are free`));
    this.#normal = followUps;
    this.#keepsRoom = true;
  }

  /** Refuses all further data of a removed tenant; entries that are waiting are committed. */
  refuseTenant(tenant: TenantId): void {
    const [oldest] = this.#removedTenants;
    if (oldest !== undefined && this.#removedTenants.size >= MAX_REMOVED_TENANTS) {
      this.#removedTenants.delete(oldest);
    }
    this.#removedTenants.add(tenant);
  }

  /** Refuses all further writes: another process may write from now on. A group under way still gets its outcome. */
  fence(reason: string): void {
    if (!this.#stopped) this.#close(reason);
  }

  /** Number of waiting entries. */
  get pendingCount(): number {
    return this.#normal.length + this.#bulk.length;
  }

  /**
   * Commits an entry; resolves once it is durable.
   * @throws DomainError storage_full, unavailable or too_many_requests: nothing was written; outcome_unknown: it may have been
   * written; too_large: it exceeds a limit; not_found: its tenant was removed; conflict: its namespace is being renamed
   */
  commit(entry: Entry): Promise<void> {
    const refusal = this.#refusalOf(entry);
    if (refusal) return Promise.reject(refusal);
    const size = measure(entry);
    if (size instanceof DomainError) return Promise.reject(size);
    const { bytes, keyBytes } = size;
    return new Promise((resolve, reject) => {
      const pending = { entry, mutationCount: mutationCount(entry), bytes, keyBytes, resolve, reject };
      (entry.bulk ? this.#bulk : this.#normal).push(pending);
      this.#wake();
    });
  }

  /** Resolves when no entry waits and no commit runs. */
  async drain(): Promise<void> {
    while (this.#running) await this.#idle;
  }

  /** Commits the waiting entries, refuses further ones, and marks the chain as cleanly shut down. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    this.#endWait?.();
    await this.drain();
    const isChainKnown = !this.#stopped;
    this.#stopped = true;
    this.#cancelProbe?.();
    if (isChainKnown) await this.#chain.markStopped();
  }

  #refusalOf(entry: Entry): DomainError | undefined {
    if (this.#options.mayWrite?.() === false) this.fence("this process does not lead any more");
    if (this.#ended) return this.#ended;
    // Already while the waiting ones are committed: more could come as fast as these end.
    if (this.#stopped || this.#isDisposed) {
      return new DomainError("unavailable", "Cannot write: the server is shutting down", { retryAfter: 1 });
    }
    if (this.#refusal.error && !(this.#keepsRoom && entry.isFollowUp)) return this.#refusal.error;
    if (this.pendingCount >= MAX_PENDING_ENTRIES && !entry.bulk) {
      return new DomainError("too_many_requests", "Cannot write: too many writes are waiting", {
        retryAfter: 1,
      });
    }
    const renamed = this.frozen.isEmpty || entry.isRename
      ? undefined
      : this.frozen.refusalOfEntry(entry.mutations);
    if (renamed) return renamed;
    return this.#removedTenants.size === 0 ? undefined : refusalOfTenant(entry, this.#removedTenants);
  }

  #wake(): void {
    if (this.#running) return;
    this.#running = true;
    // A microtask: entries of the same turn share a group, and a single entry does not wait (a timer cost 1.3 ms).
    this.#idle = Promise.resolve().then(() => this.#run());
  }

  async #run(): Promise<void> {
    try {
      while (this.pendingCount > 0) await this.#commitGroup(this.#nextGroup());
    } finally {
      this.#running = false;
    }
  }

  #nextGroup(): Pending[] {
    const group: Pending[] = [];
    const room = {
      mutations: MAX_GROUP_MUTATIONS,
      bytes: MAX_GROUP_BYTES - RIDER_BYTES,
      keyBytes: MAX_GROUP_KEY_BYTES,
    };
    this.#normal = takeWhile(this.#normal, room, group);
    if (this.#bulk.length > 0) {
      const bulkBytes = group.length > 0 ? Math.min(room.bytes, MAX_BULK_BYTES_PER_GROUP) : room.bytes;
      this.#bulk = takeWhile(this.#bulk, { ...room, bytes: bulkBytes }, group);
    }
    return group;
  }

  async #commitGroup(group: Pending[]): Promise<void> {
    const entries = group.map((pending) => pending.entry);
    const seq = this.#chain.seq + 1;
    const mutations = entries.flatMap((entry) => entry.mutations);
    const messages: Message[] = [];
    for (const rider of this.#riders) {
      const contribution = rider.contribute(entries, seq);
      mutations.push(...contribution.mutations);
      messages.push(...contribution.messages);
    }
    const outcome = await this.#write(mutations, messages);
    if (outcome instanceof DomainError) {
      for (const rider of this.#riders) rider.refused(seq);
      for (const pending of group) pending.reject(outcome);
      return;
    }
    // The outcome of this group was unreadable for a while. A disk that is nearly full is so after this group, too.
    if (this.#refusal.fault === "unreadable") this.#refusal.leave();
    this.stats.groups++;
    this.stats.entries += group.length;
    this.stats.mutations += mutations.length + 1;
    for (const { bytes } of group) this.stats.bytes += bytes;
    for (const rider of this.#riders) rider.committed(entries, seq);
    for (const pending of group) {
      pending.entry.committed?.();
      pending.resolve();
    }
  }

  /** Writes a group; returns the refusal if it was not written, or perhaps not. */
  async #write(
    mutations: readonly Mutation[],
    messages: readonly Message[],
  ): Promise<DomainError | undefined> {
    // Where a commit can land late, a lost connection is no reason to refuse: the database may be reached again.
    for (let tries = this.#options.store.landsLate ? MAX_TRIES : 1;; tries--) {
      // All writes wait for a commit whose connection hangs. While the database is slow, more tries would only delay it.
      const timeoutMs = tries > 1 && !this.#isSlow ? FIRST_TRY_MS : undefined;
      const failure = await this.#tryWrite({ mutations, messages, timeoutMs });
      if (!failure) return undefined;
      if (failure instanceof UnsentError) return this.#enterReadOnly("unreachable", failure);
      const outcome = await this.#readOutcome();
      if (outcome instanceof Error) return this.#failUnreadable(outcome);
      if (outcome.endReason !== undefined) return this.#end(outcome.group, outcome.endReason);
      if (outcome.group === "written") return undefined;
      if (tries > 1) continue;
      return this.#enterReadOnly(namedFault(failure) ?? await this.#findDiskFault(), failure);
    }
  }

  async #tryWrite(group: Omit<Atomic, "checks">): Promise<Error | undefined> {
    const { clock } = this.#options;
    const sinceMs = clock.monotonicMs();
    try {
      if (await this.#chain.commit(group, clock.now())) {
        this.#isSlow = clock.monotonicMs() - sinceMs > FIRST_TRY_MS;
        return undefined;
      }
    } catch (error) {
      return error as Error;
    }
    return new Error("the chain key was changed");
  }

  /** Reads the chain after an exception or a failed check (the database may retry internally): the outcome is unknown until then. */
  async #readOutcome(): Promise<CommitOutcome | Error> {
    try {
      return await this.#chain.outcome();
    } catch (error) {
      return await this.#untilReadable(error as Error);
    }
  }

  /** Waits while the database cannot be read: only it shows whether the write succeeded. */
  async #untilReadable(error: Error): Promise<CommitOutcome | Error> {
    const { clock } = this.#options;
    const deadlineMs = clock.monotonicMs() + MAX_UNREADABLE_MS;
    for (let last = error;;) {
      if (this.#isDisposed || this.#stopped || clock.monotonicMs() >= deadlineMs) return last;
      this.#refuse("unreadable", last);
      const { promise: waited, resolve } = Promise.withResolvers<void>();
      const cancel = clock.setTimer(PROBE_INTERVAL_MS, resolve);
      this.#endWait = resolve;
      await waited;
      cancel();
      try {
        return await this.#chain.outcome();
      } catch (next) {
        last = next as Error;
      }
    }
  }

  #failUnreadable(error: Error): DomainError | undefined {
    const { message } = error.cause instanceof Error ? error.cause : error;
    return this.#end("unknown", `the database cannot be read: ${message}`);
  }

  /** Stops writing for good; returns the refusal of the last group unless it was written. */
  #end(group: CommitOutcome["group"], reason: string): DomainError | undefined {
    const ended = this.#close(reason);
    this.#options.onFatal(reason);
    if (group === "written") return undefined;
    if (group === "refused") return ended;
    const text = `Cannot tell whether the change was stored: ${reason}`;
    return new DomainError("outcome_unknown", text, { retryAfter: 1 });
  }

  #close(reason: string): DomainError {
    this.#stopped = true;
    this.#cancelProbe?.();
    this.#endWait?.();
    this.#ended = new DomainError("unavailable", `Cannot write: ${reason}`, { retryAfter: 1 });
    this.#rejectWaiting(this.#ended);
    return this.#ended;
  }

  /** Refuses writes until a probe succeeds. */
  #enterReadOnly(fault: WriteFault, cause: Error): DomainError {
    this.#keepsRoom = false;
    // At once: Deno takes a message out of the queue every two seconds while executions are live, and ends the process if
    // there is no space for that ("KV queue dequeue failed").
    if (fault === "disk_full") void this.#options.store.releaseReserve().catch(() => false);
    this.#probeLater();
    return this.#refuse(fault, cause);
  }

  /** A full disk and a read-only file system look like a broken disk to the database. */
  async #findDiskFault(): Promise<WriteFault> {
    return await this.#findDiskProblem() ?? "io_error";
  }

  async #findDiskProblem(): Promise<DiskProblem | undefined> {
    return await this.#options.store.findDiskProblem().catch(() => undefined);
  }

  #refuse(fault: WriteFault, cause: Error): DomainError {
    if (fault !== "disk_full") this.#keepsRoom = false;
    const refusal = this.#refusal.enter(fault, cause);
    this.#rejectWaiting(refusal);
    return refusal;
  }

  #rejectWaiting(refusal: DomainError): void {
    for (const pending of [...this.#normal.splice(0), ...this.#bulk.splice(0)]) pending.reject(refusal);
  }

  #probeLater(): void {
    if (this.#stopped) return;
    this.#cancelProbe = this.#options.clock.setTimer(PROBE_INTERVAL_MS, () => this.#startProbe());
  }

  /** Starts a probe, unless a group is being written: the chain advances by one at a time. */
  #startProbe(): void {
    if (this.#running) return this.#probeLater();
    this.#running = true;
    this.#idle = this.#probe().finally(() => this.#run());
  }

  /** Tries an empty group; accepts writes again when it succeeds and leaves some space. */
  async #probe(): Promise<void> {
    if (this.#stopped || !this.#refusal.error) return;
    // An empty group fits into the reserve, or into what is left in the log; neither is there for callers.
    const problem = this.#refusal.fault === "disk_full" ? await this.#findDiskProblem() : undefined;
    if (this.#stopped) return;
    if (problem) {
      this.#refuse(problem, new Error("found before a commit was tried"));
      return this.#probeLater();
    }
    const refusal = await this.#write([], []);
    if (refusal || this.#stopped) return;
    if (await this.#findDiskProblem()) return this.#probeLater();
    this.#refusal.leave();
  }
}

/** The refusal of an entry that adds data to a removed tenant; an entry that only removes some is accepted. */
function refusalOfTenant(
  { mutations, facts }: Entry,
  removed: ReadonlySet<unknown>,
): DomainError | undefined {
  const written = mutations.find(({ type, key }) => type === "set" && removed.has(tenantOfKey(key)));
  const tenant = written ? String(tenantOfKey(written.key)) : undefined;
  const fact = facts?.rows?.find((row) => removed.has(row.tenant)) ??
    facts?.liveness?.find((change) => change.live && removed.has(change.tenant));
  const found = tenant ?? fact?.tenant;
  return found === undefined ? undefined : notFound(`there is no tenant "${publicTenantId(found)}"`);
}

interface Room {
  mutations: number;
  bytes: number;
  keyBytes: number;
}

/** Moves entries to `group` while they fit; returns the rest. A group takes at least one entry. */
function takeWhile(queue: Pending[], room: Room, group: Pending[]): Pending[] {
  let taken = 0;
  for (const pending of queue) {
    const fits = pending.mutationCount <= room.mutations && pending.bytes <= room.bytes &&
      pending.keyBytes <= room.keyBytes;
    if (!fits && group.length > 0) break;
    room.mutations -= pending.mutationCount;
    room.bytes -= pending.bytes;
    room.keyBytes -= pending.keyBytes;
    group.push(pending);
    taken++;
  }
  return taken === queue.length ? [] : queue.slice(taken);
}

function mutationCount({ mutations, facts }: Entry): number {
  const rows = facts?.rows ?? [];
  const rowGroups = rows.length < 2 ? rows.length : new Set(rows.map(({ tenant }) => tenant)).size;
  return mutations.length + rowGroups + (facts?.liveness?.length ?? 0);
}

/** The sizes of an entry, or the limit that it exceeds. Checked for each entry, so that it cannot fail the others of its group. */
function measure(entry: Entry): { bytes: number; keyBytes: number } | DomainError {
  let bytes = 0;
  let keyBytes = 0;
  for (const mutation of entry.mutations) {
    const keySize = keyLength(mutation.key);
    const valueSize = mutation.type === "set" ? mutation.value.length : 0;
    if (keySize > MAX_KEY_BYTES) {
      return tooLarge(`a key of ${keySize} bytes`, `${MAX_KEY_BYTES}`);
    }
    if (valueSize > MAX_VALUE_BYTES) {
      return tooLarge(`a value of ${valueSize} bytes`, `${MAX_VALUE_BYTES}`);
    }
    keyBytes += keySize;
    bytes += keySize + valueSize;
  }
  const { length } = entry.mutations;
  const maxBytes = MAX_GROUP_BYTES - RIDER_BYTES;
  if (bytes <= maxBytes && keyBytes <= MAX_GROUP_KEY_BYTES && length <= MAX_GROUP_MUTATIONS) {
    return { bytes, keyBytes };
  }
  return tooLarge(
    `a commit of ${length} changes with ${bytes} bytes, ${keyBytes} of them in keys,`,
    `${MAX_GROUP_MUTATIONS}, ${maxBytes} and ${MAX_GROUP_KEY_BYTES}`,
  );
}

function tooLarge(what: string, limit: string): DomainError {
  return new DomainError("too_large", `Cannot write: ${what} is too large; the limit is ${limit}`);
}

/** Upper bound of a key's encoded length: a text takes up to 3 bytes for each UTF-16 unit and 2 delimiter bytes. */
function keyLength(key: Key): number {
  let length = 0;
  for (const part of key) {
    if (typeof part === "string") length += (isAscii(part) ? part.length : part.length * 3) + 2;
    else length += part instanceof Uint8Array ? part.length * 2 + 2 : 10;
  }
  return length;
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) return false;
  return true;
}
