/** One execution through any number of crashes: a client that retries what was not acknowledged, and what came of it. */
import type { JsonObject } from "../../src/base/json.ts";
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

type FollowUp = NonNullable<Scenario["then"]>;
const POSTED: ReadonlySet<FollowUp> = new Set(["resume", "restart"]);

/** Later than a refused commit is tried again, so that no chance decides which comes first. */
const FOLLOW_UP_MS = 1_100;
const PHASE_MS = 5_000;
const MAX_LIVES = 10;

/** Plays a scenario; each life of the server may be cut. */
export async function play(scenario: Scenario, cuts: readonly (Cut | undefined)[] = []): Promise<Ending> {
  const story = new Story(scenario, cuts);
  return await story.play();
}

class Story {
  readonly #scenario: Scenario;
  readonly #cuts: readonly (Cut | undefined)[];
  readonly #effects = new Map<string, number[]>();
  readonly #commits: number[] = [];
  #clock = new FakeClock();
  #memory = new MemoryStore(this.#clock);
  #id: string | undefined;
  #isFollowedUp = false;

  constructor(scenario: Scenario, cuts: readonly (Cut | undefined)[]) {
    this.#scenario = scenario;
    this.#cuts = cuts;
  }

  async play(): Promise<Ending> {
    let isDone = false;
    let life = 0;
    for (; !isDone; life++) {
      if (life === MAX_LIVES) throw new Error("The story does not end");
      isDone = await this.#live(life);
      await this.#clock.advance(1);
      await this.#check();
      this.#clock = new FakeClock(this.#clock.now());
      this.#memory = this.#memory.reopen(this.#clock);
    }
    return await this.#end(life - 1);
  }

  /** Whatever the moment of a crash, what is stored agrees. */
  async #check(): Promise<void> {
    const { findings } = await checkStore(this.#memory.reopen(this.#clock));
    assertEquals(findings.list().filter(({ severity }) => severity !== "leftover"), []);
  }

  /** One life of the server; true when it was not cut short. */
  async #live(life: number): Promise<boolean> {
    const cut = this.#cuts[life];
    const store = new MortalStore(this.#memory, life === 0 ? undefined : cut);
    const work = this.#work(store, life, cut);
    void work.catch(() => {}); // awaited below, unless the process is gone
    for (let phase = 0; phase < 4 && !store.isDead; phase++) await this.#clock.advance(PHASE_MS);
    this.#commits.push(store.commits);
    if (store.isDead) return false;
    const app = await work;
    await store.stop(app);
    return true;
  }

  async #work(store: MortalStore, life: number, cut: Cut | undefined): Promise<Harness> {
    const chance = new Chance(life);
    const options = { wrap: () => store, effect: this.#effect(), random: () => chance.next() };
    const app = await Harness.start({ ...options, ...distinctIds(life) }, this.#memory, this.#clock);
    if (life === 0) {
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

  /** Everything once more from a server that has nothing in memory. */
  async #end(crashes: number): Promise<Ending> {
    const app = await Harness.start(distinctIds(MAX_LIVES), this.#memory, this.#clock);
    await settle();
    const { total } = await app.json("GET", "/executions/search?size=1") as { total: number };
    const response = await app.request("GET", `/executions/${this.#id}`);
    const answer = await response.json();
    const execution: ExecutionResponse | undefined = response.ok ? answer : undefined;
    const logs = await app.json("GET", `/logs/${this.#id}`) as { message: string }[];
    const rows = {
      records: app.store.count(["main", "x"]),
      pages: app.store.count(["main", "t"]),
      logs: app.store.count(["main", "l"]),
      chunks: app.store.count(["main", "b"]),
      intents: app.store.count(["bi"]),
      manifests: app.store.count(["g"]),
      timers: app.store.count(["tm"]),
      messages: app.store.count(["ob"]),
      slots: app.store.count(["main", "cs"]),
      queued: app.store.count(["main", "xq"]),
    };
    await app[Symbol.asyncDispose]();
    const summary = execution && { ...summaryOf(execution), logs: logs.map(({ message }) => message) };
    return { summary, execution, effects: this.#effects, rows, total, commits: this.#commits, crashes };
  }
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
