/** More announcements than fit into memory stay stored, and each is reacted to once. */
import { assertEquals } from "@std/assert";
import { silentLogger } from "../../../src/base/log.ts";
import type { Announcement } from "../../../src/model/triggers/announcement.ts";
import { ReactionQueue } from "../../../src/services/triggers/reaction_queue.ts";
import { announcementKey, ANNOUNCEMENTS } from "../../../src/store/keys.ts";
import { announcementMutation } from "../../../src/store/records/trigger_records.ts";
import type { ListOptions, Mutation, Selector, StoredEntry } from "../../../src/store/store.ts";
import { FakeClock, settle } from "../../support/fakes/fake_clock.ts";
import { MemoryStore } from "../../support/fakes/memory_store.ts";
import fc from "../../support/fast_check.ts";

const MAX = 4;

/** Time passes between a read and its use. */
class SlowStore extends MemoryStore {
  override async *list(selector: Selector, options: ListOptions = {}): AsyncIterable<StoredEntry> {
    const read = await Array.fromAsync(super.list(selector, options));
    for (const entry of read) {
      for (let turn = 0; turn < 3; turn++) await Promise.resolve();
      yield entry;
    }
  }
}

/** A queue whose reactions end when the test says so; one commit is under way at a time, as in the committer. */
class Scene {
  readonly clock = new FakeClock();
  readonly store = new SlowStore(this.clock);
  readonly begun: string[] = [];
  readonly done: string[] = [];
  readonly running = new Map<string, (error?: Error) => void>();
  readonly queue: ReactionQueue;
  #commits: Promise<unknown> = Promise.resolve();

  constructor() {
    this.queue = new ReactionQueue(
      {
        clock: this.clock,
        logger: silentLogger(this.clock),
        store: this.store,
        maxInProgress: MAX,
        flowReactions: { react: (announcement: Announcement) => this.#react(announcement) },
      } as unknown as ConstructorParameters<typeof ReactionQueue>[0],
    );
  }

  async #react(announcement: Announcement): Promise<void> {
    const { executionId } = announcement;
    this.begun.push(executionId);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.running.set(executionId, (error) => error ? reject(error) : resolve());
    await promise.finally(() => this.running.delete(executionId));
    await this.commit({ type: "delete", key: announcementKey(announcement) });
    this.done.push(executionId);
  }

  /** Calls back like the committer, before anything that waits for the commit. */
  commit(mutation: Mutation, committed = () => {}): Promise<void> {
    const commit = this.#commits.then(async () => {
      await this.store.commit({ checks: [], mutations: [mutation], messages: [] });
      for (let turn = 0; turn < 4; turn++) await Promise.resolve();
      committed();
    });
    this.#commits = commit;
    return commit;
  }

  announce(executionId: string, flowId: string, isNew = true): Promise<void> {
    const trigger = { namespace: "demo", flowId, triggerId: "t" };
    const reached = { tenant: "main", executionId, index: 1, state: "SUCCESS", at: 0 } as const;
    const announcement = { ...reached, trigger, isOwn: false };
    const announced = () => isNew && this.queue.announced([announcement]);
    return this.commit(announcementMutation(announcement), () => void announced());
  }

  async end(executionId: string | undefined, error?: Error): Promise<void> {
    if (executionId !== undefined) this.running.get(executionId)?.(error);
    await settle();
  }

  /** Ends all reactions, and those that follow. */
  async drain(): Promise<void> {
    while (this.running.size > 0) {
      for (const executionId of [...this.running.keys()]) await this.end(executionId);
      await this.clock.advance(1_000);
    }
  }
}

const names = (count: number) => Array.from({ length: count }, (_, n) => `e${String(n).padStart(2, "0")}`);

Deno.test("ReactionQueue.announced() leaves what exceeds its room to the store, and handles it when there is room", async () => {
  const scene = new Scene();
  for (const name of names(20)) await scene.announce(name, `f-${name}`);
  await settle();
  assertEquals([scene.begun.length, scene.store.count(["oe"])], [MAX, 20]);
  await scene.drain();
  assertEquals([scene.done.sort(), scene.store.count(["oe"])], [names(20), 0]);
});

Deno.test("ReactionQueue.find() reads no more left announcements than it has room for, and handles all", async () => {
  const scene = new Scene();
  for (const name of names(20)) await scene.announce(name, `f-${name}`, false);
  await scene.queue.find();
  scene.queue.recover();
  await settle();
  assertEquals(scene.begun, names(MAX));
  await scene.announce("new", "f-new");
  await scene.drain();
  assertEquals(scene.done.sort(), [...names(20), "new"]);
});

Deno.test("ReactionQueue.stop() waits for the reactions that have begun, not for those behind them", async () => {
  const scene = new Scene();
  for (const name of names(3)) await scene.announce(name, "f");
  await settle();
  assertEquals(scene.begun, ["e00"]);
  const stopped = scene.queue.stop();
  await scene.end("e00");
  await stopped;
  assertEquals([scene.begun, (await Array.fromAsync(scene.store.list(ANNOUNCEMENTS))).length], [["e00"], 2]);
});

const actions = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ type: fc.constant("announce" as const), flow: fc.nat(5) }) },
    { weight: 3, arbitrary: fc.record({ type: fc.constant("end" as const), at: fc.nat(5) }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant("fail" as const), at: fc.nat(5) }) },
    { weight: 1, arbitrary: fc.constant({ type: "wait" as const }) },
  ),
  { minLength: 20, maxLength: 80 },
);

Deno.test("ReactionQueue reacts to each announcement once, also while others end, fail and are announced", async () => {
  await fc.assert(
    fc.asyncProperty(actions, fc.nat(8), async (chosen, turns) => {
      const scene = new Scene();
      let count = 0;
      for (const action of chosen) {
        const running = "at" in action ? [...scene.running.keys()] : [];
        const picked = "at" in action ? running[action.at % running.length] : undefined;
        if (action.type === "announce") {
          void scene.announce(names(count + 1)[count++] ?? "", `f${action.flow}`);
        } else if (picked !== undefined) {
          scene.running.get(picked)?.(action.type === "fail" ? new Error("refused") : undefined);
        } else if (action.type === "wait") await scene.clock.advance(1_000);
        for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      }
      await settle();
      await scene.clock.advance(1_000);
      await scene.drain();
      assertEquals([scene.done.sort(), scene.store.count(["oe"])], [names(count), 0]);
    }),
    { numRuns: 300 },
  );
});
