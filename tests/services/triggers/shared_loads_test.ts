import { assertEquals, assertRejects } from "@std/assert";
import { SharedLoads } from "../../../src/services/triggers/shared_loads.ts";
import { settle } from "../../support/fakes/fake_clock.ts";

/** Work on values that ends when the test says so; `loaded` lists the loads that have begun. */
function create(max: number) {
  const loads = new SharedLoads<string>(max);
  const loaded: string[] = [], done: string[] = [];
  const ends = new Map<string, () => void>();
  const load = (key: string) => () => {
    loaded.push(key);
    return key === "bad" ? Promise.reject(new Error("unreadable")) : Promise.resolve(`value of ${key}`);
  };
  const use = (key: string, user: string) =>
    loads.use(key, load(key), async (value) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      ends.set(user, resolve);
      await promise;
      done.push(`${user}: ${value}`);
    });
  const end = async (user: string) => {
    ends.get(user)?.();
    await settle();
  };
  return { use, end, loaded, done };
}

Deno.test("SharedLoads.use() loads a value once for all that use it, and again once none does", async () => {
  const { use, end, loaded, done } = create(2);
  const [first, second] = [use("a", "1"), use("a", "2")];
  await settle();
  await end("1");
  const third = use("a", "3");
  await settle();
  await end("2");
  await end("3");
  assertEquals([loaded, done], [["a"], ["1: value of a", "2: value of a", "3: value of a"]]);
  const last = use("a", "4");
  await settle();
  await end("4");
  assertEquals(loaded, ["a", "a"]);
  await Promise.all([first, second, third, last]);
});

Deno.test("SharedLoads.use() holds at most so many values, the others in order", async () => {
  const { use, end, loaded } = create(2);
  const all = ["a", "b", "c", "d"].map((key) => use(key, key));
  await settle();
  assertEquals(loaded, ["a", "b"]);
  await end("b");
  assertEquals(loaded, ["a", "b", "c"]);
  await end("a");
  assertEquals(loaded, ["a", "b", "c", "d"]);
  await end("c");
  await end("d");
  await Promise.all(all);
});

Deno.test("SharedLoads.use() frees the place of a value that cannot be loaded", async () => {
  const { use, end, loaded, done } = create(1);
  const [failed, others] = [use("bad", "1"), use("bad", "2")];
  const next = use("a", "3");
  await assertRejects(() => failed, Error, "unreadable");
  await assertRejects(() => others, Error, "unreadable");
  await settle();
  await end("3");
  await next;
  assertEquals([loaded, done], [["bad", "a"], ["3: value of a"]]);
});
