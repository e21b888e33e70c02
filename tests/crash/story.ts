/** One execution through any number of crashes: a client that retries what was not acknowledged, and what came of it. */
import { createHash } from "node:crypto";
import type { JsonObject } from "../../src/base/json.ts";
import type { Instant } from "../../src/base/time/clock.ts";
import { assertEquals } from "@std/assert";
import { checkStore } from "../../src/store/check/check.ts";
import { MemoryStore } from "../support/fakes/memory_store.ts";
import { FakeClock, settle } from "../support/fakes/fake_clock.ts";
import { type Effect, type ExecutionResponse, Harness, statesOf } from "../support/harness.ts";
import { Chance } from "./chance.ts";
import type { Effects, SeenExecution } from "./verification/execution_check.ts";
import { type Cut, MortalStore } from "./mortal_store.ts";

/** What a story is about. */
export interface Scenario {
  readonly name: string;
  /** Source of a flow of namespace `demo`. */
  readonly flow: string;
  readonly form?: Readonly<Record<string, string>>;
  /** The start is due that many milliseconds later. */
  readonly delayMs?: number;
  /** The execution is killed, deleted, resumed or restarted a second after its start was acknowledged. */
  readonly then?: "kill" | "delete" | "resume" | "restart";
  /** Sources of flows that the flow starts, saved before it. */
  readonly others?: readonly string[];
  readonly effect?: Effect;
}

/** What came of it. */
export interface Ending {
  /** Without dates and without attempts that a crash interrupted. `undefined` when it is deleted. */
  readonly summary: unknown;
  readonly execution: ExecutionResponse | undefined;
  readonly effects: Effects;
  /** Number of rows by the first part of the key, or the second for keys of the tenant. */
  readonly rows: Readonly<Record<string, number>>;
  readonly total: number;
  /** Commits of each life, from the first request, or from the boot. */
  readonly commits: readonly number[];
  readonly crashes: number;
}

/** What is read in the end. */
type Result = Omit<Ending, "commits" | "crashes">;
type FollowUp = NonNullable<Scenario["then"]>;
const POSTED: ReadonlySet<FollowUp> = new Set(["resume", "restart"]);

/** Later than a refused commit is tried again, so that no chance decides which comes first. */
const FOLLOW_UP_MS = 1_100;
const PHASE_MS = 5_000;
const MAX_LIVES = 10;

/** What a life leaves. */
interface State {
  readonly memory: MemoryStore;
  readonly now: Instant;
  readonly effects: Effects;
  /** The execution, once the client knows it. */
  readonly id: string | undefined;
  readonly isFollowedUp: boolean;
}

/** How a life went. */
interface LifeResult {
  readonly state: State;
  /** False when it was cut short. */
  readonly isDone: boolean;
  /** Before it was stopped. */
  readonly commits: number;
  readonly allCommits: number;
}

/**
 * A scenario and its plays. A life after a crash, and what is read in the end, follow from what the life before left: from the same
 * they are lived once, whatever cuts led there.
 */
export class Story {
  readonly #scenario: Scenario;
  /** By number, first state and cut. */
  readonly #lives = new Map<string, Promise<LifeResult>>();
  /** Those without a cut, by number and first state. */
  readonly #uncut = new Map<string, LifeResult>();
  readonly #results = new Map<string, Promise<Result>>();

  constructor(scenario: Scenario) {
    this.#scenario = scenario;
  }

  /** Plays it; each life of the server may be cut. */
  async play(cuts: readonly (Cut | undefined)[] = []): Promise<Ending> {
    const commits: number[] = [];
    let state = beginning();
    for (;;) {
      const number = commits.length;
      if (number === MAX_LIVES) throw new Error("The story does not end");
      const life = await this.#after(state, number, cuts[number]);
      commits.push(life.commits);
      state = life.state;
      if (!life.isDone) continue;
      const result = await once(this.#results, fingerprint(state), () => read(state));
      return { ...result, commits, crashes: number };
    }
  }

  async #after(state: State, number: number, cut: Cut | undefined): Promise<LifeResult> {
    const live = () => new Life(this.#scenario, state).live(number, cut);
    const from = `${number} ${fingerprint(state)}`;
    const uncut = this.#uncut.get(from);
    if (uncut && isUncut(uncut, cut)) return uncut;
    const life = await once(this.#lives, `${from} ${cut?.at} ${cut?.mode}`, live);
    if (isUncut(life, cut)) this.#uncut.set(from, life);
    return life;
  }
}

/** Whether the life ended before the cut. */
function isUncut({ allCommits }: LifeResult, cut: Cut | undefined): boolean {
  return cut === undefined || cut.at > allCommits;
}

function beginning(): State {
  const clock = new FakeClock();
  const memory = new MemoryStore(clock);
  return { memory, now: clock.now(), effects: new Map(), id: undefined, isFollowedUp: false };
}

function once<Value>(
  known: Map<string, Promise<Value>>,
  key: string,
  make: () => Promise<Value>,
): Promise<Value> {
  const value = known.get(key) ?? make();
  known.set(key, value);
  return value;
}

/** All that a life after that state depends on. */
function fingerprint({ memory, now, effects, id, isFollowedUp }: State): string {
  const known = JSON.stringify([now, [...effects], id, isFollowedUp]);
  return createHash("sha256").update(known).update(memory.fingerprint()).digest("hex");
}

/** One life of the server, from its start to a crash or its end. */
class Life {
  readonly #scenario: Scenario;
  readonly #clock: FakeClock;
  readonly #memory: MemoryStore;
  readonly #effects: Map<string, number[]>;
  #id: string | undefined;
  #isFollowedUp: boolean;

  constructor(scenario: Scenario, { memory, now, effects, id, isFollowedUp }: State) {
    this.#scenario = scenario;
    this.#clock = new FakeClock(now);
    this.#memory = memory.reopen(this.#clock);
    this.#effects = new Map([...effects].map(([name, attempts]) => [name, [...attempts]]));
    this.#id = id;
    this.#isFollowedUp = isFollowedUp;
  }

  /** The life with that number, from 0. */
  async live(number: number, cut: Cut | undefined): Promise<LifeResult> {
    const result = await this.#live(number, cut);
    await this.#clock.advance(1);
    await this.#check();
    const state = {
      memory: this.#memory.reopen(this.#clock),
      now: this.#clock.now(),
      effects: this.#effects,
      id: this.#id,
      isFollowedUp: this.#isFollowedUp,
    };
    return { state, ...result };
  }

  /** Whatever the moment of a crash, what is stored agrees. */
  async #check(): Promise<void> {
    const { findings } = await checkStore(this.#memory.reopen(this.#clock));
    assertEquals(findings.list().filter(({ severity }) => severity !== "leftover"), []);
  }

  async #live(number: number, cut: Cut | undefined): Promise<Omit<LifeResult, "state">> {
    const store = new MortalStore(this.#memory, number === 0 ? undefined : cut);
    const work = this.#work(store, number, cut);
    void work.catch(() => {}); // awaited below, unless the process is gone
    for (let phase = 0; phase < 4 && !store.isDead; phase++) await this.#clock.advance(PHASE_MS);
    const { commits } = store;
    if (store.isDead) return { isDone: false, commits, allCommits: commits };
    const app = await work;
    await store.stop(app);
    return { isDone: true, commits, allCommits: store.commits };
  }

  async #work(store: MortalStore, number: number, cut: Cut | undefined): Promise<Harness> {
    const chance = new Chance(number);
    const options = { wrap: () => store, effect: this.#effect(), random: () => chance.next() };
    const app = await Harness.start({ ...options, ...distinctIds(number) }, this.#memory, this.#clock);
    if (number === 0) {
      for (const source of this.#scenario.others ?? []) await app.save(source);
      await app.save(this.#scenario.flow);
      store.arm(cut);
    }
    if (this.#id === undefined) this.#id = await this.#findOrStart(app);
    await this.#wait(FOLLOW_UP_MS);
    if (this.#scenario.then && !this.#isFollowedUp) await this.#followUp(app, this.#scenario.then);
    return app;
  }

  /** As a client does that heard no answer: looks whether it is there, else starts it again. */
  async #findOrStart(app: Harness): Promise<string> {
    const { form, delayMs, flow } = this.#scenario;
    const [, flowId = ""] = /id: (\w+)/.exec(flow) ?? [];
    const { results } = await app.json("GET", `/executions/search?flowId=${flowId}&sort=id:asc`) as {
      results: JsonObject[];
    };
    if (results[0]) return String(results[0].id);
    const at = delayMs === undefined ? undefined : new Date(this.#clock.now() + delayMs).toISOString();
    const query = at ? `?scheduleDate=${encodeURIComponent(at)}` : "";
    const body = form && new URLSearchParams(form);
    for (;;) {
      const response = await app.request("POST", `/executions/demo/${flowId}${query}`, { body });
      const answer = await response.json();
      if (response.ok) return String(answer.id);
      if (response.status !== 503) throw new Error(`The start answers ${JSON.stringify(answer)}`);
      await this.#wait(1_500);
    }
  }

  async #followUp(app: Harness, what: FollowUp): Promise<void> {
    for (;;) {
      const path = `/executions/${this.#id}${what === "delete" ? "" : `/${what}`}`;
      const response = await app.request(POSTED.has(what) ? "POST" : "DELETE", path);
      await response.body?.cancel();
      // Before its end an execution cannot be restarted.
      this.#isFollowedUp = response.status !== 503 && !(what === "restart" && response.status === 409);
      if (this.#isFollowedUp) return;
      await this.#wait(1_500);
    }
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#clock.setTimer(ms, resolve));
  }

  #effect(): Effect {
    return async (properties, context) => {
      const seen = this.#effects.get(context.taskRunId) ?? [];
      seen.push(context.attemptNumber);
      this.#effects.set(context.taskRunId, seen);
      return await this.#scenario.effect?.(properties, context) ??
        { state: "SUCCESS", outputs: { done: "yes" } };
    };
  }
}

/** Everything once more from a server that has nothing in memory. */
async function read({ memory, now, effects, id }: State): Promise<Result> {
  const clock = new FakeClock(now);
  const app = await Harness.start(distinctIds(MAX_LIVES), memory.reopen(clock), clock);
  await settle();
  const { total } = await app.json("GET", "/executions/search?size=1") as { total: number };
  const response = await app.request("GET", `/executions/${id}`);
  const answer = await response.json();
  const execution: ExecutionResponse | undefined = response.ok ? answer : undefined;
  const logs = await app.json("GET", `/logs/${id}`) as { message: string }[];
  const rows = {
    records: app.store.count(["main", "x"]),
    pages: app.store.count(["main", "t"]),
    logs: app.store.count(["main", "l"]),
    chunks: app.store.count(["main", "b"]),
    intents: app.store.count(["bi"]),
    manifests: app.store.count(["~g"]),
    timers: app.store.count(["tm"]),
    messages: app.store.count(["ob"]),
    slots: app.store.count(["main", "cs"]),
    queued: app.store.count(["main", "xq"]),
  };
  await app[Symbol.asyncDispose]();
  const summary = execution && { ...summaryOf(execution), logs: logs.map(({ message }) => message) };
  return { summary, execution, effects, rows, total };
}

/** Ids of one life differ from those of the next, as they do in reality. */
function distinctIds(life: number): { readonly randomBytes: (buffer: Uint8Array) => void } {
  let chance = life * 17 + 1;
  return {
    randomBytes: (buffer) =>
      void buffer.forEach((_, index) => buffer[index] = chance = (chance * 31 + 7) % 241),
  };
}

function summaryOf(execution: ExecutionResponse): object {
  return {
    states: statesOf(execution),
    outputs: execution.outputs,
    taskRuns: (execution as unknown as SeenExecution).taskRunList.map((taskRun) => ({
      taskId: taskRun.taskId,
      value: taskRun.value,
      states: taskRun.state.histories.map(({ state }) => state).join(" "),
      outputs: taskRun.outputs,
      attempts: (taskRun.attempts ?? []).map(({ state }) => state.current).filter((state) =>
        state !== "RESUBMITTED"
      ),
    })),
  };
}
