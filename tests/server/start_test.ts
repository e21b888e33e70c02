/** What a server does while it still recovers the executions of the process before. */
import { assertEquals } from "@std/assert";
import type { RunnableTaskType } from "../../src/model/tasks/task_catalog.ts";
import { currentState } from "../../src/model/executions/state.ts";
import { Assembly } from "../../src/server/assembly.ts";
import { executionKey } from "../../src/store/keys.ts";
import type { Key, StoredEntry } from "../../src/store/store.ts";
import { settle } from "../support/fakes/fake_clock.ts";
import { FaultyStore } from "../support/fakes/faulty_store.ts";
import { Harness, harnessOptions } from "../support/harness.ts";

/** More than are loaded at a time. */
const MANY = 321;
const WAITS: RunnableTaskType = {
  ...{ form: "runnable", type: "harness.Waits", aliases: [], description: "Waits.", pure: false },
  properties: {},
  run: (_, { signal }) =>
    new Promise((resolve) => signal.addEventListener("abort", () => resolve({ state: "KILLED" }))),
};

/** Reads of single keys wait, except some. */
class HeldStore extends FaultyStore {
  readonly #released = Promise.withResolvers<void>();
  /** Keys, as JSON, whose reads wait. */
  readonly held = new Set<string>();

  release(): void {
    this.#released.resolve();
  }

  override async get(key: Key): Promise<StoredEntry | null> {
    if (this.held.has(JSON.stringify(key))) await this.#released.promise;
    return await super.get(key);
  }
}

/** A server that starts after a crash while so many executions were live; the reads of all but the last wait. */
async function recovering(count: number) {
  await using former = await Harness.start({ extraTasks: [WAITS] });
  await former.save("{id: waits, namespace: demo, tasks: [{id: a, type: io.svc.plugin.harness.Waits}]}");
  await former.save(
    "{id: one, namespace: demo, tasks: [{id: a, type: io.svc.plugin.core.debug.Return, format: x}]}",
  );
  const started = await Promise.all(Array.from({ length: count }, () => former.start("waits")));
  const ids = started.map(({ id }) => String(id));
  const { clock } = former;
  // Ids of executions have the time in them.
  await clock.advance(1_000);
  const store = new HeldStore(former.store.reopen());
  for (const id of ids.slice(0, Math.max(1, count - 1))) {
    store.held.add(JSON.stringify(executionKey("main", id)));
  }
  const assembly = await Assembly.create({ ...harnessOptions(store, clock), extraTasks: [WAITS] });
  const starting = assembly.start();
  const send = async (method: string, path: string) => {
    const response = await assembly.fetch(
      new Request(`http://127.0.0.1:8080/api/v1/main${path}`, { method }),
    );
    return await response.json();
  };
  return { ids, store, assembly, starting, send };
}

Deno.test("Assembly.start(): executions start before those of the process before are recovered; lists wait for these", async () => {
  const { assembly, store, starting, send } = await recovering(1);
  assertEquals((await send("POST", "/executions/demo/one")).state.current, "CREATED");
  let isListed = false;
  const listed = send("GET", "/executions/search?flowId=waits&namespace=demo").finally(() => isListed = true);
  const counted = assembly.services.catalog.counts("main");
  await settle();
  assertEquals(isListed, false);
  store.release();
  await starting;
  assertEquals([(await listed).total, [...(await counted).values()].length], [1, 2]);
  await assembly.stop();
});

Deno.test("Executor: an execution that is used before its turn is recovered first", async () => {
  const { ids, assembly, store, starting, send } = await recovering(MANY);
  await assembly.takesStarts;
  const last = String(ids.at(-1));
  assertEquals(assembly.executor.liveCount, 0);
  await assembly.executor.send("main", last, { type: "kill_asked" });
  await settle();
  const killed = await assembly.services.records.header("main", last);
  assertEquals([killed && currentState(killed.history), assembly.executor.liveCount], ["KILLED", 0]);
  store.release();
  await starting;
  assertEquals((await send("GET", "/executions/search?namespace=demo&state=RUNNING&size=1")).total, MANY - 1);
  await assembly.stop();
});
