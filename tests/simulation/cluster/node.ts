/** A process of the cluster: the real member, lease, committer, forwarding and mailbox around a small application. */
import type { Clock } from "../../../src/base/time/clock.ts";
import type { RandomBytes } from "../../../src/base/id.ts";
import { silentLogger } from "../../../src/base/log.ts";
import type { HttpHandler } from "../../../src/machine/http_server/connection.ts";
import { DomainError } from "../../../src/model/errors.ts";
import type { Assembly } from "../../../src/server/assembly.ts";
import { ClusterMember } from "../../../src/server/cluster/member.ts";
import type { DeskTerm } from "../../../src/server/cluster/term.ts";
import { Forwarding } from "../../../src/server/forwarding.ts";
import type { AssemblyOptions } from "../../../src/server/options.ts";
import { Committer } from "../../../src/store/committer.ts";
import { INSTANCE } from "../../../src/store/keys.ts";
import { LeaseWatch } from "../../../src/store/lease.ts";
import { prepareData } from "../../../src/store/meta.ts";
import { Jobs, type Mark } from "./jobs.ts";
import type { Machine } from "./machine.ts";

const TTL_MS = 5_000;
const WATCH_MS = 1_000;

/** Bugs that are planted to see that they are found. */
export interface NodeBugs {
  /** By it a process that follows measures the lease. */
  readonly watchClock?: (clock: Clock) => Clock;
  /** A change is acknowledged before it is committed. */
  readonly acknowledgesEarly?: boolean;
}

/** What nodes share. */
interface NodeOptions {
  readonly bugs: NodeBugs;
  readonly handsOver: boolean;
  readonly randomBytes: RandomBytes;
  readonly mark: Mark;
  /** A request that changes something is handled now. */
  readonly begun: (id: string) => void;
  /** Counts what happens. */
  readonly note: (event: string) => void;
}

/** One process. */
export class Node {
  readonly name: string;
  readonly machine: Machine;
  readonly member: ClusterMember;
  /** What the leader runs on workers. */
  jobs: Jobs | undefined;
  readonly #forwarding: Forwarding;
  readonly #fetch: HttpHandler;
  readonly #options: NodeOptions;

  constructor(name: string, machine: Machine, options: NodeOptions) {
    this.name = name;
    this.machine = machine;
    this.#options = options;
    const logger = silentLogger(machine);
    const { randomBytes, bugs } = options;
    const shared = { store: machine, clock: machine, logger, randomBytes };
    this.member = new ClusterMember({
      ...shared,
      database: "kv_connect",
      self: { holder: name, version: "1", optionsHash: "", ttlMs: TTL_MS },
      seen: new LeaseWatch(machine, bugs.watchClock?.(machine) ?? machine),
      watchMs: WATCH_MS,
      handsOver: options.handsOver,
      prepareData: () => prepareData(machine, "key"),
      createAssembly: (term) => Promise.resolve(this.#assembly({ ...shared, ...term })),
      createDesk: (term: DeskTerm) => this.#forwarding.createDesk(term),
      forwarder: () => this.#forwarding.forwarder,
      metrics: () => Promise.resolve([]),
    });
    const encryptionKey = new Uint8Array(32).fill(7);
    const forwardingOptions = {
      ...shared,
      encryptionKey,
      baseUrl: undefined,
      process: name,
      leaseTtlMs: TTL_MS,
    };
    this.#forwarding = new Forwarding(forwardingOptions, this.member, () => this.member.ledEpoch);
    this.#fetch = this.#forwarding.receive((request, connection) => this.member.fetch(request, connection));
    this.member.start().catch(() => machine.kill());
  }

  /** Whether it may act now. */
  get acts(): boolean {
    return this.machine.isRunning && this.member.ledEpoch !== undefined;
  }

  /** Sends it a request of a client. */
  async fetch(request: Request): Promise<Response> {
    return await this.#fetch(request, { remoteAddr: { transport: "tcp", hostname: "192.0.2.1", port: 1 } });
  }

  /** Stops it in order. */
  async stop(): Promise<void> {
    await this.member.stepDown();
    await this.member.stop();
    this.#forwarding[Symbol.dispose]();
    this.machine.kill();
  }

  /** The part of an assembly that a term uses. */
  #assembly(
    options: Pick<AssemblyOptions, "store" | "clock" | "logger" | "randomBytes" | "lease" | "mayAct">,
  ): Assembly {
    const failed = Promise.withResolvers<string>();
    const takesStarts = Promise.withResolvers<void>();
    const writer = { ...options, instance: INSTANCE, mayWrite: options.mayAct, onFatal: failed.resolve };
    const committer = new Committer(writer);
    const { mark, note } = this.#options;
    const jobs = new Jobs({ ...options, committer, mark, note, mayAct: options.mayAct ?? (() => true) });
    return {
      committer,
      failed: failed.promise,
      takesStarts: takesStarts.promise,
      isInterruptible: true,
      fetch: (request: Request) => this.#handle(request, committer),
      start: async () => {
        await committer.start();
        takesStarts.resolve();
        await jobs.start();
        this.jobs = jobs;
      },
      abandon: () => jobs.stop(),
      stop: async () => {
        jobs.stop();
        await committer[Symbol.asyncDispose]();
      },
      tick: () => Promise.resolve(),
      releaseRequests: () => Promise.resolve(),
    } as unknown as Assembly;
  }

  async #handle(request: Request, committer: Committer): Promise<Response> {
    if (request.method === "GET") return new Response();
    const { mark, begun, bugs } = this.#options;
    const hasBody = request.body !== null;
    const id = hasBody ? await request.text() : request.url.slice(request.url.indexOf("=") + 1);
    begun(id);
    try {
      const committing = committer.commit({ mutations: [mark("did", id)] });
      if (bugs.acknowledgesEarly) void committing.catch(() => {});
      else await committing;
      return new Response(hasBody ? id : null);
    } catch (error) {
      const isUnknown = error instanceof DomainError && error.code === "outcome_unknown";
      return new Response(null, { status: isUnknown ? 504 : 503 });
    }
  }
}
