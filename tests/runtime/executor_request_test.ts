/** Requests to executions: loaded once, decided by the engine, committed once. */
import { assertEquals, assertRejects } from "@std/assert";
import type { Request } from "../../src/engine/requests/requests.ts";
import { DomainError } from "../../src/model/errors.ts";
import { currentState } from "../../src/model/executions/state.ts";
import { executionFileKey } from "../../src/store/keys.ts";
import type { Atomic, ListOptions, Selector, Store, StoredEntry } from "../../src/store/store.ts";
import { settle } from "../support/fakes/fake_clock.ts";
import { FaultyStore } from "../support/fakes/faulty_store.ts";
import { Harness, statesOf } from "../support/harness.ts";

/** The output of `big` is stored apart from the record, so that each load of the execution reads it from the store. */
const PAUSED = `
id: paused
namespace: demo
tasks:
  - {id: big, type: io.svc.plugin.core.debug.Return, format: ${"x".repeat(20_000)}}
  - {id: ask, type: io.svc.plugin.core.flow.Pause, onResume: [{id: doc, type: FILE, required: false}]}
  - {id: after, type: io.svc.plugin.core.debug.Return, format: done}
`;
const RESUME: Request = { type: "resumed", taskRun: 1 };

/** Counts loads of executions, records commits, and delays them on demand. */
class CountingStore extends FaultyStore {
  loads = 0;
  readonly atomics: Atomic[] = [];
  /** Commits wait for it. */
  held: Promise<void> = Promise.resolve();

  override list(selector: Selector, options?: ListOptions): AsyncIterable<StoredEntry> {
    const [, kind] = "prefix" in selector ? selector.prefix : selector.start;
    if (kind === "t") this.loads++;
    return super.list(selector, options);
  }

  override async commit(atomic: Atomic): Promise<string | null> {
    await this.held;
    this.atomics.push(atomic);
    return await super.commit(atomic);
  }

  /** Commits that write the record of an execution. */
  commitsOf(id: string): Atomic[] {
    return this.atomics.filter(({ mutations }) =>
      mutations.some(({ key }) => key[1] === "x" && key[2] === id)
    );
  }
}

class Paused implements AsyncDisposable {
  applied = 0;

  private constructor(readonly app: Harness, readonly store: CountingStore, readonly id: string) {}

  static async create(): Promise<Paused> {
    let counting: CountingStore | undefined;
    const app = await Harness.start({ wrap: (store: Store) => counting = new CountingStore(store) });
    const { id } = await app.run(PAUSED);
    const store = counting as CountingStore;
    store.loads = 0;
    store.atomics.length = 0;
    return new Paused(app, store, id);
  }

  get executor() {
    return this.app.assembly.executor;
  }

  request(request: Request): Promise<boolean> {
    return this.executor.request("main", this.id, () => ({ request }), () => void this.applied++);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.app[Symbol.asyncDispose]();
  }
}

async function refusalCode(request: Promise<unknown>): Promise<string> {
  return (await assertRejects(() => request, DomainError)).code;
}

/** Whether a promise is still pending after some turns. */
async function isPending(promise: Promise<unknown>): Promise<boolean> {
  let isSettled = false;
  promise.then(() => isSettled = true, () => isSettled = true);
  await settle();
  return !isSettled;
}

Deno.test("request() of a resume with a file loads the execution once and commits once, the file included", async () => {
  await using paused = await Paused.create();
  const { app, store, id } = paused;
  const body = new FormData();
  body.set("doc", new Blob(["text"]), "doc.txt");
  const response = await app.request("POST", `/executions/${id}/resume`, { body });
  await response.body?.cancel();
  assertEquals([response.status, store.loads], [200, 1]);
  const commits = store.commitsOf(id);
  assertEquals(commits.length, 1);
  const folder = executionFileKey("main", id, "").slice(0, 3);
  const files = commits[0]?.mutations.filter(({ key }) => folder.every((part, at) => key[at] === part));
  assertEquals(files?.map(({ type }) => type), ["set"]);
  assertEquals(statesOf(await app.execution(id)), "CREATED RUNNING PAUSED RESTARTED RUNNING SUCCESS");
});

Deno.test("request() returns false for an unknown execution", async () => {
  await using app = await Harness.start();
  const { executor } = app.assembly;
  const request = executor.request("main", "unknown", () => ({ request: RESUME }), () => {});
  assertEquals(await request, false);
});

Deno.test("request() that is refused commits nothing", async () => {
  await using paused = await Paused.create();
  assertEquals(await refusalCode(paused.request({ type: "pause_asked" })), "invalid_argument");
  assertEquals([paused.store.atomics.length, paused.applied, paused.executor.liveCount], [0, 0, 0]);
});

Deno.test("request() that is refused during another commit resolves after it, and commits nothing", async () => {
  await using paused = await Paused.create();
  const { store, id } = paused;
  const held = Promise.withResolvers<void>();
  store.held = held.promise;
  const resumed = paused.request(RESUME);
  await settle();
  const refused = refusalCode(paused.request({ type: "pause_asked" }));
  held.resolve();
  assertEquals([await resumed, await refused], [true, "invalid_argument"]);
  await settle();
  assertEquals([store.commitsOf(id).length, paused.applied, paused.executor.liveCount], [1, 1, 0]);
});

for (const fault of ["none", "fail_before"] as const) {
  Deno.test(`request() refused because of an uncommitted state waits for its commit (${fault})`, async () => {
    await using paused = await Paused.create();
    const { store, executor, id } = paused;
    const held = Promise.withResolvers<void>();
    store.held = held.promise;
    const resumed = paused.request(RESUME).catch((error: DomainError) => error.code);
    await settle();
    const refused = executor.request("main", id, ({ execution }) => {
      throw new DomainError("conflict", currentState(execution.history));
    }, () => {});
    assertEquals(await isPending(refused), true);
    store.plan = () => fault;
    held.resolve();
    if (fault === "none") {
      assertEquals([await resumed, await refusalCode(refused)], [true, "conflict"]);
      return;
    }
    assertEquals([await refusalCode(refused), await resumed], ["unavailable", "unavailable"]);
    store.plan = () => "none";
    await paused.app.advance(2_000);
    assertEquals(
      statesOf(await paused.app.execution(id)),
      "CREATED RUNNING PAUSED RESTARTED RUNNING SUCCESS",
    );
  });
}

Deno.test("request(): of two at once the second is decided on the state after the first", async () => {
  await using paused = await Paused.create();
  const first = paused.request(RESUME);
  const second = refusalCode(paused.request(RESUME));
  assertEquals([await first, await second, paused.applied], [true, "conflict", 1]);
  assertEquals(paused.store.commitsOf(paused.id).length, 1);
});

Deno.test("request() does not keep the execution in memory while it is prepared, and uses the state after that", async () => {
  await using paused = await Paused.create();
  const { executor, id } = paused;
  const form = Promise.withResolvers<void>();
  const slow = executor.request("main", id, async () => {
    await form.promise;
    return { request: RESUME };
  }, () => void paused.applied++);
  const refused = refusalCode(slow);
  await settle();
  assertEquals(executor.liveCount, 0);
  assertEquals(await paused.request({ type: "kill_asked" }), true);
  form.resolve();
  assertEquals([await refused, paused.applied], ["conflict", 1]);
  assertEquals((await paused.app.execution(id)).state.current, "KILLED");
  assertEquals(executor.liveCount, 0);
});

Deno.test("a replay of a paused execution goes on with a loop that waited for its next pass", async () => {
  await using app = await Harness.start();
  const core = "io.kestra.plugin.core";
  await app.save(`id: f
namespace: demo
tasks:
  - id: p
    type: ${core}.flow.Parallel
    tasks:
      - id: u
        type: ${core}.flow.LoopUntil
        condition: "false"
        checkFrequency: {interval: PT1M, maxIterations: 2}
        tasks: [{id: r, type: ${core}.debug.Return, format: r}]
      - {id: x, type: ${core}.debug.Return, format: x}
`);
  const { id } = await app.start("f");
  await settle();
  await app.json("POST", `/executions/${id}/pause`);
  await settle();
  const { taskRunList } = await app.execution(id);
  const target = taskRunList.find(({ taskId }) => taskId === "x");
  const copy = await app.json("POST", `/executions/${id}/replay?taskRunId=${target?.id}`) as { id: string };
  await app.advance(180_000);
  assertEquals((await app.execution(copy.id)).state.current, "SUCCESS");
});
