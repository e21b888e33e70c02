/** What an operator and a caller learn while the database takes no writes. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { Logger } from "../../src/base/log.ts";
import { DomainError } from "../../src/model/errors.ts";
import type { DiskProblem } from "../../src/model/server_health.ts";
import { Committer, type Entry } from "../../src/store/committer.ts";
import { FakeClock, settle } from "../support/fakes/fake_clock.ts";
import { type Fault, FaultyStore } from "../support/fakes/faulty_store.ts";
import { MemoryStore } from "../support/fakes/memory_store.ts";

interface Line {
  readonly level: string;
  readonly message: string;
  readonly reason?: string;
}

async function setUp() {
  const clock = new FakeClock();
  const store = new FaultyStore(new MemoryStore(clock));
  const lines: Line[] = [];
  const write = (line: string) => void lines.push(JSON.parse(line));
  const logger = new Logger({ level: "info", format: "json", clock, write });
  const fatal: string[] = [];
  const onFatal = (reason: string) => void fatal.push(reason);
  const committer = new Committer({ store, instance: "one", clock, logger, onFatal });
  await committer.start();
  const fail = (fault: Fault) => store.plan = () => fault;
  return { clock, store, committer, lines, fatal, fail };
}

function entry(name: string): Entry {
  return { mutations: [{ type: "set", key: ["k", name], value: new Uint8Array(10) }] };
}

async function refusal(committer: Committer): Promise<DomainError> {
  return await assertRejects(() => committer.commit(entry("refused")), DomainError);
}

const FAULTS: readonly (readonly [Fault, DiskProblem | undefined, string, string])[] = [
  ["full", undefined, "storage_full", "the disk is full"],
  ["io_error", "disk_full", "storage_full", "the disk is full"],
  ["io_error", "read_only", "unavailable", "the file system is read-only"],
  ["io_error", "io_error", "unavailable", "the disk reports errors"],
  ["io_error", undefined, "unavailable", "the disk reports errors"],
  ["fail_before", undefined, "unavailable", "the database refused the last commit"],
  ["unsent", undefined, "unavailable", "the database cannot be reached"],
];
for (const [fault, diskProblem, code, reason] of FAULTS) {
  Deno.test(`a commit that fails with "${fault}" on a disk with the problem "${diskProblem}" is refused because ${reason}`, async () => {
    const { committer, store, clock, fail } = await setUp();
    const since = clock.now();
    store.diskProblem = diskProblem;
    fail(fault);
    const error = await refusal(committer);
    assertEquals([error.code, error.retryAfter], [code, 1]);
    assert(error.message.startsWith(`Cannot write: ${reason}; `), error.message);
    await clock.advance(5_000);
    assertEquals(committer.problem, { reason, since, stopsReads: fault === "unsent" });
    fail("none");
    store.diskProblem = undefined;
    await clock.advance(1_000);
    assertEquals(committer.problem, undefined);
    await committer.commit(entry("accepted"));
  });
}

Deno.test("a full disk frees the reserve at once, and is over when an empty group is written and space is left", async () => {
  const { committer, store, clock, fail } = await setUp();
  fail("full");
  store.diskProblem = "disk_full";
  await refusal(committer);
  assertEquals([store.isReserveReleased, committer.isReadOnly], [true, true]);
  fail("none");
  await clock.advance(5_000);
  assertEquals([store.isReserveReleased, committer.isReadOnly], [true, true]);
  store.diskProblem = undefined;
  await clock.advance(1_000);
  assertEquals(committer.isReadOnly, false);
});

Deno.test("a full disk is logged when it begins and ends, and once a minute between", async () => {
  const { committer, clock, lines, fail } = await setUp();
  fail("full");
  await refusal(committer);
  await clock.advance(150_000);
  fail("none");
  await clock.advance(1_000);
  const began = "Writes are refused until a commit succeeds";
  const still = "Writes are still refused";
  assertEquals(lines.map(({ message }) => message), [began, still, still, "Writes are accepted again"]);
  assert(lines.every(({ reason }) => reason === "the disk is full"));
});

Deno.test("another reason to refuse writes is logged at once", async () => {
  const { committer, clock, store, lines, fail } = await setUp();
  fail("full");
  await refusal(committer);
  await clock.advance(5_000);
  store.diskProblem = "read_only";
  fail("io_error");
  await clock.advance(5_000);
  assertEquals(lines.map(({ reason }) => reason), ["the disk is full", "the file system is read-only"]);
});

Deno.test("a commit whose outcome cannot be read waits, and is acknowledged once it is known to be written", async () => {
  const { committer, clock, store, fatal, fail } = await setUp();
  fail("fail_after");
  store.isUnreadable = true;
  let outcome = "waits";
  const committed = committer.commit(entry("a")).then(() => outcome = "written", () => outcome = "refused");
  await clock.advance(10_000);
  assertEquals(outcome, "waits");
  assertEquals(committer.problem?.stopsReads, true);
  assertEquals((await refusal(committer)).code, "unavailable");
  store.isUnreadable = false;
  fail("none");
  await clock.advance(1_000);
  await committed;
  assertEquals([outcome, committer.problem, fatal], ["written", undefined, []]);
  assert(await store.get(["k", "a"]));
});

Deno.test("a commit whose outcome cannot be read is refused once it is known not to be written", async () => {
  const { committer, clock, store, fail } = await setUp();
  fail("io_error");
  store.isUnreadable = true;
  const refused = refusal(committer);
  await clock.advance(3_000);
  store.isUnreadable = false;
  fail("none");
  await clock.advance(1_000);
  assertEquals((await refused).code, "unavailable");
  assertEquals(committer.problem?.stopsReads, false);
  await clock.advance(1_000);
  assertEquals([committer.problem, await store.get(["k", "refused"])], [undefined, null]);
});

Deno.test("a database that cannot be read for a minute ends the process, with the reason", async () => {
  const { committer, clock, store, fatal, fail } = await setUp();
  fail("io_error");
  store.isUnreadable = true;
  const refused = refusal(committer);
  await clock.advance(61_000);
  await refused;
  assertEquals(fatal, ["the database cannot be read: database disk image is malformed"]);
});

Deno.test("a stop does not wait for a database that cannot be read", async () => {
  const { committer, store, fail } = await setUp();
  fail("io_error");
  store.isUnreadable = true;
  const refused = refusal(committer);
  await settle();
  await committer[Symbol.asyncDispose]();
  await refused;
});
