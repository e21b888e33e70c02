import { assertEquals, assertRejects } from "@std/assert";
import { DomainError } from "../../../src/model/errors.ts";
import { RESERVED_TENANT_IDS } from "../../../src/model/access/tenant.ts";
import { Tenants } from "../../../src/services/access/tenants.ts";
import type { Committer, Entry } from "../../../src/store/committer.ts";
import { encodeJson } from "../../../src/store/codec.ts";
import { MemoryStore } from "../../support/fakes/memory_store.ts";
import type { Atomic, Key, Mutation } from "../../../src/store/store.ts";
import { setTenant } from "../../../src/store/records/access/tenant_records.ts";
import { FakeClock } from "../../support/fakes/fake_clock.ts";
import { FaultyStore } from "../../support/fakes/faulty_store.ts";
import { quietCommitter } from "../../support/fakes/quiet_committer.ts";

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
  const late = (id: string) => committer.commit({ mutations: [set([id, "late", 1])] });
  const codeOf = async (refused: () => Promise<unknown>) => (await assertRejects(refused, DomainError)).code;
  tenants.onRemove({
    closed: async (id) => {
      seen.push([id, tenants.has(id), store.count([id])]);
      seen.push(await codeOf(() => late(id)), await codeOf(() => tenants.remove("acme2")));
    },
    removed: (id) => seen.push([id, store.count([id])]),
  });
  await tenants.remove("acme");
  assertEquals(seen, [["acme", false, 1301], "not_found", "not_found", ["acme", 0]]);
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

Deno.test("a writer of a removed tenant never reaches one of the same id that is created later", async () => {
  const clock = new FakeClock();
  await using setup = await start(clock);
  const { store, committer, tenants } = setup;
  const ids: string[] = [];
  for (let round = 0; round < 3; round++) {
    await tenants.create({ id: "acme", name: "Acme" });
    const id = tenants.internalId("acme") ?? "";
    for (const former of ids) {
      const entries: Entry[] = [
        { mutations: [set([former, "x", 1])] },
        { mutations: [set(["bi", former, "owner", "blob"])], bulk: true },
        { mutations: [set(["tm", 1, former, "id", "name"])] },
        { mutations: [], facts: { liveness: [{ tenant: former, id: "1", live: true }] } },
        { mutations: [], facts: { rows: [{ tenant: former, row: new Uint8Array(56) }] } },
      ];
      for (const entry of entries) {
        const error = await assertRejects(() => committer.commit(entry), DomainError, 'no tenant "acme"');
        assertEquals(error.code, "not_found");
      }
    }
    await committer.commit({ mutations: [set([id, "x", 1])] });
    assertEquals([store.count([id]), tenants.get("acme").id], [1, "acme"]);
    ids.push(id);
    await tenants.remove("acme");
    assertEquals(ids.map((former) => store.count([former])), ids.map(() => 0));
  }
  assertEquals(new Set(ids).size, 3);
});

Deno.test("a tenant that was created after a removal keeps its data over a restart", async () => {
  const clock = new FakeClock();
  const store = new MemoryStore(clock);
  let internalId = "";
  {
    await using setup = await start(clock, store);
    const { tenants, committer } = setup;
    await tenants.create({ id: "acme", name: "old" });
    await tenants.remove("acme");
    await tenants.create({ id: "acme", name: "new" });
    internalId = tenants.internalId("acme") ?? "";
    await committer.commit({ mutations: [set([internalId, "x", 1])] });
  }
  await using setup = await start(clock, store.reopen());
  assertEquals(setup.tenants.get("acme"), { id: "acme", name: "new" });
  assertEquals(setup.tenants.internalIds(), ["main", internalId]);
  assertEquals(setup.store.count([internalId]), 1);
  await setup.tenants.remove("acme");
  await setup.tenants.create({ id: "acme", name: "third" });
  assertEquals(setup.tenants.internalId("acme") === internalId, false);
});

Deno.test("Tenants.remove() leaves nothing of writes that were accepted before", async () => {
  const clock = new FakeClock();
  await using setup = await start(clock);
  const { store, committer, tenants } = setup;
  await tenants.create({ id: "acme", name: "Acme" });
  const writes = Array.from(
    { length: 3_000 },
    (_, n) => committer.commit({ mutations: [set(["acme", "x", n])], bulk: n % 2 === 0 }),
  );
  const removed = tenants.remove("acme");
  const outcomes = await Promise.allSettled(writes);
  await removed;
  assertEquals(outcomes.filter(({ status }) => status === "rejected").length, 0);
  assertEquals(store.count(["acme"]), 0);
});

Deno.test("Tenants.remove() continues a removal that failed", async () => {
  const clock = new FakeClock();
  const memory = new MemoryStore(clock);
  let isFailing = true;
  const deletes = ({ mutations }: Atomic) =>
    mutations.some(({ type, key }) => type === "delete" && key[1] === "x");
  const store = new FaultyStore(memory, (_, atomic) => isFailing && deletes(atomic) ? "fail_before" : "none");
  const committer = quietCommitter(store, clock);
  await committer.start();
  const tenants = new Tenants({ store, committer });
  await tenants.start();
  await tenants.create({ id: "acme", name: "Acme" });
  await fill(committer, "acme");
  await assertRejects(() => tenants.remove("acme"), DomainError, "Cannot write");
  isFailing = false;
  await clock.advance(1_000);
  await assertRejects(() => tenants.create({ id: "acme", name: "Acme" }), DomainError, "being removed");
  await tenants.remove("acme");
  assertEquals([memory.count(["acme"]), memory.count(["tenant"])], [0, 0]);
  await tenants.create({ id: "acme", name: "Acme" });
  await committer[Symbol.asyncDispose]();
});

Deno.test("RESERVED_TENANT_IDS contains the first part of all keys without a tenant", async () => {
  const source = await Deno.readTextFile(new URL("../../../src/store/keys.ts", import.meta.url));
  const spaces = [...source.matchAll(/\[\s*"([a-z_]+)"/g)].map((match) => match[1] ?? "");
  assertEquals(spaces.length > 5, true);
  assertEquals(spaces.filter((space) => !RESERVED_TENANT_IDS.has(space)), []);
});
