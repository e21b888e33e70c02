/**
 * Simulates processes without addresses on one database whose commits fail, lose their responses and land late, while machines
 * are frozen, suspended, killed and stopped, and workers that report over a bad network.
 */
import { META_KEY } from "../../../src/store/keys.ts";
import { checkData } from "../../../src/store/meta.ts";
import { Chance } from "../../crash/chance.ts";
import { FAKE_START, FakeClock } from "../../support/fakes/fake_clock.ts";
import { type Fault, FaultyStore } from "../../support/fakes/faulty_store.ts";
import { MemoryStore } from "../../support/fakes/memory_store.ts";
import { Machine } from "./machine.ts";
import { Node } from "./node.ts";
import { SimWorker } from "./sim_worker.ts";

const NODES = 3;
const WORKERS = 2;
const STEPS = 80;
/** After the last disturbance: leases end, requests are given up, workers are found silent, jobs end. */
const CALM_MS = 240_000;
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

interface Sent {
  readonly id: string;
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
  readonly #memory = new MemoryStore(this.#clock);
  readonly #store: FaultyStore;
  readonly #handsOver: boolean;
  #nodes: Node[] = [];
  #workers: SimWorker[] = [];
  readonly #killed: SimWorker[] = [];
  readonly #sent: Sent[] = [];
  readonly #begun = new Map<string, number>();
  #count = 0;
  #leader: string | undefined;

  constructor(seed: number) {
    this.#chance = new Chance(seed);
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
    this.#store.plan = (_, { mutations }) =>
      mutations.some(({ key }) => key === META_KEY) ? "none" : this.#chance.weighted(FAULTS);
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
      [10, () => this.#send("POST")],
      [3, () => this.#send("GET")],
      [12, () => this.#clock.advance(chance.between(0, 1_500))],
      [1, () => this.#clock.advance(6_500)],
      [3, () => this.#land()],
      [1, () => this.#node()?.machine.freeze()],
      [2, () => this.#thaw()],
      [1, () => this.#replace((node) => Promise.resolve(node.machine.kill()))],
      [1, () => this.#replace((node) => node.machine.isRunning ? node.stop() : Promise.resolve())],
      [1, () => this.#replaceWorker()],
    ])();
  }

  #startNode(): void {
    const machine = new Machine(this.#clock, this.#store);
    const node = new Node(`n${++this.#count}`, machine, {
      handsOver: this.#handsOver,
      randomBytes: (buffer) => this.#chance.fork().fill(buffer),
      mark: (...key) => ({ type: "set", key: [...key, ++this.#count], value: new Uint8Array() }),
      begun: (id) => this.#begun.set(id, 1 + (this.#begun.get(id) ?? 0)),
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

  #replace(end: (node: Node) => Promise<void>): void {
    const node = this.#node();
    if (!node) return;
    void end(node);
    this.#nodes = this.#nodes.filter((each) => each !== node);
    this.#startNode();
  }

  #thaw(): void {
    const frozen = this.#chance.pick(this.#nodes.filter(({ machine }) => !machine.isRunning));
    frozen?.machine.thaw(this.#chance.holds(0.5));
  }

  /** Some late commits arrive, in any order. */
  async #land(): Promise<void> {
    const { late } = this.#store;
    for (let n = this.#chance.between(0, late.length + 1); n >= 1; n--) {
      const [atomic] = late.splice(Math.floor(this.#chance.between(0, late.length)), 1);
      if (atomic) await this.#memory.commit(atomic);
    }
  }

  #send(method: "GET" | "POST"): void {
    const node = this.#chance.pick(this.#nodes.filter(({ machine }) => machine.isRunning));
    if (!node) return;
    const sent: Sent = { id: `r${++this.#count}`, node, status: undefined };
    if (method === "POST") this.#sent.push(sent);
    const path = method === "POST" ? "/api/v1/main/executions/a/b" : "/api/v1/main/flows/search";
    const body = method === "POST" ? sent.id : undefined;
    void node.fetch(new Request(`http://cluster.test${path}`, { method, body })).then(async (response) => {
      await response.text();
      sent.status = response.status;
      this.#note(`${method} ${response.status}`);
    }).catch((error) => this.broken.push(`request ${sent.id} rejects: ${error}`));
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
