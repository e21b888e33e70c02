/** The watch of the free space of the disk. */
import { assert, assertEquals, assertGreater, assertRejects } from "@std/assert";
import { silentLogger } from "../../src/base/log.ts";
import { DomainError } from "../../src/model/errors.ts";
import type { AuditRecord } from "../../src/model/audit.ts";
import { AuditRecords } from "../../src/store/records/audit_records.ts";
import { SpaceWatch } from "../../src/store/space_watch.ts";
import { FakeClock, settle } from "../support/fakes/fake_clock.ts";
import { FaultyStore } from "../support/fakes/faulty_store.ts";
import { MemoryStore } from "../support/fakes/memory_store.ts";
import { quietCommitter } from "../support/fakes/quiet_committer.ts";

const MIB = 1024 * 1024;
/** SQLite begins its log again after 1,000 pages of 4 KiB. */
const LOG_BYTES = 1_000 * 4_096;
const RECORD: AuditRecord = {
  at: 1,
  id: "a",
  type: "UPDATE",
  operation: "setKeyValue",
  method: "PUT",
  status: 200,
  user: "admin",
  address: "127.0.0.1",
  resources: [],
};

async function setUp() {
  const clock = new FakeClock();
  const store = new FaultyStore(new MemoryStore(clock));
  const committer = quietCommitter(store, clock);
  const watch = new SpaceWatch({ store, committer, logger: silentLogger(clock) });
  committer.addRider(watch);
  await committer.start();
  const put = (bytes: number) =>
    committer.commit({ mutations: [{ type: "set", key: ["k"], value: new Uint8Array(bytes) }] });
  return { clock, store, committer, watch, put };
}

Deno.test("SpaceWatch writes nothing while the disk has space", async () => {
  const { store, committer, watch } = await setUp();
  const before = store.commits;
  for (const free of [Infinity, 300 * MIB]) {
    store.free = free;
    await watch.check();
  }
  assertEquals([store.commits, committer.isReadOnly], [before, false]);
});

Deno.test("SpaceWatch makes the log longer than SQLite fills it, once, when space becomes scarce", async () => {
  const { store, committer, watch } = await setUp();
  store.free = 100 * MIB;
  await watch.check();
  assertGreater(committer.stats.bytes, LOG_BYTES * 1.1);
  assertEquals(await Array.fromAsync(store.list({ prefix: ["chain", "filler"] })), []);
  const { bytes } = committer.stats;
  await watch.check();
  assertEquals(committer.stats.bytes, bytes);
  assertEquals(committer.isReadOnly, false);
});

Deno.test("SpaceWatch refuses writes while some space is left, keeps the reserve, and accepts them again with space", async () => {
  const { clock, store, committer, watch, put } = await setUp();
  store.free = 5 * MIB;
  store.diskProblem = "disk_full";
  await watch.check();
  const refusal = await assertRejects(() => put(10), DomainError);
  assertEquals([refusal.code, store.isReserveReleased], ["storage_full", false]);
  const { commits } = store;
  await clock.advance(3_000);
  assertEquals([store.commits, committer.isReadOnly], [commits, true]);
  store.free = 100 * MIB;
  store.diskProblem = undefined;
  await clock.advance(1_000);
  assertEquals(committer.isReadOnly, false);
  await put(10);
  await committer[Symbol.asyncDispose]();
});

Deno.test("SpaceWatch checks with each MiB that is written", async () => {
  const { store, committer, put } = await setUp();
  store.free = 5 * MIB;
  let written = 0;
  while (!committer.isReadOnly && written < 2 * MIB) {
    await put(60_000);
    written += 60_000;
    await settle();
  }
  assert(committer.isReadOnly);
  assertGreater(written, MIB - 60_000);
  await committer[Symbol.asyncDispose]();
});

Deno.test("a group that is being written when the disk is nearly full does not end the refusal", async () => {
  const { store, committer, watch, put } = await setUp();
  store.free = 5 * MIB;
  store.plan = () => "delay";
  const written = put(10);
  await Promise.all([written, watch.check()]);
  assertEquals(committer.problem?.reason, "the disk is full");
  await assertRejects(() => put(10), DomainError, "the disk is full");
  await committer[Symbol.asyncDispose]();
});

Deno.test("the audit record of a change that is stored is written to the room that is kept, other writes are not", async () => {
  const { store, committer, watch } = await setUp();
  const records = new AuditRecords(store, committer);
  const follow = (operation: string) => records.add({ ...RECORD, id: `id ${operation}`, operation });
  store.free = 5 * MIB;
  store.plan = () => "delay";
  const writing = follow("being written");
  // The group of the first begins, and the others wait for the next.
  await Promise.resolve();
  const waiting = [follow("waiting"), assertRejects(() => committer.commit({ mutations: [] }), DomainError)];
  await Promise.all([watch.check(), writing, ...waiting]);
  await follow("later");
  const stored = await Array.fromAsync(records.list(undefined, undefined));
  assertEquals(stored.map(({ operation }) => operation), ["waiting", "later", "being written"]);
  assertEquals(committer.isReadOnly, true);
  store.plan = () => "full";
  const refused = () => assertRejects(() => follow("refused"), DomainError, "the disk is full");
  await refused();
  store.plan = () => "none";
  await refused();
  await committer[Symbol.asyncDispose]();
});
