/** Executions of a flow with a concurrency limit, on a complete server: never more than the limit, never fewer than possible. */
import { assert, assertEquals } from "@std/assert";
import { Chance } from "../crash/chance.ts";
import { settle } from "../support/fakes/fake_clock.ts";
import { FaultyStore } from "../support/fakes/faulty_store.ts";
import { Harness, type HarnessOptions } from "../support/harness.ts";

const SEEDS = 60;
const DEEDS = 30;
const LIMIT = 2;
const CORE = "io.kestra.plugin.core";
const FLOW = `
id: limited
namespace: demo
concurrency: {limit: ${LIMIT}}
inputs:
  - {id: wait, type: STRING}
  - {id: end, type: STRING}
tasks:
  - {id: s, type: ${CORE}.flow.Sleep, duration: "{{ inputs.wait }}", runIf: "{{ inputs.wait != 'PT0S' }}"}
  - {id: f, type: ${CORE}.execution.Fail, condition: "{{ inputs.end == 'fail' }}"}
  - {id: p, type: ${CORE}.flow.Pause, runIf: "{{ inputs.end == 'pause' }}"}
`;

const CHILD = `type: ${CORE}.flow.Subflow, namespace: demo, flowId: limited, transmitFailed: true`;
const INPUTS = `inputs: {wait: "{{ inputs.wait }}", end: "{{ inputs.end }}"}`;
/** Starts executions of the other one, two at once and one after them. */
const PARENT = `
id: parent
namespace: demo
inputs:
  - {id: wait, type: STRING}
  - {id: end, type: STRING}
tasks:
  - id: both
    type: ${CORE}.flow.Parallel
    tasks:
      - {id: a, ${CHILD}, ${INPUTS}}
      - {id: b, ${CHILD}, inputs: {wait: PT0S, end: well}}
  - {id: c, ${CHILD}, ${INPUTS}}
`;

interface Seen {
  readonly id: string;
  readonly flowId: string;
  readonly state: { readonly current: string };
}

/** Requests on one of the executions in that state. */
interface Deed {
  readonly from: RegExp;
  readonly method: string;
  readonly path: (id: string) => string;
}

const DEEDS_ON_ONE: readonly (readonly [weight: number, deed: Deed])[] = [
  [2, { from: /RUNNING|QUEUED|PAUSED/, method: "DELETE", path: (id) => `/executions/${id}/kill` }],
  [2, { from: /./, method: "DELETE", path: (id) => `/executions/${id}` }],
  [4, { from: /PAUSED/, method: "POST", path: (id) => `/executions/${id}/resume` }],
  [4, { from: /FAILED|KILLED/, method: "POST", path: (id) => `/executions/${id}/restart` }],
];

interface Disk {
  isFull: boolean;
}

class Story {
  readonly #chance: Chance;
  readonly #disk: Disk;
  readonly told: string[] = [];
  app: Harness;

  constructor(app: Harness, seed: number, disk: Disk) {
    this.app = app;
    this.#chance = new Chance(seed);
    this.#disk = disk;
  }

  async play(): Promise<void> {
    await this.app.save(FLOW);
    await this.app.save(PARENT);
    for (let n = 0; n < DEEDS; n++) {
      await this.#deed();
      await settle();
      await this.#check();
    }
    await this.#end();
  }

  async #deed(): Promise<void> {
    const chance = this.#chance;
    const what = chance.weighted<"start" | "start parent" | "advance" | "crash" | "full" | Deed>([
      [8, "start"],
      [3, "start parent"],
      [8, "advance"],
      [1, "crash"],
      [2, "full"],
      ...DEEDS_ON_ONE,
    ]);
    if (what === "start" || what === "start parent") {
      const wait = `PT${Math.floor(chance.next() * 5)}S`;
      const flowId = what === "start" ? "limited" : "parent";
      await this.#start(flowId, { wait, end: chance.pick(["well", "fail", "pause"]) ?? "well" });
    } else if (what === "full") await this.#fillDisk();
    else if (what === "advance") {
      await this.app.advance(Math.floor(chance.between(1_000, 3_000)));
    } else if (what === "crash") this.app = await this.app.crash(optionsOf(this.#chance, this.#disk));
    else await this.#doTo(what);
    if (typeof what === "string") this.told.push(what);
  }

  async #start(flowId: string, inputs: Readonly<Record<string, string>>): Promise<void> {
    await this.app.start(flowId, inputs);
    await this.app.advance(1);
  }

  /** The disk is full while executions end and one is killed; then there is room again. */
  async #fillDisk(): Promise<void> {
    this.#disk.isFull = true;
    await this.app.advance(2_000);
    await this.#doTo(this.#chance.pick(DEEDS_ON_ONE.map(([, deed]) => deed)) as Deed);
    await settle();
    this.#disk.isFull = false;
    await this.app.advance(5_000);
  }

  async #doTo({ from, method, path }: Deed): Promise<void> {
    const found = this.#chance.pick((await this.#list()).filter(({ state }) => from.test(state.current)));
    if (!found) return;
    const response = await this.app.request(method, path(found.id));
    this.told.push(`${method} ${path(found.id)} of ${found.state.current}: ${response.status}`);
    await response.body?.cancel();
  }

  async #check(): Promise<void> {
    const limited = (await this.#list()).filter(({ flowId }) => flowId === "limited");
    const states = limited.map(({ state }) => state.current);
    const running = states.filter((state) => /^(RUNNING|PAUSED|RESTARTED|RETRYING|KILLING)$/.test(state));
    const story = `${this.told.join("\n")}\n${states}`;
    assert(running.length <= LIMIT, `${running.length} run\n${story}`);
    assert(!states.includes("QUEUED") || running.length === LIMIT, `somebody waits for nothing\n${story}`);
  }

  /** Everything ends once the pauses are resumed, and nothing is left of the slots. */
  async #end(): Promise<void> {
    for (let round = 0; round < 100; round++) {
      const open = (await this.#list()).filter(({ state }) => /RUNNING|PAUSED|QUEUED/.test(state.current));
      if (open.length === 0) break;
      for (const { id, state } of open) {
        if (state.current !== "PAUSED") continue;
        await (await this.app.request("POST", `/executions/${id}/resume`)).body?.cancel();
      }
      await this.app.advance(5_000);
    }
    const { store } = this.app;
    const left = (await this.#list()).filter(({ state }) => /RUNNING|PAUSED|QUEUED/.test(state.current));
    const rows = [store.count(["main", "cs"]), store.count(["main", "xq"]), store.count(["~g"])];
    assertEquals([left.length, ...rows], [0, 0, 0, 0], this.told.join("\n"));
  }

  async #list(): Promise<Seen[]> {
    const { results } = await this.app.json("GET", "/executions/search?size=200") as unknown as {
      results: Seen[];
    };
    return results;
  }
}

/** Ids of one life differ from those of the next, as they do in reality. */
function optionsOf(chance: Chance, disk: Disk): HarnessOptions {
  const own = chance.fork();
  return {
    randomBytes: (buffer) => void buffer.forEach((_, at) => buffer[at] = own.next() * 256),
    wrap: (store) => new FaultyStore(store, () => disk.isFull ? "full" : "none"),
  };
}

Deno.test(`concurrency limit: ${SEEDS} random sequences, never too many and never too few at once`, async () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const disk = { isFull: false };
    const story = new Story(await Harness.start(optionsOf(new Chance(seed), disk)), seed, disk);
    story.told.push(`seed ${seed}`);
    await story.play();
    await story.app[Symbol.asyncDispose]();
  }
});
