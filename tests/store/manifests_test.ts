/** Manifests: the list of live executions in few keys and messages. */
import { assertEquals } from "@std/assert";
import { Manifests } from "../../src/store/manifests.ts";
import { MemoryStore } from "../support/fakes/memory_store.ts";
import { FakeClock } from "../support/fakes/fake_clock.ts";
import { FaultyStore } from "../support/fakes/faulty_store.ts";
import { quietCommitter } from "../support/fakes/quiet_committer.ts";

async function setUp(hasQueue = true) {
  const clock = new FakeClock();
  const memory = new MemoryStore(clock);
  const store = new FaultyStore(memory);
  const committer = quietCommitter(store, clock, { instance: "one" });
  const manifests = new Manifests("one", hasQueue);
  committer.addRider(manifests);
  await committer.start();
  const messages: string[] = [];
  store.plan = (_, atomic) => (messages.push(...atomic.messages.map(({ payload }) => payload)), "none");
  const set = (live: boolean, ...ids: string[]) =>
    Promise.all(
      ids.map((id) =>
        committer.commit({ mutations: [], facts: { liveness: [{ tenant: "main", id, live }] } })
      ),
    );
  return { clock, memory, store, committer, manifests, messages, set };
}

Deno.test("contribute() writes one key for the executions that become live in a group, and deletes it when none is live", async () => {
  const { memory, manifests, set } = await setUp();
  await set(true, "a", "b");
  await set(true, "c");
  assertEquals([memory.count(["~g"]), manifests.liveCount], [2, 3]);
  await set(false, "a");
  assertEquals(memory.count(["~g"]), 2);
  await set(false, "b", "c");
  assertEquals([memory.count(["~g"]), manifests.liveCount], [0, 0]);
});

Deno.test("contribute() writes nothing for an execution that starts and ends within one group", async () => {
  const { memory, committer } = await setUp();
  const fact = (live: boolean) => ({
    mutations: [],
    facts: { liveness: [{ tenant: "main", id: "a", live }] },
  });
  await Promise.all([committer.commit(fact(true)), committer.commit(fact(false))]);
  assertEquals(memory.count(["~g"]), 0);
});

Deno.test("contribute() keeps one message outstanding while an execution is live", async () => {
  const { manifests, messages, committer, set } = await setUp();
  await set(true, "a");
  await set(true, "b");
  assertEquals(messages, ["sweep"]);
  manifests.messageDelivered();
  await committer.commit({ mutations: [] });
  assertEquals(messages, ["sweep", "sweep"]);
  manifests.messageDelivered();
  await set(false, "a", "b");
  await committer.commit({ mutations: [] });
  assertEquals(messages.length, 2);
});

Deno.test("contribute() sends no message without a queue", async () => {
  const { messages, set } = await setUp(false);
  await set(true, "a");
  assertEquals(messages, []);
});

Deno.test("a refused group does not change the manifests", async () => {
  const { clock, memory, store, manifests, set } = await setUp();
  store.plan = () => "fail_before";
  await set(true, "a").catch(() => {});
  assertEquals([manifests.liveCount, memory.count(["~g"])], [0, 0]);
  store.plan = () => "none";
  await clock.advance(1_000);
  await set(true, "a");
  assertEquals([manifests.liveCount, memory.count(["~g"])], [1, 1]);
});

Deno.test("read() returns the live executions of the previous process; adopt() counts them as live", async () => {
  const { memory, set } = await setUp();
  await set(true, "a", "b");
  const next = new Manifests("one", true);
  const listed = await next.read(memory);
  assertEquals(listed.map(({ tenant, id }) => `${tenant}/${id}`), ["main/a", "main/b"]);
  next.adopt(listed);
  next.adopt(listed);
  assertEquals([next.liveCount, next.manifestCount, next.listed().length], [2, 1, 2]);
});
