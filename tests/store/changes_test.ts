import { assertEquals, assertRejects } from "@std/assert";
import { Changes } from "../../src/store/changes.ts";
import { FakeClock, settle } from "../support/fakes/fake_clock.ts";

const KEY = { tenant: "main", id: "A1" };

function create() {
  const clock = new FakeClock();
  return { clock, changes: new Changes(), limits: { clock, timeoutMs: 1_000 } };
}

Deno.test("until() evaluates at once, and after each commit of that execution alone", async () => {
  const { changes, limits } = create();
  let [count, wanted] = [0, 2];
  const waiting = changes.until(KEY, () => ++count === wanted, limits);
  await settle();
  changes.publish("main", "A2");
  changes.publish("other", "A1");
  await settle();
  assertEquals(count, 1);
  changes.publish("main", "A1");
  assertEquals([await waiting, count, changes.size], [true, 2, 0]);
  wanted = 3;
  assertEquals([await changes.until(KEY, () => ++count === wanted, limits), changes.size], [true, 0]);
});

Deno.test("until() evaluates again after a commit that came during an evaluation", async () => {
  const { changes, limits } = create();
  let isStored = false;
  const isDone = async () => {
    const found = isStored;
    isStored = true;
    changes.publish("main", "A1");
    await settle();
    return found;
  };
  assertEquals(await changes.until(KEY, isDone, limits), true);
});

Deno.test("until() returns false after its time limit, after a last evaluation", async () => {
  const { clock, changes, limits } = create();
  let count = 0;
  const waiting = changes.until(KEY, () => ++count > 2, limits);
  await clock.advance(999);
  assertEquals([count, changes.size], [1, 1]);
  await clock.advance(1);
  assertEquals([await waiting, count, changes.size], [false, 2, 0]);
});

Deno.test("until() returns false when its signal is aborted, before or during the wait", async () => {
  const { changes, limits } = create();
  const abort = new AbortController();
  const options = { ...limits, signal: abort.signal };
  const waiting = changes.until(KEY, () => false, options);
  await settle();
  abort.abort();
  assertEquals(await waiting, false);
  assertEquals(await changes.until(KEY, () => false, options), false);
  assertEquals(await changes.until(KEY, () => true, options), true);
  assertEquals(changes.size, 0);
});

Deno.test("until() fails with its condition, and keeps no listener", async () => {
  const { changes, limits } = create();
  await assertRejects(
    () => changes.until(KEY, () => Promise.reject(new Error("gone")), limits),
    Error,
    "gone",
  );
  assertEquals(changes.size, 0);
});
