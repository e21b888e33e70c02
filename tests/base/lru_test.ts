import { assertEquals, assertLessOrEqual } from "@std/assert";
import { keyWeight, LruCache, RecentCache } from "../../src/base/lru.ts";

Deno.test("LruCache.set() evicts the least recently used value", () => {
  const cache = new LruCache<string, number>(2);
  cache.set("a", 1);
  cache.set("b", 2);
  cache.get("a");
  cache.set("c", 3);
  assertEquals(["a", "b", "c"].map((key) => cache.get(key)), [1, undefined, 3]);
});

const weigh = ({ weight }: { weight: number }) => weight;
const light = { weight: 1 };

Deno.test("RecentCache.get() gives values of both generations", () => {
  const cache = new RecentCache<number, { weight: number }>(4, weigh);
  for (const key of [1, 2, 3]) cache.set(key, light);
  assertEquals([1, 2, 3].map((key) => cache.get(key)), [light, light, light]);
});

Deno.test("RecentCache.get() keeps used values", () => {
  const cache = new RecentCache<number, { weight: number }>(8, weigh);
  for (let key = 0; key < 100; key++) {
    cache.set(key, light);
    assertEquals(cache.get(0), light);
  }
  assertEquals(cache.get(50), undefined);
});

Deno.test("RecentCache.set() never exceeds the weight", () => {
  for (let writes = 1; writes < 60; writes++) {
    const cache = new RecentCache<number, { weight: number }>(10, weigh);
    for (let key = 0; key < writes; key++) cache.set(key, { weight: 1 + key % 3 });
    let kept = 0;
    // Each is taken out at once, so that looking moves nothing else.
    for (let key = 0; key < writes; key++) kept += takeWeight(cache, key);
    assertLessOrEqual(kept, 10);
  }
});

Deno.test("RecentCache.set() replaces a value of either generation, and refuses one that is too heavy", () => {
  const cache = new RecentCache<string, { weight: number }>(4, weigh);
  cache.set("a", light);
  cache.set("b", { weight: 2 });
  const heavier = { weight: 2 };
  cache.set("a", heavier);
  assertEquals(cache.get("a"), heavier);
  cache.set("a", { weight: 3 });
  assertEquals(cache.get("a"), undefined);
});

Deno.test("RecentCache.delete() deletes from both generations", () => {
  const cache = new RecentCache<string, { weight: number }>(4, weigh);
  cache.set("a", light);
  cache.set("b", { weight: 2 });
  cache.set("a", light);
  cache.delete("a");
  assertEquals(cache.get("a"), undefined);
});

function takeWeight(cache: RecentCache<number, { weight: number }>, key: number): number {
  const weight = cache.get(key)?.weight ?? 0;
  cache.delete(key);
  return weight;
}

Deno.test("keyWeight() lets no long key into a cache, and many short ones", () => {
  const cache = new LruCache<string, number>(100);
  const [short, long] = ["k".repeat(100), "k".repeat(1_000_000)];
  for (const key of [short, long]) cache.set(key, 1, keyWeight(key));
  assertEquals([cache.get(short), cache.get(long), keyWeight(short)], [1, undefined, 1]);
});
