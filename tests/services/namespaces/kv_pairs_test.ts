import { assertEquals, assertRejects } from "@std/assert";
import { DomainError } from "../../../src/model/errors.ts";
import { kvValueOf } from "../../../src/model/namespaces/kv_pair.ts";
import { KV_EXPIRED_KEPT_MS } from "../../../src/services/namespaces/kv_pairs.ts";
import { ACTOR, startNamespaceServices } from "../../support/flows/namespace_services.ts";

const ID = { namespace: "team.data", key: "k" };

Deno.test("put() increments the revision and keeps the creation time", async () => {
  const { kvPairs, clock } = await startNamespaceServices();
  const createdAt = clock.now();
  assertEquals((await kvPairs.put(ACTOR, ID, kvValueOf("a"), { description: "first" })).revision, 1);
  clock.jump(5_000);
  await kvPairs.put(ACTOR, ID, kvValueOf("b"));
  assertEquals(await kvPairs.get(ACTOR, ID), {
    ...ID,
    type: "STRING",
    value: "b",
    revision: 2,
    description: undefined,
    createdAt,
    updatedAt: createdAt + 5_000,
    expiresAt: undefined,
  });
});

Deno.test("concurrent put() of one key loses no revision", async () => {
  const { kvPairs } = await startNamespaceServices();
  await Promise.all(Array.from({ length: 50 }, (_, n) => kvPairs.put(ACTOR, ID, kvValueOf(n))));
  assertEquals((await kvPairs.get(ACTOR, ID)).revision, 50);
});

Deno.test("get() of an expired pair throws expired once, then not_found", async () => {
  const { kvPairs, clock, inner } = await startNamespaceServices();
  await assertRejects(
    () => kvPairs.get(ACTOR, ID),
    DomainError,
    "Not Found: No value found for key 'k' in namespace 'team.data'",
  );
  await kvPairs.put(ACTOR, ID, kvValueOf("a"), { ttl: "PT10M" });
  clock.jump(599_999);
  assertEquals((await kvPairs.get(ACTOR, ID)).value, "a");
  clock.jump(1);
  const expired = await assertRejects(
    () => kvPairs.get(ACTOR, ID),
    DomainError,
    "Resource has expired: The requested value has expired",
  );
  const missing = await assertRejects(() => kvPairs.get(ACTOR, ID), DomainError);
  assertEquals([expired.code, missing.code], ["expired", "not_found"]);
  assertEquals([inner.count(["main", "kv"]), inner.count(["main", "kx"])], [0, 0]);
});

Deno.test("put() without a time to live removes an earlier one", async () => {
  const { kvPairs, clock, inner } = await startNamespaceServices();
  await kvPairs.put(ACTOR, ID, kvValueOf("a"), { ttl: "PT10M" });
  await kvPairs.put(ACTOR, ID, kvValueOf("b"));
  clock.jump(86_400_000);
  assertEquals((await kvPairs.get(ACTOR, ID)).value, "b");
  assertEquals(inner.count(["main", "kx"]), 0);
});

Deno.test("an expired pair is neither listed, nor deleted, nor a revision", async () => {
  const { kvPairs, clock } = await startNamespaceServices();
  await kvPairs.put(ACTOR, ID, kvValueOf("a"), { ttl: "PT1S" });
  clock.jump(1_000);
  assertEquals(await kvPairs.list(ACTOR, ID.namespace), []);
  assertEquals(await kvPairs.valueFor("main", ID), undefined);
  assertEquals((await kvPairs.put(ACTOR, ID, kvValueOf("b"), { ttl: "PT1S" })).revision, 1);
  clock.jump(1_000);
  assertEquals(await kvPairs.delete(ACTOR, ID), false);
});

Deno.test("sweepExpired() removes pairs of all tenants that expired long enough ago", async () => {
  const { kvPairs, clock, inner } = await startNamespaceServices();
  for (const tenant of ["main", "other"]) {
    await kvPairs.put({ tenant }, { namespace: "a", key: "short" }, kvValueOf("x".repeat(200_000)), {
      ttl: "PT1M",
    });
    await kvPairs.put({ tenant }, { namespace: "a", key: "long" }, kvValueOf(1), { ttl: "P1D" });
    await kvPairs.put({ tenant }, { namespace: "a", key: "ever" }, kvValueOf(1));
  }
  clock.jump(60_000 + KV_EXPIRED_KEPT_MS);
  assertEquals(await kvPairs.sweepExpired(), 0);
  clock.jump(1);
  assertEquals(await kvPairs.sweepExpired(), 2);
  assertEquals((await kvPairs.list(ACTOR, "a")).map((pair) => pair.key), ["ever", "long"]);
  assertEquals([inner.count(["main", "b"]), inner.count(["other", "b"]), inner.count(["bi"])], [0, 0, 0]);
});

Deno.test("put() stores values of any size and type", async () => {
  const { kvPairs, inner } = await startNamespaceServices();
  const values = [
    "x".repeat(60_000),
    "x".repeat(70_000),
    '"\\'.repeat(40_000),
    "\u0001ü".repeat(30_000),
    12345678901234567890n,
  ];
  for (const value of values) {
    await kvPairs.put(ACTOR, ID, kvValueOf(value));
    assertEquals((await kvPairs.get(ACTOR, ID)).value, value);
    assertEquals((await kvPairs.valueFor("main", ID))?.value, value);
  }
  assertEquals([inner.count(["main", "b"]), inner.count(["bi"])], [0, 0]);
});

Deno.test("put() that the store refuses changes nothing", async () => {
  const { kvPairs, store, clock } = await startNamespaceServices();
  await kvPairs.put(ACTOR, ID, kvValueOf("x".repeat(100_000)));
  for (let failing = 1; failing <= 3; failing++) {
    const bad = store.commits + failing;
    store.plan = (commit) => commit === bad ? "fail_before" : "none";
    const error = await assertRejects(
      () => kvPairs.put(ACTOR, ID, kvValueOf("y".repeat(100_000))),
      DomainError,
    );
    assertEquals(error.code, "unavailable");
    await clock.advance(1_000);
    assertEquals((await kvPairs.get(ACTOR, ID)).value, "x".repeat(100_000));
  }
});

Deno.test("valueFor() reads the namespace, then its parents, of that tenant only", async () => {
  const { kvPairs } = await startNamespaceServices();
  await kvPairs.put(ACTOR, { namespace: "a", key: "x" }, kvValueOf("a"));
  await kvPairs.put(ACTOR, { namespace: "a.b", key: "y" }, kvValueOf("b"));
  await kvPairs.put(ACTOR, { namespace: "a.b.c", key: "y" }, kvValueOf("c"));
  const valueOf = async (namespace: string, key: string, isExact = false) =>
    (await kvPairs.valueFor("main", { namespace, key }, { isExact }))?.value;
  assertEquals(await valueOf("a.b.c", "x"), "a");
  assertEquals(await valueOf("a.b.c", "y"), "c");
  assertEquals(await valueOf("a.b.d", "y"), "b");
  assertEquals(await valueOf("a.b.c", "x", true), undefined);
  assertEquals(await valueOf("ab", "x"), undefined);
  assertEquals(await kvPairs.valueFor("other", { namespace: "a", key: "x" }), undefined);
});

Deno.test("listInherited() returns the nearest pair of each key of the parents", async () => {
  const { kvPairs } = await startNamespaceServices();
  for (const [namespace, key] of [["a", "x"], ["a", "y"], ["a.b", "y"], ["a.b.c", "z"]] as const) {
    await kvPairs.put(ACTOR, { namespace, key }, kvValueOf(1));
  }
  const inherited = await kvPairs.listInherited(ACTOR, "a.b.c");
  assertEquals(inherited.map(({ namespace, key }) => `${namespace}/${key}`), ["a.b/y", "a/x"]);
});

Deno.test("deleteAll() returns the deleted keys, and refuses all if one is invalid", async () => {
  const { kvPairs } = await startNamespaceServices();
  for (const key of ["a", "b", "c"]) await kvPairs.put(ACTOR, { namespace: "n", key }, kvValueOf(1));
  await assertRejects(() => kvPairs.deleteAll(ACTOR, "n", ["a", "/"]), DomainError, '"/"');
  assertEquals(await kvPairs.deleteAll(ACTOR, "n", ["a", "c", "x", "a"]), ["a", "c"]);
  assertEquals((await kvPairs.list(ACTOR, "n")).map((pair) => pair.key), ["b"]);
});

Deno.test("put() accepts keys named like members of objects", async () => {
  const { kvPairs } = await startNamespaceServices();
  for (const key of ["constructor", "toString", "hasOwnProperty"]) {
    await assertRejects(() => kvPairs.get(ACTOR, { namespace: "n", key }), DomainError, "No value");
    await kvPairs.put(ACTOR, { namespace: "n", key }, kvValueOf(key));
    assertEquals((await kvPairs.get(ACTOR, { namespace: "n", key })).value, key);
  }
});
