/** What one request does to an execution while another one, or the engine, is at it. */
import { assert, assertEquals } from "@std/assert";
import type { MemoryStore } from "../support/fakes/memory_store.ts";
import { settle } from "../support/fakes/fake_clock.ts";
import { GatedStore, restartGated } from "../support/fakes/gated_store.ts";
import { type ExecutionResponse, Harness, statesOf } from "../support/harness.ts";

const RETURN = "io.svc.plugin.core.debug.Return";
const MANY = Array.from({ length: 300 }, (_, n) => `  - {id: t${n}, type: ${RETURN}, format: v${n}}\n`);
const LONG = `id: long\nnamespace: demo\ntasks:\n${MANY.join("")}`;
const SLEEP =
  `id: sleep\nnamespace: demo\ntasks:\n  - {id: wait, type: io.svc.plugin.core.flow.Sleep, duration: PT10S}\n`;

const AGAIN = SLEEP.replace("id: sleep", "id: again") +
  "  - {id: fail, type: io.svc.plugin.core.execution.Fail}\n" +
  "retry: {type: constant, interval: PT1M, maxAttempt: 3, behavior: CREATE_NEW_EXECUTION}\n";

async function startGated(): Promise<{ app: Harness; store: GatedStore }> {
  let store: GatedStore | undefined;
  const app = await Harness.start({ wrap: (memory: MemoryStore) => store = new GatedStore(memory) });
  assert(store);
  return { app, store };
}

Deno.test("DELETE /executions/:id between two slices: the server goes on, and the execution stays away", async () => {
  const { app, store } = await startGated();
  await using _app = app;
  await app.save(LONG);
  store.isClosed = true;
  const starting = app.start("long");
  await settle();
  await store.letThrough(); // The first slice is durable, the second one is being committed.
  const { id } = await starting;
  const deleting = app.request("DELETE", `/executions/${id}`);
  await settle();
  store.isClosed = false;
  await store.letThrough();
  assertEquals((await deleting).status, 204);
  await app.advance(5_000);
  assertEquals((await app.request("GET", `/executions/${id}`)).status, 404);
  const { total } = await app.json("GET", "/executions/search") as { total: number };
  assertEquals([total, app.assembly.executor.liveCount, app.store.count(["~g"])], [0, 0, 0]);
});

Deno.test("GET /executions/:id that reads while a DELETE commits does not bring the execution back", async () => {
  const first = await startGated();
  await first.app.save(SLEEP);
  const { id } = await first.app.start("sleep");
  const { app, store } = await restartGated(first.app);
  await using _app = app;
  store.holdsReads = true;
  const reading = app.request("GET", `/executions/${id}`);
  await settle();
  store.holdsReads = false;
  assertEquals((await app.request("DELETE", `/executions/${id}`)).status, 204);
  await store.letThrough();
  await (await reading).body?.cancel();
  assertEquals((await app.request("GET", `/executions/${id}`)).status, 404);
});

Deno.test("kill of a sleeping execution at the moment its timer fires: one of them wins, once", async () => {
  const { app, store } = await startGated();
  await using _app = app;
  await app.save(SLEEP);
  const { id } = await app.start("sleep");
  await app.advance(9_999);
  store.isClosed = true;
  const kills = [0, 1].map(() => app.request("DELETE", `/executions/${id}/kill`));
  await app.advance(1); // The timer fires while the kill is being committed.
  kills.push(app.request("DELETE", `/executions/${id}/kill`));
  await settle();
  store.isClosed = false;
  await store.letThrough();
  await app.advance(5_000);
  for (const kill of kills) await (await kill).body?.cancel();
  assertEquals(statesOf(await app.execution(id)), "CREATED RUNNING KILLING KILLED");
  assertEquals([app.store.count(["tm"]), app.store.count(["main", "x"])], [0, 1]);
});

Deno.test("kill of an execution that is about to be tried again kills the one in its place, and says that it was done", async () => {
  const { app, store } = await startGated();
  await using _app = app;
  await app.save(AGAIN);
  const { id } = await app.start("again");
  await settle();
  store.isClosed = true;
  await app.advance(10_000); // It is tried again, and that is being committed.
  const killing = app.request("DELETE", `/executions/${id}/kill`);
  await settle();
  store.isClosed = false;
  await store.letThrough();
  const response = await killing;
  await response.body?.cancel();
  assertEquals(response.status, 200);
  await app.advance(60_000);
  const { results } = await app.json("GET", "/executions/search?sort=id:asc") as unknown as {
    results: ExecutionResponse[];
  };
  assertEquals(results.map(({ state }) => state.current).sort(), ["KILLED", "RETRIED"]);
});

Deno.test("DELETE /executions/:id at the moment its timer fires does not bring the execution back", async () => {
  const first = await startGated();
  await first.app.save(SLEEP);
  const { id } = await first.app.start("sleep");
  const { app, store } = await restartGated(first.app);
  await using _app = app;
  await app.advance(9_999);
  store.holdsReads = true;
  await app.advance(1); // The timer fires, and its execution is being read.
  store.holdsReads = false;
  store.isClosed = true;
  const deleting = app.request("DELETE", `/executions/${id}`);
  await settle();
  await store.letThrough();
  store.isClosed = false;
  await store.letThrough();
  assertEquals((await deleting).status, 204);
  await app.advance(5_000);
  assertEquals((await app.request("GET", `/executions/${id}`)).status, 404);
  assertEquals([app.store.count(["main", "x"]), app.store.count(["tm"])], [0, 0]);
});
