/**
 * Gives attempts to workers. An attempt waits in the queue of its group until a worker has room; that it was given away is
 * stored before the worker gets it, so that a start of the server finds it again. A worker that is silent for too long has
 * lost its attempts: they are started again elsewhere, and what it says about them later is refused.
 */
import type { Clock } from "../../base/time/clock.ts";
import type { RandomBytes } from "../../base/id.ts";
import type { Logger } from "../../base/log.ts";
import { LruCache } from "../../base/lru.ts";
import type { Actor, WorkerGrant } from "../../model/access/actor.ts";
import { publicTenantId } from "../../model/access/tenant.ts";
import { DomainError } from "../../model/errors.ts";
import type { FileKeeper } from "../../model/executions/attempt_identity.ts";
import type { WorkerWait } from "../../model/executions/execution_waiting.ts";
import type { TenantId } from "../../model/flows/flow.ts";
import { MAX_WORKERS } from "../../model/limits.ts";
import {
  type AttemptPlace,
  DEFAULT_WORKER_GROUP,
  type KeptAttempt,
  type RemoteAttempt,
  type RemoteEnd,
  type WorkerPort,
} from "../../model/ports/workers.ts";
import {
  type AttemptEndReport,
  type AttemptReport,
  type HeartbeatResponse,
  SILENCE_MS,
  type WorkerHello,
  type WorkerView,
} from "../../model/http/worker_protocol.ts";
import type { Committer } from "../../store/committer.ts";
import {
  type Assignment,
  deleteAssignment,
  readAssignments,
} from "../../store/records/assignment_records.ts";
import type { Store } from "../../store/store.ts";
import { type ConnectedWorker, ConnectedWorkers, type SendEvent } from "./connected_workers.ts";
import { Lease } from "./lease.ts";
import { givenUp } from "./receipt.ts";
import { WaitingLeases } from "./waiting_leases.ts";

interface WorkersDeps {
  readonly store: Store;
  readonly committer: Committer;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly randomBytes: RandomBytes;
  readonly files: {
    folderOf(attempt: FileKeeper): string;
    put(attempt: FileKeeper, name: string, content: AsyncIterable<Uint8Array>): Promise<number>;
  };
  /** Whether this server runs scripts itself. */
  readonly runsScripts: () => boolean;
  /** Whether there is a token for workers of the group: one that is not connected is expected. */
  readonly isExpected: (group: string) => boolean;
}

/** Ended attempts whose repeated end is acknowledged. */
const MAX_REMEMBERED_ENDS = 10_000;
const LEASE_BYTES = 16;

/** An attempt whose end is being stored. */
interface EndingLease {
  readonly lease: Lease;
  readonly stored: Promise<void>;
}

/** The workers of a server. */
export class Workers implements WorkerPort {
  readonly #deps: WorkersDeps;
  readonly #connected: ConnectedWorkers;
  readonly #waiting = new WaitingLeases();
  readonly #leases = new Map<string, Lease>();
  readonly #ending = new Map<string, EndingLease>();
  readonly #ended = new LruCache<string, true>(MAX_REMEMBERED_ENDS);
  /** Attempts of the last process that were not resumed yet, by lease. */
  readonly #kept = new Map<string, Assignment>();
  #startedMs = 0;
  #isClosing = false;

  constructor(deps: WorkersDeps) {
    this.#deps = deps;
    this.#connected = new ConnectedWorkers(deps.clock);
  }

  /** Reads the attempts that workers ran when the last process ended. To be called before executions are recovered. */
  async start(): Promise<void> {
    this.#startedMs = this.#deps.clock.monotonicMs();
    for (const assignment of await readAssignments(this.#deps.store)) {
      this.#kept.set(assignment.lease, assignment);
    }
  }

  /** Ends waits for workers and for commits; what workers run continues there. Attempts that are aborted later do not stop on their worker. */
  close(): void {
    this.#isClosing = true;
    const error = new DomainError("unavailable", "Cannot store the report: the server is shutting down");
    for (const lease of this.#leases.values()) lease.disconnect(error);
    for (const { lease } of this.#ending.values()) lease.disconnect(error);
  }

  /** Workers that may run attempts of the tenant of the caller, by name. */
  list({ tenant }: Actor): WorkerView[] {
    return this.#connected.views(tenant);
  }

  /** Number of workers. */
  get count(): number {
    return this.#connected.size;
  }

  /** Number of attempts that workers run. */
  get leaseCount(): number {
    return this.#leases.size;
  }

  /** @inheritdoc */
  waitingFor(tenant: TenantId, executionId: string): ReadonlyMap<number, WorkerWait> {
    const groups = this.#waiting.groupsOf(tenant, executionId);
    const waitOf = (group: string) => ({ group, isConnected: this.#connected.has(group, tenant) });
    return new Map([...groups].map(([ordinal, group]) => [ordinal, waitOf(group)]));
  }

  /** @inheritdoc */
  placeOf(tenant: TenantId, type: string, group: string | undefined): AttemptPlace {
    const name = group ?? DEFAULT_WORKER_GROUP;
    const isHere = name === DEFAULT_WORKER_GROUP &&
      (!type.startsWith("scripts.") || this.#deps.runsScripts());
    if (!isHere && this.#connected.has(name, tenant)) return "worker";
    // Scripts need the machine: a worker with room relieves the server.
    if (isHere && type.startsWith("scripts.") && this.#connected.free(name, tenant)) return "worker";
    const isRefused = group === undefined && !this.#deps.isExpected(name);
    return isHere || isRefused ? "here" : "none";
  }

  /** @inheritdoc */
  keptOf(tenant: TenantId, executionId: string): ReadonlyMap<number, KeptAttempt> {
    const kept = new Map<number, KeptAttempt>();
    for (const assignment of this.#kept.values()) {
      if (assignment.tenant === tenant && assignment.executionId === executionId) {
        kept.set(assignment.ordinal, assignment);
      }
    }
    return kept;
  }

  /** @inheritdoc */
  async run(attempt: RemoteAttempt): Promise<RemoteEnd> {
    const lease = attempt.properties === undefined ? this.#resumed(attempt) : this.#queued(attempt);
    if (!lease) return "lost";
    const { signal } = attempt.context;
    const stop = () => this.#stop(lease);
    signal.addEventListener("abort", stop);
    if (signal.aborted) stop();
    else this.#assign(attempt.group);
    try {
      return await lease.ended;
    } finally {
      signal.removeEventListener("abort", stop);
      this.#release(lease);
    }
  }

  /** Opens the stream of a worker; the returned function ends it. @throws DomainError forbidden, unavailable */
  connect(hello: WorkerHello, grant: WorkerGrant | undefined, send: SendEvent): () => void {
    const denied = grant && hello.groups.find((group) => !grant.groups.includes(group));
    if (denied !== undefined) {
      throw new DomainError("forbidden", `Forbidden: the token is not for the worker group "${denied}"`);
    }
    const known = this.#connected.find(hello.id);
    // The attempts of a worker are sent to it again: no other token may use its id.
    if (known && !isSameToken(known, grant)) {
      throw new DomainError("forbidden", "Forbidden: a worker of another token has this id");
    }
    if (!known && this.#connected.size >= MAX_WORKERS) {
      throw new DomainError("unavailable", `Cannot connect: ${MAX_WORKERS} workers are connected`);
    }
    const worker = this.#connected.put(hello, grant, send);
    send({ type: "welcome", stop: this.#unwanted(worker, hello.leases) });
    for (const lease of worker.leases.values()) {
      if (!hello.leases.includes(lease.id)) this.#repeatOrLose(worker, lease);
    }
    for (const group of hello.groups) this.#assign(group);
    return () => {
      worker.send = undefined;
    };
  }

  /** Confirms the attempts of a worker. @throws DomainError not_found: it must connect again */
  heartbeat(id: string, grant: WorkerGrant | undefined, leases: readonly string[]): HeartbeatResponse {
    const worker = this.#connected.find(id);
    if (!worker?.send || !isSameToken(worker, grant)) {
      throw new DomainError("not_found", "Not Found: this worker is not connected");
    }
    this.#connected.seen(worker);
    this.#loseMissing(worker, leases);
    return { stop: this.#unwanted(worker, leases) };
  }

  /** Ends a worker that stops: its attempts are started elsewhere at once. */
  leave(id: string, grant: WorkerGrant | undefined): void {
    const worker = this.#connected.find(id);
    if (worker && isSameToken(worker, grant)) this.#lose(worker, "A worker has stopped", "stopped");
  }

  /** Adds log lines of an attempt. @throws DomainError not_found, unavailable */
  async report(id: string, grant: WorkerGrant | undefined, report: AttemptReport): Promise<void> {
    await this.lease(id, grant).report(report);
  }

  /** Ends an attempt. @throws DomainError not_found, conflict, unavailable */
  async end(id: string, grant: WorkerGrant | undefined, report: AttemptEndReport): Promise<void> {
    if (this.#ended.get(id)) return;
    const ending = this.#ending.get(id) ?? this.#beginEnd(this.lease(id, grant), report);
    await ending.stored;
  }

  /** A repetition waits for the same commit. */
  #beginEnd(lease: Lease, report: AttemptEndReport): EndingLease {
    const stored = lease.end(report).then(() => this.#ended.set(lease.id, true))
      .finally(() => this.#ending.delete(lease.id));
    const ending = { lease, stored };
    this.#ending.set(lease.id, ending);
    return ending;
  }

  /** Stores a file of an attempt until its end; one that was stored before is not stored again. @throws DomainError not_found, too_large, … */
  async upload(
    id: string,
    grant: WorkerGrant | undefined,
    file: { readonly name: string; readonly content: ReadableStream<Uint8Array> },
  ): Promise<void> {
    const lease = this.lease(id, grant);
    if (lease.uploads.has(file.name)) return await file.content.cancel();
    lease.checkRuns();
    await this.#deps.files.put(lease.attempt.context, file.name, file.content);
    lease.uploads.add(file.name);
  }

  /** An attempt of a worker. @throws DomainError not_found; unavailable: the server has not resumed it yet */
  lease(id: string, grant: WorkerGrant | undefined): Lease {
    const lease = this.#leases.get(id);
    if (!lease && this.#kept.has(id)) {
      throw new DomainError("unavailable", "The server has just been started: try again", { retryAfter: 1 });
    }
    const worker = lease?.workerId === undefined ? undefined : this.#connected.find(lease.workerId);
    if (!lease || !worker || !isGranted(grant, lease.attempt)) throw givenUp();
    this.#connected.seen(worker);
    return lease;
  }

  /** Gives up what silent workers run, and what no worker has reported since the start; a loop calls this. */
  sweep(): void {
    for (const worker of this.#connected.silent()) this.#lose(worker, "A worker is silent", "lost");
    for (const group of this.#waiting.groups()) this.#assign(group);
    if (this.#kept.size === 0 || this.#deps.clock.monotonicMs() - this.#startedMs < SILENCE_MS) return;
    for (const assignment of this.#kept.values()) this.#forget(assignment);
    this.#kept.clear();
  }

  #queued(attempt: RemoteAttempt): Lease {
    const lease = new Lease(this.#newId(), attempt);
    this.#waiting.add(lease);
    return lease;
  }

  /** An attempt that a worker ran when the last process ended. */
  #resumed(attempt: RemoteAttempt): Lease | undefined {
    const { tenant, executionId, attemptNumber } = attempt.context;
    const kept = [...this.#kept.values()].find((each) =>
      each.tenant === tenant && each.executionId === executionId && each.ordinal === attempt.ordinal &&
      each.attemptNumber === attemptNumber
    );
    if (!kept) return undefined;
    this.#kept.delete(kept.lease);
    const worker = this.#connected.find(kept.workerId);
    // It has connected before the attempt was resumed, and has given it up: no report and no silence would end it.
    if (worker?.send && !worker.hello.leases.includes(kept.lease)) {
      this.#forget(kept);
      return undefined;
    }
    const lease = new Lease(kept.lease, attempt, kept.seq);
    lease.isSent = true;
    this.#give(lease, worker ?? this.#absent(kept));
    return lease;
  }

  /** A worker that has not connected to this process yet; it has as long as a silent one. */
  #absent({ workerId: id, group }: Assignment): ConnectedWorker {
    const hello = { id, name: id, groups: [group], concurrency: 0, version: "", leases: [] };
    return this.#connected.put(hello, undefined);
  }

  #give(lease: Lease, worker: ConnectedWorker): void {
    lease.workerId = worker.hello.id;
    worker.leases.set(lease.id, lease);
    this.#leases.set(lease.id, lease);
  }

  /** Gives waiting attempts of a group to workers with room. */
  #assign(group: string): void {
    if (this.#isClosing) return;
    this.#waiting.take(group, (lease) => {
      const worker = this.#connected.free(group, lease.attempt.context.tenant);
      if (!worker) return false;
      this.#give(lease, worker);
      void this.#send(lease, worker);
      return true;
    });
  }

  /** Stores that the attempt is given away, then sends it. */
  async #send(lease: Lease, worker: ConnectedWorker): Promise<void> {
    try {
      await this.#deps.committer.commit({ mutations: [lease.assignment()] });
    } catch (error) {
      this.#deps.logger.repeated("warn", "An attempt waits for the database", { error: String(error) });
      return this.#takeBack(lease, worker);
    }
    if (lease.isOver) return this.#remove(lease);
    const attempt = lease.payload(this.#deps.files.folderOf(lease.attempt.context));
    lease.isSent = true;
    // A worker that has lost its connection meanwhile gets it when it connects again.
    if (attempt) this.#connected.find(worker.hello.id)?.send?.({ type: "attempt", attempt });
  }

  #takeBack(lease: Lease, worker: ConnectedWorker): void {
    worker.leases.delete(lease.id);
    this.#leases.delete(lease.id);
    lease.workerId = undefined;
    if (!lease.isOver) this.#waiting.add(lease);
  }

  /** Stops an attempt that must end. */
  #stop(lease: Lease): void {
    const worker = lease.workerId === undefined ? undefined : this.#connected.find(lease.workerId);
    const runsThere = worker !== undefined && lease.isSent && !this.#isClosing;
    if (!runsThere) return lease.finish({ state: "KILLED" });
    worker.send?.({ type: "stop", lease: lease.id });
  }

  /** Removes an attempt that has ended. */
  #release(lease: Lease): void {
    this.#waiting.delete(lease);
    if (lease.workerId === undefined || this.#isClosing) return;
    const worker = this.#connected.find(lease.workerId);
    worker?.leases.delete(lease.id);
    this.#leases.delete(lease.id);
    if (!lease.isEndStored) this.#remove(lease);
    for (const group of worker?.hello.groups ?? []) this.#assign(group);
  }

  /** The record may be that of the next attempt of the task run by now. */
  #remove(lease: Lease): void {
    for (const other of this.#leases.values()) {
      if (other !== lease && other.isOfSameTaskRun(lease)) return;
    }
    this.#commitRemoval(() => lease.removal());
  }

  #forget(assignment: Assignment): void {
    this.#commitRemoval(() => deleteAssignment(assignment));
  }

  /** What remains after a failure is recognised at the next start: its attempt has ended. */
  #commitRemoval(removal: () => ReturnType<Lease["removal"]>): void {
    this.#deps.committer.commit({ mutations: [removal()] }).catch((error: Error) =>
      this.#deps.logger.debug("Cannot remove the record of an attempt", { reason: error.message })
    );
  }

  /** Attempts that a worker runs but must not. */
  #unwanted(worker: ConnectedWorker, leases: readonly string[]): string[] {
    return leases.filter((id) => {
      const lease = worker.leases.get(id);
      return lease ? lease.attempt.context.signal.aborted : this.#kept.get(id)?.workerId !== worker.hello.id;
    });
  }

  /** The event with the attempt did not arrive, or the worker has forgotten it. */
  #repeatOrLose(worker: ConnectedWorker, lease: Lease): void {
    if (!lease.isSent) return; // It is being stored.
    lease.missingSinceMs = undefined;
    if (lease.attempt.context.signal.aborted) return lease.lose("lost");
    const attempt = lease.payload(this.#deps.files.folderOf(lease.attempt.context));
    if (attempt) worker.send?.({ type: "attempt", attempt });
    else lease.lose("lost");
  }

  /** The worker has given up these attempts. Some time is left for the event with an attempt to arrive. */
  #loseMissing(worker: ConnectedWorker, leases: readonly string[]): void {
    const nowMs = this.#deps.clock.monotonicMs();
    for (const lease of worker.leases.values()) {
      if (!lease.isSent || leases.includes(lease.id)) lease.missingSinceMs = undefined;
      else if (nowMs - (lease.missingSinceMs ??= nowMs) >= SILENCE_MS) lease.lose("lost");
    }
  }

  #lose(worker: ConnectedWorker, message: string, end: "lost" | "stopped"): void {
    this.#connected.remove(worker);
    const { id, name } = worker.hello;
    const { logger } = this.#deps;
    const fields = { worker: name, id, attempts: worker.leases.size };
    if (worker.leases.size > 0) logger.warn(message, fields);
    else logger.info(message, fields);
    for (const lease of worker.leases.values()) lease.lose(end);
  }

  #newId(): string {
    const bytes = new Uint8Array(LEASE_BYTES);
    this.#deps.randomBytes(bytes);
    return bytes.toHex();
  }
}

/** A worker that has not connected since the start of the server may come with any token. */
function isSameToken({ grant, hello }: ConnectedWorker, given: WorkerGrant | undefined): boolean {
  return grant?.tokenId === given?.tokenId || hello.concurrency === 0;
}

function isGranted(grant: WorkerGrant | undefined, { group, context }: RemoteAttempt): boolean {
  if (grant === undefined) return true;
  return grant.groups.includes(group) &&
    (grant.tenants === undefined || grant.tenants.includes(publicTenantId(context.tenant)));
}
