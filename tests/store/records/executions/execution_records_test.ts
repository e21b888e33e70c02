/** Executions as they are stored and read again. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { IdSource } from "../../../../src/base/id.ts";
import type { JsonObject } from "../../../../src/base/json.ts";
import { DomainError } from "../../../../src/model/errors.ts";
import type { Execution, TaskRun } from "../../../../src/model/executions/execution.ts";
import { commitExecution } from "../../../../src/runtime/execution_commit.ts";
import { KeptShapes } from "../../../../src/runtime/live/kept_shapes.ts";
import { LiveExecution } from "../../../../src/runtime/live/live_execution.ts";
import { Slots } from "../../../../src/runtime/live/slots.ts";
import type { Reactions } from "../../../../src/runtime/reactions.ts";
import { Blobs } from "../../../../src/store/blobs/blobs.ts";
import { ExecutionRecords } from "../../../../src/store/records/executions/execution_records.ts";
import { FAKE_START, FakeClock, settle } from "../../../support/fakes/fake_clock.ts";
import { FaultyStore } from "../../../support/fakes/faulty_store.ts";
import { MemoryStore } from "../../../support/fakes/memory_store.ts";
import { quietCommitter } from "../../../support/fakes/quiet_committer.ts";
import { liveExecution } from "../../../runtime/live_support.ts";

const REACTIONS = { announcementsOf: () => [], announced: () => {} } as unknown as Reactions;
const BIG = 9_000;

/** A value whose JSON text is larger than a record keeps. */
function large(name: string, size = BIG): JsonObject {
  return { [name]: "x".repeat(size) };
}

/** Executions over a memory store, committed as the executor does. */
class Fixture implements AsyncDisposable {
  readonly clock: FakeClock;
  readonly inner: MemoryStore;
  readonly store: FaultyStore;
  readonly blobs: Blobs;
  readonly records: ExecutionRecords;
  readonly #committer;

  private constructor(inner: MemoryStore, clock: FakeClock) {
    this.clock = clock;
    this.inner = inner;
    this.store = new FaultyStore(inner);
    this.#committer = quietCommitter(this.store, clock);
    this.blobs = new Blobs({ store: this.store, committer: this.#committer, ids: new IdSource(), clock });
    this.records = new ExecutionRecords(this.store, this.blobs, () => ({ namespace: "demo", id: "flow" }));
  }

  static async open(inner?: MemoryStore, clock = new FakeClock()): Promise<Fixture> {
    const fixture = new Fixture(inner ?? new MemoryStore(clock), clock);
    await fixture.#committer.start();
    return fixture;
  }

  /** The database in the next process after a crash, with what that removes at its start. */
  async crash(): Promise<Fixture> {
    this.clock.jump(1_000);
    const next = await Fixture.open(this.inner.reopen(this.clock), this.clock);
    await next.blobs.collectOrphans(this.clock.now());
    return next;
  }

  /** A new execution that is stored with a large input, so that its record is split. */
  async begin(change: (execution: Execution) => void = () => {}): Promise<LiveExecution> {
    const live = liveExecution();
    const spread = new LiveExecution(
      { ...live.execution, inputs: large("input") },
      live.plan,
      live.form,
      live.renderer,
    );
    change(spread.execution);
    await this.commit(spread);
    return spread;
  }

  /** Commits the changes; a busy execution has further work. */
  async commit(live: LiveExecution, { isBusy = false } = {}): Promise<void> {
    live.isDirty = true;
    live.awaiting = isBusy ? 1 : 0;
    const { records } = this;
    const deps = { committer: this.#committer, records, slots: new Slots(), shapes: new KeptShapes() };
    await commitExecution(live, { ...deps, reactions: REACTIONS }, {
      files: [],
      committed: ({ execution }, { stored }) => records.remember(execution, stored),
    });
    await settle();
  }

  /** The execution as stored. */
  async load(): Promise<Execution> {
    const stored = await this.records.load("main", liveExecution().execution.id);
    assert(stored);
    return stored.execution;
  }

  /** The same execution in memory again. */
  async reload(): Promise<LiveExecution> {
    const stored = await this.records.load("main", liveExecution().execution.id);
    const { plan, renderer } = liveExecution();
    assert(stored);
    return new LiveExecution(stored.execution, plan, stored.form, renderer);
  }

  /** Ids of the values that are stored. */
  async values(): Promise<string[]> {
    const keys = await Array.fromAsync(
      this.inner.list({ prefix: ["main", "b"] }),
      ({ key }) => String(key[3]),
    );
    return [...new Set(keys)];
  }

  /** Number of values that are marked for removal. */
  get marked(): number {
    return this.inner.count(["bi"]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#committer[Symbol.asyncDispose]();
  }
}

function taskRun(ordinal: number, members: Partial<TaskRun> = {}): TaskRun {
  return {
    ordinal,
    taskId: `task${ordinal}`,
    history: [{ state: "RUNNING", at: FAKE_START }],
    attempts: [],
    ...members,
  };
}

Deno.test("a page of removed task runs goes with the commit that follows a refused one", async () => {
  await using app = await Fixture.open();
  const live = await app.begin(({ taskRuns }) => {
    for (let ordinal = 0; ordinal < 40; ordinal++) taskRuns.push(taskRun(ordinal));
  });
  for (const { ordinal } of live.execution.taskRuns.splice(32)) live.execution.touched.add(ordinal);
  app.store.plan = () => "full";
  await assertRejects(() => app.commit(live), DomainError);
  app.store.plan = () => "none";
  await app.clock.advance(2_000);
  await app.commit(live);
  assertEquals((await app.load()).taskRuns.length, 32);
});
