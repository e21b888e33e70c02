import { assertEquals, assertRejects } from "@std/assert";
import { DomainError } from "../../../src/model/errors.ts";
import { RESERVED_TENANT_IDS } from "../../../src/model/access/tenant.ts";
import { Tenants } from "../../../src/services/access/tenants.ts";
import type { Committer } from "../../../src/store/committer.ts";
import { encodeJson } from "../../../src/store/codec.ts";
import { MemoryStore } from "../../support/memory_store.ts";
import type { Key, Mutation } from "../../../src/store/store.ts";
import { setTenant } from "../../../src/store/records/tenant_records.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { quietCommitter } from "../../support/quiet_committer.ts";

interface Setup extends AsyncDisposable {
  readonly store: MemoryStore;
  readonly committer: Committer;
  readonly tenants: Tenants;
}

async function start(clock: FakeClock, store = new MemoryStore(clock)): Promise<Setup> {
  const committer = quietCommitter(store, clock);
  await committer.start();
  const tenants = new Tenants({ store, committer });
  await tenants.start();
  return { store, committer, tenants, [Symbol.asyncDispose]: () => committer[Symbol.asyncDispose]() };
}

const set = (key: Key): Mutation => ({ type: "set", key, value: encodeJson("x") });

/** Rows of a tenant under several prefixes, some with the longest keys. */
async function fill(committer: Committer, id: string): Promise<void> {
  const keys: Key[] = Array.from({ length: 1_200 }, (_, n): Key => [id, "x", `id${n}`]);
  for (let n = 0; n < 100; n++) keys.push([id, "nf", "ns", "p".repeat(1_990) + n]);
  keys.push([id, "t", "id1", 0], ["bi", id, "owner", "blob"]);
  for (const key of keys) await committer.commit({ mutations: [set(key)] });
}

Deno.test("Tenants.remove() deletes all data of the tenant, and none of others", async () => {
  const clock = new FakeClock();
  await using setup = await start(clock);
  const { store, committer, tenants } = setup;
  for (const id of ["acme", "acme2"]) {
    await tenants.create({ id, name: id });
    await fill(committer, id);
  }
  await fill(committer, "main");
  const others = () => [store.count(["acme2"]), store.count(["main"]), store.count(["bi"])];
  assertEquals([store.count(["acme"]), ...others()], [1301, 1301, 1301, 3]);
  await tenants.remove("acme");
  assertEquals([store.count(["acme"]), ...others()], [0, 1301, 1301, 2]);
  assertEquals([store.count(["tenant", "acme"]), store.count(["tenant"])], [0, 1]);
});

Deno.test("Tenants.remove() hides the tenant and calls listeners before its data is deleted", async () => {
  const clock = new FakeClock();
  await using setup = await start(clock);
  const { store, committer, tenants } = setup;
  await tenants.create({ id: "acme", name: "Acme" });
  await fill(committer, "acme");
  const seen: unknown[] = [];
  tenants.onRemove(async (id) => {
    seen.push([id, tenants.has(id), store.count([id])]);
    await committer.commit({ mutations: [set([id, "late", 1])] });
    seen.push(await assertRejects(() => tenants.remove("acme2"), DomainError).then((error) => error.code));
  });
  await tenants.remove("acme");
  assertEquals(seen, [["acme", false, 1301], "not_found"]);
  assertEquals(store.count(["acme"]), 0);
});

Deno.test("Tenants.start() reads created tenants and completes an interrupted removal", async () => {
  const clock = new FakeClock();
  const store = new MemoryStore(clock);
  {
    await using setup = await start(clock, store);
    for (const id of ["acme", "beta"]) await setup.tenants.create({ id, name: id.toUpperCase() });
    await fill(setup.committer, "beta");
    const mutations = [setTenant({ tenant: { id: "beta", name: "" }, isRemoved: true })];
    await setup.committer.commit({ mutations });
  }
  await using setup = await start(clock, store.reopen());
  assertEquals(setup.tenants.list(), [{ id: "main", name: "Main" }, { id: "acme", name: "ACME" }]);
  assertEquals([setup.store.count(["beta"]), setup.store.count(["tenant", "beta"])], [0, 0]);
  assertEquals(setup.tenants.has("beta"), false);
});

Deno.test("Tenants.create() is refused while a tenant of that id is being removed, and possible after", async () => {
  const clock = new FakeClock();
  await using setup = await start(clock);
  const { tenants } = setup;
  await tenants.create({ id: "acme", name: "old" });
  const [, created] = await Promise.all([
    tenants.remove("acme"),
    tenants.create({ id: "acme", name: "new" }),
  ]);
  assertEquals(created, { id: "acme", name: "new" });
  const twice = await Promise.allSettled([1, 2].map(() => tenants.create({ id: "beta", name: "b" })));
  assertEquals(twice.map((result) => result.status).sort(), ["fulfilled", "rejected"]);
});

Deno.test("RESERVED_TENANT_IDS contains the first part of all keys without a tenant", async () => {
  const source = await Deno.readTextFile(new URL("../../../src/store/keys.ts", import.meta.url));
  const spaces = [...source.matchAll(/\[\s*"([a-z_]+)"/g)].map((match) => match[1] ?? "");
  assertEquals(spaces.length > 5, true);
  assertEquals(spaces.filter((space) => !RESERVED_TENANT_IDS.has(space)), []);
});
