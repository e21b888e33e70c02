/**
 * Simulates processes without addresses on one database whose commits fail, lose their responses and land late, while machines
 * are frozen, suspended, killed and stopped, and workers that report over a bad network.
 */
import type { Clock } from "../../../src/base/time/clock.ts";
import { META_KEY } from "../../../src/store/keys.ts";
import { checkData } from "../../../src/store/meta.ts";
import type { Atomic } from "../../../src/store/store.ts";
import { Chance } from "../../crash/chance.ts";
import { FAKE_START, FakeClock } from "../../support/fakes/fake_clock.ts";
import { type Fault, FaultyStore } from "../../support/fakes/faulty_store.ts";
import { MemoryStore } from "../../support/fakes/memory_store.ts";
import { Machine } from "./machine.ts";
import { Node, type NodeBugs } from "./node.ts";
import { SimWorker } from "./sim_worker.ts";

const NODES = 3;
const WORKERS = 2;
const STEPS = 60;
/** After the last disturbance: leases end, requests are given up, workers are found silent, jobs end. */
const CALM_MS = 240_000;
/** Turns of the microtask queue in which a request gets from a process to its response, if nothing disturbs it. */
const MAX_TURNS = 110;
/** Requests that are sent at most just before something happens to a process. */
const MAX_SENT = 4;
/** Part of the requests that have a body. */
const WITH_BODY = 0.5;
/** Longest time of a stop. */
const STOP_MS = 60_000;
const FAULTS: readonly (readonly [number, Fault])[] = [
  [60, "none"],
  [2, "fail_before"],
  [3, "fail_after"],
  [3, "late"],
  [2, "unsent"],
  [6, "delay"],
];

/** Bugs that are planted to see that they are found. */
export interface Bugs extends NodeBugs {
  /** The database in the place of one that keeps its promises. */
  readonly database?: (clock: Clock) => MemoryStore;
}

interface Sent {
  readonly id: string;
  /** A request without one and its response are each a commit less, and most of what can go wrong does not depend on it. */
  readonly hasBody: boolean;
  /** The process that received it. */
  readonly node: Node;
  status: number | undefined;
}

/** One run; everything follows from the seed. */
export class World {
  readonly broken: string[] = [];
  /** How often each thing happened, so that a run that does nothing is noticed. */
  readonly events = new Map<string, number>();
  readonly #chance: Chance;
  /** All that the processes wait for are promises and timers. */
  readonly #clock = new FakeClock(FAKE_START, 1);
  readonly #memory: MemoryStore;
  readonly #store: FaultyStore;
  readonly #bugs: Bugs;
  readonly #handsOver: boolean;
  #nodes: Node[] = [];
  #workers: SimWorker[] = [];
  readonly #killed: SimWorker[] = [];
  readonly #sent: Sent[] = [];
  readonly #begun = new Map<string, number>();
  #count = 0;
  #leader: string | undefined;

  constructor(seed: number, bugs: Bugs = {}) {
    this.#chance = new Chance(seed);
    this.#bugs = bugs;
    this.#memory = bugs.database?.(this.#clock) ?? new MemoryStore(this.#clock, { copies: false });
    this.#store = new FaultyStore(this.#memory);
    this.#store.landsLate = true;
    this.#handsOver = this.#chance.holds(0.5);
  }

  /** Runs to the end; what is wrong. */
  async run(): Promise<readonly string[]> {
    await checkData(this.#memory, "key");
    while (this.#nodes.length < NODES) this.#startNode();
    while (this.#workers.length < WORKERS) this.#startWorker();
    await this.#clock.advance(8_000);
    this.#store.plan = (_, atomic) => this.#fault(atomic);
    for (let step = 0; step < STEPS && this.broken.length === 0; step++) {
      await this.#step();
      this.#restartDead();
      this.#check(`step ${step}`);
    }
    await this.#calm();
    return this.broken;
  }

  async #step(): Promise<void> {
    const chance = this.#chance;
    await chance.weighted<() => unknown>([
      [6, () => this.#send("POST")],
      [1, () => this.#send("GET")],
      [9, () => this.#clock.advance(chance.between(0, 1_500))],
      [1, () => this.#clock.advance(6_500)],
      [3, () => this.#land()],
      [1, () => this.#disturb("freeze", ({ machine }) => machine.freeze())],
      [2, () => this.#thaw()],
      [1, () => this.#disturb("kill", (node) => this.#replace(node, () => node.machine.kill()))],
      [1, () => this.#disturb("stop", (node) => this.#replace(node, () => node.stop()))],
      [1, () => this.#replaceWorker()],
    ])();
  }

  /** Something happens to a process, mostly while a request is under way: others would show nothing of it. */
  async #disturb(event: string, act: (node: Node) => void): Promise<void> {
    const node = this.#node();
    if (!node?.machine.isRunning) return;
    for (let count = this.#chance.between(0, MAX_SENT); count >= 1; count--) this.#send("POST");
    // So far the request gets: each of its calls to the database takes some turns.
    for (let turns = this.#chance.between(0, MAX_TURNS); turns > 1; turns--) await Promise.resolve();
    this.#note(event);
    act(node);
  }

  #fault({ checks, mutations }: Atomic): Fault {
    if (mutations.some(({ key }) => key === META_KEY)) return "none";
    if (checks.some(({ key }) => key[0] === "mb" && key[1] === "c")) this.#note("withdrawal");
    const fault = this.#chance.weighted(FAULTS);
    this.#note(`commit ${fault}`);
    return fault;
  }

  #startNode(): void {
    const machine = new Machine(this.#clock, this.#store);
    const node = new Node(`n${++this.#count}`, machine, {
      handsOver: this.#handsOver,
      bugs: this.#bugs,
      randomBytes: (buffer) => this.#chance.fillQuickly(buffer),
      mark: (...key) => ({ type: "set", key: [...key, ++this.#count], value: new Uint8Array() }),
      begun: (id) => this.#begun.set(id, 1 + (this.#begun.get(id) ?? 0)),
      note: (event) => this.#note(event),
    });
    this.#nodes.push(node);
  }

  /** A process whose first look at the database fails has ended, and is started again as by a supervisor. */
  #restartDead(): void {
    const running = this.#nodes.filter(({ machine }) => !machine.isDead);
    const ended = this.#nodes.length - running.length;
    this.#nodes = running;
    for (let n = 0; n < ended; n++) this.#startNode();
  }

  #startWorker(): void {
    const leader = () => this.#nodes.find(({ acts }) => acts);
    const options = { id: `w${++this.#count}`, clock: this.#clock, chance: this.#chance, leader };
    this.#workers.push(new SimWorker(options));
  }

  #replaceWorker(): void {
    this.#note("worker killed");
    const [worker] = this.#workers.splice(Math.floor(this.#chance.between(0, WORKERS)), 1);
    worker?.kill();
    if (worker) this.#killed.push(worker);
    this.#startWorker();
  }

  /** One that acts more often than another. */
  #node(): Node | undefined {
    const acting = this.#nodes.find(({ acts }) => acts);
    return acting && this.#chance.holds(0.5) ? acting : this.#chance.pick(this.#nodes);
  }

  #replace(node: Node, end: () => void | Promise<void>): void {
    void end();
    this.#nodes = this.#nodes.filter((each) => each !== node);
    this.#startNode();
  }

  #thaw(): void {
    const frozen = this.#chance.pick(this.#nodes.filter(({ machine }) => !machine.isRunning));
    const isSuspended = this.#chance.holds(0.5);
    if (frozen) this.#note(isSuspended ? "end of a suspension" : "end of a freeze");
    frozen?.machine.thaw(isSuspended);
  }

  /** Some late commits arrive, in any order. */
  async #land(): Promise<void> {
    const { late } = this.#store;
    for (let n = this.#chance.between(0, late.length + 1); n >= 1; n--) {
      const [atomic] = late.splice(Math.floor(this.#chance.between(0, late.length)), 1);
      if (atomic && await this.#memory.commit(atomic) !== null) this.#note("late landing");
    }
  }

  #send(method: "GET" | "POST"): void {
    const node = this.#chance.pick(this.#nodes.filter(({ machine }) => machine.isRunning));
    if (!node) return;
    const hasBody = method === "POST" && this.#chance.holds(WITH_BODY);
    const sent: Sent = { id: `r${++this.#count}`, hasBody, node, status: undefined };
    if (method === "POST") this.#sent.push(sent);
    const path = method === "POST" ? "/api/v1/main/executions/a/b" : "/api/v1/main/flows/search";
    const body = hasBody ? sent.id : undefined;
    const request = new Request(`http://cluster.test${path}?id=${sent.id}`, { method, body });
    void this.#receive(sent, node.fetch(request), method)
      .catch((error) => this.broken.push(`request ${sent.id} rejects: ${error}`));
  }

  async #receive(sent: Sent, responding: Promise<Response>, method: string): Promise<void> {
    const sentAt = this.#clock.now();
    const response = await responding;
    const text = await response.text();
    sent.status = response.status;
    if (sent.status === 200 && sent.hasBody && text !== sent.id) {
      this.broken.push(`request ${sent.id} has the response to ${text}`);
    }
    this.#note(`${method} ${response.status}`);
    if (sent.status === 200 && this.#clock.now() > sentAt) this.#note(`${method} 200 later`);
  }

  #note(event: string): void {
    this.events.set(event, 1 + (this.events.get(event) ?? 0));
  }

  #check(when: string): void {
    const acting = this.#nodes.filter(({ acts }) => acts).map(({ name }) => name);
    if (acting.length > 1) this.broken.push(`${when}: ${acting} act`);
    if (acting[0] !== undefined && acting[0] !== this.#leader) {
      this.#leader = acting[0];
      this.#note("leader");
    }
    const jobs = this.#workers.flatMap((worker) => worker.jobs);
    const twice = jobs.filter((job, at) => jobs.indexOf(job) !== at);
    if (twice.length > 0) this.broken.push(`${when}: ${twice} run twice at a time`);
    for (const [id, count] of this.#begun) if (count > 1) this.broken.push(`${when}: ${id} is handled again`);
  }

  /** Nothing disturbs it any more: everything comes to its end. */
  async #calm(): Promise<void> {
    this.#store.plan = () => "none";
    for (const { machine } of this.#nodes) machine.thaw(false);
    await this.#clock.advance(100);
    this.#restartDead();
    for (const atomic of this.#store.late.splice(0)) await this.#memory.commit(atomic);
    for (let ms = 0; ms < CALM_MS && !await this.#isOver(); ms += 5_000) await this.#clock.advance(5_000);
    this.#check("at the end");
    await this.#checkRequests();
    await this.#checkJobs();
    for (const worker of this.#workers) worker.kill();
    await this.#stop();
  }

  async #stop(): Promise<void> {
    const open = new Set(this.#nodes);
    for (const node of this.#nodes) void node.stop().then(() => open.delete(node));
    for (let ms = 0; ms < STOP_MS && open.size > 0; ms += 1_000) await this.#clock.advance(1_000);
    for (const { name } of open) this.broken.push(`${name} does not stop`);
  }

  async #isOver(): Promise<boolean> {
    return (await this.#counts("end")).size === JOB_NAMES.length && this.#unanswered().length === 0 &&
      this.#workers.every(({ jobs }) => jobs.length === 0);
  }

  async #checkRequests(): Promise<void> {
    const did = await this.#counts("did");
    for (const { id } of this.#unanswered()) this.broken.push(`request ${id} has no response`);
    for (const { id, status } of this.#sent) {
      const count = did.get(id) ?? 0;
      const isRight = status === 200 ? count === 1 : status === 503 ? count === 0 : count <= 1;
      if (!isRight) this.broken.push(`request ${id} with status ${status} is stored ${count} times`);
    }
  }

  async #checkJobs(): Promise<void> {
    const ends = await this.#counts("end");
    for (const job of JOB_NAMES) {
      if (ends.get(job) !== 1) this.broken.push(`job ${job} has ended ${ends.get(job) ?? 0} times`);
    }
    const lines = await this.#counts("line", 2);
    for (const [line, count] of lines) {
      if (count > 1) this.broken.push(`line ${line} is stored ${count} times`);
    }
    for (const { confirmed } of [...this.#workers, ...this.#killed]) {
      for (const line of confirmed) if (!lines.has(line)) this.broken.push(`line ${line} is lost`);
    }
  }

  /** Requests without a response to processes that still run. */
  #unanswered(): Sent[] {
    return this.#sent.filter(({ node, status }) => status === undefined && this.#nodes.includes(node));
  }

  /** How often something was stored. */
  async #counts(kind: string, part = 1): Promise<Map<string, number>> {
    const counts = new Map<string, number>();
    for await (const { key } of this.#memory.list({ prefix: [kind] })) {
      const name = String(key[part]);
      counts.set(name, 1 + (counts.get(name) ?? 0));
    }
    return counts;
  }
}

const JOB_NAMES = ["j0", "j1", "j2"];
