/** The column file beside a database: lists through it equal lists without it, whatever happened to the file. */
import { assert, assertEquals } from "@std/assert";
import type { ExecutionQuery } from "../../../../src/model/executions/execution_query.ts";
import { MemoryFiles } from "../../../support/fakes/memory_files.ts";
import { CatalogFixture, type FaultyStore, NEWEST, seeded } from "../fixture.ts";
import { randomFacts, referenceQuery } from "../reference.ts";

const QUERIES: readonly ExecutionQuery[] = [
  NEWEST,
  { ...NEWEST, page: 40 },
  { ...NEWEST, conditions: [{ field: "flowId", operator: "EQUALS", values: ["etl"] }] },
  { ...NEWEST, conditions: [{ field: "text", words: ["zz"], negated: false }] },
  { ...NEWEST, conditions: [{ field: "labels", anyOf: [{ key: "key4", value: "a" }], negated: false }] },
  { ...NEWEST, conditions: [{ field: "triggerExecutionId", ids: ["parent-1"], negated: false }] },
  { ...NEWEST, sort: [{ field: "state.duration", descending: true }], page: 20 },
];

async function filled(files: MemoryFiles): Promise<CatalogFixture> {
  const app = await CatalogFixture.open({ files });
  await write(app, 3_000, 1);
  await app.sealAll();
  await app.catalog.warm();
  return app;
}

async function write(app: CatalogFixture, count: number, seed: number): Promise<void> {
  const random = seeded(seed);
  for (let done = 0; done < count; done += 100) {
    app.clock.jump(1);
    await app.write(Array.from({ length: 100 }, () => app.facts(randomFacts(random, "main"))));
  }
}

async function assertLists(app: CatalogFixture): Promise<void> {
  for (const query of QUERIES) {
    const expected = referenceQuery("main", app.visible(), query, app.clock.now());
    assertEquals(await app.catalog.query("main", query), expected, JSON.stringify(query));
  }
}

/** Blocks that are read from the database by the first lists. */
async function readsAfterBoot(app: CatalogFixture): Promise<number> {
  const store = app.store as FaultyStore;
  let reads = 0;
  const list = store.list.bind(store);
  store.list = (selector, options) => {
    if (JSON.stringify(selector).includes('"r"') && options?.limit !== 1) reads++;
    return list(selector, options);
  };
  await assertLists(app);
  return reads;
}

/** What happens to the file between two processes, and whether the next one can use it. */
const CASES: readonly (readonly [name: string, change: (files: MemoryFiles) => void, isUsable: boolean])[] = [
  ["an orderly stop", () => {}, true],
  ["a reboot of the machine after an orderly stop", (files) => files.systemRun = "run-2", true],
  ["its removal", (files) => files.remove("main"), false],
  ["a damaged head", (files) => change(files, (bytes) => bytes.fill(7, 8, 16)), false],
  ["a lost end", (files) => change(files, (bytes) => bytes.subarray(0, bytes.length - 24)), false],
  ["the loss of everything", (files) => change(files, (bytes) => bytes.subarray(0, 0)), false],
];

function change(files: MemoryFiles, edit: (bytes: Uint8Array) => Uint8Array): void {
  files.put("main", edit(files.bytesOf("main") as Uint8Array));
}

for (const [name, edit, isUsable] of CASES) {
  Deno.test(`ColumnFile.load() after ${name}: the file is ${isUsable ? "used" : "written again"}`, async () => {
    const files = new MemoryFiles();
    const before = await filled(files);
    await assertLists(before);
    await before[Symbol.asyncDispose]();
    edit(files);
    const { stored, ids, clock } = before;
    await using app = await CatalogFixture.open({ store: before.store.reopen(), stored, ids, clock, files });
    assertEquals(await readsAfterBoot(app) === 0, isUsable);
    await app.catalog.warm();
    await assertLists(app);
    assert((files.bytesOf("main")?.length ?? 0) > 0);
  });
}

Deno.test("ColumnFile: a process that was killed leaves a file that the next one uses, until the machine has rebooted", async () => {
  const files = new MemoryFiles();
  await using before = await filled(files);
  const bytes = files.bytesOf("main") as Uint8Array;
  const { stored, ids, clock } = before;
  for (const systemRun of ["run-1", "run-2", undefined]) {
    const copy = new MemoryFiles();
    copy.systemRun = systemRun;
    copy.put("main", bytes);
    const app = await CatalogFixture.open({ store: before.store.reopen(), stored, ids, clock, files: copy });
    assertEquals(await readsAfterBoot(app) === 0, systemRun === "run-1", systemRun);
    await app[Symbol.asyncDispose]();
  }
});

Deno.test("ColumnFile: a file of an earlier sealing is not used", async () => {
  const files = new MemoryFiles();
  const before = await filled(files);
  const bytes = files.bytesOf("main") as Uint8Array;
  await before.remove([...before.stored.values()][0]?.id ?? "");
  await write(before, 2_000, 2);
  await before.sealAll();
  await before[Symbol.asyncDispose]();
  files.put("main", bytes);
  await using app = await before.reboot();
  assert(await readsAfterBoot(app) > 0);
  await assertLists(app);
});

Deno.test("ColumnFile: on a full disk lists read the database", async () => {
  const files = new MemoryFiles();
  await using app = await filled(files);
  files.isFull = true;
  await write(app, 2_500, 3);
  await app.sealAll();
  await assertLists(app);
  await app.catalog.warm();
  await assertLists(app);
});

Deno.test("ColumnFile: a removed tenant leaves no file", async () => {
  const files = new MemoryFiles();
  await using app = await filled(files);
  app.catalog.forget("main");
  await app.catalog.query("other", NEWEST);
  assertEquals(files.bytesOf("main"), undefined);
});
