import {
  assert,
  assertEquals,
  assertGreater,
  assertLess,
  assertLessOrEqual,
  assertRejects,
} from "@std/assert";
import { DomainError } from "../../../src/model/errors.ts";
import type { ExecutionCondition, ExecutionQuery } from "../../../src/model/executions/execution_query.ts";
import type { Label } from "../../../src/model/flows/label.ts";
import { Catalog } from "../../../src/store/catalog/catalog.ts";
import { hashLabel, ROW_BYTES, type RowFacts } from "../../../src/store/catalog/rows/row.ts";
import { blocksOf, catalogSnapshotKey, rowGroupsOf } from "../../../src/store/keys.ts";
import type { Atomic, Selector, StoredEntry } from "../../../src/store/store.ts";
import { CatalogFixture, type FaultyStore, FLOWS, NEWEST } from "./fixture.ts";
import { referenceQuery } from "./reference.ts";

async function entries(app: CatalogFixture, selector: Selector): Promise<StoredEntry[]> {
  return await Array.fromAsync(app.store.list(selector));
}

async function rowCounts(app: CatalogFixture, selector: Selector): Promise<number[]> {
  return (await entries(app, selector)).map(({ value }) => value.length / ROW_BYTES);
}

async function assertListsAll(app: CatalogFixture, tenant = "main"): Promise<void> {
  const expected = app.newestFirst(tenant);
  const { ids, total } = await app.catalog.query(tenant, { ...NEWEST, size: 10_000 });
  assertEquals({ ids, total }, { ids: expected, total: expected.length });
}

const withLabel = (...anyOf: Label[]): ExecutionCondition => ({ field: "labels", anyOf, negated: false });
const withoutLabel = (...anyOf: Label[]): ExecutionCondition => ({ field: "labels", anyOf, negated: true });
const ofFlow = (id: string): ExecutionCondition => ({ field: "flowId", operator: "EQUALS", values: [id] });
const ofHook = (negated: boolean): ExecutionCondition => ({ field: "triggerId", ids: ["hook"], negated });

Deno.test("Catalog.contribute() appends to the newest group while it holds at most 16 rows", async () => {
  await using app = await CatalogFixture.open();
  await app.fill(40, 1);
  assertEquals(await rowCounts(app, rowGroupsOf("main")), [16, 16, 8]);
  await app.fill(20, 20);
  assertEquals(await rowCounts(app, rowGroupsOf("main")), [16, 16, 8, 20]);
  await assertListsAll(app);
});

Deno.test("Catalog.contribute() splits the rows of one commit that exceed the size of a value", async () => {
  await using app = await CatalogFixture.open();
  await app.fill(3_000, 3_000);
  assertEquals(await rowCounts(app, rowGroupsOf("main")), [1_170, 1_170, 660]);
  await assertListsAll(app);
});

Deno.test("Catalog.refused() discards the rows of the group", async () => {
  await using app = await CatalogFixture.open();
  const [first] = await app.fill(1);
  const store = app.store as FaultyStore;
  store.fault = () => new Error("disk I/O error");
  const refused = app.facts();
  await assertRejects(() => app.write([refused]));
  store.fault = undefined;
  await app.clock.advance(1_000);
  await assertListsAll(app);
  const [next] = await app.fill(1);
  assertEquals((await app.catalog.query("main", NEWEST)).ids, [next?.id, first?.id]);
  assertEquals(await rowCounts(app, rowGroupsOf("main")), [2]);
});

Deno.test("Catalog.compact() does nothing below 2,000 unsealed rows", async () => {
  await using app = await CatalogFixture.open();
  await app.fill(1_999, 50);
  assertEquals(await app.catalog.compact(), false);
  assertEquals(await rowCounts(app, blocksOf("main")), []);
});

Deno.test("Catalog.compact() seals whole groups, oldest first, and never the newest", async () => {
  await using app = await CatalogFixture.open();
  await app.fill(2_100, 70);
  assertEquals(await app.catalog.compact(), true);
  assertEquals(await rowCounts(app, blocksOf("main")), [1_050]);
  assertEquals(await rowCounts(app, rowGroupsOf("main")), Array(15).fill(70));
  assertEquals(await app.catalog.compact(), false);
  await assertListsAll(app);
  await app.fill(2_100, 2_100);
  await app.sealAll();
  assert((await rowCounts(app, rowGroupsOf("main"))).includes(930), "the newest group stays");
  await assertListsAll(app);
});

Deno.test("Catalog.compact() commits a simple sealing as one entry that fits into the bulk lane", async () => {
  const atomics: Atomic[] = [];
  await using app = await CatalogFixture.open();
  await app.fill(2_500, 25);
  (app.store as FaultyStore).fault = (atomic) => void atomics.push(atomic);
  await app.catalog.compact();
  const [sealing, ...others] = atomics;
  assertEquals(others, []);
  assertEquals(
    sealing?.mutations.map(({ type, key }) => `${type} ${String(key[1])}`).filter((text) =>
      text !== "delete xr"
    ),
    [
      "set r",
      "set xc",
      "set test",
    ],
  );
  const bytes =
    sealing?.mutations.reduce((sum, each) => sum + (each.type === "set" ? each.value.length : 0), 0) ?? 0;
  assertLess(bytes, 128 * 1024);
});

Deno.test("Catalog.compact() merges a late row into the block that covers it and replaces the sealed copy", async () => {
  await using app = await CatalogFixture.open();
  const rows = await app.fill(4_500, 50);
  await app.sealAll();
  const before = await rowCounts(app, blocksOf("main"));
  const restarted = rows.slice(10, 40).map((facts) => ({ ...facts, state: "FAILED" as const }));
  await app.write(restarted);
  await assertListsAll(app);
  await app.fill(2_000, 50);
  await app.sealAll();
  await assertListsAll(app);
  assertEquals((await rowCounts(app, blocksOf("main"))).slice(0, before.length), before);
  const failed = {
    ...NEWEST,
    conditions: [{ field: "state", states: ["FAILED"], negated: false } as const],
    size: 100,
  };
  const { ids, total } = await app.catalog.query("main", failed);
  assertEquals({ ids, total }, { ids: restarted.map(({ id }) => id).reverse(), total: 30 });
});

Deno.test("Catalog.compact() splits a block that late rows fill above 1,170", async () => {
  await using app = await CatalogFixture.open();
  const late = Array.from({ length: 600 }, () => app.facts({ state: "WARNING" }));
  app.clock.jump(10);
  const early = Array.from({ length: 600 }, () => app.facts());
  await app.write(early);
  await app.fill(2_000, 50);
  await app.sealAll();
  const blocks = (await rowCounts(app, blocksOf("main"))).length;
  await app.write(late);
  await app.fill(2_000, 50);
  await app.sealAll();
  const counts = await rowCounts(app, blocksOf("main"));
  assert(counts.every((count) => count > 0 && count <= 1_170), String(counts));
  assertLess(blocks, counts.length);
  await assertListsAll(app);
});

Deno.test("Catalog.compact() after a crash between the blocks and the deletions of their groups changes no list", async () => {
  await using before = await CatalogFixture.open();
  const rows = await before.fill(6_000, 50);
  await before.sealAll();
  // One late row in each block makes a sealing that no single entry can hold.
  await before.write(
    rows.filter((_, index) => index % 300 === 0).map((facts) => ({ ...facts, state: "FAILED" })),
  );
  await before.fill(1_000, 50);
  const store = before.store as FaultyStore;
  const deletes = (atomic: Atomic, kind: string) =>
    atomic.mutations.some(({ type, key }) => type === "delete" && key[1] === kind);
  let hasBegun = false;
  store.fault = (atomic) => {
    if (hasBegun && deletes(atomic, "xr")) return new Error("disk I/O error");
    hasBegun ||= deletes(atomic, "xc");
  };
  await assertRejects(async () => {
    for (;;) {
      await before.fill(100, 50);
      await before.catalog.compact();
    }
  });
  assertEquals(
    await before.store.get(catalogSnapshotKey("main")),
    null,
    "no snapshot while blocks and groups disagree",
  );
  await before.clock.advance(2_000);
  await assertListsAll(before);
  store.fault = undefined;
  await using after = await before.reboot();
  const counts = await after.catalog.counts("main");
  await assertListsAll(after);
  await after.sealAll();
  await assertListsAll(after);
  assertEquals(await after.catalog.counts("main"), counts);
});

Deno.test("tombstoneRow() removes an execution from lists immediately, and from its block when sealed", async () => {
  await using app = await CatalogFixture.open();
  const rows = await app.fill(3_000, 50);
  await app.sealAll();
  const sealedRows = async () => (await rowCounts(app, blocksOf("main"))).reduce((a, b) => a + b, 0);
  const sealed = await sealedRows();
  for (const { id } of rows.slice(0, 20)) await app.remove(id);
  await app.remove((rows[2_990] as { id: string }).id);
  await assertListsAll(app);
  assertEquals(await sealedRows(), sealed);
  await using rebooted = await app.reboot();
  await assertListsAll(rebooted);
  await rebooted.fill(2_000, 50);
  await rebooted.sealAll();
  await assertListsAll(rebooted);
  const unsealed = (await rowCounts(rebooted, rowGroupsOf("main"))).reduce((a, b) => a + b, 0);
  const blocks = (await rowCounts(rebooted, blocksOf("main"))).reduce((a, b) => a + b, 0);
  assertEquals(blocks + unsealed, 3_000 - 21 + 2_000);
});

Deno.test("tombstoneRow() for every row of a block deletes the block", async () => {
  await using app = await CatalogFixture.open();
  const rows = await app.fill(3_000, 50);
  await app.sealAll();
  const [first = 0, ...others] = await rowCounts(app, blocksOf("main"));
  for (const { id } of rows.slice(0, first)) await app.remove(id);
  await app.fill(2_000, 50);
  await app.sealAll();
  await assertListsAll(app);
  const counts = await rowCounts(app, blocksOf("main"));
  assertEquals(counts.slice(0, others.length), others);
});

Deno.test("Catalog.ids() gives each execution that stays once while others are deleted, started and sealed", async () => {
  await using app = await CatalogFixture.open();
  const rows = await app.fill(3_000, 50);
  await app.sealAll();
  const found: string[] = [];
  for await (const piece of app.catalog.ids("main", NEWEST, 700)) {
    const last = piece.at(-1);
    for (const id of piece.slice(0, 100)) await app.remove(id);
    if (last === rows[699]?.id) await app.remove((rows[800] as RowFacts).id);
    await app.fill(100, 50);
    await app.sealAll();
    found.push(...piece);
    if (found.length > 5_000) break;
  }
  const gone = (rows[800] as RowFacts).id;
  assertEquals(found.slice(0, 2_999), rows.map(({ id }) => id).filter((id) => id !== gone));
  assertEquals(found.length, new Set(found).size);
});

Deno.test("Catalog.query() keeps tenants apart", async () => {
  await using app = await CatalogFixture.open();
  await app.fill(2_500, 50);
  await app.fill(2_400, 50, "other");
  await app.sealAll();
  const shared = app.facts();
  await app.write([shared]);
  await app.write([{ ...shared, flowNo: 5, state: "FAILED" }], "other");
  await app.remove(shared.id, "other");
  await assertListsAll(app);
  await assertListsAll(app, "other");
  assertEquals(await app.catalog.query("third", NEWEST), { ids: [], total: 0 });
  await using rebooted = await app.reboot();
  await assertListsAll(rebooted, "other");
  await assertListsAll(rebooted);
});

Deno.test("Catalog.counts() from the snapshot after a restart equal a recount", async () => {
  await using app = await CatalogFixture.open();
  const rows: ReturnType<CatalogFixture["facts"]>[] = [];
  for (let group = 0; group < 60; group++) {
    app.clock.jump(1);
    const states = ["SUCCESS", "FAILED", "WARNING"] as const;
    const facts = Array.from({ length: 50 }, (_, i) => app.facts({ flowNo: i % 4, state: states[i % 3] }));
    await app.write(facts);
    rows.push(...facts);
  }
  await app.sealAll();
  await app.write(rows.slice(5, 25).map((facts) => ({ ...facts, state: "KILLED" })));
  await app.remove((rows[100] as { id: string }).id);
  await app.write([app.facts({ kind: "TEST", flowNo: 1 })]);
  await using rebooted = await app.reboot();
  assert(await rebooted.store.get(catalogSnapshotKey("main")), "a sealing stores a snapshot");
  const bySnapshot = await rebooted.catalog.counts("main");
  assertEquals(rebooted.catalog.cachedBytes, 0, "no block was read for it");
  await assertListsAll(
    {
      ...rebooted,
      catalog: rebooted.catalog,
      newestFirst: () => normalNewestFirst(rebooted),
    } as CatalogFixture,
  );
  const byRows = await rebooted.catalog.counts("main");
  assertEquals(bySnapshot, byRows);
  assertEquals(toPlain(byRows), recount(rebooted));
});

function normalNewestFirst(app: CatalogFixture): string[] {
  return app.visible().filter(({ kind }) => kind === "NORMAL").map(({ id }) => id).sort().reverse();
}

function recount(app: CatalogFixture): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { flowNo, state, kind } of app.visible()) {
    if (kind === "NORMAL") counts[`${flowNo} ${state}`] = (counts[`${flowNo} ${state}`] ?? 0) + 1;
  }
  return counts;
}

function toPlain(counts: Map<number, Map<string, number>>): Record<string, number> {
  return Object.fromEntries(
    [...counts].flatMap(([flowNo, states]) =>
      [...states].map(([state, count]) => [`${flowNo} ${state}`, count])
    ),
  );
}

Deno.test("Catalog.query() finds each of more than four labels and verifies only records that may have it", async () => {
  await using app = await CatalogFixture.open();
  const many = Array.from({ length: 9 }, (_, index) => ({ key: `key${index}`, value: "yes" }));
  const marked = app.facts({ labels: many });
  const few = app.facts({ labels: many.slice(0, 2) });
  await app.write([marked, few, app.facts({ labels: many.slice(1, 8) })]);
  await app.fill(2_500, 50);
  await app.sealAll();
  for (const label of many) {
    const { ids } = await app.catalog.query("main", { ...NEWEST, conditions: [withLabel(label)] });
    const holders = app.visible().filter(({ labels }) => labels.some(({ key }) => key === label.key));
    assertEquals(ids, holders.map(({ id }) => id).sort().reverse());
  }
  assertEquals(new Set(app.verified.flatMap(({ ids }) => ids)).size, 3);
  app.verified = [];
  const without = await app.catalog.query("main", {
    ...NEWEST,
    conditions: [{ field: "labels", anyOf: [many[8] as Label], negated: true }],
  });
  assertEquals(without.total, 2_502);
  assertEquals(app.verified, [], "verdicts are cached");
});

Deno.test("Catalog.query() verifies triggers and inputs with the records of the rows that are left, once", async () => {
  await using app = await CatalogFixture.open();
  const [first] = await app.fill(2_500, 50);
  await app.sealAll();
  const digit = String((first as RowFacts).startMs % 10);
  const conditions: ExecutionCondition[] = [
    { field: "startDate", operator: "LESS_THAN", at: (first as RowFacts).startMs + 3 },
    { field: "inputs", anyOf: [{ key: "digit", value: digit }], negated: false },
  ];
  for (let run = 0; run < 2; run++) {
    const found = await app.catalog.query("main", { ...NEWEST, conditions });
    assertEquals(found, referenceQuery("main", app.visible(), { ...NEWEST, conditions }, app.clock.now()));
    assertEquals(new Set(app.verified.flatMap(({ ids }) => ids)).size, 150);
    assertEquals(app.verified.flatMap(({ ids }) => ids).length, 150);
  }
});

const ONE_OF_SIX: Label = { key: "key0", value: "a" };

for (
  const { name, conditions } of [
    { name: "with one of six labels", conditions: [withLabel(ONE_OF_SIX)] },
    { name: "without one of six labels", conditions: [withoutLabel(ONE_OF_SIX)] },
    { name: "of a trigger", conditions: [ofFlow("hello-world"), ofHook(false)] },
    { name: "not of a trigger", conditions: [ofFlow("hello-world"), ofHook(true)] },
  ]
) {
  Deno.test(`Catalog.query() repeated after changes of sealed rows counts each execution ${name} once`, async () => {
    await using app = await CatalogFixture.open();
    const labels = (value: string) =>
      Array.from({ length: 6 }, (_, index) => ({ key: `key${index}`, value }));
    const rows: RowFacts[] = [];
    for (let group = 0; group < 60; group++) {
      app.clock.jump(1);
      const facts = Array.from(
        { length: 50 },
        (_, i) => app.facts({ flowNo: i % 5, labels: labels(i % 4 === 0 ? "b" : "a") }),
      );
      await app.write(facts);
      rows.push(...facts);
    }
    await app.sealAll();
    const assertPages = async () => {
      for (const sort of [[], [{ field: "state.duration", descending: true } as const]]) {
        for (const page of [1, 8, 10, 15]) {
          const query = { ...NEWEST, conditions, sort, page };
          const expected = referenceQuery("main", app.visible(), query, app.clock.now());
          assertEquals(await app.catalog.query("main", query), expected);
        }
      }
    };
    await assertPages();
    for (const { id } of rows.slice(500, 540)) await app.remove(id);
    await app.write(rows.slice(540, 580).map((facts) => ({ ...facts, labels: labels("c") })));
    await assertPages();
  });
}

Deno.test("Catalog.query() refuses to read the records of too many executions", async () => {
  await using app = await CatalogFixture.open();
  await app.fill(1_001, 500);
  const all: ExecutionCondition = { field: "triggerId", ids: ["hook"], negated: false };
  const error = await assertRejects(
    () => app.catalog.query("main", { ...NEWEST, conditions: [all] }),
    DomainError,
    "1,001 executions match the other filters, but at most 1,000 are searched",
  );
  assertEquals([error.code, app.verified], ["invalid_filter", []]);
});

/** Two labels with the same hash. */
const STORED: Label = { key: "customer", value: "530674" };
const WANTED: Label = { key: "customer", value: "1223360" };

Deno.test("Catalog.query() excludes labels with the same hash", async () => {
  assertEquals(hashLabel(STORED), hashLabel(WANTED));
  await using app = await CatalogFixture.open();
  await app.write([app.facts({ labels: [STORED] })]);
  await app.fill(30);
  assertEquals(await app.catalog.query("main", { ...NEWEST, conditions: [withLabel(WANTED)] }), {
    ids: [],
    total: 0,
  });
  assertEquals((await app.catalog.query("main", { ...NEWEST, conditions: [withLabel(STORED)] })).total, 1);
});

Deno.test("Catalog.query() verifies each label once, however many a query names", async () => {
  await using app = await CatalogFixture.open();
  await app.write([app.facts({ labels: [STORED] })]);
  const others = Array.from({ length: 50 }, (_, value) => ({ key: "other", value: String(value) }));
  app.maxVerified = 1;
  const conditions = [withLabel(WANTED, ...others)];
  assertEquals(await app.catalog.query("main", { ...NEWEST, conditions }), { ids: [], total: 0 });
});

Deno.test("Catalog.query() verifies a label once while executions are live", async () => {
  await using app = await CatalogFixture.open();
  const live = app.facts({ labels: [STORED] });
  app.live.set(`main/${live.id}`, live);
  app.maxVerified = 1;
  assertEquals(await app.catalog.query("main", { ...NEWEST, conditions: [withLabel(WANTED)] }), {
    ids: [],
    total: 0,
  });
});

Deno.test("Catalog.query() finds an execution by its own correlation id, which is not stored", async () => {
  await using app = await CatalogFixture.open();
  const key = "system.correlationId";
  const root = app.facts();
  const child = app.facts({ labels: [{ key, value: root.id }] });
  const other = app.facts({ labels: [{ key, value: "elsewhere" }] });
  await app.write([root, child, other]);
  const find = async (value: string) =>
    (await app.catalog.query("main", { ...NEWEST, conditions: [withLabel({ key, value })] })).ids;
  assertEquals(await find(root.id), [child.id, root.id]);
  assertEquals(await find(other.id), []);
  assertEquals(await find("elsewhere"), [other.id]);
});

Deno.test("liveRows of the catalog hide stored rows behind live ones", async () => {
  await using app = await CatalogFixture.open();
  const rows = await app.fill(3_000, 50);
  await app.sealAll();
  const [sealed, unsealed] = [rows[5], rows[2_995]] as [typeof rows[0], typeof rows[0]];
  for (const facts of [sealed, unsealed, app.facts()]) {
    app.live.set(
      `main/${facts?.id}`,
      { ...facts as typeof rows[0] & object, state: "RUNNING", durationMs: undefined } as never,
    );
  }
  await assertListsAll(app);
  const running = {
    ...NEWEST,
    conditions: [{ field: "state", states: ["RUNNING"], negated: false } as const],
  };
  assertEquals((await app.catalog.query("main", running)).total, 3);
  app.live.clear();
  await assertListsAll(app);
});

Deno.test("Catalog.query() works with a cache smaller than the blocks", async () => {
  await using app = await CatalogFixture.open();
  await app.fill(9_000, 100);
  await app.sealAll();
  const catalog = new Catalog({
    store: app.store,
    commit: (entry) => app.committer.commit(entry),
    clock: app.clock,
    flowNames: (flowNo) => FLOWS[flowNo],
    flowLimit: () => FLOWS.length,
    verifyFact: () => Promise.resolve(new Set()),
    maxCacheBytes: 200_000,
  });
  const query = {
    ...NEWEST,
    size: 10_000,
    conditions: [{ field: "flowId", operator: "EQUALS", values: ["hello"] } as const],
  };
  for (let run = 0; run < 3; run++) {
    assertEquals((await catalog.query("main", query)).ids, app.newestFirst());
    assertLessOrEqual(catalog.cachedBytes, 200_000);
  }
  const longest = await catalog.query("main", {
    ...query,
    sort: [{ field: "state.duration", descending: true }],
  });
  assertEquals(longest.total, 9_000);
});

Deno.test("Catalog.query() finds an execution by a part of its id when no flow name contains the word", async () => {
  await using app = await CatalogFixture.open();
  const rows = await app.fill(2_500, 50);
  await app.sealAll();
  const id = (rows[77] as { id: string }).id;
  const find = async (...words: string[]) =>
    (await app.catalog.query("main", { ...NEWEST, conditions: [{ field: "text", words, negated: false }] }))
      .ids;
  assertEquals(await find(id), [id]);
  assertEquals(await find(id.slice(8).toLowerCase()), [id]);
  assertEquals(await find("hello", id), [id]);
  assertEquals(await find(`${id}x`), []);
});

Deno.test("Catalog.query() beyond the last page returns no ids and the same total", async () => {
  await using app = await CatalogFixture.open();
  await app.fill(2_100, 50);
  await app.sealAll();
  for (const sort of [[], [{ field: "state.duration", descending: true } as const]]) {
    assertEquals(await app.catalog.query("main", { ...NEWEST, page: 10_000, sort }), {
      ids: [],
      total: 2_100,
    });
  }
});

Deno.test("Catalog.query() during commits counts the durable rows", async () => {
  await using app = await CatalogFixture.open();
  await app.fill(2_500, 50);
  const [, page] = await Promise.all([app.sealAll(), app.catalog.query("main", NEWEST), app.fill(100, 10)]);
  assert(page.total >= 2_500 && page.total <= 2_600);
  await assertListsAll(app);
});

Deno.test("Catalog.warm() reads the blocks before the first list", async () => {
  await using first = await CatalogFixture.open();
  await first.fill(2_500);
  await first.sealAll();
  await using rebooted = await first.reboot();
  assertEquals(rebooted.catalog.cachedBytes, 0);
  await rebooted.catalog.warm();
  assertGreater(rebooted.catalog.cachedBytes, 0);
  assertEquals((await rebooted.catalog.query("main", NEWEST)).total, 2_500);
});

Deno.test("Catalog.warm() keeps rows that are committed concurrently after older ones", async () => {
  const created: ExecutionQuery = {
    ...NEWEST,
    conditions: [{ field: "state", states: ["CREATED"], negated: false }],
  };
  for (let turns = 0; turns < 100; turns++) {
    await using first = await CatalogFixture.open();
    for (let n = 0; n < 20; n++) await first.fill(10);
    const scheduled = first.facts({ state: "CREATED", durationMs: undefined });
    await first.write([scheduled]);
    await using app = await first.reboot();
    const warming = app.catalog.warm();
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
    await app.write([{ ...scheduled, state: "SUCCESS", durationMs: 500 }]);
    await warming;
    assertEquals((await app.catalog.query("main", created)).total, 0, `after ${turns} turns`);
  }
});
