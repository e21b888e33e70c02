/** Data of format 2, whose blocks have other keys: lists and counters are as before, also after a crash between two moves. */
import { assertEquals, assertRejects } from "@std/assert";
import { checkStore } from "../../../../src/store/check/check.ts";
import { blocksOf } from "../../../../src/store/keys.ts";
import { oldBlocksOf } from "../../../../src/store/old_keys.ts";
import type { Selector, Store } from "../../../../src/store/store.ts";
import { deleteKey } from "../../../../src/store/stored_entries.ts";
import { MemoryFiles } from "../../../support/fakes/memory_files.ts";
import { CatalogFixture, NEWEST } from "../fixture.ts";

/** As many as one commit has room for. */
const BLOCKS_PER_COMMIT = 8;
const ROUNDS = 3;
const BLOCKS = ROUNDS * BLOCKS_PER_COMMIT;

async function keysOf(store: Store, selector: Selector): Promise<string[]> {
  return (await Array.fromAsync(store.list(selector))).map(({ key }) => String(key[2]));
}

/** A catalog of several blocks and unsealed rows, stopped, with the blocks where format 2 has them. */
async function formatTwo(files?: MemoryFiles): Promise<{ app: CatalogFixture; firstIds: string[] }> {
  const app = await CatalogFixture.open({ files });
  await app.fill(BLOCKS * 1_000 + 1_000, 100);
  await app.sealAll();
  await app[Symbol.asyncDispose]();
  const firstIds = await keysOf(app.store, blocksOf("main"));
  for await (const { key, value } of app.store.list(blocksOf("main"))) {
    const old = { type: "set" as const, key: ["main", "xb", String(key[2])], value };
    await app.store.commit({ checks: [], mutations: [old, deleteKey(key)], messages: [] });
  }
  return { app, firstIds };
}

async function assertComplete(app: CatalogFixture, firstIds: readonly string[]): Promise<void> {
  const expected = app.newestFirst();
  const { ids, total } = await app.catalog.query("main", { ...NEWEST, size: 50_000 });
  assertEquals({ ids, total }, { ids: expected, total: expected.length });
  assertEquals(await keysOf(app.store, blocksOf("main")), firstIds);
  assertEquals(await keysOf(app.store, oldBlocksOf("main")), []);
}

Deno.test("Catalog.query() finds the blocks of format 2, and moves them", async () => {
  const { app: { store, stored, ids, clock }, firstIds } = await formatTwo();
  await using app = await CatalogFixture.open({ store: store.reopen(), stored, ids, clock });
  await assertComplete(app, firstIds);
});

Deno.test("Catalog.counts() counts the blocks of format 2", async () => {
  const { app: { store, stored, ids, clock } } = await formatTwo();
  await using app = await CatalogFixture.open({ store: store.reopen(), stored, ids, clock });
  const states = (await app.catalog.counts("main")).get(0);
  assertEquals(states?.get("SUCCESS"), app.visible().length);
});

Deno.test("Catalog.warm() writes a column file of the blocks of format 2", async () => {
  const files = new MemoryFiles();
  const { app: { store, stored, ids, clock }, firstIds } = await formatTwo(files);
  await using app = await CatalogFixture.open({ store: store.reopen(), stored, ids, clock, files });
  await app.catalog.warm();
  await assertComplete(app, firstIds);
});

for (let commits = 0; commits < ROUNDS; commits++) {
  Deno.test(`moveOldBlocks() completes a move that ended after ${commits} commits`, async () => {
    const { app: before, firstIds } = await formatTwo();
    const { stored, ids, clock } = before;
    const interrupted = await CatalogFixture.open({ store: before.store.reopen(), stored, ids, clock });
    const { store } = interrupted;
    failAfter(store, commits);
    await assertRejects(() => interrupted.catalog.query("main", NEWEST));
    const moved = await keysOf(store, blocksOf("main"));
    assertEquals(moved.length, commits * BLOCKS_PER_COMMIT);
    assertEquals([...moved, ...await keysOf(store, oldBlocksOf("main"))], firstIds);
    const findings = (await checkStore(store)).findings.list().map(({ code }) => code);
    assertEquals(findings.filter((code) => code === "block_unreadable" || code === "counts_differ"), []);
    await using app = await interrupted.crash();
    await assertComplete(app, firstIds);
  });
}

/** Fails all commits after so many. */
function failAfter(store: Store, commits: number): void {
  const commit = store.commit.bind(store);
  let left = commits;
  store.commit = (atomic) => left-- > 0 ? commit(atomic) : Promise.reject(new Error("disk I/O error"));
}
