/** Executions as they are stored and read again. */
import { assert, assertEquals, assertLessOrEqual, assertRejects } from "@std/assert";
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
import { executionKey } from "../../../../src/store/keys.ts";
import { ExecutionRecords } from "../../../../src/store/records/executions/execution_records.ts";
import type { StoredEntry } from "../../../../src/store/store.ts";
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

Deno.test("a commit after a refused one deletes the page of removed task runs", async () => {
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

/** Without members that are undefined. */
const plain = (value: unknown) => JSON.parse(JSON.stringify(value));

/** What makes a page of task runs, or the header, longer than a value of the database; the parts that are stored of both. */
const LONG: readonly {
  readonly name: string;
  readonly parts: readonly [pages: number, header: number];
  readonly change: (execution: Execution) => void;
}[] = [
  {
    name: "long values",
    parts: [3, 1],
    change: ({ taskRuns }) => taskRuns.push(taskRun(1, { value: "x".repeat(150_000) }), taskRun(40)),
  },
  {
    name: "many attempts",
    parts: [2, 1],
    change: ({ taskRuns }) => {
      const history = [{ state: "RUNNING", at: FAKE_START + 80_000_000 }] as const;
      taskRuns.push(
        taskRun(1, { attempts: Array.from({ length: 8_000 }, () => ({ history: [...history] })) }),
      );
    },
  },
  {
    name: "many timers",
    parts: [1, 2],
    change: ({ taskRuns, timers }) => {
      taskRuns.push(taskRun(1));
      for (let n = 0; n < 4_000; n++) timers.set(`task/${n}`, FAKE_START + n);
    },
  },
  {
    name: "long labels",
    parts: [1, 2],
    change: (execution) => {
      execution.taskRuns.push(taskRun(1));
      execution.labels = Array.from({ length: 80 }, (_, n) => ({ key: `k${n}`, value: "v".repeat(950) }));
    },
  },
];

for (const { name, parts, change } of LONG) {
  Deno.test(`an execution with ${name} is read as it was stored, and keeps no part once it is short`, async () => {
    await using app = await Fixture.open();
    const live = await app.begin();
    const stored = () => [app.inner.count(["main", "t"]), app.inner.count(["main", "x"])];
    change(live.execution);
    for (const { ordinal } of live.execution.taskRuns) live.execution.touched.add(ordinal);
    await app.commit(live);
    const pages = new Set(live.execution.taskRuns.map(({ ordinal }) => ordinal >> 5)).size;
    assertEquals(stored(), [parts[0] + pages - 1, parts[1]]);
    const { taskRuns, timers, labels } = await app.load();
    assertEquals(plain(taskRuns), plain(live.execution.taskRuns));
    assertEquals(timers, live.execution.timers);
    assertEquals(labels.slice(0, live.execution.labels.length), live.execution.labels);
    assertEquals((await app.records.header("main", live.execution.id))?.timers, timers);
    // As after a crash; the first commit with short ones is refused.
    const next = await app.reload();
    next.execution.taskRuns.splice(0, Infinity, taskRun(1));
    next.execution.touched.add(1).add(40);
    next.execution.timers.clear();
    next.execution.labels = [];
    app.store.plan = () => "full";
    await assertRejects(() => app.commit(next), DomainError);
    app.store.plan = () => "none";
    await app.clock.advance(2_000);
    await app.commit(next);
    assertEquals(stored(), [1, 1]);
    assertEquals(plain((await app.load()).taskRuns), plain([taskRun(1)]));
  });
}

Deno.test("commits that replace a large value keep a bounded number of stored values", async () => {
  await using app = await Fixture.open();
  const live = await app.begin();
  let most = 0;
  for (let n = 0; n < 300; n++) {
    live.execution.variables = large(`v${n}`, 4_000);
    await app.commit(live, { isBusy: true });
    most = Math.max(most, (await app.values()).length);
  }
  assertLessOrEqual(most, 70);
  assertEquals((await app.load()).variables, live.execution.variables);
  await app.commit(live);
  assertEquals([(await app.values()).length, app.marked], [2, 0]);
});

const FIRST = large("first"), SECOND = large("second");

interface Replacement {
  readonly name: string;
  /** Values that are stored before and after the change. */
  readonly values: readonly [before: number, after: number];
  readonly before: (execution: Execution) => void;
  readonly change: (execution: Execution) => void;
}

/** Changes the outputs or the decision of task runs. */
function changeRuns(execution: Execution, ordinals: readonly number[], members: Partial<TaskRun>): void {
  for (const ordinal of ordinals) {
    Object.assign(execution.taskRuns.find((each) => each.ordinal === ordinal) ?? {}, members);
    execution.touched.add(ordinal);
  }
}

const REPLACEMENTS: readonly Replacement[] = [
  {
    name: "variables are replaced",
    values: [2, 2],
    before: (execution) => execution.variables = FIRST,
    change: (execution) => execution.variables = SECOND,
  },
  {
    name: "variables become small",
    values: [2, 1],
    before: (execution) => execution.variables = FIRST,
    change: (execution) => execution.variables = { small: 1 },
  },
  {
    name: "outputs of the execution are dropped",
    values: [2, 1],
    before: (execution) => execution.outputs = FIRST,
    change: (execution) => execution.outputs = undefined,
  },
  {
    name: "outputs and decision of a task run are replaced",
    values: [3, 3],
    before: ({ taskRuns }) => taskRuns.push(taskRun(0, { outputs: FIRST, decision: large("a") })),
    change: (execution) => changeRuns(execution, [0], { outputs: SECOND, decision: large("b") }),
  },
  {
    name: "a task run is removed",
    values: [3, 2],
    before: ({ taskRuns }) => taskRuns.push(taskRun(0, { outputs: FIRST }), taskRun(40, { outputs: SECOND })),
    change: ({ taskRuns, touched }) => {
      taskRuns.pop();
      touched.add(40);
    },
  },
  {
    name: "a value of more than one chunk is replaced",
    values: [2, 2],
    before: (execution) => execution.variables = { ...large("first", 200_000) },
    change: (execution) => execution.variables = large("second", 200_000),
  },
  {
    name: "one of two places of a value is changed",
    values: [2, 2],
    before: ({ taskRuns }) => taskRuns.push(taskRun(0, { outputs: FIRST }), taskRun(1, { outputs: FIRST })),
    change: (execution) => changeRuns(execution, [1], { outputs: undefined }),
  },
  {
    name: "a value moves to another place",
    values: [2, 2],
    before: ({ taskRuns }) => taskRuns.push(taskRun(0, { outputs: FIRST }), taskRun(1)),
    change: (execution) => {
      const outputs = execution.taskRuns[0]?.outputs;
      changeRuns(execution, [0], { outputs: undefined });
      changeRuns(execution, [1], { outputs });
    },
  },
  {
    name: "both places of a value are changed",
    values: [2, 1],
    before: ({ taskRuns }) => taskRuns.push(taskRun(0, { outputs: FIRST }), taskRun(1, { outputs: FIRST })),
    change: (execution) => changeRuns(execution, [0, 1], { outputs: {} }),
  },
];

/** What a change makes of an execution, in a form to compare. */
function contentOf({ inputs, outputs, variables, taskRuns }: Execution) {
  const runs = taskRuns.map((each) => [each.ordinal, each.outputs, each.decision]);
  return { inputs, outputs, variables, runs };
}

for (const { name, values: [before, after], ...replacement } of REPLACEMENTS) {
  Deno.test(`a large value is removed when no place has it any more: ${name}`, async () => {
    await using app = await Fixture.open();
    const live = await app.begin(replacement.before);
    assertEquals([(await app.values()).length, app.marked], [before, 0]);
    replacement.change(live.execution);
    await app.commit(live);
    assertEquals([(await app.values()).length, app.marked], [after, 0]);
    assertEquals(contentOf(await app.load()), contentOf(live.execution));
  });

  Deno.test(`a large value of a loaded execution is removed when no place has it any more: ${name}`, async () => {
    await using app = await Fixture.open();
    await app.begin(replacement.before);
    const live = await app.reload();
    replacement.change(live.execution);
    await app.commit(live);
    assertEquals([(await app.values()).length, app.marked], [after, 0]);
    assertEquals(contentOf(await app.load()), contentOf(live.execution));
  });

  Deno.test(`a refused commit removes no value, and the next one removes those that are replaced: ${name}`, async () => {
    await using app = await Fixture.open();
    const live = await app.begin(replacement.before);
    const stored = contentOf(structuredClone({ ...live.execution, timers: new Map() }));
    replacement.change(live.execution);
    app.store.plan = () => "full";
    await assertRejects(() => app.commit(live), DomainError);
    app.store.plan = () => "none";
    assertEquals(contentOf(await app.load()), stored);
    await app.clock.advance(2_000);
    await app.commit(live);
    assertEquals(contentOf(await app.load()), contentOf(live.execution));
    await using next = await app.crash();
    assertEquals([(await next.values()).length, next.marked], [after, 0]);
  });

  Deno.test(`a crash at any commit of a change loses no value and leaves none: ${name}`, async () => {
    for (let crash = 1;; crash++) {
      await using app = await Fixture.open();
      const live = await app.begin(replacement.before);
      const stored = contentOf(structuredClone({ ...live.execution, timers: new Map() }));
      replacement.change(live.execution);
      const first = app.store.commits + crash;
      let hasCrashed = false;
      app.store.plan = (commit) => commit < first ? "none" : (hasCrashed = true, "fail_before");
      const [committed] = await Promise.allSettled([app.commit(live)]);
      await using next = await app.crash();
      const isNew = committed.status === "fulfilled";
      assertEquals(contentOf(await next.load()), isNew ? contentOf(live.execution) : stored);
      assertEquals([(await next.values()).length, next.marked], [isNew ? after : before, 0]);
      if (!hasCrashed) break;
    }
  });
}

Deno.test("a large value stays until the reader of a former record has ended", async () => {
  await using app = await Fixture.open();
  const live = await app.begin((execution) => {
    execution.variables = FIRST;
    execution.taskRuns.push(taskRun(0, { outputs: large("run") }), taskRun(1, { outputs: large("later") }));
  });
  const id = live.execution.id;
  const { taskRuns } = await app.records.open("main", id) ?? {};
  assert(taskRuns);
  const runs = taskRuns[Symbol.asyncIterator]();
  await runs.next();
  const gate = Promise.withResolvers<void>();
  app.store.list = (selector, options) => later(gate.promise, app.inner.list(selector, options));
  const loaded = app.load();
  live.execution.variables = SECOND;
  changeRuns(live.execution, [0, 1], { outputs: {} });
  await app.commit(live);
  assertEquals(app.marked, 3);
  gate.resolve();
  assertEquals((await loaded).variables, FIRST);
  const { value } = await runs.next();
  assertEquals(value?.outputs, large("later"));
  await runs.return?.(undefined);
  await settle();
  assertEquals([(await app.values()).length, app.marked], [2, 0]);
});

/** The entries once the promise is resolved. */
async function* later(
  until: Promise<void>,
  entries: AsyncIterable<StoredEntry>,
): AsyncGenerator<StoredEntry> {
  await until;
  yield* entries;
}

Deno.test("collectOrphans() leaves a marked value to its reader", async () => {
  await using app = await Fixture.open();
  const live = await app.begin((execution) => execution.variables = FIRST);
  const release = app.blobs.hold(live.execution.id);
  live.execution.variables = SECOND;
  await app.commit(live);
  app.clock.jump(1_000);
  await app.blobs.collectOrphans(app.clock.now());
  assertEquals((await app.values()).length, 3);
  release();
  await settle();
  assertEquals([(await app.values()).length, app.marked], [2, 0]);
});

Deno.test("a commit that replaces a thousand large values fits into an entry", async () => {
  await using app = await Fixture.open();
  const live = await app.begin();
  const runs = Array.from({ length: 1_000 }, (_, ordinal) => taskRun(ordinal));
  live.execution.taskRuns.push(...runs);
  for (let from = 0; from < runs.length; from += 100) {
    const ordinals = runs.slice(from, from + 100).map(({ ordinal }) => ordinal);
    for (const ordinal of ordinals) {
      changeRuns(live.execution, [ordinal], { outputs: large(`${ordinal}`, 1_100) });
    }
    await app.commit(live);
  }
  assertEquals((await app.values()).length, 1_001);
  changeRuns(live.execution, runs.map(({ ordinal }) => ordinal), { outputs: undefined });
  await app.commit(live);
  assertEquals([(await app.values()).length, app.marked], [1, 0]);
});

Deno.test("load() of an execution that is deleted between the parts of its record finds nothing", async () => {
  await using app = await Fixture.open();
  const { execution: { tenant, id } } = await app.begin((execution) => {
    execution.labels = Array.from({ length: 80 }, (_, n) => ({ key: `k${n}`, value: "v".repeat(950) }));
  });
  app.records.forgetAll();
  app.store.getMany = async (keys) => {
    await app.inner.commit({
      checks: [],
      mutations: [{ type: "delete", key: executionKey(tenant, id) }],
      messages: [],
    });
    return await app.inner.getMany(keys);
  };
  assertEquals(await app.records.load(tenant, id), undefined);
});
