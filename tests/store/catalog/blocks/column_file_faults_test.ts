/**
 * What may happen to the column file: it is cut at any point, parts of it are lost, it is of an earlier time, or the disk
 * cannot read it. Whatever is derived from it equals what the database has.
 */
import { assert, assertEquals } from "@std/assert";
import { checkStore } from "../../../../src/store/check/check.ts";
import { rewriteColumnFiles } from "../../../../src/store/check/column_files.ts";
import type { ExecutionGrouping } from "../../../../src/model/executions/execution_groups.ts";
import type { ExecutionQuery } from "../../../../src/model/executions/execution_query.ts";
import { FakeClock } from "../../../support/fakes/fake_clock.ts";
import { MemoryFiles } from "../../../support/fakes/memory_files.ts";
import { CatalogFixture, NEWEST, seeded } from "../fixture.ts";
import { randomFacts, referenceQuery } from "../reference.ts";

const QUERIES: readonly ExecutionQuery[] = [
  { ...NEWEST, page: 2 },
  { ...NEWEST, conditions: [{ field: "flowId", operator: "EQUALS", values: ["etl"] }] },
  { ...NEWEST, conditions: [{ field: "text", words: ["zz"], negated: false }] },
  { ...NEWEST, conditions: [{ field: "labels", anyOf: [{ key: "key4", value: "a" }], negated: false }] },
  { ...NEWEST, conditions: [{ field: "triggerExecutionId", ids: ["parent-1"], negated: false }] },
  { ...NEWEST, sort: [{ field: "state.duration", descending: true }] },
];
const GROUPING: ExecutionGrouping = { keys: [{ field: "flow" }, { field: "state" }], measures: ["duration"] };
const ALL = { conditions: [], groups: [] };

/** A database with some thousand sealed rows, and its column file at different times. */
interface Stored {
  readonly before: CatalogFixture;
  /** After the first sealing, and after the last. */
  readonly earlier: Uint8Array;
  readonly last: Uint8Array;
  /** Ends of the records of `last`. */
  readonly ends: readonly number[];
}

async function write(app: CatalogFixture, count: number, seed: number): Promise<void> {
  const random = seeded(seed);
  for (let done = 0; done < count; done += 100) {
    app.clock.jump(1);
    await app.write(Array.from({ length: 100 }, () => app.facts(randomFacts(random, "main"))));
  }
}

async function store(): Promise<Stored> {
  const files = new MemoryFiles();
  const before = await CatalogFixture.open({ files });
  await write(before, 2_200, 1);
  await before.sealAll();
  await before.catalog.warm();
  const earlier = files.bytesOf("main") as Uint8Array;
  await before.remove([...before.stored.values()][0]?.id ?? "");
  await write(before, 2_200, 2);
  await before.sealAll();
  const last = files.bytesOf("main") as Uint8Array;
  await before.committer[Symbol.asyncDispose]();
  return { before, earlier, last, ends: endsOf(last) };
}

/** Each record: 24 bytes with the lengths of its parts, the hot part, the cold part. */
function endsOf(bytes: Uint8Array): number[] {
  const ends: number[] = [];
  for (let at = 0; at < bytes.length;) {
    const [, hot = 0, cold = 0] = new Uint32Array(bytes.slice(at, at + 12).buffer);
    ends.push(at += 24 + hot + cold);
  }
  return ends;
}

async function open({ before }: Stored, files: MemoryFiles): Promise<CatalogFixture> {
  const { stored, ids, clock } = before;
  return await CatalogFixture.open({ store: before.store.reopen(), stored, ids, clock, files });
}

async function groupsOf(app: CatalogFixture): Promise<string[]> {
  return (await app.catalog.groups("main", ALL, GROUPING)).map((group) => JSON.stringify(group)).sort();
}

async function derived(app: CatalogFixture) {
  const pages = [];
  for (const query of QUERIES) pages.push(await app.catalog.query("main", query));
  const counts = [...await app.catalog.counts("main")].map(([flow, states]) => [flow, [...states].sort()]);
  return { pages, counts: counts.sort(), groups: await groupsOf(app) };
}

/** What a server without a column file finds, which equals a scan of all rows. */
async function expected(stored: Stored) {
  await using app = await open(stored, new MemoryFiles());
  const found = await derived(app);
  const now = app.clock.now();
  assertEquals(found.pages, QUERIES.map((query) => referenceQuery("main", app.visible(), query, now)));
  return found;
}

function filesWith(bytes: Uint8Array, systemRun = "run-1"): MemoryFiles {
  const files = new MemoryFiles();
  files.systemRun = systemRun;
  files.put("main", bytes);
  return files;
}

/** The file with the bytes from `from` to `to` lost, as pages that a stopped machine has not stored. */
function torn(bytes: Uint8Array, from: number, to: number, filling = 0): Uint8Array {
  return bytes.slice().fill(filling, from, to);
}

Deno.test("ColumnFile: a file that was cut, torn or is of an earlier time changes nothing of what is derived", async () => {
  const stored = await store();
  const { last, earlier, ends } = stored;
  const wanted = await expected(stored);
  const starts = [0, ...ends.slice(0, -1)];
  const cuts = starts.flatMap((
    start,
  ) => [start, start + 5, start + 24, start + 30, start + 700, start + 20_000]);
  const files = new Map<string, MemoryFiles>([
    ["complete", filesWith(last)],
    ["earlier", filesWith(earlier)],
    [
      "earlier, with the end of the last",
      filesWith(Uint8Array.from([...earlier, ...last.slice(ends.at(-2))])),
    ],
    ...cuts.map((at) => [`cut at ${at}`, filesWith(last.slice(0, at))] as const),
    ...starts.map((at) => [`head lost at ${at}`, filesWith(torn(last, at, at + 24))] as const),
    ...starts.map((at) => [`summary torn at ${at}`, filesWith(torn(last, at + 40, at + 48))] as const),
    // Columns lack pages only after the machine has stopped; a disk may also give other bytes than it got.
    ...starts.map((at) =>
      [`hot columns torn at ${at}`, filesWith(torn(last, at + 700, at + 9_000, 0xa5))] as const
    ),
    ...starts.map((at) =>
      [`torn, reboot, at ${at}`, filesWith(torn(last, at + 24, at + 4_096), "run-2")] as const
    ),
  ]);
  for (const [name, folder] of files) {
    await using app = await open(stored, folder);
    assertEquals(await derived(app), wanted, name);
  }
});

Deno.test("Catalog: a list whose read of the column file fails reads the database", async () => {
  const stored = await store();
  const wanted = await expected(stored);
  for (let reads = 0; reads < 60; reads += 3) {
    const files = filesWith(stored.last);
    await using app = await open(stored, files);
    files.readsUntilFault = reads;
    assertEquals(await derived(app), wanted, `after ${reads} reads`);
    await app.catalog.warm();
    assertEquals(await derived(app), wanted, `again after ${reads} reads`);
    await app.sealAll();
  }
});

Deno.test("Catalog: a folder of column files that cannot be used hinders neither lists, sealing, removal of a tenant nor the stop", async () => {
  const stored = await store();
  const wanted = await expected(stored);
  const files = filesWith(stored.last);
  const before = await open(stored, files);
  assertEquals(await derived(before), wanted);
  files.isBroken = true;
  await before[Symbol.asyncDispose]();
  await using app = await open(stored, files);
  assertEquals(await derived(app), wanted);
  await app.catalog.warm();
  await write(app, 2_500, 5);
  assert(await app.sealAll() > 0);
  app.catalog.forget("main");
  await app.catalog.query("other", NEWEST);
});

Deno.test("checkStore() compares the blocks of a current column file with the catalog; a repair writes it again", async () => {
  const stored = await store();
  const { before, last, earlier, ends } = stored;
  const clock = new FakeClock();
  const findings = async (files: MemoryFiles) => {
    const context = await checkStore(before.store.reopen(), { columns: { files, clock } });
    const found = context.findings.list().filter(({ code }) => code === "columns_differ");
    return [found[0]?.count ?? 0, context.counts.get("column files") ?? 0];
  };
  assertEquals(await findings(filesWith(last)), [0, 1]);
  assertEquals(await findings(filesWith(earlier)), [0, 0]);
  assertEquals(await findings(new MemoryFiles()), [0, 0]);
  // The newest block precedes the last stamp. Its cold columns have no checksum.
  const [start = 0, end = 0] = ends.slice(-3);
  const damaged = filesWith(torn(last, end - 64, end - 32, 0xa5));
  const hot = filesWith(torn(last, start + 700, start + 900, 0xa5));
  assertEquals([await findings(damaged), await findings(hot)], [[1, 1], [1, 1]]);
  await rewriteColumnFiles(before.store.reopen(), {
    tenants: ["main"],
    files: damaged,
    clock,
    minFileBlocks: 1,
  });
  assertEquals(await findings(damaged), [0, 1]);
  assert((damaged.bytesOf("main")?.length ?? 0) > 0);
});
