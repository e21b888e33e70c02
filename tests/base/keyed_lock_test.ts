import { assertEquals, assertRejects } from "@std/assert";
import { KeyedLock } from "../../src/base/keyed_lock.ts";

Deno.test("run() starts at once for a free key, else after earlier work", async () => {
  const locks = new KeyedLock();
  const order: string[] = [];
  const first = Promise.withResolvers<void>();
  const hold = (name: string, until: Promise<void>) => async () => {
    order.push(`${name} begins`);
    await until;
    order.push(`${name} ends`);
  };
  const running = [
    locks.run("a", hold("one", first.promise)),
    locks.run("a", hold("two", Promise.resolve())),
    locks.run("b", hold("other", Promise.resolve())),
  ];
  assertEquals(order, ["one begins", "other begins"]);
  assertEquals([locks.isHeld("a"), locks.isHeld("c")], [true, false]);
  await running[2];
  first.resolve();
  await Promise.all(running);
  assertEquals(order, ["one begins", "other begins", "other ends", "one ends", "two begins", "two ends"]);
  await Promise.resolve();
  assertEquals([locks.isHeld("a"), locks.isHeld("b")], [false, false]);
});

Deno.test("run() returns the result of its own work; a failure does not stop later work", async () => {
  const locks = new KeyedLock();
  const failing = locks.run("a", () => Promise.reject(new Error("no")));
  const next = locks.run("a", () => Promise.resolve(2));
  await assertRejects(() => failing, Error, "no");
  assertEquals(await next, 2);
});

Deno.test("settled() waits for the work of keys with a prefix, also for work that waits and that fails", async () => {
  const locks = new KeyedLock();
  const over = Promise.withResolvers<void>();
  const ended: string[] = [];
  const first = locks.run("a/1", () => over.promise);
  const second = locks.run("a/1", () => Promise.reject(new Error("no")));
  void second.catch(() => ended.push("second"));
  void locks.run("b/1", () => new Promise(() => {}));
  const settled = locks.settled("a/").then(() => ended.push("settled"));
  await locks.settled("c");
  assertEquals(ended, []);
  over.resolve();
  await Promise.all([first, settled]);
  assertEquals(ended, ["second", "settled"]);
});
