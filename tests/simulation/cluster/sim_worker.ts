/** A worker of the simulation: it keeps to the protocol over calls that are lost before or after they arrive. */
import { DomainError } from "../../../src/model/errors.ts";
import { HEARTBEAT_MS, UNCONFIRMED_MS, type WorkerEvent } from "../../../src/model/http/worker_protocol.ts";
import type { Workers } from "../../../src/services/workers/workers.ts";
import type { Chance } from "../../crash/chance.ts";
import type { FakeClock } from "../../support/fakes/fake_clock.ts";
import type { Node } from "./node.ts";

interface Run {
  readonly job: string;
  seq: number;
  /** What it sends until it is confirmed. */
  report: { readonly seq: number; readonly line: string; readonly isEnd: boolean } | undefined;
  isSending: boolean;
}

interface WorkerOptions {
  readonly id: string;
  readonly clock: FakeClock;
  readonly chance: Chance;
  readonly leader: () => Node | undefined;
}

/** Calls in a hundred of which the call, or its response, is lost. */
const LOST = 0.08;
const SEND_MS = 1_000;
/** Longest wait for a response. */
const MESSAGE_MS = 10_000;

/** The worker. */
export class SimWorker {
  /** Attempts that it runs, by lease. */
  readonly runs = new Map<string, Run>();
  /** Lines that the server has confirmed. */
  readonly confirmed: string[] = [];
  readonly #options: WorkerOptions;
  #id: string;
  #idCount = 0;
  #node: Node | undefined;
  #disconnect: (() => void) | undefined;
  #confirmedMs = 0;
  #isStopped = false;

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.#id = options.id;
    this.#every(HEARTBEAT_MS, () => this.#beat());
    this.#every(SEND_MS, () => this.#work());
  }

  /** Jobs that it runs. */
  get jobs(): string[] {
    return [...this.runs.values()].map(({ job }) => job);
  }

  /** Ends it without a word. */
  kill(): void {
    this.#isStopped = true;
    this.#cut();
    this.runs.clear();
  }

  #every(ms: number, act: () => Promise<void>): void {
    this.#options.clock.setTimer(ms, () => {
      if (this.#isStopped) return;
      void act();
      this.#every(ms, act);
    });
  }

  async #beat(): Promise<void> {
    const sentMs = this.#options.clock.monotonicMs();
    if (this.#node) {
      const response = await this.#call((workers) =>
        workers.heartbeat(this.#id, undefined, [...this.runs.keys()])
      );
      if (response === "gone") this.#cut();
      else if (response !== "lost") {
        this.#confirmedMs = sentMs;
        for (const lease of response.stop) this.runs.delete(lease);
      }
    }
  }

  async #work(): Promise<void> {
    const { id, clock, chance } = this.#options;
    if (this.runs.size > 0 && clock.monotonicMs() - this.#confirmedMs >= UNCONFIRMED_MS) {
      this.runs.clear();
      this.#cut();
      this.#id = `${id}.${++this.#idCount}`;
    }
    if (!this.#node) await this.#connect();
    for (const [lease, run] of this.runs) {
      if (run.report === undefined && chance.holds(0.4)) {
        const seq = ++run.seq;
        run.report = { seq, line: `${lease}.${seq}`, isEnd: chance.holds(0.25) };
      }
      if (run.report && !run.isSending) void this.#send(lease, run);
    }
  }

  async #connect(): Promise<void> {
    const { leader, clock } = this.#options;
    const id = this.#id;
    const node = leader();
    if (!node?.jobs) return;
    const hello = {
      id,
      name: id,
      groups: ["g"],
      concurrency: 1,
      version: "1",
      leases: [...this.runs.keys()],
    };
    this.#node = node;
    const disconnect = await this.#call((workers) =>
      workers.connect(hello, undefined, (event) => this.#receive(node, event))
    );
    if (typeof disconnect !== "function") return this.#cut();
    this.#confirmedMs = clock.monotonicMs();
    this.#disconnect = disconnect;
  }

  #receive(node: Node, event: WorkerEvent): void {
    if (this.#isStopped || node !== this.#node || !node.acts) return;
    if (event.type === "welcome") { for (const lease of event.stop) this.runs.delete(lease); }
    else if (event.type === "stop") this.runs.delete(event.lease);
    else if (!this.runs.has(event.attempt.lease)) {
      const { lease, executionId: job } = event.attempt;
      this.runs.set(lease, { job, seq: 0, report: undefined, isSending: false });
    }
  }

  async #send(lease: string, run: Run): Promise<void> {
    const { report } = run;
    if (!report) return;
    run.isSending = true;
    const { seq, line, isEnd } = report;
    const lines = [["INFO", line]] as const;
    const response = await this.#call(async (workers) => {
      if (!isEnd) return await workers.report(lease, undefined, { seq, lines });
      await workers.end(lease, undefined, { seq, lines, metrics: [], files: [], state: "SUCCESS" });
    });
    run.isSending = false;
    if (response === "lost") return;
    if (response === "gone" || isEnd) this.runs.delete(lease);
    if (response === "gone") return;
    run.report = undefined;
    this.confirmed.push(line);
  }

  /** `lost`: no response came; `gone`: the server refuses it for good. */
  async #call<Result>(
    call: (workers: Workers) => Result | Promise<Result>,
  ): Promise<Result | "lost" | "gone"> {
    const { chance } = this.#options;
    const node = this.#node;
    const workers = node?.acts ? node.jobs?.workers : undefined;
    if (!workers || chance.holds(LOST)) return this.#broken();
    try {
      const result = await Promise.race([call(workers), this.#timeout()]);
      if (result === "lost") return "lost";
      return !node?.acts || chance.holds(LOST) ? this.#broken() : result;
    } catch (error) {
      if (!node?.acts) return this.#broken();
      return error instanceof DomainError && error.code === "not_found" ? "gone" : "lost";
    }
  }

  /** A server that has ended does not respond. */
  #timeout(): Promise<"lost"> {
    const { promise, resolve } = Promise.withResolvers<"lost">();
    this.#options.clock.setTimer(MESSAGE_MS, () => resolve("lost"));
    return promise;
  }

  #broken(): "lost" {
    if (!this.#node?.acts) this.#cut();
    return "lost";
  }

  #cut(): void {
    this.#disconnect?.();
    this.#disconnect = undefined;
    this.#node = undefined;
  }
}
