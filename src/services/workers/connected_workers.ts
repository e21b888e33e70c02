/** The workers that are connected, or were until a short time ago. */
import type { Clock, Instant } from "../../base/time/clock.ts";
import type { WorkerGrant } from "../../model/access/actor.ts";
import { publicTenantId } from "../../model/access/tenant.ts";
import type { TenantId } from "../../model/flows/flow.ts";
import {
  SILENCE_MS,
  type WorkerEvent,
  type WorkerHello,
  type WorkerView,
} from "../../model/http/worker_protocol.ts";
import type { Lease } from "./lease.ts";

/** Sends an event to a worker. */
export type SendEvent = (event: WorkerEvent) => void;

/** A worker. */
export interface ConnectedWorker {
  readonly hello: WorkerHello;
  /** Absent where the server requires no credentials: it may run everything. */
  readonly grant?: WorkerGrant;
  readonly leases: Map<string, Lease>;
  readonly connectedAt: Instant;
  /** Absent while no stream is open. */
  send?: SendEvent;
  seenAt: Instant;
  /** On the monotonic clock. */
  seenMs: number;
}

/** Finds workers for attempts. */
export class ConnectedWorkers {
  readonly #clock: Clock;
  readonly #workers = new Map<string, ConnectedWorker>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Number of workers. */
  get size(): number {
    return this.#workers.size;
  }

  /** By its id. */
  find(id: string): ConnectedWorker | undefined {
    return this.#workers.get(id);
  }

  /** All workers. */
  all(): ConnectedWorker[] {
    return [...this.#workers.values()];
  }

  /** Adds a worker, or replaces what is known of it; its attempts stay. */
  put(hello: WorkerHello, grant: WorkerGrant | undefined, send?: SendEvent): ConnectedWorker {
    const known = this.#workers.get(hello.id);
    const now = this.#clock.now();
    const worker: ConnectedWorker = {
      hello,
      grant,
      leases: known?.leases ?? new Map(),
      connectedAt: now,
      send,
      seenAt: now,
      seenMs: this.#clock.monotonicMs(),
    };
    this.#workers.set(hello.id, worker);
    return worker;
  }

  /** Removes a worker. */
  remove(worker: ConnectedWorker): void {
    if (this.#workers.get(worker.hello.id) === worker) this.#workers.delete(worker.hello.id);
  }

  /** Notes that a worker has sent something. */
  seen(worker: ConnectedWorker): void {
    worker.seenAt = this.#clock.now();
    worker.seenMs = this.#clock.monotonicMs();
  }

  /** Workers that have been silent for too long. */
  silent(): ConnectedWorker[] {
    const since = this.#clock.monotonicMs() - SILENCE_MS;
    return this.all().filter(({ seenMs }) => seenMs <= since);
  }

  /** True if a worker runs attempts of the group. */
  has(group: string, tenant: TenantId): boolean {
    return this.#some((worker) => serves(worker, group, tenant));
  }

  /** The worker of the group with the most room; `undefined` if all are busy. */
  free(group: string, tenant: TenantId): ConnectedWorker | undefined {
    let best: ConnectedWorker | undefined;
    let most = 0;
    for (const worker of this.#workers.values()) {
      const room = roomOf(worker);
      if (room <= most || !serves(worker, group, tenant)) continue;
      [best, most] = [worker, room];
    }
    return best;
  }

  /** Workers that may run attempts of the tenant, by name. */
  views(tenant: TenantId): WorkerView[] {
    return this.all().filter((worker) => mayEnter(worker, tenant)).map((worker) => viewOf(worker, tenant))
      .sort((a, b) => a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
  }

  #some(test: (worker: ConnectedWorker) => boolean): boolean {
    for (const worker of this.#workers.values()) if (test(worker)) return true;
    return false;
  }
}

/** Attempts that the worker can take now. */
function roomOf({ hello, leases, send }: ConnectedWorker): number {
  return send ? hello.concurrency - leases.size : 0;
}

function serves(worker: ConnectedWorker, group: string, tenant: TenantId): boolean {
  return worker.hello.groups.includes(group) && mayEnter(worker, tenant);
}

function mayEnter({ grant }: ConnectedWorker, tenant: TenantId): boolean {
  return grant?.tenants === undefined || grant.tenants.includes(publicTenantId(tenant));
}

function viewOf({ hello, leases, send, connectedAt, seenAt }: ConnectedWorker, tenant: TenantId): WorkerView {
  const { id, name, groups, version, concurrency } = hello;
  const attempts = [...leases.values()].filter(({ attempt }) => attempt.context.tenant === tenant).length;
  return {
    ...{ id, name, groups, version, concurrency, attempts, connectedAt },
    isConnected: send !== undefined,
    lastSeenAt: seenAt,
  };
}
